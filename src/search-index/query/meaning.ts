import { TopRows } from "../../search/top-rows.ts";
import { DOT_TO_COSINE } from "../../search/vectors.ts";
import type { PostMemory } from "../memory/index.ts";
import { MARK } from "../memory/rows.ts";
import type { WordClaims } from "./word-claims.ts";

/** How many of the best by sign codes are compared exactly, for each one wanted. */
const RESCORED = 2;
/** Rows looked at to learn which share passes the filters. */
const SAMPLE = 512;

/** What is wanted of rows. */
export interface Wanted {
  /** What words say of each row; null when none are asked for. */
  claims: WordClaims | null;
  /** Cosine from which meaning alone supports a row. */
  floor: number;
  limit: number;
  passes(row: number): boolean;
  /** The best rows by words: they compete whatever an estimate says. */
  byWords: Uint32Array;
}

/** Scores rows by meaning together with words: exactly on a small board, by sign codes first on a large one. */
export class MeaningScorer {
  #dots = new Int32Array(1024);
  /** Stays zero: what words add where none are asked for. */
  #nothing = new Float32Array(0);

  /** Dot products with all rows; they hold until the next call. */
  allDots(memory: PostMemory, vector: Int8Array): Int32Array {
    const { size } = memory.rows;
    if (this.#dots.length < size) this.#dots = new Int32Array(Math.ceil(size * 1.25));
    const dots = this.#dots.subarray(0, size);
    memory.vectors.scan(vector, dots);
    return dots;
  }

  /** The best rows by the fused score with their dot products, in no order. */
  fused(memory: PostMemory, vector: Int8Array, wanted: Wanted): { rows: Uint32Array; dots: Int32Array } {
    const near = memory.coded === 0 ? null : this.#estimated(memory, vector, wanted);
    const dots = near === null ? this.allDots(memory, vector) : memory.vectors.dots(vector, near);
    const { claims, passes } = wanted;
    const scores = claims?.arm.scores;
    const top = new TopRows(wanted.limit, Number.NEGATIVE_INFINITY);
    const marks = memory.rows.marks.view;
    const leastDot = Math.ceil(wanted.floor / DOT_TO_COSINE - 1e-6);
    for (let at = 0; at < dots.length; at += 1) {
      const row = near === null ? at : (near[at] ?? 0);
      const dot = dots[at] ?? 0;
      const hasWords = scores !== undefined && scores[row] !== 0;
      if (!hasWords && dot < leastDot) continue;
      // A row without a vector has zeros in its place.
      const cosine = dot * DOT_TO_COSINE;
      const key = hasWords && claims !== null ? claims.fused(row, cosine) : cosine;
      if (key <= top.floor) continue;
      if (!hasWords && ((marks[row] ?? 0) & MARK.vector) === 0) continue;
      if (passes(row)) top.add(row, key);
    }
    const rows = top.rows();
    return { rows, dots: near === null ? picked(dots, rows) : memory.vectors.dots(vector, rows) };
  }

  /** The rows that are best when a cosine is estimated from sign codes: enough of them that the best are there. */
  #estimated(memory: PostMemory, vector: Int8Array, wanted: Wanted): Uint32Array {
    const { claims, limit, passes, byWords } = wanted;
    const { codes } = memory;
    const { size } = memory.rows;
    if (this.#nothing.length < size) this.#nothing = new Float32Array(Math.ceil(size * 1.25));
    // What words vouch for is left out here: who has all of them is among the best by words.
    const added = (claims?.added ?? this.#nothing).subarray(0, size);
    let passing = 0;
    for (let i = 0; i < SAMPLE; i += 1) if (passes(Math.floor((i * size) / SAMPLE))) passing += 1;
    const share = Math.max(passing, 1) / SAMPLE;
    const most = Math.ceil((limit * RESCORED) / share);
    const nearest = codes.nearest(vector, memory.centreVector(), added, most);
    // Those that do not pass need not be compared.
    const near = share < 0.5 ? nearest.filter(passes) : nearest;
    const besides = byWords.filter((row) => !codes.isNearest(row));
    const all = new Uint32Array(near.length + besides.length);
    all.set(near);
    all.set(besides, near.length);
    return all;
  }
}

function picked(dots: Int32Array, rows: Uint32Array): Int32Array {
  const out = new Int32Array(rows.length);
  for (let at = 0; at < out.length; at += 1) out[at] = dots[rows[at] ?? 0] ?? 0;
  return out;
}
