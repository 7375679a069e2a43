import type { SubscriptionStore } from "../../../ports/store/index.ts";
import type { SqliteConnection } from "../database/connection.ts";
import { type SqliteRow, SUBSCRIPTION_COLUMNS } from "../database/rows.ts";

/** Gives a subscription the next change number, in place of its older one, and returns it. Runs inside a write. */
export function recordChange({ sql }: SqliteConnection, id: string, gone: boolean): number {
  return sql("INSERT OR REPLACE INTO subscription_change (subscription_id, gone) VALUES (?, ?)").run(
    id,
    Number(gone),
  ).lastInsertRowid as number;
}

/** Reads the number of the last change. */
export function lastChangeNo({ sql }: SqliteConnection): number {
  return sql("SELECT seq FROM sqlite_sequence WHERE name = 'subscription_change'").get()?.seq ?? 0;
}

/** Raises change numbers, so that from now on they are larger than those of imported rows. Runs inside a write. */
export function raiseChangeNo({ sql }: SqliteConnection, least: number): void {
  sql("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'subscription_change'").run(least);
}

/** See `SubscriptionStore.changes`. */
export function readChangeRows(
  { sql }: SqliteConnection,
  after: number,
  limit: number,
): Awaited<ReturnType<SubscriptionStore["changes"]>> {
  const rows: ({ no: number; changed: string; id: string | null } & SqliteRow)[] = sql(
    `SELECT c.no, c.subscription_id AS changed, s.* FROM subscription_change c
    LEFT JOIN subscription s ON s.id = c.subscription_id WHERE c.no > ? ORDER BY c.no LIMIT ?`,
  ).all(after, limit);
  return {
    next: rows.at(-1)?.no ?? after,
    rows: rows.map((row) => ({
      id: row.changed,
      subscription: row.id === null ? null : SUBSCRIPTION_COLUMNS.read(row),
    })),
  };
}
