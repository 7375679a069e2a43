import type { PostStore, VectorMaker, WorkItem } from "../../../ports/store/index.ts";
import { makerName } from "../../../ports/vector-maker.ts";
import type { SqliteContext } from "../database/context.ts";
import { blobOf, vectorOfBlob } from "../database/rows.ts";
import { enqueueWorkRow, settleWorkRows } from "../database/work.ts";

/** Vectors written in one transaction, and posts looked at in one. */
const VECTORS_PER_WRITE = 200;
const POSTS_PER_LOOK = 2000;

/** Stores vectors beside their posts: a restored post and a rebuilt index need no model. */
export async function setVectorRows(
  context: SqliteContext,
  rows: Parameters<PostStore["setVectors"]>[0],
  settled: readonly WorkItem[],
): Promise<void> {
  const { connection } = context;
  const { sql, write } = connection;
  for (let start = 0; start < rows.length; start += VECTORS_PER_WRITE) {
    await write(() => {
      for (const { id, updatedAt, vector, ...maker } of rows.slice(start, start + VECTORS_PER_WRITE)) {
        const post: { seq: number; state: string } | undefined = sql(
          "SELECT seq, state FROM post WHERE id = ? AND updated_at = ? AND state <> 'removed'",
        ).get(id, updatedAt);
        if (post === undefined) continue;
        keepVector(context, { id, ...post }, maker, vector);
        enqueueWorkRow(connection, "match", post.seq, updatedAt);
      }
      settleWorkRows(connection, start + VECTORS_PER_WRITE < rows.length ? [] : settled);
    });
  }
  if (rows.length === 0 && settled.length > 0) await write(() => settleWorkRows(connection, settled));
}

/** Runs inside a write. */
export function keepVector(
  { connection: { sql }, index }: SqliteContext,
  post: { seq: number; id: string; state: string },
  maker: VectorMaker,
  vector: Int8Array,
): void {
  const { model } = maker;
  sql(
    "INSERT INTO post_vector VALUES (?, ?, ?) ON CONFLICT (post) DO UPDATE SET model = excluded.model, vector = excluded.vector",
  ).run(post.seq, model, blobOf(vector));
  // The table of vectors has the model alone, by which they are searched; the post also says how its text was prepared.
  sql("UPDATE post SET vector_model = ? WHERE seq = ?").run(makerName(maker), post.seq);
  if (post.state === "active") index.putVector(post.id, model, vector);
}

/** Puts the stored vector of a post into the index, if there is one; runs inside a write. */
export function indexKeptVector(
  { connection: { sql }, index }: SqliteContext,
  seq: number,
  id: string,
): void {
  const kept: { model: string; vector: Uint8Array } | undefined = sql(
    "SELECT model, vector FROM post_vector WHERE post = ?",
  ).get(seq);
  if (kept !== undefined) index.putVector(id, kept.model, vectorOfBlob(kept.vector));
}

/** In the order of `ids`, null where a post has no vector of the model. */
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

/** Skips posts that are already in the queue, so that repeated calls make progress. */
export async function enqueueMissingVectorRows(
  { connection }: SqliteContext,
  maker: VectorMaker,
  limit: number,
): Promise<number> {
  const { sql, write } = connection;
  const made = makerName(maker);
  let count = 0;
  // Posts without a vector, then those of makers before and after this one: three walks of one index.
  for (const [where, ...values] of [
    ["vector_model IS NULL"],
    ["vector_model < ?", made],
    ["vector_model > ?", made],
  ] as const) {
    let after: Walk | null = { model: "", seq: 0 };
    while (after !== null && count < limit) {
      const from: Walk = after;
      const [queued, next] = await write(() => look(from, where, values, limit - count));
      count += queued;
      after = next;
    }
  }
  return count;

  function look(
    from: Walk,
    where: string,
    values: readonly string[],
    most: number,
  ): [queued: number, next: Walk | null] {
    const looked: { seq: number; model: string | null; updated_at: number; queued: number }[] = sql(
      `SELECT p.seq, p.vector_model AS model, p.updated_at,
        EXISTS (SELECT 1 FROM work w WHERE w.post = p.seq AND w.kind = 'embed') AS queued
      FROM post p WHERE p.state = 'active' AND p.${where}
        AND ${values.length === 0 ? "p.seq > ?" : "(p.vector_model, p.seq) > (?, ?)"}
      ORDER BY p.vector_model, p.seq LIMIT ?`,
    ).all(...values, ...(values.length === 0 ? [] : [from.model]), from.seq, POSTS_PER_LOOK);
    const missing = looked.filter((post) => post.queued === 0).slice(0, most);
    for (const post of missing) enqueueWorkRow(connection, "embed", post.seq, post.updated_at);
    const last = looked.at(-1);
    return [
      missing.length,
      last === undefined || looked.length < POSTS_PER_LOOK
        ? null
        : { model: last.model ?? "", seq: last.seq },
    ];
  }
}

interface Walk {
  model: string;
  seq: number;
}
