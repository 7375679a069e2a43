import { growTo, type Kernel, type KernelMemory, newKernelMemory, openKernel, PAGE_BYTES } from "./index.ts";

/** One call of the kernel takes this many rows: its list and its sums then fit into one page. */
const BLOCK_ROWS = 4096;
/** The first page (64 KiB) holds the query as i16, the list as u32, the sums as i32. The vectors lie behind it. */
const LIST_AT = 16_384;
const SUMS_AT = LIST_AT + 4 * BLOCK_ROWS;
const ROWS_AT = PAGE_BYTES;

/**
 * Keeps int8 vectors by row number in one WebAssembly memory, scanned exactly. At 384 dimensions 100,000 rows are 38 MB,
 * and a scan of all of them is bound by the memory's bandwidth (under 2 ms at 23 GB/s).
 */
export class VectorMemory {
  readonly dimension: number;
  readonly memory: KernelMemory;
  readonly #kernel: Kernel;
  /** Shows the whole memory; it is made again when that grew. */
  #bytes: Int8Array;

  /** @param dimension  a multiple of 16, at most 8,192 */
  constructor(dimension: number) {
    if (dimension % 16 !== 0 || dimension <= 0 || 2 * dimension > LIST_AT) {
      throw new RangeError(`Vectors of ${dimension} dimensions do not fit the kernel.`);
    }
    this.dimension = dimension;
    this.memory = newKernelMemory();
    this.#kernel = openKernel(this.memory);
    this.#bytes = new Int8Array(this.memory.buffer);
  }

  /** Keeps a vector; the memory grows as needed. */
  set(row: number, vector: ArrayLike<number>): void {
    this.#bytesOf(row + 1).set(vector, this.#at(row));
  }

  /** Copies a row. */
  get(row: number): Int8Array {
    return this.#bytesOf(row + 1).slice(this.#at(row), this.#at(row + 1));
  }

  /** Takes the dot product with one row, without a copy. */
  dot(query: Int8Array, row: number): number {
    const bytes = this.#bytesOf(row + 1);
    const start = this.#at(row);
    let sum = 0;
    for (let i = 0; i < query.length; i += 1) sum += (query[i] ?? 0) * (bytes[start + i] ?? 0);
    return sum;
  }

  /** Gives the bytes of the first rows, to be read or written at once. */
  block(rows: number): Uint8Array {
    this.#bytesOf(rows);
    return new Uint8Array(this.memory.buffer, ROWS_AT, rows * this.dimension);
  }

  /** Takes dot products of a query with the first `size` rows. A row that was never set gives 0. */
  scan(query: Int8Array, size: number): Int32Array {
    const out = new Int32Array(size);
    this.#ask(query, size);
    const sums = new Int32Array(this.memory.buffer, SUMS_AT, BLOCK_ROWS);
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, size - start);
      this.#kernel.dots(0, this.#at(start), count, this.dimension, SUMS_AT);
      out.set(sums.subarray(0, count), start);
    }
    return out;
  }

  /** Takes dot products of a query with rows, in their order. */
  dots(query: Int8Array, rows: Uint32Array): Int32Array {
    const out = new Int32Array(rows.length);
    if (rows.length === 0) return out;
    let largest = 0;
    for (const row of rows) if (row > largest) largest = row;
    this.#ask(query, largest + 1);
    const sums = new Int32Array(this.memory.buffer, SUMS_AT, BLOCK_ROWS);
    const list = new Uint32Array(this.memory.buffer, LIST_AT, BLOCK_ROWS);
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      const block = rows.subarray(start, start + BLOCK_ROWS);
      list.set(block);
      this.#kernel.dotsOf(0, ROWS_AT, LIST_AT, block.length, this.dimension, SUMS_AT);
      out.set(sums.subarray(0, block.length), start);
    }
    return out;
  }

  #ask(query: Int8Array, rows: number): void {
    this.#bytesOf(rows);
    new Int16Array(this.memory.buffer, 0, this.dimension).set(query);
  }

  #at(row: number): number {
    return ROWS_AT + row * this.dimension;
  }

  /** Gives the memory's bytes; it grows until it has room for this many rows. */
  #bytesOf(rows: number): Int8Array {
    if (this.#bytes.length < this.#at(rows)) {
      growTo(this.memory, this.#at(rows));
      this.#bytes = new Int8Array(this.memory.buffer);
    }
    return this.#bytes;
  }
}
