import type { PostFilter } from "../../schema/filter.ts";
import { boxAround, distanceKm, inBox } from "../../search/distance.ts";
import { STATUS } from "../indexed-post.ts";
import type { Numbers } from "../memory/columns.ts";
import { NAME, type NameKind } from "../memory/hash.ts";
import { CELL, cellName, cellOf, type PostMemory } from "../memory/index.ts";
import { FIELD } from "../memory/names.ts";
import { DEGREE, kindBit, MARK, type Rows } from "../memory/rows.ts";

export type RowTest = (row: number) => boolean;

/** A test, and the columns that it reads far apart. */
interface ColumnTest {
  passes: RowTest;
  columns: readonly Numbers[];
}

/** What a filter asks of rows. */
export interface RowFilter {
  /** True for rows that pass; where there is `among`, only rows of it may be asked about. */
  passes: RowTest;
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
  const told = listed?.kinds ?? null;
  const all = testsOf(memory, told === null ? filter : { ...filter, kinds: null }, tests);
  const passes = allOf(all.map((test) => test.passes));
  return { passes, among: listed === null ? null : rowsOf(memory, listed, all) };
}

/** The test for rows that need not be in `among`. */
export const anyRowTest = ({ passes, among }: RowFilter): RowTest =>
  among === null ? passes : (row) => isIn(among, row);

/** True when an ascending list has a row. */
export function isIn(ascending: Uint32Array, row: number): boolean {
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
export function rowTest(memory: PostMemory, filter: PostFilter): RowTest {
  const deciding = listsOf(memory, filter).filter((list) => list.decides);
  const members = deciding.map((list) => memberTest(memory, list));
  return allOf(testsOf(memory, filter, members).map((test) => test.passes));
}

/** Names whose lists together hold every row that passes. */
interface ListOfNames {
  names: number[];
  size: number;
  /** True when a row passes if and only if it is in one of the lists, as far as this condition goes. */
  decides: boolean;
  /** Bits of the kinds that are wanted, where the lists tell a row's kind. */
  kinds: number | null;
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
    return { names: found, size, decides, kinds: kind === NAME.cell ? kindBits(filter) : null };
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

/** Rows whose columns are read ahead. Their numbers stay in the processor's nearest memory until they are compared. */
const AHEAD = 1024;

/** The rows of some lists that pass, ascending, each once. One test is asked about all of them before the next. */
function rowsOf(
  memory: PostMemory,
  { names, size, kinds }: ListOfNames,
  tests: readonly ColumnTest[],
): Uint32Array {
  const rows = new Uint32Array(size);
  let count = 0;
  for (const name of names) count = memory.lists.rows(name, rows, count, kinds);
  for (const test of tests) count = keep(rows, count, test);
  const passing = rows.subarray(0, count);
  // Few pass, so that sorting them takes less than sorting all.
  return names.length < 2 ? passing : passing.sort().filter((row, at, all) => row !== all[at - 1]);
}

/** Moves those of the first rows that pass to the beginning. @returns how many they are */
function keep(rows: Uint32Array, count: number, { passes, columns }: ColumnTest): number {
  let kept = 0;
  for (let start = 0; start < count; start += AHEAD) {
    const end = Math.min(count, start + AHEAD);
    for (const column of columns) unneeded = sumOf(column, rows, start, end);
    for (let at = start; at < end; at += 1) {
      const row = rows[at] ?? 0;
      if (!passes(row)) continue;
      rows[kept] = row;
      kept += 1;
    }
  }
  return kept;
}

/** Kept so that the compiler leaves no sum out. */
let unneeded = 0;

/**
 * Reads a column for some rows. Rows come in no order, so each number is far away; here the processor waits for many at once,
 * where a test that decides row by row waits for one.
 */
function sumOf(column: Numbers, rows: Uint32Array, start: number, end: number): number {
  let sum = unneeded;
  for (let at = start; at < end; at += 1) sum += column[rows[at] ?? 0] ?? 0;
  return sum;
}

function memberTest(memory: PostMemory, list: ListOfNames): ColumnTest {
  const member = new Uint8Array(memory.rows.size);
  for (const name of list.names) {
    memory.lists.each(name, (row) => {
      member[row] = 1;
    });
  }
  return { passes: (row) => member[row] === 1, columns: [] };
}

/** What a row is asked for itself, cheapest first. A column that decides nothing is not read: each read waits for memory. */
function testsOf(memory: PostMemory, filter: PostFilter, members: readonly ColumnTest[]): ColumnTest[] {
  const { rows } = memory;
  const isCurrent = isCurrentOnly(filter);
  const refused =
    (filter.includeSyndicated ? 0 : MARK.syndicated) |
    (filter.parentId === null && !filter.includeReplies ? MARK.reply : 0) |
    (filter.datedOnly === true ? MARK.undated : 0);
  const tests = [
    isCurrent ? currentTest(rows, filter.now) : null,
    isCurrent && (refused & ~MARK.reply) === 0 ? null : markTest(rows, refused),
    kindTest(rows, kindBits(filter)),
    isCurrent || filter.includeExpired ? null : expiryTest(rows, filter.now),
    windowTest(rows, filter),
    creationTest(rows, filter.createdUntil),
    statusTest(memory, filter.verifiedOnly),
    nearTest(rows, filter.near),
    ...members,
  ];
  return tests.filter((test) => test !== null);
}

/** One test for all. Calls of functions that differ cost most where nearly every row comes by: the first is asked alone. */
function allOf(tests: readonly RowTest[]): RowTest {
  const [first = () => true, second, ...others] = tests;
  if (second === undefined) return first;
  if (others.length === 0) return (row) => first(row) && second(row);
  const rest = allOf([second, ...others]);
  return (row) => first(row) && rest(row);
}

/** Most searches want the same rows, whose bits lie together. */
function currentTest(rows: Rows, now: number): ColumnTest {
  const current = rows.current(now);
  return { passes: (row) => ((current[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0, columns: [] };
}

function markTest({ marks: { view: marks } }: Rows, refused: number): ColumnTest {
  return { passes: (row) => ((marks[row] ?? 0) & (MARK.live | refused)) === MARK.live, columns: [marks] };
}

function kindTest({ kind: { view: kind } }: Rows, kinds: number | null): ColumnTest | null {
  return kinds === null ? null : { passes: (row) => ((kind[row] ?? 0) & kinds) !== 0, columns: [kind] };
}

function expiryTest({ expiresAt: { view: expiresAt } }: Rows, now: number): ColumnTest {
  return { passes: (row) => (expiresAt[row] ?? 0) > now, columns: [expiresAt] };
}

function windowTest({ windowStart, windowEnd }: Rows, filter: PostFilter): ColumnTest | null {
  if (filter.after === null && filter.before === null && typeof filter.endedBy !== "number") return null;
  const [starts, ends] = [windowStart.view, windowEnd.view];
  const after = filter.after ?? Number.NEGATIVE_INFINITY;
  const endedBy = filter.endedBy ?? Number.POSITIVE_INFINITY;
  const before = filter.before ?? Number.POSITIVE_INFINITY;
  const passes = (row: number) => {
    const end = ends[row] ?? 0;
    return end >= after && end < endedBy && (starts[row] ?? 0) <= before;
  };
  return { passes, columns: [ends, starts] };
}

function creationTest(rows: Rows, until: number): ColumnTest | null {
  if (rows.newestAt() <= until) return null;
  const createdAt = rows.createdAt.view;
  return { passes: (row) => (createdAt[row] ?? 0) <= until, columns: [createdAt] };
}

function statusTest({ rows, names, suspended }: PostMemory, verifiedOnly: boolean): ColumnTest | null {
  if (!verifiedOnly && suspended === 0) return null;
  const publisher = rows.publisher.view;
  const decides = STATUS.suspended | (verifiedOnly ? STATUS.verified : 0);
  const wanted = decides & STATUS.verified;
  const passes = (row: number) => (names.get(publisher[row] ?? 0, FIELD.status) & decides) === wanted;
  return { passes, columns: [publisher] };
}

function nearTest(rows: Rows, near: PostFilter["near"]): ColumnTest | null {
  if (near === null) return null;
  const [lats, lngs] = [rows.lat.view, rows.lng.view];
  const box = boxAround(near, near.radiusKm);
  const passes = (row: number) => {
    const lat = (lats[row] ?? 0) / DEGREE;
    const lng = (lngs[row] ?? 0) / DEGREE;
    return inBox(box, lat, lng) && distanceKm(near, { lat, lng }) <= near.radiusKm;
  };
  return { passes, columns: [lats, lngs] };
}
