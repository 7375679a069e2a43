import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { type Lane, openLanes, Places, serveInTurn } from "../../rules/claims.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import type { SqliteConnection } from "../database/connection.ts";
import { type SubscriptionRow, subscriptionOfRow } from "../database/rows.ts";
import { dueLaneRows, endTurn, nextInLane, requeueRows } from "./queue.ts";

type Options = Parameters<PushStore["claim"]>[0];

/** True when a claim would get a push; only reads. */
export function hasPlace(connection: SqliteConnection, options: Options): boolean {
  return servableLanes(connection, placesFor(connection, options), options.now).length > 0;
}

/** Runs inside a write. */
export function claimPushRows(connection: SqliteConnection, options: Options, token: string): ClaimedPush[] {
  const places = placesFor(connection, options);
  return serveInTurn(servableLanes(connection, places, options.now), places, (lane) => {
    const subscription = nextInLane(connection, lane, options.now);
    if (subscription === null) return null;
    const push = claimFirst(connection, subscription, lane, options, token);
    requeueRows(connection, [subscription]);
    endTurn(connection, subscription, lane);
    return push;
  });
}

function placesFor({ sql }: SqliteConnection, options: Options): Places {
  const live: { origin: string; failing: number; n: number }[] = sql(
    `SELECT claimed_origin AS origin, claimed_failing AS failing, count(*) AS n FROM push
    WHERE token IS NOT NULL AND due_at > ? GROUP BY claimed_origin, claimed_failing`,
  ).all(options.now);
  return new Places(
    options,
    live.map((row) => ({ ...row, failing: row.failing === 1 })),
  );
}

/** Enough lanes to fill the places. */
function servableLanes(connection: SqliteConnection, places: Places, now: number): Lane[] {
  const due = [false, true].flatMap((failing) => {
    const left = places.left(failing);
    return left === 0 ? [] : dueLaneRows(connection, failing, now, left + places.fullOrigins);
  });
  return openLanes(due, places);
}

/** Claims the push of a subscription (by row) that came due first. */
function claimFirst(
  { sql }: SqliteConnection,
  subscription: number,
  lane: Lane,
  options: Options,
  token: string,
): ClaimedPush {
  const { againAt, ...push } = sql(
    `SELECT delivery_id AS deliveryId, post_id AS postId, matched_at AS matchedAt, attempts, again_at AS againAt
    FROM push WHERE subscription = ? AND state = 'waiting' AND due_at <= ? ORDER BY due_at, delivery_id LIMIT 1`,
  ).get(subscription, options.now);
  const attempts = attemptsBefore({ attempts: push.attempts, againAt });
  sql(
    `UPDATE push SET token = ?, due_at = ?, claimed_origin = ?, claimed_failing = ?, attempts = ?, again_at = NULL
    WHERE subscription = ? AND delivery_id = ?`,
  ).run(
    ...[token, options.now + options.leaseMs, lane.origin, Number(lane.failing), attempts],
    ...[subscription, push.deliveryId],
  );
  const row: SubscriptionRow = sql("SELECT * FROM subscription WHERE seq = ?").get(subscription);
  return { ...push, attempts, subscriptionId: row.id, token, subscription: subscriptionOfRow(row) };
}
