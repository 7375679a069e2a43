import { FUSED_MAX } from "../fuse.ts";
import { growTo, type Kernel, type KernelMemory, newKernelMemory, openKernel, PAGE_BYTES } from "./index.ts";

/** Codes per call of the kernel. */
const BLOCK_ROWS = 4096;
/** Steps into which estimated scores are sorted. */
const STEPS = 4096;
/** Largest dimension of a vector. */
const DIMENSION_MAX = 3968;
/** The kernel takes four at a time. */
const TOGETHER = 4;
/** Searches that may be under way at a time, the next in a pause of the one before: each has a page of its own. */
const DESKS = 2;
const ROWS_AT = DESKS * PAGE_BYTES;
/** Layout of a desk's page (64 KiB): the query's code, what words add, counts, steps. */
const ADDED_AT = 512;
const COUNTS_AT = ADDED_AT + 4 * BLOCK_ROWS;
const STEPS_AT = COUNTS_AT + 4 * STEPS;
/** Steps in a score of 1, from the best fused score to a cosine of -1. */
const PER_UNIT = (STEPS - 1) / (FUSED_MAX + 1);

/** Where a search writes down what it needs. */
interface Desk {
  /** Where its page begins. */
  page: number;
  steps: Uint16Array;
  /** How often each step occurs among rows with words. */
  wordCounts: Uint32Array;
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
  /** Added to the cosine of each of these. */
  added: Float32Array;
  /** The least meaning of the row at a place of these, whatever its cosine is. */
  vouched(at: number): number;
}

/**
 * One bit for each component of a vector: whether it is above a centre. The number of bits in which two codes differ
 * grows with the angle between their vectors, and an eighth of the bytes is read: the nearest few thousand of a million
 * are found in a third of the time and then compared exactly.
 */
export class SignCodes {
  readonly memory: KernelMemory;
  readonly #kernel: Kernel;
  readonly #dimension: number;
  /** Bytes of a code. */
  readonly width: number;
  /** Those that no search is using. */
  readonly #desks: Desk[];

  constructor(dimension: number) {
    if (dimension > DIMENSION_MAX) throw new RangeError(`Codes of ${dimension} bits do not fit the kernel.`);
    this.#dimension = dimension;
    this.width = 16 * Math.ceil(dimension / 128);
    this.memory = newKernelMemory();
    this.#kernel = openKernel(this.memory);
    this.#desks = Array.from({ length: DESKS }, (_, nth) => ({
      page: nth * PAGE_BYTES,
      steps: new Uint16Array(0),
      wordCounts: new Uint32Array(STEPS),
    }));
  }

  /** Keeps the code of a vector. */
  set(row: number, vector: Int8Array, centre: Int8Array): void {
    growTo(this.memory, this.#at(row + 1));
    this.#encode(vector, centre, this.#at(row));
  }

  /** The bytes of the first codes, to be read or written at once. */
  block(rows: number): Uint8Array {
    growTo(this.memory, this.#at(rows));
    return new Uint8Array(this.memory.buffer, ROWS_AT, rows * this.width);
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
    const steps = this.#estimate(desk, query, centre, wanted);
    const counts = new Uint32Array(this.memory.buffer, desk.page + COUNTS_AT, STEPS);
    const all = reaching(counts, wanted.most);
    const near = this.#upTo(desk, all.step, steps, all.found);
    const withWords = reaching(desk.wordCounts, wanted.mostWithWords);
    if (wanted.words === null || withWords.step <= all.step) return near;
    const { rows } = wanted.words;
    const missing = new Uint32Array(withWords.found);
    let count = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const step = steps[rows[at] ?? 0] ?? 0;
      if (step <= all.step || step > withWords.step) continue;
      missing[count] = rows[at] ?? 0;
      count += 1;
    }
    return merged(near, missing.subarray(0, count));
  }

  /** A step for each row; how often each step occurs is counted in the page. */
  #estimate(
    desk: Desk,
    query: Int8Array,
    centre: Int8Array,
    { size, words, beforeBlock }: Wanted,
  ): Uint16Array {
    growTo(this.memory, this.#at(size + TOGETHER));
    const { page } = desk;
    this.#encode(query, centre, page);
    if (desk.steps.length < size) desk.steps = new Uint16Array(Math.ceil(size * 1.25));
    const { buffer } = this.memory;
    const counts = new Uint32Array(buffer, page + COUNTS_AT, STEPS).fill(0);
    const wordCounts = desk.wordCounts.fill(0);
    const block = new Float32Array(buffer, page + ADDED_AT, BLOCK_ROWS);
    const steps = new Uint16Array(buffer, page + STEPS_AT, BLOCK_ROWS);
    let [from, until] = [0, 0];
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      beforeBlock?.();
      const count = Math.min(BLOCK_ROWS, size - start);
      block.fill(0);
      for (; words !== null && (words.rows[until] ?? size) < start + count; until += 1) {
        block[(words.rows[until] ?? 0) - start] = words.added[until] ?? 0;
      }
      this.#kernel.estimate(
        page,
        this.#at(start),
        TOGETHER * Math.ceil(count / TOGETHER),
        this.width,
        this.#dimension,
        page + ADDED_AT,
        FUSED_MAX,
        PER_UNIT,
        STEPS - 1,
        page + COUNTS_AT,
        page + STEPS_AT,
      );
      for (; words !== null && from < until; from += 1) {
        const row = (words.rows[from] ?? 0) - start;
        // Rows that do not pass may have more words than the best that does.
        const below = Math.max(0, FUSED_MAX - words.vouched(from) - (words.added[from] ?? 0));
        const step = (below * PER_UNIT) | 0;
        const estimated = steps[row] ?? 0;
        const better = Math.min(step, estimated);
        wordCounts[better] = (wordCounts[better] ?? 0) + 1;
        if (step >= estimated) continue;
        steps[row] = step;
        counts[step] = (counts[step] ?? 0) + 1;
        counts[estimated] = (counts[estimated] ?? 0) - 1;
      }
      desk.steps.set(steps.subarray(0, count), start);
    }
    return desk.steps.subarray(0, size);
  }

  /** The rows whose step is at most `last`: `found` of them. */
  #upTo({ page }: Desk, last: number, steps: Uint16Array, found: number): Uint32Array {
    const out = new Uint32Array(found);
    const { buffer } = this.memory;
    const block = new Uint16Array(buffer, page + STEPS_AT, BLOCK_ROWS);
    const listAt = page + ADDED_AT;
    let end = 0;
    for (let start = 0; start < steps.length && end < found; start += BLOCK_ROWS) {
      const part = steps.subarray(start, start + BLOCK_ROWS);
      // Steps after the last row are none.
      if (part.length < BLOCK_ROWS) block.fill(STEPS);
      block.set(part);
      const until = this.#kernel.stepsUpTo(page + STEPS_AT, BLOCK_ROWS, last, start, listAt);
      const rows = new Uint32Array(buffer, listAt, (until - listAt) / 4);
      out.set(rows, end);
      end += rows.length;
    }
    // Up to three steps that were counted are of no row.
    return out.subarray(0, end);
  }

  #at(row: number): number {
    return ROWS_AT + row * this.width;
  }

  #encode(vector: Int8Array, centre: Int8Array, at: number): void {
    const code = new Uint8Array(this.memory.buffer, at, this.width).fill(0);
    for (let i = 0; i < vector.length; i += 1) {
      if ((vector[i] ?? 0) > (centre[i] ?? 0)) code[i >> 3] = (code[i >> 3] ?? 0) | (1 << (i & 7));
    }
  }
}

/** The step up to which there are at least `most`, or the last one. */
function reaching(counts: Uint32Array, most: number): { step: number; found: number } {
  let found = 0;
  let step = -1;
  while (step < counts.length - 1 && found < most) {
    step += 1;
    found += counts[step] ?? 0;
  }
  return { step, found };
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
