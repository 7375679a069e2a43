import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import type { Connection } from "../database/connection.ts";
import { type SubscriptionRow, subscriptionOf } from "../database/rows.ts";
import { dueLanes, endTurn, type Lane, nextInLane, requeue } from "./queue.ts";

type Options = Parameters<PushStore["claim"]>[0];

/** Whether a claim would get anything; only reads. */
export function hasPlace(connection: Connection, options: Options): boolean {
  return openLanes(connection, placesFor(connection, options), options).length > 0;
}

/** Claims one push from each lane in turn, round after round, while there are places; runs inside a write. */
export function claimPushes(connection: Connection, options: Options, token: string): ClaimedPush[] {
  const places = placesFor(connection, options);
  const claimed: ClaimedPush[] = [];
  let lanes = openLanes(connection, places, options);
  while (lanes.length > 0) {
    lanes = lanes.filter((lane) => {
      if (!places.isOpen(lane)) return false;
      const subscription = nextInLane(connection, lane, options.now);
      if (subscription === null) return false;
      claimed.push(claimFirst(connection, subscription, lane, options, token));
      places.take(lane);
      requeue(connection, [subscription]);
      endTurn(connection, subscription, lane);
      return true;
    });
  }
  return claimed;
}

/** Places that are left beside the claims that live, over all processes. */
interface Places {
  isOpen(lane: Lane): boolean;
  take(lane: Lane): void;
  /** Origins without one. */
  full: number;
  /** Whether there is one for this kind of lane. */
  left(failing: 0 | 1): boolean;
}

function placesFor({ sql }: Connection, options: Options): Places {
  const taken = new Map<string, number>();
  let total = 0;
  let failing = 0;
  const live: { origin: string; failing: number; n: number }[] = sql(
    `SELECT claimed_origin AS origin, claimed_failing AS failing, count(*) AS n FROM push
    WHERE token IS NOT NULL AND due_at > ? GROUP BY claimed_origin, claimed_failing`,
  ).all(options.now);
  for (const row of live) {
    taken.set(row.origin, (taken.get(row.origin) ?? 0) + row.n);
    total += row.n;
    if (row.failing === 1) failing += row.n;
  }
  let room = options.limit;
  const left = (kind: number) =>
    room > 0 && total < options.total && (kind === 0 || failing < options.failing);
  return {
    left,
    full: [...taken.values()].filter((n) => n >= options.perOrigin).length,
    isOpen: (lane) => left(lane.failing) && (taken.get(lane.origin) ?? 0) < options.perOrigin,
    take(lane) {
      taken.set(lane.origin, (taken.get(lane.origin) ?? 0) + 1);
      room -= 1;
      total += 1;
      failing += lane.failing;
    },
  };
}

/** Lanes with something due and a place for it, by turn; enough of them to fill the places. */
function openLanes(connection: Connection, places: Places, { limit, now }: Options): Lane[] {
  return ([0, 1] as const)
    .filter((failing) => places.left(failing))
    .flatMap((failing) => dueLanes(connection, failing, now, limit + places.full))
    .filter((lane) => places.isOpen(lane))
    .sort((a, b) => a.turn - b.turn);
}

/** Claims the push of a subscription (by row) that has been due longest. */
function claimFirst(
  { sql }: Connection,
  subscription: number,
  lane: Lane,
  options: Options,
  token: string,
): ClaimedPush {
  const { delivery_id } = sql(
    `SELECT delivery_id FROM push WHERE subscription = ? AND state = 'waiting' AND due_at <= ?
    ORDER BY due_at, delivery_id LIMIT 1`,
  ).get(subscription, options.now);
  const push: { post_id: string; matched_at: number; attempts: number } = sql(
    `UPDATE push SET token = ?, due_at = ?, claimed_origin = ?, claimed_failing = ?,
      attempts = iif(again_at IS NULL, attempts, 0), again_at = NULL
    WHERE subscription = ? AND delivery_id = ? RETURNING post_id, matched_at, attempts`,
  ).get(token, options.now + options.leaseMs, lane.origin, lane.failing, subscription, delivery_id);
  const row: SubscriptionRow = sql("SELECT * FROM subscription WHERE seq = ?").get(subscription);
  return {
    subscriptionId: row.id,
    deliveryId: delivery_id,
    postId: push.post_id,
    matchedAt: push.matched_at,
    token,
    attempts: push.attempts,
    subscription: subscriptionOf(row),
  };
}
