import type { SubscriptionStore } from "../../../ports/store/index.ts";
import type { Connection } from "../database/connection.ts";
import { type SubscriptionRow, subscriptionOf } from "../database/rows.ts";

/** Gives a subscription the next change number; an older one of the same subscription is no longer needed. Runs inside a write. */
export function recordChange({ sql }: Connection, id: string, gone: boolean): void {
  sql("INSERT OR REPLACE INTO subscription_change (subscription_id, gone) VALUES (?, ?)").run(
    id,
    Number(gone),
  );
}

/** See `SubscriptionStore.changes`. */
export function changesAfter(
  { sql }: Connection,
  after: number,
  limit: number,
): Awaited<ReturnType<SubscriptionStore["changes"]>> {
  const rows: ({ no: number; changed: string } & SubscriptionRow)[] = sql(
    `SELECT c.no, c.subscription_id AS changed, s.* FROM subscription_change c
    LEFT JOIN subscription s ON s.id = c.subscription_id WHERE c.no > ? ORDER BY c.no LIMIT ?`,
  ).all(after, limit);
  return {
    next: rows.at(-1)?.no ?? after,
    rows: rows.map((row) => ({
      id: row.changed,
      subscription: row.id === null ? null : subscriptionOf(row),
    })),
  };
}
