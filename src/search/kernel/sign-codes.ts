import { COVERAGE_STEPS, FUSED_MAX } from "../fuse.ts";
import { growTo, type Kernel, type KernelMemory, newKernelMemory, openKernel, PAGE_BYTES } from "./index.ts";

/** Codes per call of the kernel, a power of two. */
const BLOCK_BITS = 12;
const BLOCK_ROWS = 1 << BLOCK_BITS;
/** Searches that may be under way at a time, the next in a pause of the one before. */
const DESKS = 2;
/** Bytes of a difference. Those of a block lie behind its codes, the ones of each desk for themselves. */
const DIFFERENCE_BYTES = 2;
/** More than two codes can differ. */
const NEVER = 0xffff;
/** Steps into which estimated scores are sorted. */
const STEPS = 4096;
/** Largest dimension of a vector. */
const DIMENSION_MAX = 3968;
/** The kernel takes four at a time. */
const TOGETHER = 4;
/**
 * Layout of a desk's pages: the query's code, how often each difference occurs, and how often among rows with words, how
 * often each step occurs among these, tables by coverage and by difference, rows with words and what is said of them.
 */
const DIFFERING_AT = 512;
const DIFFERING_WITH_WORDS_AT = DIFFERING_AT + 4 * (DIMENSION_MAX + 1);
const STEP_COUNTS_AT = DIFFERING_WITH_WORDS_AT + 4 * (DIMENSION_MAX + 1);
const BY_COVERAGE_AT = STEP_COUNTS_AT + 4 * STEPS;
const COSINES_AT = BY_COVERAGE_AT + 8 * (COVERAGE_STEPS + 1);
const ROWS_AT = COSINES_AT + 4 * (DIMENSION_MAX + 1);
const SCORES_AT = ROWS_AT + 4 * BLOCK_ROWS;
const COVERAGE_AT = SCORES_AT + 4 * BLOCK_ROWS;
const STEPS_AT = COVERAGE_AT + 4 * BLOCK_ROWS;
const DESK_BYTES = PAGE_BYTES * Math.ceil((STEPS_AT + 2 * BLOCK_ROWS) / PAGE_BYTES);
const CODES_AT = DESKS * DESK_BYTES;
/** Steps in a score of 1, from the best fused score to a cosine of -1. */
const PER_UNIT = (STEPS - 1) / (FUSED_MAX + 1);

/** Where a search writes down what it needs. */
interface Desk {
  nth: number;
  /** Where its pages begin. */
  at: number;
  /** Steps of the rows with words. */
  wordSteps: Uint16Array;
}

/** What is wanted of the first rows. */
interface Wanted {
  size: number;
  words: RowsWithWords | null;
  most: number;
  /** As many of the best with words are among them: meaning alone may not support the others. */
  mostWithWords: number;
  /** Called before each block of rows; may throw, which ends it, and may ask for other rows. */
  beforeBlock?: () => void;
}

/** What words say of rows. */
interface RowsWithWords {
  /** Ascending. */
  rows: Uint32Array;
  /** BM25 of each of these. */
  scores: Float32Array;
  /** Share of the query that stands in each of these. */
  coverage: Float32Array;
  /** What a score of 1 adds to the cosine, for each step of coverage. */
  rates: Float64Array;
  /** The least meaning of a row, for each step of coverage. */
  least: Float64Array;
}

/**
 * One bit for each component of a vector: whether it is above a centre. The number of bits in which two codes differ, by
 * the number of all, is the angle between their vectors by pi. An eighth of the bytes is read: the nearest few thousand of
 * a million are found in a third of the time and then compared exactly.
 */
export class SignCodes {
  readonly memory: KernelMemory;
  readonly #kernel: Kernel;
  readonly #dimension: number;
  /** Bytes of a code. */
  readonly width: number;
  /** Of each difference: the step of a row that has nothing else. */
  readonly #steps: Uint16Array;
  /** Those that no search is using. */
  readonly #desks: Desk[];

  constructor(dimension: number) {
    if (dimension > DIMENSION_MAX) throw new RangeError(`Codes of ${dimension} bits do not fit the kernel.`);
    this.#dimension = dimension;
    this.width = 16 * Math.ceil(dimension / 128);
    this.memory = newKernelMemory();
    this.#kernel = openKernel(this.memory);
    this.#desks = Array.from({ length: DESKS }, (_, nth) => ({
      nth,
      at: nth * DESK_BYTES,
      wordSteps: new Uint16Array(0),
    }));
    this.#reserve(0);
    const cosines = new Float32Array(this.memory.buffer, COSINES_AT, dimension + 1);
    for (let bits = 0; bits <= dimension; bits += 1) cosines[bits] = Math.cos((Math.PI * bits) / dimension);
    this.#steps = Uint16Array.from(cosines, (cosine) => ((FUSED_MAX - cosine) * PER_UNIT) | 0);
  }

  /** Keeps the code of a vector. */
  set(row: number, vector: Int8Array, centre: Int8Array): void {
    this.#reserve(row + 1);
    this.#encode(vector, centre, this.#at(row));
  }

  /** The bytes of the first codes, block by block. */
  blocks(rows: number): Uint8Array[] {
    this.#reserve(rows);
    const pieces: Uint8Array[] = [];
    for (let start = 0; start < rows; start += BLOCK_ROWS) {
      const bytes = Math.min(BLOCK_ROWS, rows - start) * this.width;
      pieces.push(new Uint8Array(this.memory.buffer, this.#at(start), bytes));
    }
    return pieces;
  }

  /** The rows with the best estimated scores, ascending: at least `most` of them where there are as many. */
  nearest(query: Int8Array, centre: Int8Array, wanted: Wanted): Uint32Array {
    const desk = this.#desks.pop();
    if (desk === undefined) throw new RangeError("Too many searches are under way at a time.");
    try {
      return this.#nearest(desk, query, centre, wanted);
    } finally {
      this.#desks.push(desk);
    }
  }

  #nearest(desk: Desk, query: Int8Array, centre: Int8Array, wanted: Wanted): Uint32Array {
    const { size, words } = wanted;
    const differing = this.#compare(desk, query, centre, wanted);
    const withWords = this.#estimate(desk, words);
    const counts = withWords.steps.slice();
    for (const [bits, count] of differing.entries()) {
      const step = this.#steps[bits] ?? 0;
      counts[step] = (counts[step] ?? 0) + count - (withWords.differing[bits] ?? 0);
    }
    const last = reaching(counts, wanted.most);
    // The farther a code, the larger its step: these are the rows whose meaning alone suffices.
    const bits = this.#steps.findLastIndex((step) => step <= last);
    const found = differing.subarray(0, bits + 1).reduce((sum, count) => sum + count, 0);
    const near = this.#upTo(desk, bits, size, found);
    if (words === null) return near;
    const lastWithWords = Math.max(last, reaching(withWords.steps, wanted.mostWithWords));
    return merged(near, this.#byWords(desk, words.rows, lastWithWords, bits));
  }

  /** Notes for each row in how many bits it differs. @returns how often each number occurs; holds until the next call */
  #compare(desk: Desk, query: Int8Array, centre: Int8Array, { size, beforeBlock }: Wanted): Uint32Array {
    this.#reserve(size);
    this.#encode(query, centre, desk.at);
    const counts = new Uint32Array(this.memory.buffer, desk.at + DIFFERING_AT, this.#dimension + 1).fill(0);
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      beforeBlock?.();
      const count = Math.min(BLOCK_ROWS, size - start);
      const all = TOGETHER * Math.ceil(count / TOGETHER);
      const at = this.#differencesAt(desk, start);
      this.#kernel.differences(desk.at, this.#at(start), all, this.width, desk.at + DIFFERING_AT, at);
      if (count === BLOCK_ROWS) continue;
      const block = new Uint16Array(this.memory.buffer, at, BLOCK_ROWS);
      for (const none of block.subarray(count, all)) counts[none] = (counts[none] ?? 0) - 1;
      block.fill(NEVER, count);
    }
    return counts;
  }

  /** Notes a step for each row with words. @returns how often each step and each difference occurs among these */
  #estimate(desk: Desk, words: RowsWithWords | null): { steps: Uint32Array; differing: Uint32Array } {
    const { buffer } = this.memory;
    const steps = new Uint32Array(buffer, desk.at + STEP_COUNTS_AT, STEPS).fill(0);
    const differing = new Uint32Array(buffer, desk.at + DIFFERING_WITH_WORDS_AT, this.#dimension + 1).fill(0);
    if (words === null) return { steps, differing };
    const { rows, scores, coverage, rates, least } = words;
    if (desk.wordSteps.length < rows.length) desk.wordSteps = new Uint16Array(Math.ceil(rows.length * 1.25));
    const byCoverage = new Float32Array(buffer, desk.at + BY_COVERAGE_AT, 2 * (COVERAGE_STEPS + 1));
    for (let step = 0; step <= COVERAGE_STEPS; step += 1) {
      byCoverage[2 * step] = rates[step] ?? 0;
      byCoverage[2 * step + 1] = least[step] ?? 0;
    }
    const block = {
      rows: new Uint32Array(buffer, desk.at + ROWS_AT, BLOCK_ROWS),
      scores: new Float32Array(buffer, desk.at + SCORES_AT, BLOCK_ROWS),
      coverage: new Float32Array(buffer, desk.at + COVERAGE_AT, BLOCK_ROWS),
      steps: new Uint16Array(buffer, desk.at + STEPS_AT, BLOCK_ROWS),
    };
    for (let from = 0; from < rows.length; ) {
      const start = (rows[from] ?? 0) & ~(BLOCK_ROWS - 1);
      const until = firstFrom(rows, start + BLOCK_ROWS, from);
      block.rows.set(rows.subarray(from, until));
      block.scores.set(scores.subarray(from, until));
      block.coverage.set(coverage.subarray(from, until));
      this.#kernel.estimate(
        desk.at + ROWS_AT,
        desk.at + SCORES_AT,
        desk.at + COVERAGE_AT,
        until - from,
        this.#differencesAt(desk, start),
        BLOCK_ROWS - 1,
        desk.at + BY_COVERAGE_AT,
        COVERAGE_STEPS,
        COSINES_AT,
        FUSED_MAX,
        PER_UNIT,
        desk.at + STEP_COUNTS_AT,
        desk.at + DIFFERING_WITH_WORDS_AT,
        desk.at + STEPS_AT,
      );
      desk.wordSteps.set(block.steps.subarray(0, until - from), from);
      from = until;
    }
    return { steps, differing };
  }

  /** The rows that differ in `bits` at most: `found` of them. */
  #upTo(desk: Desk, bits: number, size: number, found: number): Uint32Array {
    const out = new Uint32Array(found);
    let end = 0;
    for (let start = 0; start < size && end < found; start += BLOCK_ROWS) {
      const to = desk.at + ROWS_AT;
      const until = this.#kernel.placesUpTo(this.#differencesAt(desk, start), BLOCK_ROWS, bits, start, to);
      const rows = new Uint32Array(this.memory.buffer, to, (until - to) / 4);
      out.set(rows, end);
      end += rows.length;
    }
    return out;
  }

  /** The rows with words whose step is at most `last` and that differ in more than `bits`. */
  #byWords(desk: Desk, rows: Uint32Array, last: number, bits: number): Uint32Array {
    const { wordSteps } = desk;
    const found: number[] = [];
    const differences = new Uint16Array(this.memory.buffer);
    for (let at = 0; at < rows.length; at += 1) {
      if ((wordSteps[at] ?? 0) > last) continue;
      const row = rows[at] ?? 0;
      const place = this.#differencesAt(desk, row) / DIFFERENCE_BYTES + (row & (BLOCK_ROWS - 1));
      if ((differences[place] ?? 0) > bits) found.push(row);
    }
    return Uint32Array.from(found);
  }

  /** Where the differences of a row's block begin. */
  #differencesAt({ nth }: Desk, row: number): number {
    return this.#at(row | (BLOCK_ROWS - 1)) + this.width + nth * BLOCK_ROWS * DIFFERENCE_BYTES;
  }

  #at(row: number): number {
    const block = row >>> BLOCK_BITS;
    return CODES_AT + row * this.width + block * BLOCK_ROWS * DIFFERENCE_BYTES * DESKS;
  }

  /** Makes room for whole blocks. */
  #reserve(rows: number): void {
    growTo(this.memory, this.#at(BLOCK_ROWS * Math.ceil(rows / BLOCK_ROWS)));
  }

  #encode(vector: Int8Array, centre: Int8Array, at: number): void {
    const code = new Uint8Array(this.memory.buffer, at, this.width).fill(0);
    for (let i = 0; i < vector.length; i += 1) {
      if ((vector[i] ?? 0) > (centre[i] ?? 0)) code[i >> 3] = (code[i >> 3] ?? 0) | (1 << (i & 7));
    }
  }
}

/** The place of the first row of an ascending list, from a place on, that is at least `row`. */
function firstFrom(rows: Uint32Array, row: number, place: number): number {
  let [from, to] = [place, Math.min(rows.length, place + BLOCK_ROWS)];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((rows[middle] ?? 0) < row) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The step up to which there are at least `most`, or the last one. */
function reaching(counts: Uint32Array, most: number): number {
  let found = 0;
  let step = -1;
  while (step < counts.length - 1 && found < most) {
    step += 1;
    found += counts[step] ?? 0;
  }
  return step;
}

/** Two ascending lists as one. */
function merged(rows: Uint32Array, others: Uint32Array): Uint32Array {
  const all = new Uint32Array(rows.length + others.length);
  let next = 0;
  let at = 0;
  for (let nth = 0; nth < rows.length; nth += 1, at += 1) {
    const row = rows[nth] ?? 0;
    for (; next < others.length && (others[next] ?? 0) < row; next += 1, at += 1) all[at] = others[next] ?? 0;
    all[at] = row;
  }
  all.set(others.subarray(next), at);
  return all;
}
