import type { Place } from "../../ports/store/index.ts";
import { nthLargest } from "../../search/top-rows.ts";
import type { PostMemory } from "../memory/index.ts";
import type { Rows } from "../memory/rows.ts";
import type { RowFilter } from "./filter.ts";

export interface Page {
  order: "newest" | "soonest";
  after: Place | null;
  limit: number;
}

/** Rows that pass, in the order of a time, equal times by id: `newest` descending, `soonest` ascending. */
export function walkByTime(memory: PostMemory, { among, passes }: RowFilter, page: Page): Place[] {
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
  const next = among === null ? inTime(rows, page) : sorted(among, times, page);
  const found: number[] = [];
  /** The last row of a full page. */
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

/** All rows that may pass, from where the page begins. */
function inTime(rows: Rows, { order, after }: Page): NextRow {
  const step = order === "newest" ? -1 : 1;
  const from = after?.at ?? step * Number.NEGATIVE_INFINITY;
  return (order === "newest" ? rows.byCreation : rows.byStart).walk(from, step);
}

/** The rows from where the page begins, in its order: sorted in portions, of which a page rarely needs a second one. */
function sorted(among: Uint32Array, times: Float64Array, { order, after, limit }: Page): NextRow {
  const sign = order === "newest" ? 1 : -1;
  // Largest first.
  const keyOf = (row: number) => sign * (times[row] ?? 0);
  let left = among;
  if (after !== null) left = left.filter((row) => keyOf(row) <= sign * after.at);
  let portion: Uint32Array = NONE;
  let at = 0;
  let wanted = limit;
  return () => {
    if (at === portion.length) {
      if (left.length === 0) return -1;
      const least = nthLargest(Float64Array.from(left, keyOf), wanted);
      portion = left.filter((row) => keyOf(row) >= least).sort((a, b) => keyOf(b) - keyOf(a));
      left = left.filter((row) => keyOf(row) < least);
      wanted *= 4;
      at = 0;
    }
    at += 1;
    return portion[at - 1] ?? -1;
  };
}

const NONE = new Uint32Array(0);
