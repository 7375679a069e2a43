import type { Document } from "mongodb";
import type { PushStore } from "../../../ports/store/index.ts";
import type { Lane } from "../../rules/claims.ts";
import type { PushDocument, PushOriginDocument, PushQueueDocument } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";
import { firstWaiting } from "./queue.ts";

/** A lane with something due and a place at its origin. */
export interface DueLane extends Lane {
  turn: number;
  /** Of its origin, null before the first claim: the claim that changed it last. */
  claim: PushOriginDocument["claim"] | null;
  /** Live claims on its origin. */
  live: number;
  /** Places in the queue with something due, by turn. */
  due: DuePlace[];
}

/** A place in the queue and its waiting pushes, first due first; due or not. */
export interface DuePlace extends Pick<PushQueueDocument, "_id" | "turn" | "revision"> {
  pushes: PushDocument[];
}

/**
 * The lanes to serve next, of each kind no more than may be claimed, in one query. It costs one step in an index while
 * nothing is due, and else one for each lane, however many pushes wait in it.
 */
export function dueLaneDocuments(
  { collections }: MongodbContext,
  options: Parameters<PushStore["claim"]>[0],
): Promise<DueLane[]> {
  const now = new Date(options.now);
  const kinds = [false, true].filter((failing) => !failing || options.failing > 0);
  const [first = [], ...others] = kinds.map((failing) => lanesOf(failing, now, options));
  const unions = others.map((pipeline) => ({ $unionWith: { coll: "push_queue", pipeline } }));
  return collections.push_queue
    .aggregate<DueLane>([
      { $match: { due_at: { $lte: now } } },
      { $limit: 1 },
      { $project: { _id: 1 } },
      { $lookup: { from: "push_queue", pipeline: [...first, ...unions], as: "lane" } },
      { $unwind: "$lane" },
      { $replaceRoot: { newRoot: "$lane" } },
    ])
    .toArray();
}

type Caps = Pick<Parameters<PushStore["claim"]>[0], "limit" | "perOrigin" | "failing">;

function lanesOf(failing: boolean, now: Date, { limit, perOrigin, failing: failingMost }: Caps): Document[] {
  const most = failing ? Math.min(limit, failingMost) : limit;
  const fromEach = Math.min(most, perOrigin);
  const servedAt = failing ? "$known.failing_turn" : "$known.turn";
  const live = { $filter: { input: { $ifNull: ["$known.held", []] }, cond: { $gt: ["$$this.until", now] } } };
  return [
    { $match: { failing } },
    { $sort: { failing: 1, origin: 1, due_at: 1, _id: 1 } },
    { $group: { _id: "$origin", due_at: { $first: "$due_at" } } },
    { $match: { due_at: { $lte: now } } },
    { $lookup: { from: "push_origins", localField: "_id", foreignField: "_id", as: "known" } },
    { $set: { known: { $first: "$known" } } },
    {
      $project: {
        _id: 0,
        origin: "$_id",
        failing: { $literal: failing },
        claim: { $ifNull: ["$known.claim", null] },
        live: { $size: live },
        turn: { $ifNull: [servedAt, { $multiply: [{ $toLong: "$due_at" }, 1_000] }] },
      },
    },
    { $match: { live: { $lt: perOrigin } } },
    { $sort: { turn: 1, origin: 1 } },
    { $limit: most },
    {
      $lookup: {
        from: "push_queue",
        localField: "origin",
        foreignField: "origin",
        pipeline: [
          { $match: { failing, due_at: { $lte: now } } },
          { $sort: { turn: 1 } },
          { $limit: fromEach },
          { $project: { turn: 1, revision: 1 } },
          firstWaiting("pushes", fromEach + 1, [{ $project: { history: 0, attempt: 0 } }]),
        ],
        as: "due",
      },
    },
  ];
}
