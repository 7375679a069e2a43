import type { Parts } from "../server/context.ts";
import { visiblePosts } from "../server/reads.ts";

/** Rows looked at in one go when the first page had too few that are shown. */
const ROWS_PER_LOOK = 1000;

interface List<Row> {
  /** Rows with a number above `after`, in order. */
  page(after: number, limit: number): Promise<Row[]>;
  numberOf(row: Row): number;
  /** Those of the rows that are shown as far as the list itself is concerned; all when it is left out. */
  keep?(rows: Row[]): Promise<Row[]>;
}

/**
 * Rows of a list whose posts are active and whose publishers are not suspended, in order: at most `limit`, however many
 * have to be looked at.
 */
export async function visibleRows<Row extends { post_id: string }>(
  parts: Parts,
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
      parts,
      kept.map((row) => row.post_id),
    );
    shown.push(...kept.filter((row) => visible.has(row.post_id)));
    if (rows.length < size) break;
    from = numberOf(last);
  }
  return shown.slice(0, limit);
}
