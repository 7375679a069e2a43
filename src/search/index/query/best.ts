import type { RowsWithWords } from "../../ranking/kernel/sign-codes.ts";
import { fuse, fusedScores, type Scored } from "../../ranking/rank.ts";
import { DOT_TO_COSINE } from "../../ranking/vectors.ts";
import type { PostMemory } from "../memory/index.ts";
import type { RowTest } from "./filter.ts";
import type { WordScores } from "./words.ts";

/** This many of the best by sign codes are compared exactly, for each one wanted. */
const RESCORED = 2;
/** This many rows are looked at to learn which share passes the filters. */
const SAMPLE = 512;

type FusedWords = RowsWithWords & { scores: Float32Array };

interface Wanted {
  /** No words are asked for, or no row has any, where this is null. */
  words: FusedWords | null;
  /** From this cosine on meaning alone supports a row. */
  floor: number;
  limit: number;
  passes(row: number): boolean;
}

/**
 * Finds the best rows by the fused score with their dot products, in no order. On a small board all are compared exactly,
 * on a large one those that are best by their sign codes.
 */
export function bestByMeaning(
  memory: PostMemory,
  vector: Int8Array,
  wanted: Wanted,
): { rows: Uint32Array; dots: Int32Array } {
  const { vectors, rows } = memory;
  const near = memory.coded === 0 ? null : nearestByCodes(memory, vector, wanted);
  const dots = near === null ? vectors.scan(vector, rows.size) : vectors.dots(vector, near);
  const { words, passes, floor } = wanted;
  const top = new TopRows(wanted.limit, Number.NEGATIVE_INFINITY);
  for (let at = 0; at < dots.length; at += 1) {
    const row = near === null ? at : (near[at] ?? 0);
    const dot = dots[at] ?? 0;
    const cosine = dot * DOT_TO_COSINE;
    const hasWords = words !== null && (words.scores[row] ?? 0) > 0;
    if (!hasWords && cosine < floor) continue;
    const score = hasWords ? words.fused(row, cosine) : cosine;
    if (score <= top.floor || !passes(row)) continue;
    // A row without a vector has zeros in its place.
    if (!hasWords && dot === 0 && !rows.hasVector(row)) continue;
    top.add(at, score);
  }
  const best = top.rows();
  return {
    rows: near === null ? best : best.map((at) => near[at] ?? 0),
    dots: Int32Array.from(best, (at) => dots[at] ?? 0),
  };
}

/** Finds the rows that are best when a cosine is estimated from sign codes: enough of them that the best are there. */
function nearestByCodes(memory: PostMemory, vector: Int8Array, wanted: Wanted): Uint32Array {
  const { words, limit, passes } = wanted;
  const { size } = memory.rows;
  let passing = 0;
  for (let i = 0; i < SAMPLE; i += 1) if (passes(Math.floor((i * size) / SAMPLE))) passing += 1;
  const share = Math.max(passing, 1) / SAMPLE;
  const mostWithWords = Math.ceil(limit / share);
  const most = mostWithWords * RESCORED;
  const nearest = memory.codes.nearest(vector, memory.centreVector(), { size, words, most, mostWithWords });
  // Rows that do not pass need not be compared.
  return share < 0.5 ? nearest.filter(passes) : nearest;
}

/** Gives rows with words, and what these add to their cosines. @param bestWords  above 0 */
export function fusedWords(
  { rows, scores, coverage }: WordScores,
  bestWords: number,
  factors: Float64Array,
): FusedWords {
  const fused = (row: number, cosine: number) =>
    fuse(cosine, { words: scores[row] ?? 0, coverage: coverage[row] ?? 0 }, bestWords, factors);
  return { rows, scores, fused };
}

/** Finds the largest score of the rows that pass, 0 when none has one. */
export function bestScore({ rows, scores }: WordScores, passes: RowTest): number {
  let best = 0;
  for (const row of rows) if ((scores[row] ?? 0) > best && passes(row)) best = scores[row] ?? 0;
  return best;
}

/** Finds the `limit` best rows by words alone, in no order. */
export function topByWords({ rows, fused }: FusedWords, limit: number, passes: RowTest): Uint32Array {
  const top = new TopRows(limit, 0);
  for (const row of rows) {
    const score = fused(row, 0);
    if (score > top.floor && passes(row)) top.add(row, score);
  }
  return top.rows();
}

/** Finds the `limit` best by the fused score and those that equal the last of them, in no order. */
export function bestOf(found: Scored<number>, limit: number, factors: Float64Array): Scored<number> {
  const scores = fusedScores(found, found.cosines, factors);
  const least = nthLargest(scores, limit);
  const isKept = (_: number, at: number) => (scores[at] ?? 0) >= least;
  return {
    keys: (found.keys as Uint32Array).filter(isKept),
    cosines: found.cosines.filter(isKept),
    words: found.words.filter(isKept),
    coverage: found.coverage.filter(isKept),
    bestWords: found.bestWords,
  };
}

/** Keeps at least this many before it throws any away: a choice among few costs more than it saves. */
const ROOM_MIN = 64;

/** Keeps the `limit` rows with the largest keys: twice as many are gathered, and the lower half is thrown away. */
class TopRows {
  /** Rows with this key or a smaller one are not among the best; it rises while rows are added. */
  floor: number;
  readonly #limit: number;
  readonly #rows: Uint32Array;
  readonly #keys: Float64Array;
  #size = 0;

  /** @param floor  rows with this key or a smaller one are never wanted */
  constructor(limit: number, floor: number) {
    this.#limit = limit;
    const room = Math.max(ROOM_MIN, 2 * limit);
    this.#rows = new Uint32Array(room);
    this.#keys = new Float64Array(room);
    this.floor = floor;
  }

  /** Adds a row; its key is above `floor`. */
  add(row: number, key: number): void {
    this.#rows[this.#size] = row;
    this.#keys[this.#size] = key;
    this.#size += 1;
    if (this.#size === this.#rows.length) this.#prune();
  }

  /** Gives the rows kept, in no order. */
  rows(): Uint32Array {
    if (this.#size > this.#limit) this.#prune();
    return this.#rows.subarray(0, this.#size);
  }

  /** Throws away all but the best. */
  #prune(): void {
    const size = this.#size;
    const sorted = this.#keys.slice(0, size).sort();
    const first = size - this.#limit;
    const floor = sorted[first] ?? Number.POSITIVE_INFINITY;
    // Only some of the keys that equal the least of the best are among these.
    let equal = sorted.lastIndexOf(floor) - first + 1;
    this.#size = 0;
    // This is a loop because a function for each key would take as long as sorting them.
    for (let at = 0; at < size; at += 1) {
      const key = this.#keys[at] ?? 0;
      if (key < floor || (key === floor && equal === 0)) continue;
      if (key === floor) equal -= 1;
      this.#rows[this.#size] = this.#rows[at] ?? 0;
      this.#keys[this.#size] = key;
      this.#size += 1;
    }
    this.floor = floor;
  }
}

/**
 * Finds the `n`th largest of some numbers, the smallest when there are fewer; Infinity when there is none, or none is asked
 * for.
 */
function nthLargest(numbers: Float64Array, n: number): number {
  return numbers.toSorted()[Math.max(0, numbers.length - n)] ?? Number.POSITIVE_INFINITY;
}
