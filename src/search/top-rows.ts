/** Keeps at least this many before it throws any away: a choice among few costs more than it saves. */
const ROOM_MIN = 64;

/**
 * The `limit` rows with the largest keys: twice as many are gathered, and the lower half is thrown away. Of equal keys those
 * that came first stay.
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
    const keys = this.#keys.slice(0, this.#size);
    const floor = nthLargest(keys, this.#limit);
    let equal = this.#limit - keys.filter((key) => key > floor).length;
    this.#size = 0;
    for (const [at, key] of keys.entries()) {
      if (key < floor || (key === floor && equal === 0)) continue;
      if (key === floor) equal -= 1;
      this.#rows[this.#size] = this.#rows[at] ?? 0;
      this.#keys[this.#size] = key;
      this.#size += 1;
    }
    this.floor = floor;
  }
}

/** The `n`th largest of some numbers, the smallest when there are fewer; Infinity when there is none, or none is asked for. */
export function nthLargest(numbers: Float64Array, n: number): number {
  return numbers.toSorted()[Math.max(0, numbers.length - n)] ?? Number.POSITIVE_INFINITY;
}
