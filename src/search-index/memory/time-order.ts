import { Column, type Numbers } from "./columns.ts";
import { type Run, TimeWalk } from "./time-walk.ts";

/** Rows kept apart until they are merged. Among a million rows each place in the middle costs a move of megabytes. */
const APART_MAX = 1024;

/** Rows in the order of a time, ascending; equal times by row. */
export class TimeOrder {
  /** All but those kept apart. */
  readonly rows = new Column(Uint32Array);
  size = 0;
  /** In the same order. */
  readonly #apart = new Uint32Array(APART_MAX);
  #apartSize = 0;
  readonly #times: Column<Numbers>;

  constructor(times: Column<Numbers>) {
    this.#times = times;
  }

  /** Adds a row whose time is set. The usual case, the latest time, moves nothing. */
  add(row: number): void {
    const at = this.#placeIn(this.rows.view, this.size, this.#timeOf(row), row);
    if (at === this.size) {
      this.rows.reserve(this.size + 1);
      this.rows.view[at] = row;
      this.size += 1;
      return;
    }
    if (this.#apartSize === APART_MAX) this.merge();
    const place = this.#placeIn(this.#apart, this.#apartSize, this.#timeOf(row), row);
    this.#apart.copyWithin(place + 1, place, this.#apartSize);
    this.#apart[place] = row;
    this.#apartSize += 1;
  }

  /** Takes a row out, before its time changes. */
  remove(row: number): void {
    const time = this.#timeOf(row);
    const place = this.#placeIn(this.#apart, this.#apartSize, time, row);
    if (place < this.#apartSize && this.#apart[place] === row) {
      this.#apart.copyWithin(place, place + 1, this.#apartSize);
      this.#apartSize -= 1;
      return;
    }
    const at = this.#placeIn(this.rows.view, this.size, time, row);
    if (at === this.size || this.rows.view[at] !== row) return;
    this.rows.view.copyWithin(at, at + 1, this.size);
    this.size -= 1;
  }

  /** Sorts these rows in place of all. */
  fill(rows: Uint32Array): void {
    const times = this.#times.view;
    this.adopt(rows.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b));
  }

  /** Takes rows that are in this order in place of all. */
  adopt(rows: ArrayLike<number>): void {
    this.rows.reserve(rows.length);
    this.rows.view.set(rows);
    this.size = rows.length;
    this.#apartSize = 0;
  }

  clear(): void {
    this.size = 0;
    this.#apartSize = 0;
  }

  /** Leaves no row apart. Moves each of the others once, so it costs about as much as adding one row would without it. */
  merge(): void {
    this.rows.reserve(this.size + this.#apartSize);
    const { view } = this.rows;
    let end = this.size;
    for (let left = this.#apartSize; left > 0; left -= 1) {
      const row = this.#apart[left - 1] ?? 0;
      const at = this.#placeIn(view, end, this.#timeOf(row), row);
      view.copyWithin(at + left, at, end);
      view[at + left - 1] = row;
      end = at;
    }
    this.size += this.#apartSize;
    this.#apartSize = 0;
  }

  /** The latest time; below every time when there is no row. */
  latest(): number {
    const last = (rows: Uint32Array, size: number) =>
      size === 0 ? Number.NEGATIVE_INFINITY : this.#timeOf(rows[size - 1] ?? 0);
    return Math.max(last(this.rows.view, this.size), last(this.#apart, this.#apartSize));
  }

  /** The rows from a time on, or with -1 those up to it, the latest first. */
  walk(from: number, step: 1 | -1): TimeWalk {
    return new TimeWalk(this.#times, this.runs(from, step), step);
  }

  /** What `walk` goes through. */
  runs(from: number, step: 1 | -1): Run[] {
    const run = (rows: Uint32Array, size: number): Run =>
      step === 1
        ? { rows, at: this.#placeIn(rows, size, from, -1), end: size }
        : { rows, at: this.#placeIn(rows, size, from, Number.POSITIVE_INFINITY) - 1, end: -1 };
    return [run(this.rows.view, this.size), run(this.#apart, this.#apartSize)];
  }

  #timeOf(row: number): number {
    return this.#times.view[row] ?? 0;
  }

  /** How many of the first `size` rows come before a time, or before a row of that time. */
  #placeIn(rows: Uint32Array, size: number, time: number, row: number): number {
    const times = this.#times.view;
    let low = 0;
    let high = size;
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
