/** Rows read at once after a first page with too few visible ones. */
const ROWS_PER_LOOK = 1000;

interface List<Row, Seen> {
  /** Rows with a number above `after`, in order. */
  page(after: number, limit: number): Promise<Row[]>;
  numberOf(row: Row): number;
  /** Further conditions of the list itself; without it, all rows pass. */
  keep?(rows: Row[]): Promise<Row[]>;
  /** Those of the posts that anyone may see, by id, with what the caller wants of them. */
  visible(postIds: string[]): Promise<ReadonlyMap<string, Seen>>;
}

/** The first `limit` rows of a list whose posts anyone may see, in order, however many rows that takes. */
export async function visibleRows<Row extends { post_id: string }, Seen>(
  { page, numberOf, keep = async (rows) => rows, visible }: List<Row, Seen>,
  after: number,
  limit: number,
): Promise<(readonly [Row, Seen])[]> {
  const shown: (readonly [Row, Seen])[] = [];
  let from = after;
  for (let size = limit; shown.length < limit; size = ROWS_PER_LOOK) {
    const rows = await page(from, size);
    const last = rows.at(-1);
    if (last === undefined) break;
    const kept = await keep(rows);
    const seen = await visible(kept.map((row) => row.post_id));
    for (const row of kept) {
      const post = seen.get(row.post_id);
      if (post !== undefined) shown.push([row, post]);
    }
    if (rows.length < size) break;
    from = numberOf(last);
  }
  return shown.slice(0, limit);
}
