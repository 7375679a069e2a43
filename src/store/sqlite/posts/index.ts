import type { Position, PostStore } from "../../../ports/store/index.ts";
import { inOrder, limitIds } from "../../rules/rows.ts";
import type { SqliteContext } from "../database/connection.ts";
import {
  POST_COLUMNS,
  POST_TABLES,
  type PostRow,
  postRow,
  rowWithKey,
  SELECT_POST,
  storedPostOfRow,
} from "../database/rows.ts";
import { insertPostRow, removePostRow, updatePostRow } from "./changes.ts";
import { erasePostRows } from "./erasure.ts";
import { enqueueMissingVectorRows, readVectorRows, setVectorRows } from "./vectors.ts";

/** Counts written in one transaction. */
const COUNTS_PER_WRITE = 500;

export function sqlitePostStore(context: SqliteContext): PostStore {
  const { connection } = context;
  const { sql, read, write } = connection;
  return {
    insert: (post, options = {}) => write(() => insertPostRow(context, post, options)),
    get: (id) => read(() => maybe(postRow(context, id))),
    byIdempotency: (publisherId, idempotencyHash) =>
      read(() => maybe(rowWithKey(context, publisherId, idempotencyHash))),

    async many(ids) {
      limitIds(ids);
      return read(() => {
        const rows: PostRow[] = sql(`${SELECT_POST} WHERE p.id IN (SELECT value FROM json_each(?))`).all(
          JSON.stringify(ids),
        );
        return inOrder(ids, rows.map(storedPostOfRow));
      });
    },

    replies(parentId, { after, limit }) {
      const from: Position = after ?? { at: Number.MIN_SAFE_INTEGER, id: "" };
      return read(() =>
        sql(
          `${SELECT_POST} WHERE p.parent_id = ? AND p.state = 'active' AND (p.created_at, p.id) > (?, ?)
          ORDER BY p.created_at, p.id LIMIT ?`,
        )
          .all(parentId, from.at, from.id, limit)
          .map(storedPostOfRow),
      );
    },

    byPublisher: (publisherId, limit) =>
      read(() =>
        sql(
          `${SELECT_POST} WHERE p.publisher_id = ? AND p.state = 'active'
          ORDER BY p.created_at DESC, p.id DESC LIMIT ?`,
        )
          .all(publisherId, limit)
          .map(storedPostOfRow),
      ),

    written({ publisherId, since = 0, hidden = false }, { before, limit }) {
      const from: Position = before ?? { at: Number.MAX_SAFE_INTEGER, id: "" };
      const state = hidden ? "p.state = 'hidden'" : "p.state <> 'removed'";
      const by = publisherId === undefined ? [] : [publisherId];
      return read(() =>
        sql(
          `${SELECT_POST} WHERE ${by.length === 0 ? "" : "p.publisher_id = ? AND "}p.created_at >= ?
          AND (p.created_at, p.id) < (?, ?) AND ${state} ORDER BY p.created_at DESC, p.id DESC LIMIT ?`,
        )
          .all(...by, since, from.at, from.id, limit)
          .map(storedPostOfRow),
      );
    },

    update: (id, change, options) => write(() => updatePostRow(context, id, change, options)),
    remove: (id, now) => write(() => removePostRow(context, id, now)),

    lastRemoved: (since, limit) =>
      read(() =>
        sql(
          `SELECT ${POST_COLUMNS}, p.removed_at FROM ${POST_TABLES}
          WHERE p.state = 'removed' AND p.starts_at IS NOT NULL AND p.removed_at >= ?
          ORDER BY p.removed_at DESC, p.id LIMIT ?`,
        )
          .all(since, limit)
          .map((row) => ({ ...storedPostOfRow(row), removedAt: row.removed_at })),
      ),

    async addRetrievals(counts) {
      const entries = [...counts];
      for (let start = 0; start < entries.length; start += COUNTS_PER_WRITE) {
        await write(() => {
          const add = sql(
            `INSERT INTO post_retrievals (post, n) SELECT seq, ? FROM post WHERE id = ?
            ON CONFLICT (post) DO UPDATE SET n = n + excluded.n`,
          );
          for (const [id, n] of entries.slice(start, start + COUNTS_PER_WRITE)) add.run(n, id);
        });
      }
    },

    setVectors: (rows, settled = []) => setVectorRows(context, rows, settled),
    async vectors(ids, model) {
      limitIds(ids);
      return read(() => readVectorRows(context, ids, model));
    },
    enqueueMissingVectors: (maker, limit) => write(() => enqueueMissingVectorRows(context, maker, limit)),

    erase: (before, limit) => erasePostRows(context, before, limit),
  };
}

const maybe = (row: PostRow | null) => (row === null ? null : storedPostOfRow(row));
