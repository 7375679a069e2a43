import type { ClientSession, Document } from "mongodb";
import type { Lane } from "../../rules/claims.ts";
import type { PushDocument } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";
import { inSession } from "../server/reads.ts";
import { firstWaiting } from "./queue.ts";

export interface DueLane extends Lane {
  _id: string;
  /** Id of the subscription in it that came due first. */
  first: string;
}

/** True when anything is due; one look at an index. */
export async function isAnyDue({ collections }: MongodbContext, now: Date): Promise<boolean> {
  return (
    (await collections.push_queue.findOne({ due_at: { $lte: now } }, { projection: { _id: 1 } })) !== null
  );
}

/** All lanes of one kind with something due. Costs one step in an index for each lane, however many pushes wait in it. */
export async function dueLaneDocuments(
  { collections }: MongodbContext,
  failing: boolean,
  now: Date,
  session: ClientSession | undefined,
): Promise<DueLane[]> {
  const origins = await collections.push_queue
    .aggregate<{ _id: string; due_at: Date; first: string }>(
      [
        { $match: { failing } },
        { $sort: { failing: 1, origin: 1, due_at: 1, _id: 1 } },
        { $group: { _id: "$origin", due_at: { $first: "$due_at" }, first: { $first: "$_id" } } },
        { $match: { due_at: { $lte: now } } },
      ],
      inSession(session),
    )
    .toArray();
  if (origins.length === 0) return [];
  const ids = origins.map(({ _id }) => laneId(failing, _id));
  const served = await collections.push_lanes.find({ _id: { $in: ids } }, inSession(session)).toArray();
  const turns = new Map(served.map(({ _id, turn }) => [_id, turn]));
  return origins.map(({ _id: origin, first }) => {
    const _id = laneId(failing, origin);
    return { _id, origin, failing, turn: turns.get(_id) ?? null, first };
  });
}

const laneId = (failing: boolean, origin: string): string => `${failing} ${origin}`;

/**
 * Waiting pushes of subscriptions with something due, by lane and by turn; of each subscription, first due first. One
 * query for all lanes of a kind.
 *
 * @param most  pushes that may be claimed from a lane: of each lane, this many subscriptions are read, and of each of
 *   those, this many pushes and one more, due or not
 */
export async function waitingPushes(
  { collections }: MongodbContext,
  lanes: readonly DueLane[],
  { now, most }: { now: Date; most: number },
  session: ClientSession | undefined,
): Promise<Map<string, PushDocument[][]>> {
  const waiting = new Map<string, PushDocument[][]>();
  for (const failing of [false, true]) {
    const asked = lanes.filter((lane) => lane.failing === failing);
    if (asked.length === 0) continue;
    const found = await collections.push_queue
      .aggregate<{ origin: string; due: { pushes: PushDocument[] }[] }>(
        [
          // A document for each lane.
          { $match: { _id: { $in: asked.map(({ first }) => first) } } },
          dueInLane(failing, now, most),
          { $project: { origin: 1, "due.pushes": 1 } },
        ],
        inSession(session),
      )
      .toArray();
    for (const { origin, due } of found) {
      waiting.set(
        laneId(failing, origin),
        due.map(({ pushes }) => pushes),
      );
    }
  }
  return waiting;
}

function dueInLane(failing: boolean, now: Date, most: number): Document {
  return {
    $lookup: {
      from: "push_queue",
      localField: "origin",
      foreignField: "origin",
      pipeline: [
        { $match: { failing, due_at: { $lte: now } } },
        { $sort: { turn: 1 } },
        { $limit: most },
        firstWaiting("pushes", most + 1),
      ],
      as: "due",
    },
  };
}
