import type { Position } from "../../../ports/store/index.ts";
import type { PostMemory } from "../memory/index.ts";
import type { Rows } from "../memory/rows.ts";
import type { Wanted } from "../memory/time-order.ts";
import type { RowFilter } from "./filter.ts";

export interface Page {
  order: "newest" | "soonest";
  after: Position | null;
  limit: number;
}

/** Walks rows that pass, in the order of a time, equal times by id: `newest` descending, `soonest` ascending. */
export function walkByTime(
  memory: PostMemory,
  { among, passes }: RowFilter,
  page: Page,
  wanted: Wanted | null,
): Position[] {
  if (page.limit === 0) return [];
  const { rows } = memory;
  const { after } = page;
  const newest = page.order === "newest";
  const times = (newest ? rows.createdAt : rows.windowStart).view;
  const isAfter = (id: string, other: string) => (newest ? id < other : id > other);
  const inOrder = (a: number, b: number) =>
    newest
      ? (times[b] ?? 0) - (times[a] ?? 0) || rows.ids.compare(b, a)
      : (times[a] ?? 0) - (times[b] ?? 0) || rows.ids.compare(a, b);
  const next = among === null ? inTime(rows, page, wanted) : sorted(among, times, page);
  const found: number[] = [];
  /** A full page ends with this row. */
  let worst = -1;
  for (let row = next(); row >= 0; row = next()) {
    const at = times[row] ?? 0;
    // A page ends with all rows of one time, of which the last by id are then cut off.
    if (found.length >= page.limit && at !== times[found.at(-1) ?? 0]) break;
    if (after !== null && at === after.at && !isAfter(rows.idOf(row), after.id)) continue;
    if ((worst >= 0 && inOrder(row, worst) > 0) || !passes(row)) continue;
    found.push(row);
    // Thousands may have one time.
    if (found.length < 2 * page.limit) continue;
    found.sort(inOrder).length = page.limit;
    worst = found.at(-1) ?? -1;
  }
  return found
    .sort(inOrder)
    .slice(0, page.limit)
    .map((row) => ({ at: times[row] ?? 0, id: rows.idOf(row) }));
}

/** Gives one row after another, then -1. */
type NextRow = () => number;

/** Finds all rows that may pass, from where the page begins. */
function inTime(rows: Rows, { order, after }: Page, wanted: Wanted | null): NextRow {
  const step = order === "newest" ? -1 : 1;
  const from = after?.at ?? step * Number.NEGATIVE_INFINITY;
  return (order === "newest" ? rows.byCreation : rows.byStart).walk(from, step, wanted);
}

/** Sorts the rows from where the page begins, in its order. */
function sorted(among: Uint32Array, times: Float64Array, { order, after }: Page): NextRow {
  const sign = order === "newest" ? 1 : -1;
  // The largest come first.
  const keyOf = (row: number) => sign * (times[row] ?? 0);
  const rows = among
    .filter((row) => after === null || keyOf(row) <= sign * after.at)
    .sort((a, b) => keyOf(b) - keyOf(a));
  let next = 0;
  return () => {
    next += 1;
    return rows[next - 1] ?? -1;
  };
}
