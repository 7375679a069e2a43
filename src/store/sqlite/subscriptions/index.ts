import { isMatched, type StoredSubscription, type SubscriptionStore } from "../../../ports/store/index.ts";
import { webhookOrigin } from "../../rules/claims.ts";
import { changedRow } from "../../rules/rows.ts";
import { insertInto, type SqliteConnection, type SqliteContext, updateIn } from "../database/connection.ts";
import { SUBSCRIPTION_COLUMNS } from "../database/rows.ts";
import { moveWaitingRows } from "../pushes/claims.ts";
import { readChangeRows, recordChange } from "./changes.ts";
import {
  countPendingRows,
  deliverRows,
  pruneDeliveryRows,
  purgeDeliveries,
  readPendingRows,
  tellChangeRows,
} from "./deliveries.ts";

export function sqliteSubscriptionStore({ connection }: SqliteContext): SubscriptionStore {
  const { sql, read, write, writeRelaxed } = connection;
  return {
    insert: (subscription, maxActive, isSame = () => false) =>
      write(() => {
        if (
          sql("SELECT 1 FROM publisher WHERE id = ? AND erasing = 0").get(subscription.publisherId) ===
          undefined
        ) {
          throw new Error(`Publisher ${subscription.publisherId} is gone; its subscription was not kept.`);
        }
        if (find(connection, subscription.id) !== null) return false;
        if (activeOf(connection, subscription.publisherId) >= maxActive) return false;
        if (ofPublisher(connection, subscription.publisherId).some(isSame)) return false;
        insertSubscription(connection, subscription);
        return true;
      }),

    get: (id) => read(() => find(connection, id)),

    ofPublisher: (publisherId) => read(() => ofPublisher(connection, publisherId)),

    update: (id, change, maxActive = Number.POSITIVE_INFINITY) =>
      write(() => {
        const before = find(connection, id);
        if (before === null) return null;
        const after = changedRow(before, change);
        if (after === before) return before;
        const activates = after.active && !before.active;
        if (activates && activeOf(connection, before.publisherId) >= maxActive) return null;
        const { id: _id, publisherId: _publisherId, createdAt: _createdAt, ...changeable } = after;
        const no = recordChange(connection, id, false);
        const savedNo = isMatched(after) && !isMatched(before) ? no : before.savedNo;
        updateIn(connection, "subscription", columnsOf({ ...changeable, savedNo }), ["id", id]);
        const { seq } = sql("SELECT seq FROM subscription WHERE id = ?").get(id);
        moveWaitingRows(connection, seq);
        return { ...after, savedNo };
      }),

    remove: (id) => removeSubscriptionRows(connection, id),

    failing: (limit) =>
      read(() =>
        sql("SELECT * FROM subscription WHERE failing_since IS NOT NULL ORDER BY failing_since LIMIT ?")
          .all(limit)
          .map((row) => SUBSCRIPTION_COLUMNS.read(row)),
      ),

    removeLapsed: (now, limit) => removeLapsedRows(connection, now, limit),

    position: (id) =>
      read(
        () =>
          sql(
            `SELECT next_delivery - 1 AS last,
              (SELECT min(delivery_id) FROM push WHERE subscription = s.seq AND state = 'waiting') AS oldestWaiting
            FROM subscription s WHERE id = ?`,
          ).get(id) ?? null,
      ),

    changes: (after, limit) => read(() => readChangeRows(connection, after, limit)),
    // Where nothing matched, only work is settled, which would be done again.
    deliver: (matches, settled) =>
      (matches.length === 0 ? writeRelaxed : write)(() => deliverRows(connection, matches, settled)),
    tellChange: (postId, now) => tellChangeRows(connection, postId, now),
    toldOf: (postId) =>
      read(() =>
        sql(
          `SELECT s.id FROM post p CROSS JOIN delivery d ON d.post = p.seq CROSS JOIN subscription s ON s.seq = d.subscription
          WHERE p.id = ?`,
        )
          .all(postId)
          .map(({ id }) => id),
      ),
    pending: (id, after, limit) => read(() => readPendingRows(connection, id, after, limit)),
    pendingCounts: (ids) => countPendingRows(connection, ids),
    pruneDeliveries: (before, limit) => pruneDeliveryRows(connection, before, limit),
  };
}

/** Runs inside a write. */
export function insertSubscription(connection: SqliteConnection, subscription: StoredSubscription): void {
  const savedNo = recordChange(connection, subscription.id, false);
  insertInto(connection, "subscription", columnsOf({ ...subscription, savedNo }));
}

/** Removes a subscription at once, and its deliveries, pushes and inbox entries in bounded steps; false when there was none. */
export async function removeSubscriptionRows(connection: SqliteConnection, id: string): Promise<boolean> {
  const { sql, write } = connection;
  const removed = await write(() => {
    const row: { seq: number } | undefined = sql("SELECT seq FROM subscription WHERE id = ?").get(id);
    if (row !== undefined) removeRow(connection, id, row.seq);
    return row !== undefined;
  });
  if (removed) await purgeDeliveries(connection);
  return removed;
}

function removeRow(connection: SqliteConnection, id: string, seq: number): void {
  const { sql } = connection;
  sql("DELETE FROM subscription WHERE seq = ?").run(seq);
  sql("INSERT INTO subscription_purge VALUES (?)").run(seq);
  recordChange(connection, id, true);
  moveWaitingRows(connection, seq);
}

async function removeLapsedRows(connection: SqliteConnection, now: number, limit: number): Promise<number> {
  const removed = await connection.write(() => {
    const rows: { id: string; seq: number }[] = connection
      .sql("SELECT id, seq FROM subscription WHERE expires_at <= ? ORDER BY expires_at LIMIT ?")
      .all(now, limit);
    for (const { id, seq } of rows) removeRow(connection, id, seq);
    return rows.length;
  });
  if (removed > 0) await purgeDeliveries(connection);
  return removed;
}

function activeOf({ sql }: SqliteConnection, publisherId: string): number {
  return sql("SELECT count(*) AS n FROM subscription WHERE publisher_id = ? AND active = 1").get(publisherId)
    .n;
}

function find({ sql }: SqliteConnection, id: string): StoredSubscription | null {
  const row = sql("SELECT * FROM subscription WHERE id = ?").get(id);
  return row === undefined ? null : SUBSCRIPTION_COLUMNS.read(row);
}

function ofPublisher({ sql }: SqliteConnection, publisherId: string): StoredSubscription[] {
  return sql("SELECT * FROM subscription WHERE publisher_id = ? ORDER BY created_at, seq")
    .all(publisherId)
    .map((row) => SUBSCRIPTION_COLUMNS.read(row));
}

const columnsOf = (fields: Omit<StoredSubscription, "id" | "publisherId" | "createdAt">) => ({
  ...SUBSCRIPTION_COLUMNS.write(fields),
  webhook_origin: fields.webhookUrl === null ? null : webhookOrigin(fields.webhookUrl),
});
