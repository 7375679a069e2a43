import type { SqliteContext } from "./connection.ts";
import { indexPost } from "./index-rows.ts";
import { type PostRow, SELECT_POST, storedPostOfRow } from "./rows.ts";

/** One transaction puts this many rows into the index. */
const ROWS_PER_WRITE = 100;
/**
 * This setting says by which version of Unicode the index took the words of all texts; it is not there while some are
 * missing.
 */
export const FILLED = "index_filled";
const { unicode: UNICODE = "" } = process.versions;

/** Marks the index as behind; runs inside a write. */
export function markStale({ connection }: SqliteContext): void {
  connection.sql("DELETE FROM setting WHERE name = ?").run(FILLED);
}

export function isStale({ connection }: SqliteContext): boolean {
  return connection.sql("SELECT value FROM setting WHERE name = ?").get(FILLED)?.value !== UNICODE;
}

/**
 * Takes the words of every active post anew, in bounded steps between other writes. Safe to interrupt: a new run starts again.
 *
 * @returns the number of posts in the index
 */
export async function reindex(context: SqliteContext): Promise<number> {
  const { sql, write } = context.connection;
  await write(() => {
    markStale(context);
    context.index.removeAllWords();
  });
  let posts = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const rows: PostRow[] = await write(() => {
      const some: PostRow[] = sql(
        `${SELECT_POST} WHERE p.state = 'active' AND p.seq > ? ORDER BY p.seq LIMIT ?`,
      ).all(from, ROWS_PER_WRITE);
      for (const row of some) indexPost(context, row.seq, null, storedPostOfRow(row));
      return some;
    });
    posts += rows.length;
    after = rows.at(-1)?.seq;
  }
  await write(() => sql("INSERT OR REPLACE INTO setting VALUES (?, ?)").run(FILLED, UNICODE));
  return posts;
}
