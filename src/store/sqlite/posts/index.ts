import type { Place, PostStore, StoredPost } from "../../../ports/store/index.ts";
import { inOrder, limitIds } from "../../rules/ids.ts";
import type { Parts } from "../database/context.ts";
import { type PostRow, postOf, SELECT_POST } from "../database/rows.ts";
import { insertPost, removePost, rowWithKey, updatePost } from "./changes.ts";
import { erasePosts, finishErasures } from "./erasure.ts";
import { enqueueMissingVectors, setVectors, vectorsOf } from "./vectors.ts";

/** Counts written in one transaction. */
const COUNTS_PER_WRITE = 500;

export function postStore(parts: Parts): PostStore {
  const { connection } = parts;
  const { sql, read, write } = connection;
  return {
    insert: (post, options = {}) => write(() => insertPost(parts, post, options.parentExpiresAt ?? null)),
    get: (id) => read(() => findPost(parts, id)),
    byIdempotency: (publisherId, idempotencyHash) =>
      read(() => {
        const row = rowWithKey(parts, publisherId, idempotencyHash);
        return row === null ? null : postOf(row);
      }),

    async many(ids) {
      limitIds(ids);
      return read(() => {
        const rows: PostRow[] = sql(`${SELECT_POST} WHERE p.id IN (SELECT value FROM json_each(?))`).all(
          JSON.stringify(ids),
        );
        return inOrder(ids, rows.map(postOf));
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
          .map(postOf),
      );
    },

    byPublisher: (publisherId, limit) =>
      read(() =>
        sql(
          `${SELECT_POST} WHERE p.publisher_id = ? AND p.state = 'active'
          ORDER BY p.created_at DESC, p.id DESC LIMIT ?`,
        )
          .all(publisherId, limit)
          .map(postOf),
      ),

    update: (id, change, options) => write(() => updatePost(parts, id, change, options)),
    remove: (id, now) => write(() => removePost(parts, id, now)),

    fingerprints: (publisherId, since, limit) =>
      read(() =>
        sql(
          `SELECT id, fingerprint, created_at AS createdAt FROM post WHERE publisher_id = ? AND created_at >= ?
          ORDER BY created_at DESC, id DESC LIMIT ?`,
        )
          .all(publisherId, since, limit)
          .map((row) => ({ ...row })),
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

    setVectors: (rows) => setVectors(parts, rows),
    async vectors(ids, model) {
      limitIds(ids);
      return read(() => vectorsOf(parts, ids, model));
    },
    enqueueMissingVectors: (model, limit) => enqueueMissingVectors(parts, model, limit),

    async erase(before, limit) {
      await finishErasures(parts);
      return erasePosts(parts, before, limit);
    },
  };
}

/** One post in any state, or null. */
function findPost({ connection }: Parts, id: string): StoredPost | null {
  const row: PostRow | undefined = connection.sql(`${SELECT_POST} WHERE p.id = ?`).get(id);
  return row === undefined ? null : postOf(row);
}
