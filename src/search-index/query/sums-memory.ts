import { growTo, type Kernel, openKernel } from "../../search/kernel/index.ts";
import { BLOCK_MAX, type ListBlock } from "../memory/row-lists.ts";

/** Rows summed up at a time, a power of two: their sums stay in the processor's nearest memory. */
export const BLOCK_ROWS = 8192;

/** Layout: sums of a block, lengths of its rows; then what grows. */
export const SCORES_AT = 0;
export const COVERAGE_AT = SCORES_AT + 4 * BLOCK_ROWS;
export const LENGTHS_AT = COVERAGE_AT + 4 * BLOCK_ROWS;
const READERS_AT = LENGTHS_AT + 2 * BLOCK_ROWS;
/** Of a list that is read: where the kernel is in it, and a block. */
const STATE_BYTES = 16;
const READER_BYTES = STATE_BYTES + BLOCK_MAX;
const READERS_MIN = 16;
/** Bytes of a row in `rows`, `scores`, `coverage` and `wanted`. */
const ROW_BYTES = 16;

/** The kernel's memory for sums of words, and views of its parts. */
export class SumsMemory {
  readonly kernel: Kernel = openKernel();
  /** Sums of a block, zeros but while it is summed up; and the lengths of its rows. */
  readonly block: { scores: Float32Array; coverage: Float32Array; lengths: Uint16Array };
  rows: Uint32Array = new Uint32Array(0);
  scores: Float32Array = new Float32Array(0);
  coverage: Float32Array = new Float32Array(0);
  /** A bit for each row that is in `rows`, and how many of these come before each 32 rows. */
  members: Uint32Array = new Uint32Array(0);
  before: Uint32Array = new Uint32Array(0);
  /** The rows that may get a score, ascending, and one that is larger than all. */
  wanted: Uint32Array = new Uint32Array(0);
  /** The largest score of each block. */
  best: Float32Array = new Float32Array(0);
  #readers = 0;

  constructor() {
    growTo(this.kernel.memory, READERS_AT);
    this.block = {
      scores: new Float32Array(this.#buffer, SCORES_AT, BLOCK_ROWS),
      coverage: new Float32Array(this.#buffer, COVERAGE_AT, BLOCK_ROWS),
      lengths: new Uint16Array(this.#buffer, LENGTHS_AT, BLOCK_ROWS),
    };
  }

  /** Makes room for as many rows and readers. */
  reserve(rows: number, readers: number): void {
    if (rows <= this.rows.length && readers <= this.#readers) return;
    const room = BLOCK_ROWS * Math.ceil((Math.max(rows, this.rows.length) * 1.25) / BLOCK_ROWS);
    this.#readers = Math.max(readers, this.#readers, READERS_MIN);
    const groups = room >>> 5;
    const blocks = room / BLOCK_ROWS;
    let at = READERS_AT + this.#readers * READER_BYTES;
    growTo(this.kernel.memory, at + room * ROW_BYTES + (2 * groups + blocks + 1) * 4);
    const next = (length: number): [SharedArrayBuffer, number, number] => {
      at += 4 * length;
      return [this.#buffer, at - 4 * length, length];
    };
    this.rows = new Uint32Array(...next(room));
    this.scores = new Float32Array(...next(room));
    this.coverage = new Float32Array(...next(room));
    this.members = new Uint32Array(...next(groups));
    this.before = new Uint32Array(...next(groups));
    this.wanted = new Uint32Array(...next(room + 1));
    this.best = new Float32Array(...next(blocks));
  }

  /** Where the kernel finds a reader. */
  readerAt(nth: number): number {
    return READERS_AT + nth * READER_BYTES;
  }

  /** Sets a reader before the first entry of its list. */
  rewind(nth: number): void {
    new Uint32Array(this.#buffer, this.readerAt(nth), 4).fill(0);
  }

  /** Gives a reader its next entries. */
  feed(nth: number, { entries, weights }: ListBlock): void {
    const at = this.readerAt(nth) + STATE_BYTES;
    const block = new Uint8Array(this.#buffer, at, BLOCK_MAX);
    block.set(entries);
    block.set(weights, BLOCK_MAX - weights.length);
    const state = new Uint32Array(this.#buffer, this.readerAt(nth), 4);
    state.set([at, at + entries.length]);
    state[3] = at + BLOCK_MAX;
  }

  get #buffer(): SharedArrayBuffer {
    return this.kernel.memory.buffer;
  }
}
