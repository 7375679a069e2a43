import { TopRows } from "../../search/top-rows.ts";

/** Rows whose ends are put in order at a time. Each takes a look at all rows, which so many ends then share. */
const ORDERED = 4096;

/**
 * A bit for each row that a search without filters may show, as of one moment: posts that have not expired and are no
 * replies. It is kept while rows change and posts expire, where each search would look at two columns for each of its
 * candidates.
 */
export class CurrentRows {
  #bits = new Uint32Array(0);
  /** The bits are right from this moment, and until the next post expires. */
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;
  /** The rows that end before `#horizon`, soonest last. Some have got another end since. */
  #next: { row: number; end: number }[] = [];
  #horizon = Number.NEGATIVE_INFINITY;

  /**
   * @param now  epoch milliseconds
   * @param size  number of rows
   * @param endOf  when a row expires; null for those never shown
   * @returns bits that hold until a row changes
   */
  at(now: number, size: number, endOf: (row: number) => number | null): Uint32Array {
    if (now >= this.#from && now < this.#until) return this.#bits;
    const hasBegun = now >= this.#from;
    if (hasBegun && now < this.#horizon) this.#end(now, endOf);
    else {
      this.#begin(now, size, endOf);
      // Only who asks again and again needs to know what ends next.
      if (hasBegun) this.#order(now, size, endOf);
    }
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
    const isCurrent = end !== null && end > this.#from;
    this.#mark(row, isCurrent);
    if (!isCurrent) return;
    if (end < this.#until) this.#until = end;
    if (end >= this.#horizon) return;
    const at = this.#next.findLastIndex((other) => other.end >= end);
    this.#next.splice(at + 1, 0, { row, end });
    if (this.#next.length > 2 * ORDERED) this.#forgetOrder();
  }

  /** Rows have other numbers now. */
  clear(): void {
    this.#from = Number.POSITIVE_INFINITY;
    this.#forgetOrder();
  }

  #forgetOrder(): void {
    this.#next = [];
    this.#horizon = Number.NEGATIVE_INFINITY;
  }

  /** Looks at all rows. */
  #begin(now: number, size: number, endOf: (row: number) => number | null): void {
    this.clear();
    this.#from = now;
    this.#until = Number.POSITIVE_INFINITY;
    this.#bits = new Uint32Array(Math.ceil((size * 1.25) / 32));
    for (let row = 0; row < size; row += 1) this.put(row, endOf(row));
  }

  /** Puts those that end next in order. */
  #order(now: number, size: number, endOf: (row: number) => number | null): void {
    const soonest = new TopRows(ORDERED, Number.NEGATIVE_INFINITY);
    for (let row = 0; row < size; row += 1) {
      const end = endOf(row);
      if (end !== null && end > now && -end > soonest.floor) soonest.add(row, -end);
    }
    this.#next = Array.from(soonest.rows(), (row) => ({ row, end: endOf(row) ?? 0 }));
    this.#next.sort((a, b) => b.end - a.end);
    // Others may end at the same moment as the last of these.
    this.#horizon = -soonest.floor;
    this.#until = Math.min(this.#next.at(-1)?.end ?? Number.POSITIVE_INFINITY, this.#horizon);
  }

  /** Clears the bits of those that have ended. */
  #end(now: number, endOf: (row: number) => number | null): void {
    for (let next = this.#next.at(-1); next !== undefined && next.end <= now; next = this.#next.at(-1)) {
      this.#next.pop();
      const end = endOf(next.row);
      if (end === null || end <= now) this.#mark(next.row, false);
    }
    this.#from = now;
    this.#until = Math.min(this.#next.at(-1)?.end ?? Number.POSITIVE_INFINITY, this.#horizon);
  }

  #mark(row: number, isCurrent: boolean): void {
    const group = row >>> 5;
    const others = (this.#bits[group] ?? 0) & ~(1 << (row & 31));
    this.#bits[group] = isCurrent ? others | (1 << (row & 31)) : others;
  }
}
