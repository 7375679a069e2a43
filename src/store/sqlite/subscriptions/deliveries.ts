import { setImmediate as nextTurn } from "node:timers/promises";
import type { Delivery, Match, NewMatch, ToldChange, WorkItem } from "../../../ports/store/index.ts";
import { inSteps } from "../../rules/rows.ts";
import { goesOn } from "../../rules/series.ts";
import { pruneBefore, type SqliteConnection } from "../database/connection.ts";
import { isTold, PUBLISHER_COLUMNS, SELECT_POST, type SqliteRow, storedPostOfRow } from "../database/rows.ts";
import { settleWorkRows } from "../database/work.ts";
import { DESTINATION_COLUMNS } from "../pushes/claims.ts";
import { addPush } from "../pushes/index.ts";
import { addEntryRow } from "./inbox.ts";

/**
 * One row for each pair of subscription and post while both exist: it keeps the pair from being delivered twice.
 * `matched_at` is null once the delivery is pruned.
 */

/** This many rows are deleted, pruned or counted in one go. */
const ROWS_PER_STEP = 2000;
/** One write tells this many subscriptions of a change. */
const TOLD_PER_WRITE = 200;
/** A removed subscription stays in the list of changes until this many changes came after it. */
const CHANGES_KEPT = 100_000;

/** Runs inside a write. */
export function deliverRows(
  connection: SqliteConnection,
  matches: readonly Match[],
  settled: readonly WorkItem[],
): NewMatch[] {
  const { sql } = connection;
  const delivered: NewMatch[] = [];
  for (const { subscriptionId, postId, matchedAt, series } of matches) {
    const pair = sql(
      `SELECT s.seq AS subscription, p.seq AS post, o.id AS owner, ${DESTINATION_COLUMNS}
      FROM subscription s CROSS JOIN publisher o ON o.id = s.publisher_id CROSS JOIN post p
      WHERE s.id = ? AND o.erasing = 0 AND p.id = ? AND p.state = 'active'
        AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.subscription = s.seq AND d.post = p.seq)`,
    ).get(subscriptionId, postId);
    if (pair === undefined || !beginsSeries(connection, pair.subscription, series, matchedAt)) continue;
    const deliveryId = handOver(connection, pair, { postId, matchedAt, change: null });
    delivered.push({ subscriptionId, publisherId: pair.owner, postId, deliveryId });
  }
  settleWorkRows(connection, settled);
  return delivered;
}

/** See `SubscriptionStore.tellChange`. */
export async function tellChangeRows(
  connection: SqliteConnection,
  postId: string,
  now: number,
): Promise<NewMatch[]> {
  const told: NewMatch[] = [];
  await inSteps(Number.POSITIVE_INFINITY, TOLD_PER_WRITE, (most) =>
    connection.write(() => {
      const pairs: (Pair & { subscriptionId: string; change: string })[] = connection
        .sql(
          `SELECT d.subscription, d.post, s.id AS subscriptionId, o.id AS owner, p.change, ${DESTINATION_COLUMNS}
          FROM post p CROSS JOIN delivery d ON d.post = p.seq CROSS JOIN subscription s ON s.seq = d.subscription
            CROSS JOIN publisher o ON o.id = s.publisher_id
          WHERE p.id = ? AND p.change IS NOT NULL AND o.erasing = 0 AND s.changes = 1
            AND (s.active = 1 OR s.inactive_reason IN ('webhook_gone', 'webhook_failing'))
            AND (d.change IS NULL OR d.change ->> '$.at' <> p.change ->> '$.at') LIMIT ?`,
        )
        .all(postId, most);
      for (const { subscriptionId, change, ...pair } of pairs) {
        const news = { postId, matchedAt: now, change: JSON.parse(change) as ToldChange };
        const deliveryId = handOver(connection, pair, news);
        told.push({ subscriptionId, publisherId: pair.owner, postId, deliveryId });
      }
      return pairs.length;
    }),
  );
  return told;
}

/** Joins a subscription and a post, by row, with the subscription's publisher and where its pushes go. */
type Pair = Parameters<typeof addPush>[2] & { subscription: number; post: number; owner: string };

/** Gives a pair its delivery, or a new one in the place of that, with inbox entry and push; runs inside a write. */
function handOver(
  connection: SqliteConnection,
  pair: Pair,
  { postId, matchedAt, change }: { postId: string; matchedAt: number; change: ToldChange | null },
): number {
  const { owner, subscription, post } = pair;
  const { sql } = connection;
  const { deliveryId } = sql(
    `UPDATE subscription SET next_delivery = next_delivery + 1, last_matched_at = max(coalesce(last_matched_at, ?1), ?1)
    WHERE seq = ?2 RETURNING next_delivery - 1 AS deliveryId`,
  ).get(matchedAt, subscription);
  const told = change === null ? null : JSON.stringify(change);
  sql(
    "INSERT OR REPLACE INTO delivery (subscription, post, delivery_id, matched_at, change) VALUES (?, ?, ?, ?, ?)",
  ).run(subscription, post, deliveryId, matchedAt, told);
  addEntryRow(connection, owner, { type: "match", at: matchedAt, post, subscription, deliveryId, change });
  addPush(connection, { subscription, deliveryId, postId, matchedAt }, pair);
  return deliveryId;
}

/** Tells whether a subscription is to be told of a date; remembers how long its series goes on. Runs inside a write. */
function beginsSeries(
  { sql }: SqliteConnection,
  subscription: number,
  series: Match["series"],
  now: number,
): boolean {
  if (series == null) return true;
  const told = sql("SELECT ends_at AS endsAt FROM told_series WHERE subscription = ? AND series = ?").get(
    subscription,
    series.key,
  );
  sql(
    `INSERT INTO told_series VALUES (?, ?, ?)
    ON CONFLICT (subscription, series) DO UPDATE SET ends_at = max(ends_at, excluded.ends_at)`,
  ).run(subscription, series.key, series.endsAt);
  return !goesOn(told, now);
}

export function readPendingRows(
  { sql }: SqliteConnection,
  id: string,
  after: number,
  limit: number,
): Delivery[] {
  const rows: SqliteRow[] = sql(
    `SELECT d.delivery_id AS deliveryId, p.id AS postId, p.publisher_id AS publisherId, d.matched_at AS matchedAt, d.change
    FROM subscription s
      CROSS JOIN delivery d ON d.subscription = s.seq AND d.matched_at IS NOT NULL
      CROSS JOIN post p ON p.seq = d.post
      CROSS JOIN publisher a ON a.id = p.publisher_id
    WHERE s.id = ? AND d.delivery_id > ? AND ${isTold("d")}
    ORDER BY d.delivery_id LIMIT ?`,
  ).all(id, after, limit);
  return rows.map(({ deliveryId, postId, publisherId, matchedAt, change }) => ({
    deliveryId,
    matchedAt,
    change: change === null ? null : JSON.parse(change),
    post: storedPostOfRow(sql(`${SELECT_POST} WHERE p.id = ?`).get(postId)),
    publisher: PUBLISHER_COLUMNS.read(sql("SELECT * FROM publisher WHERE id = ?").get(publisherId)),
  }));
}

/** Counts in steps, so that a long list does not hold up others. */
export async function countPendingRows(
  { sql, read }: SqliteConnection,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    let shown = 0;
    let after: number | null = 0;
    while (after !== null) {
      const from: number = after;
      const step: { looked: number; last: number | null; shown: number } = await read(() =>
        sql(
          `SELECT count(*) AS looked, max(d.delivery_id) AS last,
            count(CASE WHEN ${isTold("d")} THEN 1 END) AS shown
          FROM (
            SELECT post, delivery_id, change FROM delivery
            WHERE subscription = (SELECT seq FROM subscription WHERE id = ?) AND delivery_id > ? AND matched_at IS NOT NULL
            ORDER BY delivery_id LIMIT ?
          ) d
            CROSS JOIN post p ON p.seq = d.post
            CROSS JOIN publisher a ON a.id = p.publisher_id`,
        ).get(id, from, ROWS_PER_STEP),
      );
      shown += step.shown;
      after = step.looked < ROWS_PER_STEP ? null : step.last;
      if (after !== null) await nextTurn();
    }
    counts.set(id, shown);
  }
  return counts;
}

export async function pruneDeliveryRows(
  connection: SqliteConnection,
  before: number,
  limit: number,
): Promise<number> {
  const { sql, write } = connection;
  // Completes what a crash interrupted.
  await purgeDeliveries(connection);
  const pruned = await inSteps(limit, ROWS_PER_STEP, (most) =>
    write(() => {
      const rows: { subscription: number; post: number }[] = sql(
        "SELECT subscription, post FROM delivery WHERE matched_at < ? ORDER BY matched_at LIMIT ?",
      ).all(before, most);
      for (const { subscription, post } of rows) {
        sql("UPDATE delivery SET matched_at = NULL WHERE subscription = ? AND post = ?").run(
          subscription,
          post,
        );
      }
      return rows.length;
    }),
  );
  await pruneBefore(connection, "told_series", ["subscription, series", "ends_at"], before, limit);
  await pruneBefore(connection, "push", ["subscription, delivery_id", "matched_at"], before, limit);
  await write(() =>
    sql(
      `DELETE FROM subscription_change WHERE no IN (
        SELECT no FROM subscription_change
        WHERE gone = 1 AND no < (SELECT max(no) FROM subscription_change) - ? ORDER BY no LIMIT ?)`,
    ).run(CHANGES_KEPT, ROWS_PER_STEP),
  );
  return pruned;
}

const PURGES = [
  "DELETE FROM delivery WHERE (subscription, post) IN (SELECT subscription, post FROM delivery WHERE subscription = ? LIMIT ?)",
  "DELETE FROM push WHERE (subscription, delivery_id) IN (SELECT subscription, delivery_id FROM push WHERE subscription = ? LIMIT ?)",
  "DELETE FROM told_series WHERE (subscription, series) IN (SELECT subscription, series FROM told_series WHERE subscription = ? LIMIT ?)",
  "DELETE FROM inbox WHERE (publisher, no) IN (SELECT publisher, no FROM inbox WHERE subscription = ? LIMIT ?)",
] as const;

/** Deletes the remains of removed subscriptions. */
export async function purgeDeliveries({ sql, write }: SqliteConnection): Promise<void> {
  let more = true;
  while (more) {
    more = await write(() => {
      const next: { subscription: number } | undefined = sql(
        "SELECT subscription FROM subscription_purge LIMIT 1",
      ).get();
      if (next === undefined) return false;
      const deleted = PURGES.map(
        (purge) => sql(purge).run(next.subscription, ROWS_PER_STEP).changes as number,
      );
      if (deleted.every((rows) => rows < ROWS_PER_STEP))
        sql("DELETE FROM subscription_purge WHERE subscription = ?").run(next.subscription);
      return true;
    });
  }
}
