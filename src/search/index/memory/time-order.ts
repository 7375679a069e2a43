import { Column, type Numbers } from "./columns.ts";

/** This many rows are passed over together where all that pass end too early. */
const BLOCK = 256;

/** A walk may leave out rows that do not pass, and rows that end before `endFrom`. */
export interface Wanted {
  /** Names the test: the same number, the same rows. */
  key: number;
  /** Depends on nothing but the row's own fields. */
  passes: (row: number) => boolean;
  endFrom: number;
}

/** Keeps rows in the order of a time, ascending; equal times by row. */
export class TimeOrder {
  readonly rows = new Column(Uint32Array);
  size = 0;
  readonly #times: Column<Numbers>;
  readonly #ends: Column<Numbers>;
  /** Keeps, by test, the latest end in each of the first blocks, as many as were walked since a row of them moved. */
  readonly #latest = new Map<number, number[]>();

  constructor(times: Column<Numbers>, ends: Column<Numbers>) {
    this.#times = times;
    this.#ends = ends;
  }

  /** Adds a row whose time is set. The usual case, the latest time, moves nothing; the middle of a million moves 2 MB. */
  add(row: number): void {
    const at = this.#indexOf(this.#timeOf(row), row);
    this.rows.reserve(this.size + 1);
    this.rows.view.copyWithin(at + 1, at, this.size);
    this.rows.view[at] = row;
    this.size += 1;
    this.#moved(at);
  }

  /** Takes a row out, before its time changes. */
  remove(row: number): void {
    const at = this.#indexOf(this.#timeOf(row), row);
    if (at === this.size || this.rows.view[at] !== row) return;
    this.rows.view.copyWithin(at, at + 1, this.size);
    this.size -= 1;
    this.#moved(at);
  }

  /** The table calls this when something else of a row changed than its time. */
  changed(row: number): void {
    this.#moved(this.#indexOf(this.#timeOf(row), row));
  }

  /** Sorts these rows in place of all. */
  fill(rows: Uint32Array): void {
    const times = this.#times.view;
    rows.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
    this.rows.reserve(rows.length);
    this.rows.view.set(rows);
    this.size = rows.length;
    this.#moved(0);
  }

  /**
   * Walks the rows from a time on, or with -1 those up to it, the latest first. It holds until a row changes.
   * @param wanted  what a way up is for: a board has years of posts that are over
   * @returns gives one row after another, then -1
   */
  walk(from: number, step: 1 | -1, wanted: Wanted | null = null): () => number {
    const { view } = this.rows;
    const { size } = this;
    let at = step === 1 ? this.#indexOf(from, -1) : this.#indexOf(from, Number.POSITIVE_INFINITY) - 1;
    return () => {
      if (wanted !== null && step === 1) {
        while (at % BLOCK === 0 && at < size && this.#latestEnd(at / BLOCK, wanted) < wanted.endFrom)
          at += BLOCK;
      }
      if (at < 0 || at >= size) return -1;
      at += step;
      return view[at - step] ?? -1;
    };
  }

  #moved(at: number): void {
    for (const latest of this.#latest.values())
      latest.length = Math.min(latest.length, Math.floor(at / BLOCK));
  }

  #latestEnd(block: number, { key, passes }: Wanted): number {
    const { view: rows } = this.rows;
    const ends = this.#ends.view;
    const known = this.#latest.get(key) ?? [];
    this.#latest.set(key, known);
    for (let from = known.length * BLOCK; from <= block * BLOCK; from += BLOCK) {
      let latest = Number.NEGATIVE_INFINITY;
      for (const row of rows.subarray(from, Math.min(this.size, from + BLOCK)))
        if (passes(row)) latest = Math.max(latest, ends[row] ?? 0);
      known.push(latest);
    }
    return known[block] ?? Number.NEGATIVE_INFINITY;
  }

  #timeOf(row: number): number {
    return this.#times.view[row] ?? 0;
  }

  /** Counts the rows before a time, or before a row of that time. */
  #indexOf(time: number, row: number): number {
    const { view: rows } = this.rows;
    const times = this.#times.view;
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = rows[middle] ?? 0;
      const otherTime = times[other] ?? 0;
      if (otherTime < time || (otherTime === time && other < row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
