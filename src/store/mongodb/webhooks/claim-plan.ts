import type { PushStore } from "../../../ports/store/index.ts";
import { openLanes, Places, serveInTurn } from "../../rules/claims.ts";
import type { PushDocument } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";
import { type DueLane, type DuePlace, dueLaneDocuments, type Rounds } from "./lanes.ts";

type Options = Parameters<PushStore["claim"]>[0];

export interface PlannedPush {
  lane: DueLane;
  place: DuePlace;
  push: PushDocument;
  /** When the subscription's next waiting push is due, null without one. */
  nextDueAt: Date | null;
}

export interface ClaimPlan {
  /** In the order of service. */
  served: PlannedPush[];
  /** Places that are in the queue too early, since what was due in them has been delivered. */
  early: DuePlace[];
  /** Higher than every turn seen. */
  turn: number;
}

/** What a claim would serve now. Only reads: the claim finds out what another was faster to take. */
export async function planClaim(
  context: MongodbContext,
  rounds: Rounds,
  options: Options,
): Promise<ClaimPlan> {
  const now = new Date(options.now);
  const lanes = await dueLaneDocuments(context, rounds, options);
  const live = new Map(lanes.map(({ origin, live }) => [origin, live]));
  const places = new Places(
    options,
    [...live].map(([origin, n]) => ({ origin, n })),
  );
  const waiting = new Map(
    lanes.map((lane) => [lane, lane.due.map((place) => ({ place, pushes: [...place.pushes] }))]),
  );
  const served = serveInTurn(openLanes(lanes, places), places, (lane): PlannedPush | null => {
    const queue = waiting.get(lane) ?? [];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { place, pushes } = next;
      const push = pushes.shift();
      if (!isDue(push, now)) continue;
      if (isDue(pushes[0], now)) queue.push(next);
      return { lane, place, push, nextDueAt: pushes[0]?.due_at ?? null };
    }
    return null;
  });
  const seen = lanes.flatMap(({ turn, due }) => [turn, ...due.map((place) => place.turn)]);
  return {
    served,
    early: lanes.flatMap(({ due }) => due.filter(({ pushes }) => !isDue(pushes[0], now))),
    turn: Math.max(options.now * 1_000, 1 + Math.max(0, ...seen)),
  };
}

function isDue(push: PushDocument | undefined, now: Date): push is PushDocument {
  return push !== undefined && push.due_at !== null && push.due_at <= now;
}
