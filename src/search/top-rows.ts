/** Keeps at least this many before it throws any away: a choice among few costs more than it saves. */
const ROOM_MIN = 64;

/**
 * The `limit` rows with the largest keys, without sorting them: twice as many are gathered, and the lower half thrown
 * away. Of equal keys those of smaller rows stay, if rows come in ascending order.
 */
export class TopRows {
  /** Rows with this key or a smaller one are not among the best; it rises while rows are added. */
  floor: number;
  readonly #limit: number;
  readonly #rows: Uint32Array;
  readonly #keys: Float64Array;
  #size = 0;

  /** @param floor  rows with this key or a smaller one are never wanted */
  constructor(limit: number, floor: number) {
    this.#limit = limit;
    const room = Math.max(ROOM_MIN, 2 * limit);
    this.#rows = new Uint32Array(room);
    this.#keys = new Float64Array(room);
    this.floor = floor;
  }

  /** Adds a row; its key is above `floor`. */
  add(row: number, key: number): void {
    this.#rows[this.#size] = row;
    this.#keys[this.#size] = key;
    this.#size += 1;
    if (this.#size === this.#rows.length) this.#prune();
  }

  /** The rows kept, in no order. */
  rows(): Uint32Array {
    if (this.#size > this.#limit) this.#prune();
    return this.#rows.subarray(0, this.#size);
  }

  /** Throws away all but the best. */
  #prune(): void {
    const limit = this.#limit;
    if (limit > 0) this.#select(limit - 1);
    this.#size = limit;
    this.floor = limit > 0 ? (this.#keys[limit - 1] ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** Quickselect (Hoare 1961): puts the key that belongs there at `at`, larger ones before it and smaller ones behind. */
  #select(at: number): void {
    const keys = this.#keys;
    const rows = this.#rows;
    let low = 0;
    let high = this.#size - 1;
    while (low < high) {
      const pivot = keys[(low + high) >> 1] ?? 0;
      const pivotRow = rows[(low + high) >> 1] ?? 0;
      let left = low;
      let right = high;
      while (left <= right) {
        while (isBefore(keys[left] ?? 0, rows[left] ?? 0, pivot, pivotRow)) left += 1;
        while (isBefore(pivot, pivotRow, keys[right] ?? 0, rows[right] ?? 0)) right -= 1;
        if (left > right) break;
        const key = keys[left] ?? 0;
        const row = rows[left] ?? 0;
        keys[left] = keys[right] ?? 0;
        rows[left] = rows[right] ?? 0;
        keys[right] = key;
        rows[right] = row;
        left += 1;
        right -= 1;
      }
      if (at <= right) high = right;
      else if (at >= left) low = left;
      else return;
    }
  }
}

const isBefore = (key: number, row: number, otherKey: number, otherRow: number) =>
  key > otherKey || (key === otherKey && row < otherRow);

/** The `n`th largest of some numbers, the smallest when there are fewer. */
export function nthLargest(numbers: Float64Array, n: number): number {
  if (numbers.length <= n)
    return numbers.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  const top = new TopRows(n, Number.NEGATIVE_INFINITY);
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? 0;
    if (number > top.floor) top.add(at, number);
  }
  // Throws away what is below it, and so learns of it.
  top.rows();
  return top.floor;
}
