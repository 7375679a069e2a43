import type { DatabaseSyncInstance } from "../../../platform/sqlite.ts";
import { indexEntryOf, indexTextOf } from "../../../ports/index-entry.ts";
import type { StoredPost } from "../../../ports/store/index.ts";
import {
  type IndexedPost,
  indexedTextOf,
  type PostRows,
  statusOf,
} from "../../../search/index/indexed-post.ts";
import type { SqliteContext } from "./connection.ts";
import { POST_COLUMNS, POST_TABLES, type PostRow, storedPostOfRow } from "./rows.ts";

/** Tells the index that a post came, changed or went; runs in the write that does it. */
export function indexPost(
  { index }: SqliteContext,
  seq: number,
  before: StoredPost | null,
  after: StoredPost | null,
): void {
  const textOf = (post: StoredPost | null) => (post?.state === "active" ? indexTextOf(post) : null);
  index.replace(seq, textOf(before), textOf(after));
}

const POSTS = `SELECT ${POST_COLUMNS}, v.vector FROM ${POST_TABLES}
  LEFT JOIN post_vector v ON v.post = p.seq AND v.model = ? WHERE p.state = 'active' AND`;
const PUBLISHERS = `SELECT id, verified_at IS NOT NULL AND erasing = 0 AS verified,
  suspended_at IS NOT NULL OR erasing = 1 AS suspended FROM publisher`;

/** Reads the board's own posts and publishers, as its index does on one connection. */
export function sqliteIndexRows(database: DatabaseSyncInstance): PostRows {
  const posts = database.prepare(`${POSTS} p.seq > ? ORDER BY p.seq LIMIT ?`);
  const post = database.prepare(`${POSTS} p.seq = ?`);
  const publishers = database.prepare(PUBLISHERS);
  const publishersOf = database.prepare(`${PUBLISHERS} WHERE id IN (SELECT value FROM json_each(?))`);
  const many = database.prepare(
    "SELECT count(*) AS n FROM (SELECT 1 FROM post WHERE state <> 'removed' LIMIT ?)",
  );
  return {
    posts: (model, after, limit) => posts.all(model, after, limit).map(indexedPostOf),
    postsOf: (model, seqs) =>
      seqs.flatMap((seq) => {
        const row = post.get(model, seq);
        return row === undefined ? [] : [indexedPostOf(row)];
      }),
    publishers: (ids) =>
      (ids === undefined ? publishers.all() : publishersOf.all(JSON.stringify(ids))).map(
        ({ id, verified, suspended }) => ({
          id,
          status: statusOf({ verified: verified === 1, suspended: suspended === 1 }),
        }),
      ),
    hasPosts: (count) => many.get(count).n >= count,
  };
}

function indexedPostOf(row: PostRow & { vector: Uint8Array | null }): IndexedPost {
  const { title, body, placeName, ...entry } = indexEntryOf(storedPostOfRow(row));
  const text = indexedTextOf({ title, body, tags: entry.tags, placeName });
  return { ...entry, seq: row.seq, text, vector: row.vector };
}
