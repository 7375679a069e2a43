import type { PostFilter } from "../../schema/filter.ts";
import { boxAround, distanceKm, inBox } from "../../search/distance.ts";
import { STATUS } from "../indexed-post.ts";
import { NAME, type NameKind } from "../memory/hash.ts";
import { CELL, cellName, cellOf, type PostMemory } from "../memory/index.ts";
import { FIELD } from "../memory/names.ts";
import { DEGREE, kindBit, MARK } from "../memory/rows.ts";

/** What a filter asks of rows. */
export interface RowFilter {
  /** True for rows that pass; where there is `among`, only rows of it may be asked about. */
  passes(row: number): boolean;
  /** All rows that pass, ascending; null when they are among too many to be looked at one by one. */
  among: Uint32Array | null;
}

/** A list is read when it holds at most this share of all rows: every row in it costs as much as sixteen in a scan. */
const LISTED_MAX = 1 / 16;
/** And always when it is this short. */
const SHORT_LIST = 256;
/** A wide circle covers more cells than there are lists worth reading. */
const CELLS_MAX = 400;

/** Works out how to find the rows that pass: from the shortest of the filter's lists, or by looking at each row. */
export function rowFilter(memory: PostMemory, filter: PostFilter): RowFilter {
  const lists = listsOf(memory, filter);
  const shortest = lists.reduce<ListOfNames | null>(
    (best, list) => (best === null || list.size < best.size ? list : best),
    null,
  );
  const limit = Math.max(SHORT_LIST, memory.rows.size * LISTED_MAX);
  const listed = shortest !== null && shortest.size <= limit ? shortest : null;
  const tests = lists
    .filter((list) => list.decides && list !== listed)
    .map((list) => memberTest(memory, list));
  const passes = testOf(memory, filter, tests);
  return { passes, among: listed === null ? null : rowsOf(memory, listed, passes) };
}

/** The test for rows that need not be in `among`. */
export const anyRowTest = ({ passes, among }: RowFilter): RowFilter["passes"] =>
  among === null ? passes : (row) => isIn(among, row);

function isIn(ascending: Uint32Array, row: number): boolean {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] ?? 0) < row) from = middle + 1;
    else to = middle;
  }
  return ascending[from] === row;
}

/** True when only rows of `Rows.current` pass. */
export const isCurrentOnly = ({ parentId, includeReplies, includeExpired }: PostFilter): boolean =>
  parentId === null && !includeReplies && !includeExpired;

/** Bits of the kinds that a filter lets pass; null for all. */
export const kindBits = ({ kinds }: PostFilter): number | null =>
  kinds?.reduce((bits, one) => bits | kindBit(one), 0) ?? null;

/** The same test for some rows, without a way to find all that pass. */
export function rowTest(memory: PostMemory, filter: PostFilter): RowFilter["passes"] {
  const deciding = listsOf(memory, filter).filter((list) => list.decides);
  return testOf(
    memory,
    filter,
    deciding.map((list) => memberTest(memory, list)),
  );
}

/** Names whose lists together hold every row that passes. */
interface ListOfNames {
  names: number[];
  size: number;
  /** True when a row passes if and only if it is in one of the lists, as far as this condition goes. */
  decides: boolean;
}

function listsOf(memory: PostMemory, filter: PostFilter): ListOfNames[] {
  const { names } = memory;
  const list = (kind: NameKind, wanted: Iterable<string>, decides: boolean): ListOfNames => {
    const found: number[] = [];
    let size = 0;
    for (const name of wanted) {
      const number = names.find(kind, name);
      if (number < 0) continue;
      found.push(number);
      size += names.get(number, FIELD.count);
    }
    return { names: found, size, decides };
  };
  const lists: ListOfNames[] = [];
  if (filter.publisherId !== null) lists.push(list(NAME.publisher, [filter.publisherId], true));
  if (filter.parentId !== null) lists.push(list(NAME.parent, [filter.parentId], true));
  if (filter.tags !== null) lists.push(list(NAME.tag, new Set(filter.tags), true));
  const cells = cellsOf(filter.near);
  if (cells !== null) lists.push(list(NAME.cell, cells, false));
  return lists;
}

/** Names of the cells that a circle touches, or null when they are too many. */
function cellsOf(near: PostFilter["near"]): string[] | null {
  if (near === null) return null;
  const { south, north, west, east } = boxAround(near, near.radiusKm);
  // A place is rounded before it is compared; the cell is that of the place as given.
  const spans =
    west <= east
      ? [[west, east]]
      : [
          [west, 180],
          [-180, east],
        ];
  const cells: string[] = [];
  for (let lat = cellOf(south - 1 / DEGREE); lat <= cellOf(north + 1 / DEGREE); lat += 1) {
    for (const [from = 0, to = 0] of spans) {
      if ((to - from) / CELL > CELLS_MAX) return null;
      for (let lng = cellOf(from - 1 / DEGREE); lng <= cellOf(to + 1 / DEGREE); lng += 1) {
        cells.push(cellName(lat, lng));
        if (cells.length > CELLS_MAX) return null;
      }
    }
  }
  return cells;
}

/** The rows of some lists that pass, ascending, each once. */
function rowsOf(
  memory: PostMemory,
  { names, size }: ListOfNames,
  passes: (row: number) => boolean,
): Uint32Array {
  const rows = new Uint32Array(size);
  let end = 0;
  for (const name of names) end = memory.lists.rows(name, rows, end);
  let count = 0;
  for (let at = 0; at < end; at += 1) {
    const row = rows[at] ?? 0;
    if (!passes(row)) continue;
    rows[count] = row;
    count += 1;
  }
  const passing = rows.subarray(0, count);
  // Few pass, so that sorting them takes less than sorting all.
  return names.length < 2 ? passing : passing.sort().filter((row, at, all) => row !== all[at - 1]);
}

function memberTest(memory: PostMemory, list: ListOfNames): (row: number) => boolean {
  const member = new Uint8Array(memory.rows.size);
  for (const name of list.names) {
    memory.lists.each(name, (row) => {
      member[row] = 1;
    });
  }
  return (row) => member[row] === 1;
}

/** Everything a row is asked for itself, cheapest checks first. */
function testOf(
  memory: PostMemory,
  filter: PostFilter,
  tests: readonly ((row: number) => boolean)[],
): (row: number) => boolean {
  const { rows } = memory;
  const [marks, kind, publisher] = [rows.marks.view, rows.kind.view, rows.publisher.view];
  const [expiresAt, createdAt] = [rows.expiresAt.view, rows.createdAt.view];
  const [windowStart, windowEnd] = [rows.windowStart.view, rows.windowEnd.view];
  const kinds = kindBits(filter);
  const aliveAfter = filter.includeExpired ? null : filter.now;
  const hasWindow = filter.after !== null || filter.before !== null || typeof filter.endedBy === "number";
  const after = filter.after ?? Number.NEGATIVE_INFINITY;
  const endedBy = filter.endedBy ?? Number.POSITIVE_INFINITY;
  const before = filter.before ?? Number.POSITIVE_INFINITY;
  const createdUntil = rows.newestAt() > filter.createdUntil ? filter.createdUntil : null;
  const { verifiedOnly } = filter;
  const topLevelOnly = filter.parentId === null && !filter.includeReplies;
  // Most searches want the same rows, whose bits lie together.
  const current = isCurrentOnly(filter) ? rows.current(filter.now) : null;
  const refused =
    (filter.includeSyndicated ? 0 : MARK.syndicated) |
    (topLevelOnly ? MARK.reply : 0) |
    (filter.datedOnly === true ? MARK.undated : 0);
  const isMarked = current === null || (refused & ~MARK.reply) !== 0;
  const ranks = verifiedOnly || memory.suspended > 0;
  const near = nearTest(memory, filter.near);
  const asksMore = isMarked || kinds !== null || hasWindow || createdUntil !== null || ranks || near !== null;
  if (current !== null && !asksMore && tests.length === 0)
    return (row) => ((current[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0;
  // A column that decides nothing is not read: rows come in no order, and each read waits for memory.
  return (row) => {
    if (current !== null && ((current[row >>> 5] ?? 0) & (1 << (row & 31))) === 0) return false;
    if (isMarked && ((marks[row] ?? 0) & (MARK.live | refused)) !== MARK.live) return false;
    if (kinds !== null && ((kind[row] ?? 0) & kinds) === 0) return false;
    if (current === null && aliveAfter !== null && (expiresAt[row] ?? 0) <= aliveAfter) return false;
    if (hasWindow) {
      const end = windowEnd[row] ?? 0;
      if (end < after || end >= endedBy || (windowStart[row] ?? 0) > before) return false;
    }
    if (createdUntil !== null && (createdAt[row] ?? 0) > createdUntil) return false;
    if (ranks) {
      const status = memory.names.get(publisher[row] ?? 0, FIELD.status);
      if ((status & STATUS.suspended) !== 0) return false;
      if (verifiedOnly && (status & STATUS.verified) === 0) return false;
    }
    if (near !== null && !near(row)) return false;
    for (const test of tests) if (!test(row)) return false;
    return true;
  };
}

function nearTest({ rows }: PostMemory, near: PostFilter["near"]): ((row: number) => boolean) | null {
  if (near === null) return null;
  const [marks, lats, lngs] = [rows.marks.view, rows.lat.view, rows.lng.view];
  const box = boxAround(near, near.radiusKm);
  return (row) => {
    if (((marks[row] ?? 0) & MARK.place) === 0) return false;
    const lat = (lats[row] ?? 0) / DEGREE;
    const lng = (lngs[row] ?? 0) / DEGREE;
    return inBox(box, lat, lng) && distanceKm(near, { lat, lng }) <= near.radiusKm;
  };
}
