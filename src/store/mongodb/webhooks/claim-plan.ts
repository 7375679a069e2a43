import type { PushStore } from "../../../ports/store/index.ts";
import { openLanes, Places, serveInTurn } from "../../rules/claims.ts";
import type { MongodbContext } from "../server/context.ts";
import { dueAhead } from "./ahead.ts";
import { type DueLane, type DuePlace, dueLanes, type Rounds } from "./lanes.ts";

type Options = Parameters<PushStore["claim"]>[0];

export interface PlannedPush {
  lane: DueLane;
  place: DuePlace;
  /** Number of its place among those that this claim takes at the origin, from 0. */
  slot: number;
  /** Null where the first push of the place has to be looked for; there may be none. */
  deliveryId: number | null;
}

/**
 * What a claim would serve now, in the order of service. Only reads: the claim finds out what another was faster to take.
 * @returns `all`: see `dueLanes`
 */
export async function planClaim(
  context: MongodbContext,
  rounds: Rounds,
  options: Options,
): Promise<{ served: PlannedPush[]; all: boolean }> {
  const now = new Date(options.now);
  const { lanes, all } = await dueLanes(context, rounds, options);
  const live = new Map(lanes.map(({ origin, live }) => [origin, live]));
  const places = new Places(
    options,
    [...live].map(([origin, n]) => ({ origin, n })),
  );
  // A place that moved from one lane to the other while they were read is in both.
  const known = new Set<string>();
  const waiting = new Map(
    lanes.map((lane) => [
      lane,
      lane.places.flatMap((place) => {
        if (known.has(place._id)) return [];
        known.add(place._id);
        const due = dueAhead(place, now)?.map(({ delivery_id }) => delivery_id);
        return [{ place, due: due ?? [null] }];
      }),
    ]),
  );
  const slots = new Map<string, number>();
  const served = serveInTurn(openLanes(lanes, places), places, (lane): PlannedPush | null => {
    const queue = waiting.get(lane) ?? [];
    const next = queue.shift();
    if (next === undefined) return null;
    const { place, due } = next;
    const deliveryId = due.shift() ?? null;
    if (due.length > 0) queue.push(next);
    const slot = slots.get(lane.origin) ?? 0;
    slots.set(lane.origin, slot + 1);
    return { lane, place, slot, deliveryId };
  });
  return { served, all };
}
