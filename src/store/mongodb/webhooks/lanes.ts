import type { Document } from "mongodb";
import type { PushStore } from "../../../ports/store/index.ts";
import type { Lane } from "../../rules/claims.ts";
import type { PushDocument, PushOriginDocument, PushQueueDocument } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";
import { ofOneMoment } from "../server/reads.ts";
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
 * The origins a process served last, one of those whose last push failed and one of the others: it goes on behind them, in
 * the order of their names, and begins again after the last.
 */
export class Rounds {
  readonly #last = new Map<boolean, string>();

  /** @returns "" at the beginning */
  last(failing: boolean): string {
    return this.#last.get(failing) ?? "";
  }

  /** @param lanes  in the order of the round */
  goOn(lanes: readonly DueLane[]): void {
    for (const { failing, origin } of lanes) this.#last.set(failing, origin);
  }
}

/**
 * The lanes to serve next, in the order of the rounds and of each kind no more than may be claimed, in one query. It costs
 * one step in an index while nothing is due, and else some for each of these lanes, however many others there are and
 * however many pushes wait.
 */
export async function dueLaneDocuments(
  { connection, collections }: MongodbContext,
  rounds: Rounds,
  options: Parameters<PushStore["claim"]>[0],
): Promise<DueLane[]> {
  const now = new Date(options.now);
  const kinds = [false, true].filter((failing) => !failing || options.failing > 0);
  const [first = [], ...others] = kinds.map((failing) => lanesOf(failing, rounds, now, options));
  const unions = others.map((pipeline) => ({ $unionWith: { coll: "push_queue", pipeline } }));
  const lanes = await collections.push_queue
    .aggregate<DueLane>(
      [
        { $match: { due_at: { $lte: now } } },
        { $limit: 1 },
        { $project: { _id: 1 } },
        { $lookup: { from: "push_queue", pipeline: [...first, ...unions], as: "lane" } },
        { $unwind: "$lane" },
        { $replaceRoot: { newRoot: "$lane" } },
      ],
      // A place whose push it missed would be moved too late.
      ofOneMoment(connection),
    )
    .toArray();
  rounds.goOn(lanes);
  return lanes;
}

type Caps = Pick<Parameters<PushStore["claim"]>[0], "limit" | "perOrigin" | "failing">;

function lanesOf(
  failing: boolean,
  rounds: Rounds,
  now: Date,
  { limit, perOrigin, failing: failingMost }: Caps,
): Document[] {
  const most = failing ? Math.min(limit, failingMost) : limit;
  const last = rounds.last(failing);
  const fromEach = Math.min(most, perOrigin);
  const servedAt = failing ? "$known.failing_turn" : "$known.turn";
  const live = { $filter: { input: { $ifNull: ["$known.held", []] }, cond: { $gt: ["$$this.until", now] } } };
  const open = (origins: Document): Document[] => [
    { $match: { failing, origin: origins } },
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
    { $limit: most },
  ];
  return [
    ...open({ $gt: last }),
    ...(last === "" ? [] : [{ $unionWith: { coll: "push_queue", pipeline: open({ $lte: last }) } }]),
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
