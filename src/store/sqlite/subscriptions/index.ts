import type { StoredSubscription, SubscriptionStore } from "../../../ports/store/index.ts";
import { changedRow } from "../../rules/changes.ts";
import { webhookOrigin } from "../../rules/push-queue.ts";
import type { SqliteConnection } from "../database/connection.ts";
import type { SqliteContext } from "../database/context.ts";
import { blobOf, type SubscriptionRow, subscriptionOfRow } from "../database/rows.ts";
import { requeueRows } from "../webhooks/queue.ts";
import { readChangeRows, recordChange } from "./changes.ts";
import {
  countPendingRows,
  deliverRows,
  pruneDeliveryRows,
  purgeDeliveries,
  readPendingRows,
} from "./deliveries.ts";

export function sqliteSubscriptionStore({ connection }: SqliteContext): SubscriptionStore {
  const { sql, read, write } = connection;
  return {
    insert: (subscription, maxActive) =>
      write(() => {
        if (
          sql("SELECT 1 FROM publisher WHERE id = ? AND erasing = 0").get(subscription.publisherId) ===
          undefined
        ) {
          throw new Error(`Publisher ${subscription.publisherId} is gone; its subscription was not kept.`);
        }
        if (activeOf(connection, subscription.publisherId) >= maxActive) return false;
        insertSubscription(connection, subscription);
        return true;
      }),

    get: (id) => read(() => find(connection, id)),

    ofPublisher: (publisherId) =>
      read(() =>
        sql("SELECT * FROM subscription WHERE publisher_id = ? ORDER BY created_at, seq")
          .all(publisherId)
          .map(subscriptionOfRow),
      ),

    update: (id, change, maxActive = Number.POSITIVE_INFINITY) =>
      write(() => {
        const before = find(connection, id);
        if (before === null) return null;
        const after = changedRow(before, change);
        if (after === before) return before;
        const activates = after.active && !before.active;
        if (activates && activeOf(connection, before.publisherId) >= maxActive) return null;
        const { seq } = sql(
          `UPDATE subscription SET ${COLUMNS.map((column) => `${column} = ?`).join(", ")} WHERE id = ? RETURNING seq`,
        ).get(...valuesOf(after), id);
        recordChange(connection, id, false);
        // Its pushes may have become due, or stopped being so.
        requeueRows(connection, [seq]);
        return after;
      }),

    remove: (id) => removeSubscriptionRows(connection, id),

    changes: (after, limit) => read(() => readChangeRows(connection, after, limit)),
    deliver: (matches, settled) => write(() => deliverRows(connection, matches, settled)),
    pending: (id, after, limit) => read(() => readPendingRows(connection, id, after, limit)),
    pendingCounts: (ids) => countPendingRows(connection, ids),
    forgetDeliveries: (before, limit) => pruneDeliveryRows(connection, before, limit),
  };
}

/** Runs inside a write. */
export function insertSubscription(connection: SqliteConnection, subscription: StoredSubscription): void {
  connection
    .sql(
      `INSERT INTO subscription (id, publisher_id, created_at, ${COLUMNS.join(", ")})
      VALUES (?, ?, ?, ${COLUMNS.map(() => "?").join(", ")})`,
    )
    .run(subscription.id, subscription.publisherId, subscription.createdAt, ...valuesOf(subscription));
  recordChange(connection, subscription.id, false);
}

/** Removes a subscription at once, and its deliveries, pushes and inbox entries in bounded steps; false when there was none. */
export async function removeSubscriptionRows(connection: SqliteConnection, id: string): Promise<boolean> {
  const { sql, write } = connection;
  const removed = await write(() => {
    const row: { seq: number } | undefined = sql("SELECT seq FROM subscription WHERE id = ?").get(id);
    if (row === undefined) return false;
    sql("DELETE FROM subscription WHERE seq = ?").run(row.seq);
    sql("INSERT INTO subscription_purge VALUES (?)").run(row.seq);
    recordChange(connection, id, true);
    requeueRows(connection, [row.seq]);
    return true;
  });
  if (removed) await purgeDeliveries(connection);
  return removed;
}

function activeOf({ sql }: SqliteConnection, publisherId: string): number {
  return sql("SELECT count(*) AS n FROM subscription WHERE publisher_id = ? AND active = 1").get(publisherId)
    .n;
}

function find({ sql }: SqliteConnection, id: string): StoredSubscription | null {
  const row: SubscriptionRow | undefined = sql("SELECT * FROM subscription WHERE id = ?").get(id);
  return row === undefined ? null : subscriptionOfRow(row);
}

/** Columns that may change, and their values in the same order. */
const COLUMNS = [
  "label",
  "query",
  "vector",
  "vector_model",
  "webhook_url",
  "webhook_origin",
  "webhook_verified_at",
  "secret_version",
  "previous_secret_until",
  "active",
  "inactive_reason",
  "failures",
  "failing_since",
  "last_matched_at",
] as const;

function valuesOf(subscription: StoredSubscription): unknown[] {
  return [
    subscription.label,
    JSON.stringify(subscription.query),
    subscription.vector === null ? null : blobOf(subscription.vector),
    subscription.vectorModel,
    subscription.webhookUrl,
    subscription.webhookUrl === null ? null : webhookOrigin(subscription.webhookUrl),
    subscription.webhookVerifiedAt,
    subscription.secretVersion,
    subscription.previousSecretUntil,
    Number(subscription.active),
    subscription.inactiveReason,
    subscription.failures,
    subscription.failingSince,
    subscription.lastMatchedAt,
  ];
}
