import { Column, type Numbers } from "./columns.ts";

/** Rows in the order of a time, ascending; equal times by row. A walk in either direction stops where it likes. */
export class TimeOrder {
  readonly rows = new Column(Uint32Array);
  size = 0;
  readonly #times: Column<Numbers>;

  constructor(times: Column<Numbers>) {
    this.#times = times;
  }

  /** Adds a row whose time is set. The usual case, the latest time, moves nothing. */
  add(row: number): void {
    const at = this.#placeOf(this.#times.view[row] ?? 0, row);
    this.rows.reserve(this.size + 1);
    this.rows.view.copyWithin(at + 1, at, this.size);
    this.rows.view[at] = row;
    this.size += 1;
  }

  /** Takes a row out, before its time changes. */
  remove(row: number): void {
    const at = this.#placeOf(this.#times.view[row] ?? 0, row);
    if (this.rows.view[at] !== row) return;
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

  /** How many rows have an earlier time. */
  earlierThan(time: number): number {
    return this.#placeOf(time, -1);
  }

  #placeOf(time: number, row: number): number {
    const { view } = this.rows;
    const times = this.#times.view;
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = view[middle] ?? 0;
      const otherTime = times[other] ?? 0;
      if (otherTime < time || (otherTime === time && other < row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
