import type { PostFilter } from "../../schema/filter.ts";
import { STATUS } from "../indexed-post.ts";
import type { Numbers } from "../memory/columns.ts";
import { NAME, type NameKind } from "../memory/hash.ts";
import type { PostMemory } from "../memory/index.ts";
import { FIELD } from "../memory/names.ts";
import { PLACED, RECORD } from "../memory/places.ts";
import { kindBit, MARK, type Rows } from "../memory/rows.ts";
import { cellsOf, placeTest, rowsNear, type WindowFilter } from "./near.ts";

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

/** Works out how to find the rows that pass: from the shortest of the filter's lists, or by looking at each row. */
export function rowFilter(memory: PostMemory, filter: PostFilter): RowFilter {
  const lists = listsOf(memory, filter);
  const near = nearListOf(memory, filter);
  const listed = shortestOf(memory, [...lists, ...(near === null ? [] : [near])]);
  const members = lists.filter((list) => list !== listed).map((list) => memberTest(memory, list));
  const tests = testsOf(memory, filter, members, listed !== null && listed === near);
  const passes = allOf(tests.map((test) => test.passes));
  return { passes, among: listed === null ? null : passing(listed.rows(), tests) };
}

/** How many rows `rowFilter` would read from a list and ask; 0 where it reads none. */
export function listedRows(memory: PostMemory, filter: PostFilter): number {
  const near = nearListOf(memory, filter);
  return shortestOf(memory, [...listsOf(memory, filter), ...(near === null ? [] : [near])])?.size ?? 0;
}

/** The shortest list; null when it is too long to be read. */
function shortestOf<L extends List>({ rows }: PostMemory, lists: readonly L[]): L | null {
  const [shortest] = lists.toSorted((a, b) => a.size - b.size);
  const limit = Math.max(SHORT_LIST, rows.size * LISTED_MAX);
  return shortest !== undefined && shortest.size <= limit ? shortest : null;
}

/** The test for rows that need not be in `among`. */
export const anyRowTest = ({ passes, among }: RowFilter): RowTest =>
  among === null ? passes : (row) => isIn(among, row);

/** True when an ascending list has a row. */
function isIn(ascending: Uint32Array, row: number): boolean {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] ?? 0) < row) from = middle + 1;
    else to = middle;
  }
  return ascending[from] === row;
}

/** Bits of the kinds that a filter lets pass; null for all. */
const kindBits = ({ kinds }: PostFilter): number | null =>
  kinds?.reduce((bits, one) => bits | kindBit(one), 0) ?? null;

/** The same test for some rows, without a way to find all that pass. */
export function rowTest(memory: PostMemory, filter: PostFilter): RowTest {
  const members = listsOf(memory, filter).map((list) => memberTest(memory, list));
  return allOf(testsOf(memory, filter, members).map((test) => test.passes));
}

/** Rows among which all that pass are. */
interface List {
  /** How many they are at most. */
  size: number;
  /** All of them, in any order. */
  rows(): Uint32Array;
}

/** Rows that have any of some names: they pass, as far as this condition goes, and no others do. */
interface ListOfNames extends List {
  names: readonly number[];
}

function listsOf(memory: PostMemory, filter: PostFilter): ListOfNames[] {
  const lists: ListOfNames[] = [];
  if (filter.publisherId !== null) lists.push(listOf(memory, NAME.publisher, [filter.publisherId]));
  if (filter.parentId !== null) lists.push(listOf(memory, NAME.parent, [filter.parentId]));
  if (filter.tags !== null) lists.push(listOf(memory, NAME.tag, new Set(filter.tags)));
  return lists;
}

function listOf({ names, lists }: PostMemory, kind: NameKind, wanted: Iterable<string>): ListOfNames {
  const found = [...wanted].map((name) => names.find(kind, name)).filter((name) => name >= 0);
  const size = found.reduce((sum, name) => sum + names.get(name, FIELD.count), 0);
  const rows = () => {
    const all = new Uint32Array(size);
    let count = 0;
    for (const name of found) count = lists.rows(name, all, count);
    return all;
  };
  return { names: found, size, rows };
}

/** Rows within a circle, of the kinds and in the window that are asked for; null when it covers too many cells. */
function nearListOf({ rows }: PostMemory, filter: PostFilter): List | null {
  const { near } = filter;
  const cells = near === null ? null : cellsOf(rows.places, near);
  if (near === null || cells === null) return null;
  return {
    size: cells.reduce((sum, cell) => sum + rows.places.count(cell), 0),
    rows: () =>
      rowsNear(rows.places, cells, { near, kinds: kindBits(filter), window: windowOf(rows, filter) }),
  };
}

/** Rows whose columns are read ahead. Their numbers stay in the processor's nearest memory until they are compared. */
const AHEAD = 1024;

/** Those of some rows that pass, ascending, each once. One test is asked about all of them before the next. */
function passing(rows: Uint32Array, tests: readonly ColumnTest[]): Uint32Array {
  const count = tests.reduce((left, test) => keep(rows, left, test), rows.length);
  // Few pass, so that sorting them takes less than sorting all.
  return ascending(rows.subarray(0, count));
}

/** Rows in order, each once. */
function ascending(rows: Uint32Array): Uint32Array {
  let last = -1;
  for (const row of rows) {
    if (row <= last) return rows.sort().filter((one, at) => one !== rows[at - 1]);
    last = row;
  }
  return rows;
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

/**
 * What a row is asked for itself, cheapest first. A column that decides nothing is not read: each read waits for memory.
 * @param isPlaced  true for the rows of `nearListOf`, which has asked for kind, window and place
 */
function testsOf(
  memory: PostMemory,
  filter: PostFilter,
  members: readonly ColumnTest[],
  isPlaced = false,
): ColumnTest[] {
  const { rows } = memory;
  const refused =
    (filter.includeSyndicated ? 0 : MARK.syndicated) |
    (filter.parentId === null && !filter.includeReplies ? MARK.reply : 0) |
    (filter.datedOnly === true ? MARK.undated : 0);
  const tests = [
    markTest(rows, refused),
    isPlaced ? null : kindTest(rows, kindBits(filter)),
    filter.includeExpired ? null : expiryTest(rows, filter.now),
    isPlaced ? null : windowTest(rows, filter),
    creationTest(rows, filter.createdUntil),
    statusTest(memory, filter.verifiedOnly),
    isPlaced ? null : nearTest(rows, filter.near),
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
  const { after, endedBy, before } = windowBounds(filter);
  const passes = (row: number) => {
    const end = ends[row] ?? 0;
    return end >= after && end < endedBy && (starts[row] ?? 0) <= before;
  };
  return { passes, columns: [ends, starts] };
}

/** A window passes that ends at `after` or later and before `endedBy`, and starts at `before` or sooner. */
const windowBounds = ({ after, before, endedBy }: PostFilter) => ({
  after: after ?? Number.NEGATIVE_INFINITY,
  endedBy: endedBy ?? Number.POSITIVE_INFINITY,
  before: before ?? Number.POSITIVE_INFINITY,
});

/** The same for `rowsNear`. */
function windowOf(rows: Rows, filter: PostFilter): WindowFilter | null {
  const test = windowTest(rows, filter);
  return test === null ? null : { ...windowBounds(filter), passes: test.passes };
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

function nearTest({ places }: Rows, near: PostFilter["near"]): ColumnTest | null {
  if (near === null) return null;
  const isNear = placeTest(near);
  const [recordAt, records] = [places.at.view, places.records.view];
  const passes = (row: number) => {
    const at = (recordAt[row] ?? 0) * RECORD;
    return at !== 0 && isNear(records[at + PLACED.lat] ?? 0, records[at + PLACED.lng] ?? 0);
  };
  return { passes, columns: [recordAt] };
}
