import { makerName, type PostStore, type VectorMaker, type WorkItem } from "../../../ports/store/index.ts";
import type { SqliteContext } from "../database/connection.ts";
import { blobOf, vectorOfBlob } from "../database/rows.ts";
import { enqueueWorkRow, settleWorkRows } from "../database/work.ts";

/** Stores vectors beside their posts: a restored post and a rebuilt index need no model. */
export async function setVectorRows(
  context: SqliteContext,
  rows: Parameters<PostStore["setVectors"]>[0],
  settled: readonly WorkItem[],
): Promise<void> {
  const { connection } = context;
  const { sql, write } = connection;
  if (rows.length + settled.length === 0) return;
  await write(() => {
    for (const { id, updatedAt, vector, ...maker } of rows) {
      const post: { seq: number; state: string } | undefined = sql(
        "SELECT seq, state FROM post WHERE id = ? AND updated_at = ? AND state <> 'removed'",
      ).get(id, updatedAt);
      if (post === undefined) continue;
      keepVector(context, post, maker, vector);
      enqueueWorkRow(connection, "match", post.seq);
    }
    settleWorkRows(connection, settled);
  });
}

/** Runs inside a write. */
export function keepVector(
  { connection: { sql }, index }: SqliteContext,
  post: { seq: number; state: string },
  maker: VectorMaker,
  vector: Int8Array,
): void {
  const { model } = maker;
  sql(
    "INSERT INTO post_vector VALUES (?, ?, ?) ON CONFLICT (post) DO UPDATE SET model = excluded.model, vector = excluded.vector",
  ).run(post.seq, model, blobOf(vector));
  // The table of vectors has the model alone, by which they are searched; the post also says how its text was prepared.
  sql("UPDATE post SET vector_model = ? WHERE seq = ?").run(makerName(maker), post.seq);
  if (post.state === "active") index.touch(post.seq);
}

/** Reads vectors in the order of `ids`, null where a post has none of the model. */
export function readVectorRows(
  { connection }: SqliteContext,
  ids: readonly string[],
  model: string,
): (Int8Array | null)[] {
  const rows: { id: string; vector: Uint8Array }[] = connection
    .sql(
      `SELECT p.id, v.vector FROM post p CROSS JOIN post_vector v ON v.post = p.seq AND v.model = ?
      WHERE p.id IN (SELECT value FROM json_each(?))`,
    )
    .all(model, JSON.stringify(ids));
  const byId = new Map(rows.map(({ id, vector }) => [id, vectorOfBlob(vector)]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** See `PostStore.enqueueMissingVectors`; runs inside a write. */
export function enqueueMissingVectorRows(
  { connection }: SqliteContext,
  maker: VectorMaker,
  limit: number,
): number {
  const made = makerName(maker);
  let count = 0;
  // These are posts without a vector, then those of makers before and after this one: three ranges of one index.
  for (const [range, ...values] of [
    ["vector_model IS NULL"],
    ["vector_model < ?", made],
    ["vector_model > ?", made],
  ] as const) {
    const missing: { seq: number }[] = connection
      .sql(
        `SELECT p.seq FROM post p WHERE p.state = 'active' AND p.${range}
          AND NOT EXISTS (SELECT 1 FROM work w WHERE w.post = p.seq AND w.kind = 'embed') LIMIT ?`,
      )
      .all(...values, limit - count);
    for (const { seq } of missing) enqueueWorkRow(connection, "embed", seq);
    count += missing.length;
  }
  return count;
}
