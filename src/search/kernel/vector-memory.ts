import { growTo, type Kernel, type KernelMemory, newKernelMemory, openKernel, PAGE_BYTES } from "./index.ts";

/** Rows per call of the kernel: its list and its sums then fit into one page. */
const BLOCK_ROWS = 4096;
/** Layout of a desk, a page (64 KiB): the query as i16, the list as u32, the sums as i32. */
const LIST_AT = 16_384;
const SUMS_AT = LIST_AT + 4 * BLOCK_ROWS;
/** Behind a desk for the thread that keeps the vectors, and one for a thread that they are lent to. */
const ROWS_AT = 2 * PAGE_BYTES;

/**
 * Int8 vectors by row number in one WebAssembly memory, scanned exactly. At 384 dimensions 100,000 rows are 38 MB, and a
 * scan of all of them is bound by the memory's bandwidth (under 2 ms at 23 GB/s).
 */
export class VectorMemory {
  readonly dimension: number;
  readonly memory: KernelMemory;
  readonly #kernel: Kernel;
  /** Where this thread's desk begins. */
  readonly #desk: number;
  /** A view of the whole memory; made again when it grew. */
  #bytes: Int8Array;

  /**
   * @param dimension  a multiple of 16, at most 8,192
   * @param lent  that of another thread, to be read only; null for one of its own
   */
  constructor(dimension: number, lent: KernelMemory | null = null) {
    if (dimension % 16 !== 0 || dimension <= 0 || 2 * dimension > LIST_AT) {
      throw new RangeError(`Vectors of ${dimension} dimensions do not fit the kernel.`);
    }
    this.dimension = dimension;
    this.memory = lent ?? newKernelMemory();
    this.#kernel = openKernel(this.memory);
    this.#desk = lent === null ? 0 : PAGE_BYTES;
    growTo(this.memory, ROWS_AT);
    this.#bytes = new Int8Array(this.memory.buffer);
  }

  /** Keeps a vector; the memory grows as needed. */
  set(row: number, vector: ArrayLike<number>): void {
    this.reserve(row + 1);
    this.#bytes.set(vector, this.#at(row));
  }

  /** A copy of a row. */
  get(row: number): Int8Array {
    return this.#view(row + 1).slice(this.#at(row), this.#at(row + 1));
  }

  /** The dot product with one row, without a copy and without the kernel, which may be at work. */
  dot(query: Int8Array, row: number): number {
    const bytes = this.#view(row + 1);
    const start = this.#at(row);
    let sum = 0;
    for (let i = 0; i < query.length; i += 1) sum += (query[i] ?? 0) * (bytes[start + i] ?? 0);
    return sum;
  }

  /** The bytes of the first rows, to be read or written at once. */
  block(rows: number): Uint8Array {
    this.reserve(rows);
    return new Uint8Array(this.memory.buffer, ROWS_AT, rows * this.dimension);
  }

  reserve(rows: number): void {
    growTo(this.memory, this.#at(rows));
    this.#view(rows);
  }

  /**
   * Dot products of a query with rows 0 to `out.length` - 1. A row that was never set gives 0.
   * @param beforeBlock  called before each block of rows; may throw, which ends it, and may ask for other products
   */
  scan(query: Int8Array, out: Int32Array, beforeBlock = () => {}): void {
    const sumsAt = this.#desk + SUMS_AT;
    const sums = new Int32Array(this.memory.buffer, sumsAt, BLOCK_ROWS);
    for (let start = 0; start < out.length; start += BLOCK_ROWS) {
      beforeBlock();
      this.#ask(query, out.length);
      const count = Math.min(BLOCK_ROWS, out.length - start);
      this.#kernel.dots(this.#desk, this.#at(start), count, this.dimension, sumsAt);
      out.set(count === BLOCK_ROWS ? sums : sums.subarray(0, count), start);
    }
  }

  /** Dot products of a query with rows, in their order. */
  dots(query: Int8Array, rows: Uint32Array): Int32Array {
    const out = new Int32Array(rows.length);
    if (rows.length === 0) return out;
    let largest = 0;
    for (const row of rows) if (row > largest) largest = row;
    this.#ask(query, largest + 1);
    const [listAt, sumsAt] = [this.#desk + LIST_AT, this.#desk + SUMS_AT];
    const sums = new Int32Array(this.memory.buffer, sumsAt, BLOCK_ROWS);
    const list = new Uint32Array(this.memory.buffer, listAt, BLOCK_ROWS);
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      const block = rows.subarray(start, start + BLOCK_ROWS);
      list.set(block);
      this.#kernel.dotsOf(this.#desk, ROWS_AT, listAt, block.length, this.dimension, sumsAt);
      out.set(sums.subarray(0, block.length), start);
    }
    return out;
  }

  #ask(query: Int8Array, rows: number): void {
    this.reserve(rows);
    new Int16Array(this.memory.buffer, this.#desk, this.dimension).set(query);
  }

  #at(row: number): number {
    return ROWS_AT + row * this.dimension;
  }

  /** The memory's bytes, that many rows at least. */
  #view(rows: number): Int8Array {
    if (this.#bytes.length < this.#at(rows)) this.#bytes = new Int8Array(this.memory.buffer);
    return this.#bytes;
  }
}
