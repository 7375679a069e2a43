import { indexEntryOf } from "../../../ports/index-entry.ts";
import { factsOf } from "../publishers/index.ts";
import type { Parts } from "./context.ts";
import { type PostRow, type PublisherRow, postOf, publisherOf, SELECT_POST, vectorOf } from "./rows.ts";

/** Rows put into the index in one transaction. */
const ROWS_PER_WRITE = 100;
/** Kept while the index does not hold everything the store does. */
export const STALE = "index_stale";

/** Marks the index as behind; runs inside a write. */
export function markStale({ connection }: Parts): void {
  connection.sql("INSERT OR IGNORE INTO setting VALUES (?, '1')").run(STALE);
}

export function isStale({ connection }: Parts): boolean {
  return connection.sql("SELECT 1 FROM setting WHERE name = ?").get(STALE) !== undefined;
}

/**
 * Puts every publisher, active post and vector into the index, in bounded steps beside other writes, and takes out what
 * does not belong there. Safe to interrupt: a new run starts again.
 *
 * @returns how many posts were put
 */
export async function reindex(parts: Parts): Promise<number> {
  const { connection, index } = parts;
  const { sql, write } = connection;
  await write(() => markStale(parts));
  await inSteps((after) => {
    const rows: (PublisherRow & { seq: number; erasing: number })[] = sql(
      "SELECT * FROM publisher WHERE seq > ? ORDER BY seq LIMIT ?",
    ).all(after, ROWS_PER_WRITE);
    for (const row of rows) {
      const facts = factsOf(publisherOf(row));
      index.putPublisher(row.id, row.erasing === 1 ? { verified: false, suspended: true } : facts);
    }
    return rows;
  });
  let posts = 0;
  await inSteps((after) => {
    const rows: PostRow[] = sql(`${SELECT_POST} WHERE p.seq > ? ORDER BY p.seq LIMIT ?`).all(
      after,
      ROWS_PER_WRITE,
    );
    for (const row of rows) {
      if (row.state !== "active") {
        index.remove(row.id);
        continue;
      }
      index.put(indexEntryOf(postOf(row)));
      const kept: { model: string; vector: Uint8Array } | undefined = sql(
        "SELECT model, vector FROM post_vector WHERE post = ?",
      ).get(row.seq);
      if (kept !== undefined) index.putVector(row.id, kept.model, vectorOf(kept.vector));
      posts += 1;
    }
    return rows;
  });
  await write(() => sql("DELETE FROM setting WHERE name = ?").run(STALE));
  return posts;

  async function inSteps(step: (after: number) => { seq: number }[]): Promise<void> {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const from: number = after;
      const rows = await write(() => step(from));
      after = rows.at(-1)?.seq;
    }
  }
}
