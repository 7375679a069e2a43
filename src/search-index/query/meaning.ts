import type { BegunSearch, CodeHelper, SignCodes } from "../../search/kernel/sign-codes.ts";
import { TopRows } from "../../search/top-rows.ts";
import { DOT_TO_COSINE } from "../../search/vectors.ts";
import type { PostMemory } from "../memory/index.ts";
import { MARK } from "../memory/rows.ts";
import type { WordClaims } from "./word-claims.ts";

/** How many of the best by sign codes are compared exactly, for each one wanted. */
const RESCORED = 2;
/** Rows looked at to learn which share passes the filters. */
const SAMPLE = 512;

const NONE = new Int32Array(0);

/** What is wanted of rows. */
export interface Wanted {
  /** What words say of each row; null when none are asked for. */
  claims: WordClaims | null;
  /** Cosine from which meaning alone supports a row. */
  floor: number;
  limit: number;
  passes(row: number): boolean;
  /** Called before each block of rows; may throw, which ends it. */
  beforeBlock(): void;
}

/** Scores rows by meaning together with words: exactly on a small board, by sign codes first on a large one. */
export class MeaningScorer {
  readonly #helper: CodeHelper | null;
  #dots = NONE;
  /** What was begun before the words of a question were summed up. */
  #ahead: { vector: Int8Array; codes: SignCodes; begun: BegunSearch } | null = null;

  /** @param helper  another thread that compares codes */
  constructor(helper: CodeHelper | null) {
    this.#helper = helper;
  }

  /** Does something else while the helper compares codes with a vector: for a question that `fused` is asked next. */
  meanwhile<T>(memory: PostMemory, vector: Int8Array, work: () => T): T {
    this.#giveUp();
    if (this.#helper === null || memory.coded === 0) return work();
    const { codes, rows } = memory;
    this.#ahead = {
      vector,
      codes,
      begun: codes.begin(vector, memory.centreVector(), rows.size, this.#helper),
    };
    try {
      return work();
    } catch (error) {
      this.#giveUp();
      throw error;
    }
  }

  #giveUp(): void {
    if (this.#ahead !== null) this.#ahead.codes.end(this.#ahead.begun);
    this.#ahead = null;
  }

  /** What was begun for this question, or is begun now; without words nothing is: few codes are compared. */
  #begun(memory: PostMemory, vector: Int8Array, claims: WordClaims | null): BegunSearch | undefined {
    const { codes, rows } = memory;
    const ahead = this.#ahead;
    if (ahead === null || ahead.vector !== vector || ahead.codes !== codes)
      return claims === null
        ? undefined
        : codes.begin(vector, memory.centreVector(), rows.size, this.#helper);
    this.#ahead = null;
    return ahead.begun;
  }

  /** Dot products with all rows; they hold until the next call. @param beforeBlock  as in `Wanted` */
  allDots(memory: PostMemory, vector: Int8Array, beforeBlock: () => void): Int32Array {
    const { size } = memory.rows;
    const room = this.#dots.length < size ? new Int32Array(Math.ceil(size * 1.25)) : this.#dots;
    // Another question may be asked between two blocks.
    this.#dots = NONE;
    memory.vectors.scan(vector, room.subarray(0, size), beforeBlock);
    this.#dots = room;
    return room.subarray(0, size);
  }

  /** The best rows by the fused score with their dot products, in no order. */
  fused(memory: PostMemory, vector: Int8Array, wanted: Wanted): { rows: Uint32Array; dots: Int32Array } {
    // Ascending.
    const near = memory.coded === 0 ? null : this.#estimated(memory, vector, wanted);
    if (near !== null) wanted.beforeBlock();
    const dots =
      near === null ? this.allDots(memory, vector, wanted.beforeBlock) : memory.vectors.dots(vector, near);
    // Those with all rows hold until another question is asked.
    if (near !== null) wanted.beforeBlock();
    const { claims, passes, floor } = wanted;
    const top = new TopRows(wanted.limit, Number.NEGATIVE_INFINITY);
    const marks = memory.rows.marks.view;
    // Those with words first: they are the best, mostly, and the others are then turned away by their product alone.
    if (claims !== null) addWithWords(top, claims, { near, dots, passes });
    const arm = claims?.arm ?? null;
    const leastDot = Math.ceil(floor / DOT_TO_COSINE - 1e-6);
    let atLeast = Math.max(leastDot, Math.floor(top.floor / DOT_TO_COSINE));
    for (let at = 0; at < dots.length; at += 1) {
      const dot = dots[at] ?? 0;
      if (dot < atLeast) continue;
      const row = near === null ? at : (near[at] ?? 0);
      if (arm !== null && arm.placeOf(row) >= 0) continue;
      const key = dot * DOT_TO_COSINE;
      if (key <= top.floor || !passes(row)) continue;
      // A row without a vector has zeros in its place.
      if (dot === 0 && ((marks[row] ?? 0) & MARK.vector) === 0) continue;
      top.add(at, key);
      atLeast = Math.max(leastDot, Math.floor(top.floor / DOT_TO_COSINE));
    }
    const places = top.rows();
    return { rows: near === null ? places : picked(near, places), dots: picked(dots, places) };
  }

  /** The rows that are best when a cosine is estimated from sign codes: enough of them that the best are there. */
  #estimated(memory: PostMemory, vector: Int8Array, wanted: Wanted): Uint32Array {
    const { claims, limit, passes, beforeBlock } = wanted;
    const { codes } = memory;
    const { size } = memory.rows;
    let passing = 0;
    for (let i = 0; i < SAMPLE; i += 1) if (passes(Math.floor((i * size) / SAMPLE))) passing += 1;
    const share = Math.max(passing, 1) / SAMPLE;
    const mostWithWords = Math.ceil(limit / share);
    const most = mostWithWords * RESCORED;
    const nearest = codes.nearest(vector, memory.centreVector(), {
      size,
      words: claims === null ? null : { ...claims.arm, rates: claims.rates, least: claims.least },
      most,
      mostWithWords,
      beforeBlock,
      begun: this.#begun(memory, vector, claims),
    });
    // Those that do not pass need not be compared.
    return share < 0.5 ? nearest.filter(passes) : nearest;
  }
}

/** Adds the rows with words. @param compared.near  ascending rows that were compared, null for all */
function addWithWords(
  top: TopRows,
  claims: WordClaims,
  { near, dots, passes }: { near: Uint32Array | null; dots: Int32Array; passes: Wanted["passes"] },
): void {
  const { rows } = claims.arm;
  let at = 0;
  for (let place = 0; place < rows.length; place += 1) {
    const row = rows[place] ?? 0;
    if (near === null) at = row;
    else {
      while (at < near.length && (near[at] ?? 0) < row) at += 1;
      if (at === near.length) return;
      if (near[at] !== row) continue;
    }
    const key = claims.fused(place, (dots[at] ?? 0) * DOT_TO_COSINE);
    if (key > top.floor && passes(row)) top.add(at, key);
  }
}

function picked<T extends Uint32Array | Int32Array>(from: T, places: Uint32Array): T {
  const out = from.slice(0, places.length) as T;
  for (let at = 0; at < out.length; at += 1) out[at] = from[places[at] ?? 0] ?? 0;
  return out;
}
