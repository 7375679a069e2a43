import { Column } from "./columns.ts";
import { NAME } from "./hash.ts";
import { FIELD, Names } from "./names.ts";

/** Cells of the globe, in degrees: 0.5, up to 56 km. */
export const CELL = 0.5;
/** Places are kept as whole parts of a degree: 10^-7, about a centimetre. */
export const DEGREE = 1e7;

/** Numbers of a record. */
export const RECORD = 4;
/** What they are: a row, its place in parts of a degree, and bits as `bitsOf` gives them. */
export const PLACED = { row: 0, lat: 1, lng: 2, bits: 3 } as const;
/** Records of the first block of a cell, its header included; each block has twice as many as the one before, up to the most. */
const BLOCK_MIN = 4;
const BLOCK_MAX = 256;

const DAY_MS = 86_400_000;
/** Days of a window are counted from here, 13 bits of them, to June 2042; times before and after count as the first and last. */
const FIRST_DAY = Date.UTC(2020, 0, 1);
const DAYS = 8192;
/** Bits of the kind lie below those of the day on which a window starts, and these below those of the day on which it ends. */
const START_SHIFT = 6;
const END_SHIFT = 19;

/** The number of a time's day: a later time never has a smaller one. */
export const windowDay = (time: number) =>
  Math.max(0, Math.min(DAYS - 1, Math.floor((time - FIRST_DAY) / DAY_MS)));

const bitsOf = (kind: number, starts: number, ends: number) =>
  kind | (windowDay(starts) << START_SHIFT) | (windowDay(ends) << END_SHIFT);

export const startDayIn = (bits: number) => (bits >>> START_SHIFT) & (DAYS - 1);
export const endDayIn = (bits: number) => bits >>> END_SHIFT;

/** Number of the cell's row or column. */
export const cellOf = (degrees: number) => Math.floor(degrees / CELL);

/** What a record tells of a post. */
interface Placed {
  /** In degrees. */
  lat: number | null;
  lng: number | null;
  windowStart: number;
  windowEnd: number;
}

/**
 * What narrow searches ask of posts with a place, those of a cell side by side: a search reads them one after another,
 * where each row's numbers in columns would be a wait for memory. 16 bytes a post, in blocks of a cell that are linked.
 */
export class Places {
  /** The cells. Of their fields `first` is the first block, `start` the last one, and `write` where its next record comes. */
  cells = new Names();
  /** Records and headers of blocks, `RECORD` numbers each. A header: the next block, or 0, and its own length in records. */
  records = new Column(Int32Array, 256 * RECORD);
  /** Where the record of each row is; 0 without a place. */
  readonly at = new Column(Uint32Array);
  /** Records and headers in use. The first is never used. */
  used = 1;

  /** Numbers in `records`. */
  get numbersUsed(): number {
    return this.used * RECORD;
  }

  /** The number of a cell, or -1. */
  cell(lat: number, lng: number): number {
    return this.cells.find(NAME.cell, cellName(lat, lng));
  }

  /** How many rows a cell has, dead ones included. */
  count(cell: number): number {
    return this.cells.get(cell, FIELD.count);
  }

  /**
   * Keeps what is known of a row with a place; its cell must stay the same.
   * @param kind  bit of the kind, as `kindBit` gives it
   */
  put(row: number, { lat, lng, windowStart, windowEnd }: Placed, kind: number): void {
    const [y, x] = [inParts(lat ?? 0), inParts(lng ?? 0)];
    const at = (this.at.view[row] ?? 0) || this.#add(row, y, x);
    const { view } = this.records;
    view[at * RECORD + PLACED.row] = row;
    view[at * RECORD + PLACED.lat] = y;
    view[at * RECORD + PLACED.lng] = x;
    view[at * RECORD + PLACED.bits] = bitsOf(kind, windowStart, windowEnd);
  }

  /** Drops the records of rows that are gone, after the others took their new numbers. @param size  number of rows */
  compact(size: number): void {
    const before = this.records.view;
    this.cells = new Names();
    this.records = new Column(Int32Array, 256 * RECORD);
    this.used = 1;
    for (let row = 0; row < size; row += 1) {
      const at = this.at.view[row] ?? 0;
      if (at === 0) continue;
      const record = before.subarray(at * RECORD, (at + 1) * RECORD);
      const to = this.#add(row, record[PLACED.lat] ?? 0, record[PLACED.lng] ?? 0);
      this.records.view.set(record, to * RECORD);
      this.records.view[to * RECORD + PLACED.row] = row;
    }
  }

  /** Calls `take` for each run of a cell's records. The rows of a cell ascend. */
  eachRun(cell: number, take: (numbers: Int32Array) => void): void {
    const { view } = this.records;
    const last = this.cells.get(cell, FIELD.start);
    for (let block = this.cells.get(cell, FIELD.first); block !== 0; ) {
      const length = view[block * RECORD + 1] ?? 0;
      const end = block === last ? this.cells.get(cell, FIELD.write) : block + length;
      take(view.subarray((block + 1) * RECORD, end * RECORD));
      block = block === last ? 0 : (view[block * RECORD] ?? 0);
    }
  }

  /** Room for the record of a row that has none, at the end of its cell. */
  #add(row: number, lat: number, lng: number): number {
    const { cells } = this;
    const cell = cells.number(NAME.cell, cellName(cellOf(lat / DEGREE), cellOf(lng / DEGREE)));
    const count = cells.get(cell, FIELD.count);
    const block = cells.get(cell, FIELD.start);
    const length = count === 0 ? 0 : (this.records.view[block * RECORD + 1] ?? 0);
    const end = cells.get(cell, FIELD.write);
    const at = end === block + length ? this.#extend(cell, block, length) : end;
    cells.set(cell, FIELD.write, at + 1);
    cells.set(cell, FIELD.count, count + 1);
    this.at.view[row] = at;
    return at;
  }

  /** A new block at the end of a cell. @returns where its first record comes */
  #extend(cell: number, before: number, lengthBefore: number): number {
    const block = this.used;
    const length = Math.max(BLOCK_MIN, Math.min(BLOCK_MAX, 2 * lengthBefore));
    this.used += length;
    this.records.reserve(this.used * RECORD);
    const { view } = this.records;
    view.fill(0, block * RECORD, this.used * RECORD);
    view[block * RECORD + 1] = length;
    if (before === 0) this.cells.set(cell, FIELD.first, block);
    else view[before * RECORD] = block;
    this.cells.set(cell, FIELD.start, block);
    return block + 1;
  }
}

const inParts = (degrees: number) => Math.round(degrees * DEGREE);

/** The name of a place's cell: of the place as it is kept. */
export const cellNameOf = (lat: number, lng: number) =>
  cellName(cellOf(inParts(lat) / DEGREE), cellOf(inParts(lng) / DEGREE));

const cellName = (lat: number, lng: number) => `${lat}:${lng}`;
