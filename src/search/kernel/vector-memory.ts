import { type Kernel, openKernel, PAGE_BYTES } from "./index.ts";

/** Rows per call of the kernel: its list and its sums then fit into the memory's first page. */
const BLOCK_ROWS = 4096;
/** Layout of the first page (64 KiB): the query as i16, the list as u32, the sums as i32. Vectors start after it. */
const QUERY_AT = 0;
const LIST_AT = 16_384;
const SUMS_AT = LIST_AT + 4 * BLOCK_ROWS;

/**
 * Int8 vectors by row number in one WebAssembly memory, scanned exactly. At 384 dimensions 100,000 rows are 38 MB, and a
 * scan of all of them is bound by the memory's bandwidth (under 2 ms at 23 GB/s).
 */
export class VectorMemory {
  readonly dimension: number;
  readonly #kernel: Kernel;
  /** A view of the whole memory; made again whenever the memory grows. */
  #bytes: Int8Array;

  /** @param dimension  a multiple of 16, at most 8,192 */
  constructor(dimension: number) {
    if (dimension % 16 !== 0 || dimension <= 0 || 2 * dimension > LIST_AT) {
      throw new RangeError(`Vectors of ${dimension} dimensions do not fit the kernel.`);
    }
    this.dimension = dimension;
    this.#kernel = openKernel();
    this.#bytes = new Int8Array(this.#kernel.memory.buffer);
  }

  /** Keeps a vector; the memory grows as needed, by at least a quarter. */
  set(row: number, vector: ArrayLike<number>): void {
    this.#reserve(row + 1);
    this.#bytes.set(vector, this.#at(row));
  }

  /** A copy of a row. */
  get(row: number): Int8Array {
    return this.#bytes.slice(this.#at(row), this.#at(row + 1));
  }

  move(from: number, to: number): void {
    this.#bytes.copyWithin(this.#at(to), this.#at(from), this.#at(from + 1));
  }

  /** Dot products of a query with rows, in their order. A row that was never set gives 0. */
  dots(query: Int8Array, rows: Uint32Array): Int32Array {
    const { memory, dots, dotsOf } = this.#kernel;
    const out = new Int32Array(rows.length);
    if (rows.length === 0) return out;
    let largest = 0;
    for (const row of rows) if (row > largest) largest = row;
    this.#reserve(largest + 1);
    new Int16Array(memory.buffer, QUERY_AT, this.dimension).set(query);
    const sums = new Int32Array(memory.buffer, SUMS_AT, BLOCK_ROWS);
    const list = new Uint32Array(memory.buffer, LIST_AT, BLOCK_ROWS);
    for (let start = 0; start < rows.length; ) {
      const end = Math.min(start + BLOCK_ROWS, rows.length);
      const count = end - start;
      const block = rows.subarray(start, end);
      if (isRun(block)) {
        dots(QUERY_AT, this.#at(block[0] ?? 0), count, this.dimension, SUMS_AT);
      } else {
        list.set(block);
        dotsOf(QUERY_AT, PAGE_BYTES, LIST_AT, count, this.dimension, SUMS_AT);
      }
      out.set(sums.subarray(0, count), start);
      start = end;
    }
    return out;
  }

  #at(row: number): number {
    return PAGE_BYTES + row * this.dimension;
  }

  #reserve(rows: number): void {
    const missing = this.#at(rows) - this.#bytes.length;
    if (missing <= 0) return;
    this.#kernel.memory.grow(Math.ceil(Math.max(missing, this.#bytes.length / 4) / PAGE_BYTES));
    this.#bytes = new Int8Array(this.#kernel.memory.buffer);
  }
}

/** True for row numbers without a gap: they are read without a list, which is a little faster. */
function isRun(rows: Uint32Array): boolean {
  const first = rows[0] ?? 0;
  for (let i = 1; i < rows.length; i += 1) if (rows[i] !== first + i) return false;
  return true;
}
