import { Column, type Numbers } from "./columns.ts";

/** Rows in the order of a time, ascending; equal times by row. */
export class TimeOrder {
  readonly rows = new Column(Uint32Array);
  size = 0;
  readonly #times: Column<Numbers>;

  constructor(times: Column<Numbers>) {
    this.#times = times;
  }

  /** Adds a row whose time is set. The usual case, the latest time, moves nothing; the middle of a million moves 2 MB. */
  add(row: number): void {
    const at = this.#indexOf(this.#timeOf(row), row);
    this.rows.reserve(this.size + 1);
    this.rows.view.copyWithin(at + 1, at, this.size);
    this.rows.view[at] = row;
    this.size += 1;
  }

  /** Takes a row out, before its time changes. */
  remove(row: number): void {
    const at = this.#indexOf(this.#timeOf(row), row);
    if (at === this.size || this.rows.view[at] !== row) return;
    this.rows.view.copyWithin(at, at + 1, this.size);
    this.size -= 1;
  }

  /** Sorts these rows in place of all. */
  fill(rows: Uint32Array): void {
    const times = this.#times.view;
    rows.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
    this.rows.reserve(rows.length);
    this.rows.view.set(rows);
    this.size = rows.length;
  }

  /**
   * The rows from a time on, or with -1 those up to it, the latest first. It holds until a row changes.
   * @returns gives one row after another, then -1
   */
  walk(from: number, step: 1 | -1): () => number {
    const { view } = this.rows;
    const { size } = this;
    let at = step === 1 ? this.#indexOf(from, -1) : this.#indexOf(from, Number.POSITIVE_INFINITY) - 1;
    return () => {
      if (at < 0 || at >= size) return -1;
      at += step;
      return view[at - step] ?? -1;
    };
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
