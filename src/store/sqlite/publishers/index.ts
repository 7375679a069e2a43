import type { Position, PublisherStore, StoredPublisher } from "../../../ports/store/index.ts";
import { changedRow, inOrder, limitIds } from "../../rules/rows.ts";
import { insertInto, type SqliteContext, updateIn } from "../database/connection.ts";
import { PUBLISHER_COLUMNS, type SqliteRow } from "../database/rows.ts";
import { erasePublisherRows } from "../posts/erasure.ts";

export function sqlitePublisherStore(context: SqliteContext): PublisherStore {
  const { connection, index } = context;
  const { sql, read, write } = connection;

  return {
    insert: (publisher) => write(() => insertPublisher(context, publisher)),

    get: (id) => read(() => find("id", id)),

    async many(ids) {
      limitIds(ids);
      return read(() => {
        const found = "SELECT * FROM publisher WHERE id IN (SELECT value FROM json_each(?)) AND erasing = 0";
        return inOrder(ids, sql(found).all(JSON.stringify(ids)).map(publisherOf));
      });
    },

    named: (text, limit) =>
      read(() => {
        // Blanks and marks come before the digits.
        const found = `SELECT id FROM publisher
          WHERE name >= ? COLLATE NOCASE AND name < ? COLLATE NOCASE AND erasing = 0 LIMIT ?`;
        const rows = casesOf(text).flatMap((name) => sql(found).all(name, `${name}0`, limit));
        return [...new Set(rows.map(({ id }) => String(id)))].slice(0, limit);
      }),

    byKeyHash: (keyHash) => read(() => find("key_hash", keyHash)),

    update: (id, change) =>
      write(() => {
        const before = find("id", id);
        if (before === null) return null;
        const after = changedRow(before, change);
        if (after === before) return before;
        const { id: _id, createdAt: _createdAt, postCount: _postCount, ...changeable } = after;
        updateIn(connection, "publisher", PUBLISHER_COLUMNS.write(changeable), ["id", id]);
        index.touchPublisher(id);
        return after;
      }),

    erase: (id) => erasePublisherRows(context, id),

    registered(since, { before, limit }) {
      const { at, id }: Position = before ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
      return read(() =>
        sql(
          `SELECT * FROM publisher WHERE created_at >= ? AND (created_at, id) < (?, ?) AND erasing = 0
          ORDER BY created_at DESC, id DESC LIMIT ?`,
        )
          .all(since, at, id, limit)
          .map(publisherOf),
      );
    },

    dueForCheck: (before, limit) =>
      read(() =>
        sql(
          `SELECT * FROM publisher WHERE verified_at IS NOT NULL AND coalesce(checked_at, 0) < ?
          ORDER BY coalesce(checked_at, 0), seq LIMIT ?`,
        )
          .all(before, limit)
          .map(publisherOf),
      ),
  };

  function find(column: "id" | "key_hash", value: string): StoredPublisher | null {
    const row = sql(`SELECT * FROM publisher WHERE ${column} = ? AND erasing = 0`).get(value);
    return row === undefined ? null : publisherOf(row);
  }
}

/** Writes a name as it may be written: SQLite knows the case of the letters of ASCII only. */
const casesOf = (text: string) => [
  ...new Set([
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    text.toLowerCase().replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase()),
  ]),
];

const publisherOf = (row: SqliteRow) => PUBLISHER_COLUMNS.read(row);

/** Runs inside a write. */
export function insertPublisher({ connection, index }: SqliteContext, publisher: StoredPublisher): void {
  insertInto(connection, "publisher", PUBLISHER_COLUMNS.write(publisher));
  index.touchPublisher(publisher.id);
}
