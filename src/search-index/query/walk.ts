import type { Place } from "../../ports/store/index.ts";
import type { PostMemory } from "../memory/index.ts";
import type { RowFilter } from "./filter.ts";

interface Page {
  order: "newest" | "soonest";
  after: Place | null;
  limit: number;
}

/** Rows that pass, in the order of a time, equal times by id: `newest` descending, `soonest` ascending. */
export function walkByTime(memory: PostMemory, filter: RowFilter, page: Page): Place[] {
  const { rows } = memory;
  const newest = page.order === "newest";
  const times = (newest ? rows.createdAt : rows.windowStart).view;
  const found: Place[] = [];
  // A page ends with all rows of one time, of which the last by id are then cut off.
  const take = (row: number) => {
    const at = times[row] ?? 0;
    if (page.limit === 0 || (found.length >= page.limit && at !== found.at(-1)?.at)) return false;
    if (page.after !== null && at === page.after.at && !isAfter(rows.idOf(row), page.after.id)) return true;
    if (filter.passes(row)) found.push({ at, id: rows.idOf(row) });
    return true;
  };
  const isAfter = (id: string, other: string) => (newest ? id < other : id > other);
  if (filter.among !== null) {
    const sign = newest ? -1 : 1;
    const from = page.after === null ? Number.NEGATIVE_INFINITY : sign * page.after.at;
    const among = filter.among.filter((row) => sign * (times[row] ?? 0) >= from);
    among.sort((a, b) => sign * ((times[a] ?? 0) - (times[b] ?? 0)));
    for (const row of among) if (!take(row)) break;
  } else if (newest) rows.byCreation.backward(page.after?.at ?? Number.POSITIVE_INFINITY, take);
  else rows.byStart.forward(page.after?.at ?? Number.NEGATIVE_INFINITY, take);
  found.sort((a, b) => (newest ? b.at - a.at : a.at - b.at) || (isAfter(a.id, b.id) ? 1 : -1));
  return found.slice(0, page.limit);
}
