/**
 * A bit for each row that a search without filters may show, as of one moment: posts that have not expired and are no
 * replies. It is kept while rows change, and made again when a post expires: a look at two columns of all rows for each
 * post that ends, where each search would look at them for each of its candidates.
 */
export class CurrentRows {
  #bits = new Uint32Array(0);
  /** The bits are right from this moment, and until the next post expires. */
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  /**
   * @param now  epoch milliseconds
   * @param size  number of rows
   * @param endOf  when a row expires; null for those never shown
   * @returns bits that hold until a row changes
   */
  at(now: number, size: number, endOf: (row: number) => number | null): Uint32Array {
    if (now >= this.#from && now < this.#until) return this.#bits;
    this.#from = now;
    this.#until = Number.POSITIVE_INFINITY;
    this.#bits = new Uint32Array(Math.ceil((size * 1.25) / 32));
    for (let row = 0; row < size; row += 1) this.put(row, endOf(row));
    return this.#bits;
  }

  /** A row was added or has changed. @param end  see `endOf` */
  put(row: number, end: number | null): void {
    const group = row >>> 5;
    if (group >= this.#bits.length) {
      const larger = new Uint32Array(Math.ceil((group + 1) * 1.25));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    const others = (this.#bits[group] ?? 0) & ~(1 << (row & 31));
    const isCurrent = end !== null && end > this.#from;
    this.#bits[group] = isCurrent ? others | (1 << (row & 31)) : others;
    if (isCurrent && end < this.#until) this.#until = end;
  }

  /** Rows have other numbers now. */
  clear(): void {
    this.#from = Number.POSITIVE_INFINITY;
  }
}
