import type { Place, PostStore } from "../../../ports/store/index.ts";
import { inOrder, limitIds } from "../../rules/rows.ts";
import type { SqliteContext } from "../database/connection.ts";
import { type PostRow, postRow, rowWithKey, SELECT_POST, storedPostOfRow } from "../database/rows.ts";
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
      const from: Place = after ?? { at: Number.MIN_SAFE_INTEGER, id: "" };
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

    update: (id, change, options) => write(() => updatePostRow(context, id, change, options)),
    remove: (id, now) => write(() => removePostRow(context, id, now)),

    lastRemoved: (since, limit) =>
      read(() =>
        sql(
          `SELECT id, publisher_id AS publisherId, parent_id AS parentId, kind, syndicated, starts_at AS startsAt,
            ends_at AS endsAt, expires_at AS expiresAt, created_at AS createdAt, removed_at AS removedAt
          FROM post WHERE state = 'removed' AND starts_at IS NOT NULL AND removed_at >= ?
          ORDER BY removed_at DESC, id LIMIT ?`,
        )
          .all(since, limit)
          .map((row) => ({ ...row, syndicated: row.syndicated === 1 })),
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
