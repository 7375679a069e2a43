/** The `limit` rows with the largest keys, without sorting the rest: a binary heap whose root is the smallest key kept. */
export class TopRows {
  /** Rows must have a larger key than this to be kept. */
  floor: number;
  readonly #limit: number;
  readonly #rows: Uint32Array;
  readonly #keys: Float64Array;
  #size = 0;

  /** @param floor  rows with this key or a smaller one are never kept */
  constructor(limit: number, floor: number) {
    this.#limit = limit;
    this.#rows = new Uint32Array(limit);
    this.#keys = new Float64Array(limit);
    this.floor = floor;
  }

  /** Keeps a row; its key is above `floor`. */
  add(row: number, key: number): void {
    const rows = this.#rows;
    const keys = this.#keys;
    if (this.#size < this.#limit) {
      let at = this.#size;
      this.#size += 1;
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if ((keys[parent] ?? 0) <= key) break;
        keys[at] = keys[parent] ?? 0;
        rows[at] = rows[parent] ?? 0;
        at = parent;
      }
      keys[at] = key;
      rows[at] = row;
    } else {
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= this.#limit) break;
        if (child + 1 < this.#limit && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child += 1;
        if ((keys[child] ?? 0) >= key) break;
        keys[at] = keys[child] ?? 0;
        rows[at] = rows[child] ?? 0;
        at = child;
      }
      keys[at] = key;
      rows[at] = row;
    }
    if (this.#size === this.#limit) this.floor = keys[0] ?? 0;
  }

  /** The rows kept, in no order. */
  rows(): Uint32Array {
    return this.#rows.subarray(0, this.#size);
  }
}
