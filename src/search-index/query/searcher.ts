import { Abandoned, type Question, type Spot } from "../../ports/search-index.ts";
import type { Place } from "../../ports/store/index.ts";
import { coverageFactors, UNKNOWN_WORDS_MARGIN } from "../../search/fuse.ts";
import type { CodeHelper } from "../../search/kernel/sign-codes.ts";
import type { Candidates, Scored } from "../../search/rank.ts";
import { TopRows } from "../../search/top-rows.ts";
import { DOT_TO_COSINE } from "../../search/vectors.ts";
import type { PostMemory } from "../memory/index.ts";
import { bestOf } from "./best-of.ts";
import { Copies, hasCompany } from "./copies.ts";
import { anyRowTest, type RowFilter, type RowTest, rowFilter, rowTest } from "./filter.ts";
import { MeaningScorer } from "./meaning.ts";
import { spotsAmong } from "./spots.ts";
import { listToWalkPast, type Page, walkByTime, walkSome } from "./walk.ts";
import { WordClaims } from "./word-claims.ts";
import type { WordArm, WordScorer } from "./words.ts";

/** The fewest that compete for a place: equal scores are ordered by id only among them. */
const COMPETING = 1000;
/** The fewest for a few places by meaning alone: 1,500 posts of 100,000 had the same best five as among 1,000. */
export const COMPETING_BY_MEANING = 200;

/** Answers questions from the memory, in rows. Synchronous: the memory does not change under it. */
export class Searcher {
  readonly #source: { readonly memory: PostMemory };
  readonly #words: WordScorer | null;
  readonly #meaning: MeaningScorer;
  /** False when this index keeps no vectors. */
  readonly #hasMeaning: boolean;
  readonly #pause: () => void;

  /**
   * @param source.memory  the memory of the moment
   * @param words  null where no question has any
   * @param options.pause  called before each block of rows; may ask another question, one without words
   * @param options.helper  see `MeaningScorer`
   */
  constructor(
    source: { readonly memory: PostMemory },
    words: WordScorer | null,
    hasMeaning: boolean,
    { pause = () => {}, helper = null }: { pause?: () => void; helper?: CodeHelper | null } = {},
  ) {
    this.#source = source;
    this.#words = words;
    this.#meaning = new MeaningScorer(helper);
    this.#hasMeaning = hasMeaning;
    this.#pause = pause;
  }

  /** What ranking asks, for one question. */
  candidates(question: Question): Candidates<number> {
    return {
      match: (page) => this.match(question, page),
      vectors: (rows) => this.vectors(rows),
      cosines: (vector, rows) => this.cosines(vector, rows),
      fits: (filter, rows) => {
        const passes = rowTest(this.#memory, filter);
        return Uint8Array.from(rows, (row) => Number(passes(row)));
      },
      idsOf: (rows) => this.idsOf(rows),
    };
  }

  /**
   * The best by the fused score, in no order. Both scores are exact.
   * @param page.limit  as many of the best as there are, and some more
   * @param atLeast  how many compete at least
   */
  match(
    question: Question,
    page: { limit: number; except: ReadonlySet<number> },
    atLeast = COMPETING,
  ): Scored<number> {
    const asked = this.#asked(question, true);
    const { vector, arm, factors } = asked;
    const competing = this.#candidates(asked, Math.max(page.limit, atLeast), page.except);
    const { rows } = competing;
    const cosines =
      vector === null
        ? new Float64Array(rows.length).fill(Number.NaN)
        : this.#cosinesOf(rows, competing.dots ?? this.#memory.vectors.dots(vector, rows));
    const words = new Float64Array(rows.length);
    const coverage = new Float64Array(rows.length);
    let { bestWords } = competing;
    let count = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const place = arm === null ? -1 : arm.placeOf(row);
      const score = place < 0 ? 0 : (arm?.scores[place] ?? 0);
      const cosine = cosines[at] ?? Number.NaN;
      if (!asked.supports(score, cosine)) continue;
      if (score > bestWords) bestWords = score;
      rows[count] = row;
      cosines[count] = cosine;
      words[count] = score;
      coverage[count] = place < 0 ? 0 : (arm?.coverage[place] ?? 0);
      count += 1;
    }
    const found = {
      keys: rows.subarray(0, count),
      cosines: cosines.subarray(0, count),
      words: words.subarray(0, count),
      coverage: coverage.subarray(0, count),
      bestWords,
    };
    return count <= page.limit ? found : bestOf(found, page.limit, factors);
  }

  list(question: Question, page: Page): Place[] {
    const { filter, words, vector } = question;
    const list = words === null && vector === null ? listToWalkPast(this.#memory, filter, page) : null;
    const rows = list === null ? null : this.#everything(question, list);
    const walked = rows === null ? null : walkSome(this.#memory, filter, rows, page, list?.size);
    return walked ?? walkByTime(this.#memory, filter, this.#everything(question), page);
  }

  count(question: Question): number {
    const { among, passes } = this.#everything(question);
    let count = 0;
    if (among !== null) {
      for (const row of among) if (passes(row)) count += 1;
      return count;
    }
    for (let row = 0; row < this.#memory.rows.size; row += 1) if (passes(row)) count += 1;
    return count;
  }

  /** See `SearchIndex.spots`. */
  spots(question: Question, limit: number): Spot[] {
    return spotsAmong(this.#memory, this.#everything(question), limit);
  }

  /** See `SearchIndex.copies`. */
  copies(question: Question, rows: readonly number[]): number[][] {
    const none = rows.map(() => []);
    if (!rows.some((row) => hasCompany(this.#memory, row))) return none;
    const { words, vector, filter } = question;
    const isOpen = words === null && vector === null;
    const matches = isOpen ? anyRowTest(rowFilter(this.#memory, filter)) : this.#asked(question).matches;
    const copies = new Copies(this.#memory, matches);
    return rows.map((row) => copies.of(row));
  }

  vectors(rows: readonly number[]): (Int8Array | null)[] {
    return rows.map((row) => (this.#memory.rows.hasVector(row) ? this.#memory.vectors.get(row) : null));
  }

  cosines(vector: Int8Array, rows: ArrayLike<number>): Float64Array {
    this.#pause();
    const known = new Uint32Array(rows.length);
    for (let at = 0; at < known.length; at += 1) known[at] = Math.max(0, rows[at] ?? 0);
    return this.#cosinesOf(rows, this.#memory.vectors.dots(vector, known));
  }

  idsOf(rows: readonly number[]): string[] {
    return this.#memory.rows.idsOf(rows);
  }

  /** The rows of ids, -1 for those that are not here. */
  rowsOf(ids: readonly string[]): number[] {
    return ids.map((id) => this.#memory.rows.rowOf(id));
  }

  get #memory(): PostMemory {
    return this.#source.memory;
  }

  /** @param isRanked  the best are wanted: codes are compared while words are summed up */
  #asked(question: Question, isRanked = false): Asked {
    const { words, filter, gone } = question;
    const beforeBlock = () => {
      if (gone?.aborted === true) throw new Abandoned();
      this.#pause();
    };
    const vector = this.#hasMeaning ? question.vector : null;
    const rows = rowFilter(this.#memory, filter);
    const score = () =>
      words === null || this.#words === null
        ? null
        : this.#words.score(this.#memory, words, rows.among, beforeBlock);
    const runsAhead = isRanked && words !== null && vector !== null && rows.among === null;
    const arm = runsAhead ? this.#meaning.meanwhile(this.#memory, vector, score) : score();
    // Only excluded words: everything else matches. Words without a letter: nothing does.
    const asksWords =
      words !== null && !(words.any.length === 0 && words.phrases.length === 0 && words.excluded.length > 0);
    const { minCosine, margin = UNKNOWN_WORDS_MARGIN } = question;
    const floor = arm === null || arm.known ? minCosine : minCosine + margin;
    const all = !asksWords && question.vector === null;
    const required = arm !== null && arm.needed !== null;
    const supports = (score: number, cosine: number) => all || score > 0 || (!required && cosine >= floor);
    const passes = anyRowTest(rows);
    const matches = (row: number) =>
      isFree(arm, row) && passes(row) && supports(scoreOf(arm, row), this.#cosine(vector, row));
    const copies = question.distinct === true ? new Copies(this.#memory, matches) : null;
    return {
      filter: rows,
      vector,
      factors: coverageFactors(words),
      arm,
      floor,
      all,
      required,
      beforeBlock,
      supports,
      matches,
      hasCopies: copies !== null,
      isCopy: (row) => copies?.isCopy(row) === true,
    };
  }

  /** Rows that may be among the best `limit` and pass all filters, each once. */
  #candidates(asked: Asked, limit: number, except: ReadonlySet<number>): Competing {
    const { filter, arm, vector, factors } = asked;
    const isWanted = (row: number) => isFree(arm, row) && !except.has(row);
    const isPlain = !asked.hasCopies && except.size === 0 && (arm === null || isOpen(arm));
    const passes = isPlain
      ? filter.passes
      : (row: number) => isWanted(row) && filter.passes(row) && !asked.isCopy(row);
    const alone = (rows: Uint32Array) => ({ rows, dots: null, bestWords: 0 });
    if (filter.among !== null)
      return alone(filter.among.filter((row) => isWanted(row) && !asked.isCopy(row)));
    const { size } = this.#memory.rows;
    if (asked.all) return alone(Uint32Array.from({ length: size }, (_, row) => row).filter(passes));
    const bestWords = arm === null ? 0 : arm.bestScore(passes);
    const claims = arm === null || bestWords === 0 ? null : new WordClaims(arm, bestWords, factors);
    if (vector === null) {
      const rows = claims === null ? NO_ROWS : topByWords(claims, limit, passes);
      return { rows, dots: null, bestWords };
    }
    const floor = asked.required ? Number.POSITIVE_INFINITY : asked.floor;
    const { beforeBlock } = asked;
    const found = this.#meaning.fused(this.#memory, vector, { claims, floor, limit, passes, beforeBlock });
    return { ...found, bestWords };
  }

  #cosinesOf(rows: ArrayLike<number>, dots: Int32Array): Float64Array {
    const { rows: posts } = this.#memory;
    const cosines = new Float64Array(rows.length);
    for (let at = 0; at < cosines.length; at += 1) {
      const row = rows[at] ?? -1;
      const dot = dots[at] ?? 0;
      // A row without a vector has zeros in its place.
      const isKnown = row >= 0 && (dot !== 0 || posts.hasVector(row));
      cosines[at] = isKnown ? dot * DOT_TO_COSINE : Number.NaN;
    }
    return cosines;
  }

  /** The cosine of a row. */
  #cosine(vector: Int8Array | null, row: number): number {
    const { rows, vectors } = this.#memory;
    return vector === null || !rows.hasVector(row) ? Number.NaN : vectors.dot(vector, row) * DOT_TO_COSINE;
  }

  /**
   * The filter of a question, and the test for its rows that pass it and match.
   * @param rows  the filter, where it is known already
   */
  #everything(question: Question, rows?: RowFilter): RowFilter {
    const { words, vector, distinct } = question;
    const { filter, test } =
      words === null && vector === null ? this.#filtered(question, rows) : this.#supported(question);
    const passes = test(filter.passes);
    if (distinct !== true) return { ...filter, passes };
    const copies = new Copies(this.#memory, test(anyRowTest(filter)));
    return { ...filter, passes: (row) => passes(row) && !copies.isCopy(row) };
  }

  #filtered(
    { filter }: Question,
    rows = rowFilter(this.#memory, filter),
  ): { filter: RowFilter; test: (passes: RowTest) => RowTest } {
    return { filter: rows, test: (passes) => passes };
  }

  #supported(question: Question): { filter: RowFilter; test: (passes: RowTest) => RowTest } {
    const { filter, arm, vector, beforeBlock, supports } = this.#asked(question);
    const { rows } = this.#memory;
    const dots = vector === null ? null : this.#meaning.allDots(this.#memory, vector, beforeBlock);
    const test = (passes: RowTest) => (row: number) => {
      const cosine = dots !== null && rows.hasVector(row) ? (dots[row] ?? 0) * DOT_TO_COSINE : Number.NaN;
      return supports(scoreOf(arm, row), cosine) && isFree(arm, row) && passes(row);
    };
    return { filter, test };
  }
}

/** Rows that compete for a place. */
interface Competing {
  rows: Uint32Array;
  /** Their dot products where these are known already. */
  dots: Int32Array | null;
  /** The largest score by words of all rows that pass, at least of these. */
  bestWords: number;
}

const NO_ROWS = new Uint32Array(0);

/** The `limit` best rows by words alone, in no order. */
function topByWords(claims: WordClaims, limit: number, passes: (row: number) => boolean): Uint32Array {
  const top = new TopRows(limit, 0);
  const { rows } = claims.arm;
  for (let at = 0; at < rows.length; at += 1) {
    const score = claims.fused(at, 0);
    if (score > top.floor && passes(rows[at] ?? 0)) top.add(rows[at] ?? 0, score);
  }
  return top.rows();
}

/** A question worked out as far as it concerns single rows. */
interface Asked {
  filter: RowFilter;
  vector: Int8Array | null;
  arm: WordArm | null;
  /** See `coverageFactors`. */
  factors: Float64Array;
  /** Below this cosine meaning does not support a post. */
  floor: number;
  /** Every row that passes matches. */
  all: boolean;
  /** Phrases are asked for: meaning alone supports nothing. */
  required: boolean;
  /** Called before each block of rows: throws when nobody waits for the answer any more. */
  beforeBlock(): void;
  /** @param cosine  NaN where there is none */
  supports(score: number, cosine: number): boolean;
  /** True for any row that answers the question. */
  matches(row: number): boolean;
  /** False when no match stands for another. */
  hasCopies: boolean;
  /** True when another match stands for this one. */
  isCopy(row: number): boolean;
}

/** By words, 0 for a row without any. */
function scoreOf(arm: WordArm | null, row: number): number {
  const place = arm === null ? -1 : arm.placeOf(row);
  return place < 0 ? 0 : (arm?.scores[place] ?? 0);
}

/** True when neither phrases nor excluded words are asked for. */
const isOpen = ({ needed, barred }: WordArm) => needed === null && barred === null;

/** True for rows with every phrase asked for and nothing excluded. */
function isFree(arm: WordArm | null, row: number): boolean {
  if (arm === null) return true;
  return (arm.needed === null || arm.needed[row] === 1) && (arm.barred === null || arm.barred[row] === 0);
}
