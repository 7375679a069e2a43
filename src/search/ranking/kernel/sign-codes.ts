import { FUSED_MAX } from "../rank.ts";
import { growTo, type Kernel, type KernelMemory, newKernelMemory, openKernel, PAGE_BYTES } from "./index.ts";

/** One call of the kernel takes this many codes. */
const BLOCK_ROWS = 4096;
/** The kernel takes four codes at a time. */
const TOGETHER = 4;
/** A difference has this many bytes. Those of a block lie behind its codes. */
const DIFFERENCE_BYTES = 2;
/** No two codes can differ in as many. */
const NEVER = 0xffff;
/** Estimated scores are sorted into this many steps. */
const STEPS = 4096;
/** A vector has at most this dimension. */
const DIMENSION_MAX = 3968;
/** The first page holds the query's code, then how often each difference occurs. The codes lie behind it. */
const COUNTS_AT = 512;
const CODES_AT = PAGE_BYTES;
/** A score of 1 has this many steps, from the best fused score to a cosine of -1. */
const PER_UNIT = (STEPS - 1) / (FUSED_MAX + 1);

interface Wanted {
  size: number;
  words: RowsWithWords | null;
  most: number;
  /** As many of the best with words are among them: meaning alone may not support the others. */
  mostWithWords: number;
}

/** These rows have words, ascending, and each a fused score with a cosine. */
export interface RowsWithWords {
  rows: Uint32Array;
  fused(row: number, cosine: number): number;
}

/**
 * Keeps one bit for each component of a vector: whether it is above a centre. The number of bits in which two codes differ,
 * by the number of all, is the angle between their vectors by pi. An eighth of the bytes is read: the nearest few thousand
 * of a million are found in a third of the time and then compared exactly.
 */
export class SignCodes {
  readonly memory: KernelMemory = newKernelMemory();
  readonly dimension: number;
  /** A code has this many bytes. */
  readonly width: number;
  readonly #kernel: Kernel;
  /** Each difference has an estimated cosine, and the step of a row that has no words. */
  readonly #cosines: Float64Array;
  readonly #steps: Uint16Array;

  constructor(dimension: number) {
    if (dimension > DIMENSION_MAX) throw new RangeError(`Codes of ${dimension} bits do not fit the kernel.`);
    this.dimension = dimension;
    this.width = 16 * Math.ceil(dimension / 128);
    this.#kernel = openKernel(this.memory);
    this.#cosines = Float64Array.from({ length: dimension + 1 }, (_, bits) =>
      Math.cos((Math.PI * bits) / dimension),
    );
    this.#steps = Uint16Array.from(this.#cosines, stepOf);
  }

  /** Keeps the code of a vector. */
  set(row: number, vector: Int8Array, centre: Int8Array): void {
    this.#reserve(row + 1);
    this.#write(vector, centre, this.#blockAt(row) + (row % BLOCK_ROWS) * this.width);
  }

  /** Gives the bytes of the codes of this many rows, in pieces. */
  blocks(rows: number): Uint8Array[] {
    this.#reserve(rows);
    const pieces: Uint8Array[] = [];
    for (let start = 0; start < rows; start += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows - start);
      pieces.push(new Uint8Array(this.memory.buffer, this.#blockAt(start), count * this.width));
    }
    return pieces;
  }

  /** Finds the rows with the best estimated scores, ascending: at least `most` of them where there are as many. */
  nearest(query: Int8Array, centre: Int8Array, { size, words, most, mostWithWords }: Wanted): Uint32Array {
    this.#reserve(size);
    this.#write(query, centre, 0);
    const differing = this.#compare(size);
    const withWords = words === null ? NO_WORDS : this.#estimate(words);
    const counts = new Uint32Array(STEPS);
    for (const step of withWords.steps) counts[step] = (counts[step] ?? 0) + 1;
    const lastWithWords = reaching(counts, mostWithWords);
    for (const [bits, count] of differing.entries()) {
      const step = this.#steps[bits] ?? 0;
      counts[step] = (counts[step] ?? 0) + count - (withWords.differing[bits] ?? 0);
    }
    const last = reaching(counts, most);
    // The farther a code, the larger its step: these are the rows whose meaning alone suffices.
    const bits = this.#steps.findLastIndex((step) => step <= last);
    const wordsUpTo = Math.max(last, lastWithWords);
    const found = new Uint32Array(size);
    return found.slice(
      0,
      this.#collect(found, bits, words?.rows ?? NO_WORDS.rows, withWords.steps, wordsUpTo),
    );
  }

  /** Writes the rows that differ in `bits` at most, and those with words of a step up to `last`. @returns how many */
  #collect(out: Uint32Array, bits: number, rows: Uint32Array, steps: Uint16Array, last: number): number {
    const size = out.length;
    let [count, nth] = [0, 0];
    let next = rows[0] ?? size;
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      const differences = this.#differences(start);
      const within = Math.min(BLOCK_ROWS, size - start);
      for (let at = 0; at < within; at += 1) {
        let isWanted = (differences[at] ?? 0) <= bits;
        if (start + at === next) {
          isWanted ||= (steps[nth] ?? 0) <= last;
          nth += 1;
          next = nth < rows.length ? (rows[nth] ?? size) : size;
        }
        if (!isWanted) continue;
        out[count] = start + at;
        count += 1;
      }
    }
    return count;
  }

  /** Notes for each row in how many bits its code differs from the query's. @returns how often each difference occurs */
  #compare(size: number): Uint32Array {
    const counts = new Uint32Array(this.memory.buffer, COUNTS_AT, this.dimension + 1).fill(0);
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, size - start);
      const all = TOGETHER * Math.ceil(count / TOGETHER);
      const differences = this.#differences(start);
      this.#kernel.differences(0, this.#blockAt(start), all, this.width, COUNTS_AT, differences.byteOffset);
      for (const none of differences.subarray(count, all)) counts[none] = (counts[none] ?? 0) - 1;
      differences.fill(NEVER, count);
    }
    return counts;
  }

  /** Gives the step of each row with words. @returns also how often each difference occurs among these */
  #estimate({ rows, fused }: RowsWithWords) {
    const steps = new Uint16Array(rows.length);
    const differing = new Uint32Array(this.dimension + 1);
    let [start, differences] = [-1, NEVER_COMPARED];
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const within = row % BLOCK_ROWS;
      if (row - within !== start) {
        start = row - within;
        differences = this.#differences(start);
      }
      const bits = differences[within] ?? 0;
      differing[bits] = (differing[bits] ?? 0) + 1;
      steps[at] = stepOf(fused(row, this.#cosines[bits] ?? 0));
    }
    return { steps, differing };
  }

  /** Writes the code of a vector. */
  #write(vector: Int8Array, centre: Int8Array, to: number): void {
    const code = new Uint8Array(this.memory.buffer, to, this.width).fill(0);
    for (let i = 0; i < vector.length; i += 1) {
      if ((vector[i] ?? 0) > (centre[i] ?? 0)) code[i >> 3] = (code[i >> 3] ?? 0) | (1 << (i & 7));
    }
  }

  /** Makes room for whole blocks. */
  #reserve(rows: number): void {
    growTo(this.memory, this.#blockAt(BLOCK_ROWS * Math.ceil(rows / BLOCK_ROWS)));
  }

  #blockAt(row: number): number {
    return CODES_AT + Math.floor(row / BLOCK_ROWS) * BLOCK_ROWS * (this.width + DIFFERENCE_BYTES);
  }

  /** Counts them for the block of rows that begins with `start`. */
  #differences(start: number): Uint16Array<ArrayBufferLike> {
    return new Uint16Array(this.memory.buffer, this.#blockAt(start) + BLOCK_ROWS * this.width, BLOCK_ROWS);
  }
}

const NO_WORDS = { rows: new Uint32Array(0), steps: new Uint16Array(0), differing: new Uint32Array(0) };
const NEVER_COMPARED: Uint16Array<ArrayBufferLike> = new Uint16Array(0);

/** Gives the step of a score; the best score has the first. */
const stepOf = (score: number) =>
  Math.max(0, Math.min(STEPS - 1, Math.floor((FUSED_MAX - score) * PER_UNIT)));

/** Finds the first number up to which the counts add up to at least `most`, or the last one. */
function reaching(counts: Uint32Array, most: number): number {
  let found = 0;
  let step = -1;
  while (step < counts.length - 1 && found < most) {
    step += 1;
    found += counts[step] ?? 0;
  }
  return step;
}
