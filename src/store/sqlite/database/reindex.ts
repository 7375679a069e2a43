import { indexEntryOf } from "../../../ports/index-entry.ts";
import { indexKeptVector } from "../posts/vectors.ts";
import type { SqliteContext } from "./connection.ts";
import { type PostRow, SELECT_POST, storedPostOfRow } from "./rows.ts";

/** Rows put into the index in one transaction. */
const ROWS_PER_WRITE = 100;
/** The setting that is there while the index lags behind the store. */
export const STALE = "index_stale";

/** Marks the index as behind; runs inside a write. */
export function markStale({ connection }: SqliteContext): void {
  connection.sql("INSERT OR IGNORE INTO setting VALUES (?, '1')").run(STALE);
}

export function isStale({ connection }: SqliteContext): boolean {
  return connection.sql("SELECT 1 FROM setting WHERE name = ?").get(STALE) !== undefined;
}

/**
 * Puts every publisher, active post and vector into the index, in bounded steps between other writes, and removes posts
 * that are not active. Safe to interrupt: a new run starts again.
 *
 * @returns the number of posts in the index
 */
export async function reindex(context: SqliteContext): Promise<number> {
  const { connection, index } = context;
  const { sql, write } = connection;
  await write(() => markStale(context));
  await walk((after) => {
    const rows: { seq: number; id: string; verified: number; suspended: number }[] = sql(
      `SELECT seq, id, verified_at IS NOT NULL AND erasing = 0 AS verified,
        suspended_at IS NOT NULL OR erasing = 1 AS suspended
      FROM publisher WHERE seq > ? ORDER BY seq LIMIT ?`,
    ).all(after, ROWS_PER_WRITE);
    for (const { id, verified, suspended } of rows)
      index.putPublisher(id, { verified: verified === 1, suspended: suspended === 1 });
    return rows;
  });
  let posts = 0;
  await walk((after) => {
    const rows: PostRow[] = sql(`${SELECT_POST} WHERE p.seq > ? ORDER BY p.seq LIMIT ?`).all(
      after,
      ROWS_PER_WRITE,
    );
    for (const row of rows) {
      if (row.state !== "active") {
        index.remove(row.id);
        continue;
      }
      index.put(indexEntryOf(storedPostOfRow(row)));
      indexKeptVector(context, row.seq, row.id);
      posts += 1;
    }
    return rows;
  });
  await write(() => sql("DELETE FROM setting WHERE name = ?").run(STALE));
  return posts;

  async function walk(step: (after: number) => { seq: number }[]): Promise<void> {
    let after: number | undefined = 0;
    while (after !== undefined) {
      const from: number = after;
      const rows = await write(() => step(from));
      after = rows.at(-1)?.seq;
    }
  }
}
