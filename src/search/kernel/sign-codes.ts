import { COVERAGE_STEPS, FUSED_MAX } from "../fuse.ts";
import {
  BLOCK_ROWS,
  CodeLayout,
  Comparer,
  type Comparison,
  closeComparison,
  DESKS,
  FIRST_BYTES,
  isAtWork,
  newComparison,
} from "./comparison.ts";
import { growTo, type Kernel, type KernelMemory, newKernelMemory, openKernel } from "./index.ts";
import { reaching, Sifter } from "./sifter.ts";

/** Steps into which estimated scores are sorted. */
const STEPS = 4096;
/** Largest dimension of a vector. */
const DIMENSION_MAX = 3968;
/**
 * Layout of a desk's own bytes: the query's code, how often each difference occurs among rows with words, how often each
 * step does, tables by coverage and by difference, rows with words and what is said of them.
 */
const DIFFERING_WITH_WORDS_AT = 512;
const STEP_COUNTS_AT = DIFFERING_WITH_WORDS_AT + 4 * (DIMENSION_MAX + 1);
const BY_COVERAGE_AT = STEP_COUNTS_AT + 4 * STEPS;
const COSINES_AT = BY_COVERAGE_AT + 8 * (COVERAGE_STEPS + 1);
const ROWS_AT = COSINES_AT + 4 * (DIMENSION_MAX + 1);
const SCORES_AT = ROWS_AT + 4 * BLOCK_ROWS;
const COVERAGE_AT = SCORES_AT + 4 * BLOCK_ROWS;
const STEPS_AT = COVERAGE_AT + 4 * BLOCK_ROWS;
const OWN_BYTES = STEPS_AT + 2 * BLOCK_ROWS;
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
  /** The same query, begun earlier. */
  begun?: BegunSearch | undefined;
}

/** A search whose codes are being compared. */
export interface BegunSearch {
  desk: Desk;
  comparison: Comparison;
}

/** Another thread, which compares codes too. */
export interface CodeHelper {
  help(codes: SignCodes, comparison: Comparison): void;
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
  readonly dimension: number;
  readonly #layout: CodeLayout;
  readonly #kernel: Kernel;
  readonly #comparer: Comparer;
  readonly #sifter: Sifter;
  readonly #code: Uint8Array;
  /** Of each difference: the step of a row that has nothing else. */
  readonly #steps: Uint16Array;
  /** Those that no search is using. */
  readonly #desks: Desk[];
  /** Ended before the second thread was done with them. */
  #late: BegunSearch[] = [];

  /** @param lent  memory of another thread's codes, to be read only; null for one of its own */
  constructor(dimension: number, lent: KernelMemory | null = null) {
    if (dimension > DIMENSION_MAX) throw new RangeError(`Codes of ${dimension} bits do not fit the kernel.`);
    this.dimension = dimension;
    this.#layout = codeLayout(dimension);
    this.#code = new Uint8Array(this.#layout.width);
    this.memory = lent ?? newKernelMemory();
    this.#kernel = openKernel(this.memory);
    this.#comparer = new Comparer(this.memory, this.#layout);
    this.#sifter = new Sifter(this.#kernel, this.#layout);
    const desks = Array.from({ length: DESKS }, (_, nth) => ({
      nth,
      at: this.#layout.deskAt(nth),
      wordSteps: new Uint16Array(0),
    }));
    // The last one is that of the thread that they are lent to.
    this.#desks = lent === null ? desks.slice(0, -1) : desks.slice(-1);
    this.#reserve(0);
    const cosines = new Float32Array(this.memory.buffer, COSINES_AT, dimension + 1);
    for (let bits = 0; bits <= dimension; bits += 1) cosines[bits] = Math.cos((Math.PI * bits) / dimension);
    this.#steps = Uint16Array.from(cosines, (cosine) => ((FUSED_MAX - cosine) * PER_UNIT) | 0);
  }

  /** Bytes of a code. */
  get width(): number {
    return this.#layout.width;
  }

  /** Keeps the code of a vector. */
  set(row: number, vector: Int8Array, centre: Int8Array): void {
    this.#reserve(row + 1);
    const code = this.#codeOf(vector, centre);
    const bytes = new Uint8Array(this.memory.buffer);
    bytes.set(code.subarray(0, FIRST_BYTES), this.#layout.firstAt(row));
    bytes.set(code.subarray(FIRST_BYTES), this.#layout.restAt(row));
  }

  /** The bytes of the codes of so many rows: of each block first all beginnings, then what is behind them. */
  blocks(rows: number): Uint8Array[] {
    this.#reserve(rows);
    const { buffer } = this.memory;
    const pieces: Uint8Array[] = [];
    for (let start = 0; start < rows; start += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows - start);
      pieces.push(
        new Uint8Array(buffer, this.#layout.firstAt(start), count * FIRST_BYTES),
        new Uint8Array(buffer, this.#layout.restAt(start), count * this.#layout.restWidth),
      );
    }
    return pieces;
  }

  /** Begins to compare codes with a query's where a second thread helps; `nearest` goes on, or `end` gives up. */
  begin(query: Int8Array, centre: Int8Array, size: number, helper: CodeHelper | null): BegunSearch {
    this.#late = this.#late.filter((one) => !this.#returned(one));
    const desk = this.#desks.pop();
    if (desk === undefined) throw new RangeError("Too many searches are under way at a time.");
    this.#reserve(size);
    new Uint8Array(this.memory.buffer).set(this.#codeOf(query, centre), desk.at);
    const comparison = newComparison(desk.nth, size);
    helper?.help(this, comparison);
    return { desk, comparison };
  }

  /** Frees what a search needs. */
  end(begun: BegunSearch): void {
    closeComparison(begun.comparison);
    if (!this.#returned(begun)) this.#late.push(begun);
  }

  /** The rows with the best estimated scores, ascending: at least `most` of them where there are as many. */
  nearest(query: Int8Array, centre: Int8Array, wanted: Wanted): Uint32Array {
    const begun = wanted.begun ?? this.begin(query, centre, wanted.size, null);
    try {
      const isSifted = wanted.words === null && wanted.begun === undefined;
      return (isSifted ? this.#sifted(begun.desk, wanted) : null) ?? this.#nearest(begun, wanted);
    } finally {
      this.end(begun);
    }
  }

  /** Takes a desk back unless another thread writes there. */
  #returned({ desk, comparison }: BegunSearch): boolean {
    if (isAtWork(comparison)) return false;
    this.#desks.push(desk);
    return true;
  }

  /** See `Sifter`. */
  #sifted(desk: Desk, wanted: Wanted): Uint32Array | null {
    // What words would need.
    const room = new Uint32Array(this.memory.buffer, desk.at + ROWS_AT, (OWN_BYTES - ROWS_AT) / 4);
    return this.#sifter.nearest(desk, room, wanted);
  }

  #nearest({ desk, comparison }: BegunSearch, wanted: Wanted): Uint32Array {
    const { words, beforeBlock = () => {} } = wanted;
    const differing = this.#comparer.finish(comparison, beforeBlock);
    const withWords = this.#estimate(desk, words, beforeBlock);
    const counts = withWords.steps.slice();
    for (const [bits, count] of differing.entries()) {
      const step = this.#steps[bits] ?? 0;
      counts[step] = (counts[step] ?? 0) + count - (withWords.differing[bits] ?? 0);
    }
    const last = reaching(counts, wanted.most);
    // The farther a code, the larger its step: these are the rows whose meaning alone suffices.
    const bits = this.#steps.findLastIndex((step) => step <= last);
    const found = differing.subarray(0, bits + 1).reduce((sum, count) => sum + count, 0);
    const near = this.#upTo(desk, bits, found, wanted);
    if (words === null) return near;
    const lastWithWords = Math.max(last, reaching(withWords.steps, wanted.mostWithWords));
    return merged(near, this.#byWords(desk, words.rows, lastWithWords, bits));
  }

  /** Notes a step for each row with words. @returns how often each step and each difference occurs among these */
  #estimate(
    desk: Desk,
    words: RowsWithWords | null,
    beforeBlock: () => void,
  ): { steps: Uint32Array; differing: Uint32Array } {
    const { buffer } = this.memory;
    const steps = new Uint32Array(buffer, desk.at + STEP_COUNTS_AT, STEPS).fill(0);
    const differing = new Uint32Array(buffer, desk.at + DIFFERING_WITH_WORDS_AT, this.dimension + 1).fill(0);
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
      beforeBlock();
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
        this.#layout.differencesAt(desk.nth, start),
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
  #upTo(desk: Desk, bits: number, found: number, { size, beforeBlock = () => {} }: Wanted): Uint32Array {
    // A few more: the differences behind the last row may be counted while another thread rewrites them.
    const out = new Uint32Array(found + 4);
    let end = 0;
    for (let start = 0; start < size && end < found; start += BLOCK_ROWS) {
      beforeBlock();
      const to = desk.at + ROWS_AT;
      const until = this.#kernel.placesUpTo(
        this.#layout.differencesAt(desk.nth, start),
        BLOCK_ROWS,
        bits,
        start,
        to,
      );
      const rows = new Uint32Array(this.memory.buffer, to, (until - to) / 4);
      out.set(rows, end);
      end += rows.length;
    }
    return out.subarray(0, end);
  }

  /** The rows with words whose step is at most `last` and that differ in more than `bits`. */
  #byWords(desk: Desk, rows: Uint32Array, last: number, bits: number): Uint32Array {
    const { wordSteps } = desk;
    const found: number[] = [];
    const differences = new Uint16Array(this.memory.buffer);
    for (let at = 0; at < rows.length; at += 1) {
      if ((wordSteps[at] ?? 0) > last) continue;
      const row = rows[at] ?? 0;
      if ((differences[this.#layout.differenceOf(desk.nth, row)] ?? 0) > bits) found.push(row);
    }
    return Uint32Array.from(found);
  }

  /** Makes room for whole blocks. */
  #reserve(rows: number): void {
    growTo(this.memory, this.#layout.endOf(rows));
  }

  /** The code of a vector; it holds until the next call. */
  #codeOf(vector: Int8Array, centre: Int8Array): Uint8Array {
    const code = this.#code.fill(0);
    for (let i = 0; i < vector.length; i += 1) {
      if ((vector[i] ?? 0) > (centre[i] ?? 0)) code[i >> 3] = (code[i >> 3] ?? 0) | (1 << (i & 7));
    }
    return code;
  }
}

/** Where the codes of vectors of a dimension lie. */
export const codeLayout = (dimension: number) => new CodeLayout(dimension, OWN_BYTES);

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
