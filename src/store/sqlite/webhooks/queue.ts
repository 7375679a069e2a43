import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { type Lane, openLanes, Places, queuePlace, serveInTurn } from "../../rules/claims.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import type { SqliteConnection } from "../database/connection.ts";

type Options = Parameters<PushStore["claim"]>[0];

/**
 * The order of service. `push_queue` holds each subscription that can be pushed to and has pushes waiting, with the time
 * its first push is due. The subscriptions of an origin form two lanes, those whose last push failed and the others;
 * `push_lane` holds the same for each lane. Turns grow: after service, lane and subscription go to the end, so that
 * neither waits for another's whole backlog. Finding what is due costs one step for each lane, not for each push.
 */

/** Brings subscriptions (by row) and their lanes in step with their pushes; runs inside a write. */
export function requeueRows(connection: SqliteConnection, subscriptions: Iterable<number>): void {
  const lanes = new Map<string, { origin: string; failing: number }>();
  for (const subscription of subscriptions) {
    for (const lane of requeueOne(connection, subscription)) {
      lanes.set(`${lane.failing} ${lane.origin}`, lane);
    }
  }
  for (const { origin, failing } of lanes.values()) requeueLane(connection, origin, failing);
}

/** Returns the lanes of the subscription before and after. */
function requeueOne({ sql }: SqliteConnection, subscription: number): { origin: string; failing: number }[] {
  const old: { origin: string; failing: number } | undefined = sql(
    "SELECT origin, failing FROM push_queue WHERE subscription = ?",
  ).get(subscription);
  const row = sql(
    `SELECT active, webhook_origin, webhook_verified_at, failures,
      (SELECT min(due_at) FROM push WHERE subscription = seq AND state = 'waiting') AS due_at
    FROM subscription WHERE seq = ?`,
  ).get(subscription);
  const place = row === undefined ? null : queuePlace({ ...row, active: row.active === 1 }, row.due_at);
  if (place === null) {
    if (old === undefined) return [];
    sql("DELETE FROM push_queue WHERE subscription = ?").run(subscription);
    return [old];
  }
  const next = { origin: place.origin, failing: Number(place.failing) };
  sql(
    `INSERT INTO push_queue (subscription, origin, failing, due_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (subscription) DO UPDATE SET origin = excluded.origin, failing = excluded.failing, due_at = excluded.due_at`,
  ).run(subscription, next.origin, next.failing, place.dueAt);
  return old === undefined ? [next] : [old, next];
}

function requeueLane({ sql }: SqliteConnection, origin: string, failing: number): void {
  const { due_at }: { due_at: number | null } = sql(
    "SELECT min(due_at) AS due_at FROM push_queue WHERE origin = ? AND failing = ?",
  ).get(origin, failing);
  if (due_at === null) {
    sql("DELETE FROM push_lane WHERE origin = ? AND failing = ?").run(origin, failing);
    return;
  }
  sql(
    `INSERT INTO push_lane (origin, failing, due_at) VALUES (?, ?, ?)
    ON CONFLICT (origin, failing) DO UPDATE SET due_at = excluded.due_at`,
  ).run(origin, failing, due_at);
}

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
  const live: { origin: string; n: number }[] = sql(
    `SELECT claimed_origin AS origin, count(*) AS n FROM push
    WHERE token IS NOT NULL AND due_at > ? GROUP BY claimed_origin`,
  ).all(options.now);
  return new Places(options, live);
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
  const { subscriptionId, ...receiver } = sql(
    `SELECT id AS subscriptionId, publisher_id AS publisherId, webhook_url AS webhookUrl
    FROM subscription WHERE seq = ?`,
  ).get(subscription);
  return { ...push, attempts, subscriptionId, token, receiver: { ...receiver, failing: lane.failing } };
}

/** The first lanes of one kind with something due, by turn. */
function dueLaneRows({ sql }: SqliteConnection, failing: boolean, now: number, limit: number): Lane[] {
  const lanes: Pick<Lane, "turn" | "origin">[] = sql(
    "SELECT turn, origin FROM push_lane WHERE failing = ? AND due_at <= ? ORDER BY turn LIMIT ?",
  ).all(Number(failing), now, limit);
  return lanes.map((lane) => ({ ...lane, failing }));
}

/** The next subscription (by row) of a lane, or null when none has anything due. */
function nextInLane({ sql }: SqliteConnection, { origin, failing }: Lane, now: number): number | null {
  // The plus keeps the planner from reading everything due and sorting it by turn.
  return (
    sql(
      "SELECT subscription FROM push_queue WHERE origin = ? AND failing = ? AND +due_at <= ? ORDER BY turn LIMIT 1",
    ).get(origin, Number(failing), now)?.subscription ?? null
  );
}

/** After service, moves a subscription to the end of its lane, and its lane to the end of the lanes. */
function endTurn({ sql }: SqliteConnection, subscription: number, { origin, failing }: Lane): void {
  sql(
    `INSERT OR REPLACE INTO push_queue (subscription, origin, failing, due_at)
    SELECT subscription, origin, failing, due_at FROM push_queue WHERE subscription = ?`,
  ).run(subscription);
  sql(
    `INSERT OR REPLACE INTO push_lane (origin, failing, due_at)
    SELECT origin, failing, due_at FROM push_lane WHERE origin = ? AND failing = ?`,
  ).run(origin, Number(failing));
}
