import { growTo, type Kernel, type KernelMemory, newKernelMemory, openKernel, PAGE_BYTES } from "./index.ts";
import { THREADS_MAX } from "./vector-memory.ts";

/** Codes per call of the kernel. */
const BLOCK_ROWS = 8192;
/** Layout of a thread's page: the query's code, the distances as u16. */
const DISTANCES_AT = 1024;
const ROWS_AT = THREADS_MAX * PAGE_BYTES;

/**
 * One bit for each component of a vector: whether it is above a centre. The number of bits in which two codes differ
 * grows with the angle between their vectors, and an eighth of the bytes is read: the nearest few thousand of a million
 * are found in a third of the time and then compared exactly.
 */
export class SignCodes {
  readonly memory: KernelMemory;
  readonly #kernel: Kernel;
  readonly #page: number;
  /** Bytes of a code. */
  readonly width: number;

  /** @param dimension  at most 3,968 */
  constructor(dimension: number, shared: { memory?: KernelMemory; thread?: number } = {}) {
    this.width = 16 * Math.ceil(dimension / 128);
    this.memory = shared.memory ?? newKernelMemory();
    this.#kernel = openKernel(this.memory);
    this.#page = (shared.thread ?? 0) * PAGE_BYTES;
    growTo(this.memory, ROWS_AT);
  }

  /** Keeps the code of a vector. */
  set(row: number, vector: Int8Array, centre: Int8Array): void {
    growTo(this.memory, ROWS_AT + (row + 1) * this.width);
    this.#encode(vector, centre, ROWS_AT + row * this.width);
  }

  /** The bytes of the first codes, to be read or written at once. */
  block(rows: number): Uint8Array {
    growTo(this.memory, ROWS_AT + rows * this.width);
    return new Uint8Array(this.memory.buffer, ROWS_AT, rows * this.width);
  }

  /** In how many bits the codes of rows 0 to `out.length` - 1 differ from that of a query. */
  scan(query: Int8Array, centre: Int8Array, out: Uint16Array): void {
    growTo(this.memory, ROWS_AT + out.length * this.width);
    this.#encode(query, centre, this.#page);
    const distances = new Uint16Array(this.memory.buffer, this.#page + DISTANCES_AT, BLOCK_ROWS);
    for (let start = 0; start < out.length; start += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, out.length - start);
      this.#kernel.bitDistances(
        this.#page,
        ROWS_AT + start * this.width,
        count,
        this.width,
        this.#page + DISTANCES_AT,
      );
      out.set(count === BLOCK_ROWS ? distances : distances.subarray(0, count), start);
    }
  }

  #encode(vector: Int8Array, centre: Int8Array, at: number): void {
    const code = new Uint8Array(this.memory.buffer, at, this.width).fill(0);
    for (let i = 0; i < vector.length; i += 1) {
      if ((vector[i] ?? 0) > (centre[i] ?? 0)) code[i >> 3] = (code[i >> 3] ?? 0) | (1 << (i & 7));
    }
  }
}
