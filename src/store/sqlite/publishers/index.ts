import type { PublisherStore, StoredPublisher } from "../../../ports/store/index.ts";
import { changedRow, inOrder, limitIds } from "../../rules/rows.ts";
import { insertInto, updateIn } from "../database/connection.ts";
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
        updateIn(connection, "publisher", changeable(after), ["id", id]);
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
  const { id, createdAt, postCount } = publisher;
  const fixed = { id, created_at: createdAt, post_count: postCount };
  insertInto(connection, "publisher", { ...fixed, ...changeable(publisher) });
  index.putPublisher(publisher.id, publisherStatus(publisher));
}

/** What filters need to know about a publisher. */
export function publisherStatus(publisher: StoredPublisher): { verified: boolean; suspended: boolean } {
  return { verified: publisher.verifiedAt !== null, suspended: publisher.suspendedAt !== null };
}

/** The columns that may change. */
const changeable = (publisher: StoredPublisher) => ({
  name: publisher.name,
  description: publisher.description,
  url: publisher.url,
  domain: publisher.domain,
  verify_token: publisher.verifyToken,
  verified_at: publisher.verifiedAt,
  verified_via: publisher.verifiedVia,
  checked_at: publisher.checkedAt,
  suspended_at: publisher.suspendedAt,
  key_hash: publisher.keyHash,
});
