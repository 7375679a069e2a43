import type { PublisherStore, StoredPublisher } from "../../../ports/store/index.ts";
import { changedRow } from "../../rules/changes.ts";
import { inOrder, limitIds } from "../../rules/ids.ts";
import type { SqliteContext } from "../database/context.ts";
import { type PublisherRow, publisherOfRow } from "../database/rows.ts";
import { erasePublisherRows } from "../posts/erasure.ts";

export function sqlitePublisherStore(context: SqliteContext): PublisherStore {
  const { connection, index } = context;
  const { sql, read, write } = connection;

  return {
    insert: (publisher) => write(() => insertPublisher(context, publisher)),

    get: (id) => read(() => find(id)),

    async many(ids) {
      limitIds(ids);
      return read(() => {
        const rows: PublisherRow[] = sql(
          "SELECT * FROM publisher WHERE id IN (SELECT value FROM json_each(?)) AND erasing = 0",
        ).all(JSON.stringify(ids));
        return inOrder(ids, rows.map(publisherOfRow));
      });
    },

    byKeyHash: (keyHash) =>
      read(() => {
        const row: PublisherRow | undefined = sql(
          "SELECT * FROM publisher WHERE key_hash = ? AND erasing = 0",
        ).get(keyHash);
        return row === undefined ? null : publisherOfRow(row);
      }),

    update: (id, change) =>
      write(() => {
        const before = find(id);
        if (before === null) return null;
        const after = changedRow(before, change);
        if (after === before) return before;
        sql(`UPDATE publisher SET ${COLUMNS.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`).run(
          ...valuesOf(after),
          id,
        );
        index.putPublisher(id, publisherStatus(after));
        return after;
      }),

    erase: (id) => erasePublisherRows(context, id),

    dueForCheck: (before, limit) =>
      read(() =>
        sql(
          `SELECT * FROM publisher WHERE verified_at IS NOT NULL AND coalesce(checked_at, 0) < ?
          ORDER BY coalesce(checked_at, 0), seq LIMIT ?`,
        )
          .all(before, limit)
          .map(publisherOfRow),
      ),
  };

  function find(id: string): StoredPublisher | null {
    const row: PublisherRow | undefined = sql("SELECT * FROM publisher WHERE id = ? AND erasing = 0").get(id);
    return row === undefined ? null : publisherOfRow(row);
  }
}

/** Runs inside a write. */
export function insertPublisher({ connection, index }: SqliteContext, publisher: StoredPublisher): void {
  connection
    .sql(
      `INSERT INTO publisher (id, created_at, post_count, ${COLUMNS.join(", ")})
      VALUES (?, ?, ?, ${COLUMNS.map(() => "?").join(", ")})`,
    )
    .run(publisher.id, publisher.createdAt, publisher.postCount, ...valuesOf(publisher));
  index.putPublisher(publisher.id, publisherStatus(publisher));
}

/** What filters need to know of a publisher. */
export function publisherStatus(publisher: StoredPublisher): { verified: boolean; suspended: boolean } {
  return { verified: publisher.verifiedAt !== null, suspended: publisher.suspendedAt !== null };
}

/** Columns that may change, and their values in the same order. */
const COLUMNS = [
  "name",
  "description",
  "url",
  "domain",
  "verify_token",
  "verified_at",
  "verified_via",
  "checked_at",
  "suspended_at",
  "key_hash",
] as const;

function valuesOf(publisher: StoredPublisher): unknown[] {
  return [
    publisher.name,
    publisher.description,
    publisher.url,
    publisher.domain,
    publisher.verifyToken,
    publisher.verifiedAt,
    publisher.verifiedVia,
    publisher.checkedAt,
    publisher.suspendedAt,
    publisher.keyHash,
  ];
}
