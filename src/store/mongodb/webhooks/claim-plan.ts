import type { ClientSession } from "mongodb";
import type { PushStore } from "../../../ports/store/index.ts";
import type { PushDocument } from "../schema/documents.ts";
import type { Parts } from "../server/context.ts";
import { inSession } from "../server/reads.ts";
import { dueLanes, type Lane, waitingPushes } from "./lanes.ts";

type Options = Parameters<PushStore["claim"]>[0];

export interface ClaimPlan {
  /** In the order of service. `nextDueAt` is of the subscription's next waiting push, null when there is none. */
  served: { lane: Lane; push: PushDocument; nextDueAt: Date | null }[];
  /** Those that have no turn yet. */
  newLanes: Lane[];
}

/**
 * Who would be served now: one push from each lane in turn, round after round, while there are places. Only reads; as
 * part of a transaction it is exact.
 */
export async function planClaim(parts: Parts, options: Options, session?: ClientSession): Promise<ClaimPlan> {
  const now = new Date(options.now);
  const places = await placesFor(parts, options, session);
  const due: Lane[] = [];
  const open: Lane[] = [];
  for (const failing of [false, true]) {
    if (!places.left(failing)) continue;
    const lanes = await dueLanes(parts, failing, now, session);
    due.push(...lanes);
    // No more can be served than there are places.
    open.push(
      ...lanes
        .filter((lane) => places.in(lane) > 0)
        .sort(byTurn)
        .slice(0, options.limit),
    );
  }
  open.sort(byTurn);

  const most = Math.max(0, ...open.map((lane) => places.in(lane)));
  const waiting = await waitingPushes(parts, open, { now, most }, session);
  const served: ClaimPlan["served"] = [];
  let round = open;
  while (round.length > 0) {
    round = round.filter((lane) => {
      if (places.in(lane) === 0) return false;
      const [push, ...rest] = waiting.get(lane._id)?.shift() ?? [];
      if (push === undefined) return false;
      served.push({ lane, push, nextDueAt: rest[0]?.due_at ?? null });
      places.take(lane);
      if (isDue(rest[0], now)) waiting.get(lane._id)?.push(rest);
      return true;
    });
  }
  return { served, newLanes: due.filter(({ turn }) => turn === null) };
}

/** Least recently served first; who never was comes last. */
function byTurn(a: Lane, b: Lane): number {
  return (a.turn ?? Number.MAX_SAFE_INTEGER) - (b.turn ?? Number.MAX_SAFE_INTEGER);
}

function isDue(push: PushDocument | undefined, now: Date): boolean {
  return push !== undefined && push.due_at !== null && push.due_at <= now;
}

/** Places that are left beside the claims that live, over all processes. */
interface Places {
  /** Whether there is one for this kind of lane. */
  left(failing: boolean): boolean;
  /** How many there are for a lane. */
  in(lane: Lane): number;
  take(lane: Lane): void;
}

async function placesFor(
  { collections }: Parts,
  options: Options,
  session: ClientSession | undefined,
): Promise<Places> {
  const live = await collections.pushes
    .aggregate<{ _id: { origin: string; failing: boolean }; n: number }>(
      [
        { $match: { token: CLAIMED, due_at: { $gt: new Date(options.now) } } },
        { $group: { _id: { origin: "$claimed_origin", failing: "$claimed_failing" }, n: { $sum: 1 } } },
      ],
      inSession(session),
    )
    .toArray();
  const taken = new Map<string, number>();
  let room = options.limit;
  let total = options.total;
  let failing = options.failing;
  const take = (lane: { origin: string; failing: boolean }, n: number) => {
    taken.set(lane.origin, (taken.get(lane.origin) ?? 0) + n);
    total -= n;
    if (lane.failing) failing -= n;
  };
  for (const { _id, n } of live) take(_id, n);
  const left = (kind: boolean) => Math.max(0, Math.min(room, total, kind ? failing : total));
  return {
    left: (kind) => left(kind) > 0,
    in: (lane) =>
      Math.max(0, Math.min(left(lane.failing), options.perOrigin - (taken.get(lane.origin) ?? 0))),
    take(lane) {
      take(lane, 1);
      room -= 1;
    },
  };
}

/** Of a push that is claimed, in the words of the index that holds only those. */
const CLAIMED = { $gt: "" } as const;
