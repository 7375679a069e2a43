import type { MongodbContext } from "../server/context.ts";
import { visiblePosts } from "../server/reads.ts";

/** Rows read at once after a first page with too few visible ones. */
const ROWS_PER_LOOK = 1000;

interface List<Row> {
  /** Rows with a number above `after`, in order. */
  page(after: number, limit: number): Promise<Row[]>;
  numberOf(row: Row): number;
  /** Further conditions of the list itself; without it, all rows pass. */
  keep?(rows: Row[]): Promise<Row[]>;
}

/**
 * The first `limit` rows of a list whose posts are active and whose publishers are not suspended, in order, however many
 * rows that takes.
 */
export async function visibleRows<Row extends { post_id: string }>(
  context: MongodbContext,
  { page, numberOf, keep = async (rows) => rows }: List<Row>,
  after: number,
  limit: number,
): Promise<Row[]> {
  const shown: Row[] = [];
  let from = after;
  for (let size = limit; shown.length < limit; size = ROWS_PER_LOOK) {
    const rows = await page(from, size);
    const last = rows.at(-1);
    if (last === undefined) break;
    const kept = await keep(rows);
    const visible = await visiblePosts(
      context,
      kept.map((row) => row.post_id),
    );
    shown.push(...kept.filter((row) => visible.has(row.post_id)));
    if (rows.length < size) break;
    from = numberOf(last);
  }
  return shown.slice(0, limit);
}
