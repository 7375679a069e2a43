import type { PostFilter } from "../../../schema/filter.ts";
import { KINDS, type Kind } from "../../../schema/post.ts";
import { boxAround, distanceKm, inBox } from "../../ranking/distance.ts";
import { STATUS } from "../indexed-post.ts";
import type { PostMemory } from "../memory/index.ts";
import { FIELD, NAME, type NameKind } from "../memory/names.ts";
import { kindBit, MARK, type Rows } from "../memory/rows.ts";
import type { Wanted } from "../memory/time-order.ts";

export type RowTest = (row: number) => boolean;

export interface RowFilter {
  /** True for rows that pass; where there is `among`, only rows of it may be asked about. */
  passes: RowTest;
  /** These are all rows that pass, ascending; null when they are among too many to be looked at one by one. */
  among: Uint32Array | null;
}

/** A list is read when it holds at most this share of all rows: every row in it costs as much as sixteen in a scan. */
const LISTED_MAX = 1 / 16;
/** A list this short is always read. */
const SHORT_LIST = 256;

/** Works out how to find the rows that pass: from the shortest of the filter's lists, or by looking at each row. */
export function rowFilter(memory: PostMemory, filter: PostFilter): RowFilter {
  const most = Math.max(SHORT_LIST, memory.rows.size * LISTED_MAX);
  const lists = listsOf(memory, filter).sort((a, b) => a.size - b.size);
  const shortest = lists.find(({ size }) => size <= most);
  const passes = allOf([
    ...testsOf(memory, filter),
    ...lists.filter((list) => list !== shortest).map((list) => memberTest(memory, list)),
  ]);
  const listed = shortest === undefined ? rowsNear(memory.rows, filter.near, most) : rowsOf(memory, shortest);
  return { passes, among: listed === null ? null : listed.filter(passes) };
}

/** Gives the test for rows that need not be in `among`. */
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

/** Tests some rows alike, without a way to find all that pass. */
export function rowTest(memory: PostMemory, filter: PostFilter): RowTest {
  const members = listsOf(memory, filter).map((list) => memberTest(memory, list));
  return allOf([...testsOf(memory, filter), ...members]);
}

/** Its rows have any of some names. */
interface List {
  names: readonly number[];
  /** No more rows than this pass. */
  size: number;
}

function listsOf(memory: PostMemory, filter: PostFilter): List[] {
  const lists: List[] = [];
  if (filter.publisherId !== null) lists.push(listOf(memory, NAME.publisher, [filter.publisherId]));
  if (filter.parentId !== null) lists.push(listOf(memory, NAME.parent, [filter.parentId]));
  if (filter.series !== undefined) lists.push(listOf(memory, NAME.series, [filter.series]));
  if (filter.tags !== null) lists.push(listOf(memory, NAME.tag, new Set(filter.tags)));
  return lists;
}

function listOf({ names }: PostMemory, kind: NameKind, wanted: Iterable<string>): List {
  const found = [...wanted].map((name) => names.find(kind, name)).filter((name) => name >= 0);
  return { names: found, size: found.reduce((sum, name) => sum + names.get(name, FIELD.count), 0) };
}

/** Gives them ascending, each once. */
function rowsOf({ lists }: PostMemory, list: List): Uint32Array {
  const all = new Uint32Array(list.size);
  let count = 0;
  for (const name of list.names) count = lists.rows(name, all, count);
  return list.names.length < 2 ? all : all.sort().filter((row, at) => row !== all[at - 1]);
}

/** Finds the rows in the box around a circle, by a look at each; null without a circle and when there are more than `most`. */
function rowsNear({ size, lat, lng }: Rows, near: PostFilter["near"], most: number): Uint32Array | null {
  if (near === null) return null;
  const box = boxAround(near, near.radiusKm);
  const [lats, lngs] = [lat.view, lng.view];
  const { south, north } = box;
  const found: number[] = [];
  for (let row = 0; row < size; row += 1) {
    const y = lats[row] ?? 0;
    // A row without a place has NaN there, which no comparison passes.
    if (!(y >= south && y <= north) || !inBox(box, y, lngs[row] ?? 0)) continue;
    found.push(row);
    if (found.length > most) return null;
  }
  return Uint32Array.from(found);
}

function memberTest(memory: PostMemory, list: List): RowTest {
  const member = new Uint8Array(memory.rows.size);
  for (const name of list.names) {
    memory.lists.each(name, (row) => {
      member[row] = 1;
    });
  }
  return (row) => member[row] === 1;
}

const bitsOf = (kinds: readonly Kind[]) => kinds.reduce((sum, one) => sum | kindBit(one), 0);

/** These marks keep a row out. */
const refusedBy = (filter: PostFilter) =>
  (filter.includeSyndicated ? 0 : MARK.syndicated) |
  (filter.parentId === null && !filter.includeReplies ? MARK.reply : 0) |
  (filter.datedOnly === true ? MARK.undated : 0);

/** Says what a walk by time may leave out; null where the filter asks for what is over. */
export function wantedOf(rows: Rows, filter: PostFilter): Wanted | null {
  if (filter.after === null) return null;
  const [refused, kinds] = [refusedBy(filter), filter.kinds ?? KINDS];
  const tests = [markTest(rows, refused), kindTest(rows, kinds)].filter((test) => test !== null);
  return { key: refused * 256 + bitsOf(kinds), passes: allOf(tests), endFrom: filter.after };
}

/**
 * Lists what a row is asked for itself, cheapest first. A column that decides nothing is not read: each read waits for
 * memory.
 */
function testsOf(memory: PostMemory, filter: PostFilter): RowTest[] {
  const { rows } = memory;
  const tests = [
    markTest(rows, refusedBy(filter)),
    kindTest(rows, filter.kinds),
    filter.includeExpired ? null : expiryTest(rows, filter.now),
    windowTest(rows, filter),
    creationTest(rows, filter.createdUntil),
    statusTest(memory, filter.verifiedOnly),
    nearTest(rows, filter.near),
  ];
  return tests.filter((test) => test !== null);
}

/** Makes one test of all. Calls of functions that differ cost most where nearly every row comes by: the first is asked alone. */
function allOf(tests: readonly RowTest[]): RowTest {
  const [first = () => true, second, ...others] = tests;
  if (second === undefined) return first;
  if (others.length === 0) return (row) => first(row) && second(row);
  const rest = allOf([second, ...others]);
  return (row) => first(row) && rest(row);
}

function markTest({ marks: { view: marks } }: Rows, refused: number): RowTest {
  return (row) => ((marks[row] ?? 0) & (MARK.live | refused)) === MARK.live;
}

function kindTest({ kind: { view: kind } }: Rows, kinds: PostFilter["kinds"]): RowTest | null {
  if (kinds === null) return null;
  const bits = bitsOf(kinds);
  return (row) => ((kind[row] ?? 0) & bits) !== 0;
}

function expiryTest({ expiresAt: { view: expiresAt } }: Rows, now: number): RowTest {
  return (row) => (expiresAt[row] ?? 0) > now;
}

/** A window passes that ends at `after` or later and before `endedBy`, and starts at `before` or sooner. */
function windowTest({ windowStart, windowEnd }: Rows, filter: PostFilter): RowTest | null {
  if (filter.after === null && filter.before === null && typeof filter.endedBy !== "number") return null;
  const [starts, ends] = [windowStart.view, windowEnd.view];
  const after = filter.after ?? Number.NEGATIVE_INFINITY;
  const endedBy = filter.endedBy ?? Number.POSITIVE_INFINITY;
  const before = filter.before ?? Number.POSITIVE_INFINITY;
  return (row) => {
    const end = ends[row] ?? 0;
    return end >= after && end < endedBy && (starts[row] ?? 0) <= before;
  };
}

function creationTest(rows: Rows, until: number): RowTest | null {
  if (until === Number.MAX_SAFE_INTEGER) return null;
  const createdAt = rows.createdAt.view;
  return (row) => (createdAt[row] ?? 0) <= until;
}

function statusTest({ rows, names, suspended }: PostMemory, verifiedOnly: boolean): RowTest | null {
  if (!verifiedOnly && suspended === 0) return null;
  const publisher = rows.publisher.view;
  const decides = STATUS.suspended | (verifiedOnly ? STATUS.verified : 0);
  const wanted = decides & STATUS.verified;
  return (row) => (names.get(publisher[row] ?? 0, FIELD.status) & decides) === wanted;
}

function nearTest({ lat, lng }: Rows, near: PostFilter["near"]): RowTest | null {
  if (near === null) return null;
  const box = boxAround(near, near.radiusKm);
  const [lats, lngs] = [lat.view, lng.view];
  return (row) => {
    const point = { lat: lats[row] ?? 0, lng: lngs[row] ?? 0 };
    if (!(point.lat >= box.south) || !inBox(box, point.lat, point.lng)) return false;
    return distanceKm(near, point) <= near.radiusKm;
  };
}
