import type { Question, Spot } from "../../../ports/search-index.ts";
import type { Position } from "../../../ports/store/index.ts";
import type { PostFilter } from "../../../schema/filter.ts";
import {
  type Candidates,
  coverageFactors,
  fuse,
  type Scored,
  UNKNOWN_WORDS_MARGIN,
} from "../../ranking/rank.ts";
import { DOT_TO_COSINE } from "../../ranking/vectors.ts";
import { onlyExcludes } from "../../text/query-text.ts";
import type { PostMemory } from "../memory/index.ts";
import { bestByMeaning, bestOf, bestScore, fusedWords, topByWords } from "./best.ts";
import { byNextDate, byStanding, Copies, compareBy, hasDuplicates } from "./copies.ts";
import { anyRowTest, type RowFilter, type RowTest, rowFilter, rowTest, wantedOf } from "./filter.ts";
import { spotsAmong } from "./spots.ts";
import { type Page, walkByTime } from "./walk.ts";
import type { WordScorer, WordScores } from "./words.ts";

/** At least this many compete for a place: equal scores are ordered by id only among them. */
const COMPETING = 1000;
/**
 * At least this many compete for a few places by words or by meaning alone: 1,500 posts of 100,000 had the same best five
 * as among 1,000.
 */
const COMPETING_ALONE = 200;

/** Answers questions from the memory, in rows. Synchronous: the memory does not change under it. */
export class Searcher {
  readonly #source: { readonly memory: PostMemory };
  readonly #words: WordScorer;

  /** @param source.memory  the memory of the moment */
  constructor(source: { readonly memory: PostMemory }, words: WordScorer) {
    this.#source = source;
    this.#words = words;
  }

  /** Answers what ranking asks about one question. */
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
   * Finds the best by the fused score, in no order. Both scores are exact.
   * @param page.limit  as many of the best as there are, and some more
   */
  match(question: Question, page: { limit: number; except: ReadonlySet<number> }): Scored<number> {
    const asked = this.#asked(question);
    const { vector, byWords, factors } = asked;
    const atLeast = byWords === null || vector === null ? COMPETING_ALONE : COMPETING;
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
      const score = byWords?.scores[row] ?? 0;
      const cosine = cosines[at] ?? Number.NaN;
      if (!asked.supports(score, cosine)) continue;
      if (score > bestWords) bestWords = score;
      rows[count] = row;
      cosines[count] = cosine;
      words[count] = score;
      coverage[count] = byWords?.coverage[row] ?? 0;
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

  list(question: Question, page: Page): Position[] {
    return walkByTime(
      this.#memory,
      this.#everything(question),
      page,
      wantedOf(this.#memory.rows, question.filter),
    );
  }

  /** See `Answered.count`. */
  count(question: Question, most = Number.MAX_SAFE_INTEGER): number {
    const { among, passes } = this.#everything(question);
    const size = among === null ? this.#memory.rows.size : among.length;
    let count = 0;
    for (let at = 0; at < size && count < most; at += 1) {
      if (passes(among === null ? at : (among[at] ?? 0))) count += 1;
    }
    return count;
  }

  /** See `Answered.spots`. */
  spots(question: Question, limit: number): Spot[] {
    return spotsAmong(this.#memory, this.#everything(question), limit);
  }

  /** See `Answered.copies`. */
  copies(question: Question, ids: readonly string[]): string[][] {
    const rows = this.rowsOf(ids);
    const memory = this.#memory;
    if (!rows.some((row) => hasDuplicates(memory, "source", row))) return rows.map(() => []);
    const { words, vector, filter } = question;
    const isOpen = words === null && vector === null;
    const matches = isOpen ? anyRowTest(rowFilter(this.#memory, filter)) : this.#asked(question).matches;
    const byAge = (a: number, b: number) => compareBy(memory.rows, "createdAt", a, b);
    const copies = new Copies(memory, "source", matches, byAge);
    return rows.map((row) => (row < 0 ? [] : this.idsOf(copies.of(row))));
  }

  /** See `Answered.laterDates`. */
  laterDates(filter: PostFilter, ids: readonly string[]): Position[][] {
    const rows = this.rowsOf(ids);
    const memory = this.#memory;
    if (!rows.some((row) => hasDuplicates(memory, "series", row))) return rows.map(() => []);
    const { rows: posts } = memory;
    const inOrder = (a: number, b: number) => compareBy(posts, "windowStart", a, b);
    const dates = new Copies(memory, "series", anyRowTest(rowFilter(memory, filter)), inOrder);
    return rows.map((row) =>
      (row < 0 ? [] : dates.of(row))
        .filter((other) => inOrder(other, row) > 0)
        .map((other) => ({ id: posts.idOf(other), at: posts.windowStart.view[other] ?? 0 })),
    );
  }

  vectors(rows: readonly number[]): (Int8Array | null)[] {
    return rows.map((row) => (this.#memory.rows.hasVector(row) ? this.#memory.vectors.get(row) : null));
  }

  cosines(vector: Int8Array, rows: ArrayLike<number>): Float64Array {
    return this.#cosinesOf(rows, this.#memory.vectors.dots(vector, Uint32Array.from(rows)));
  }

  idsOf(rows: readonly number[]): string[] {
    return rows.map((row) => this.#memory.rows.idOf(row));
  }

  /** Finds the rows of ids, -1 for those that are not here. */
  rowsOf(ids: readonly string[]): number[] {
    return ids.map((id) => this.#memory.rows.rowOf(id));
  }

  get #memory(): PostMemory {
    return this.#source.memory;
  }

  #asked(question: Question): Asked {
    const { words, vector, filter } = question;
    const rows = rowFilter(this.#memory, filter);
    const byWords = words === null ? null : this.#words.score(this.#memory, words, rows.among);
    const asksWords = words !== null && !onlyExcludes(words);
    const { minCosine, margin = UNKNOWN_WORDS_MARGIN } = question;
    const floor = byWords === null || byWords.known ? minCosine : minCosine + margin;
    const all = !asksWords && vector === null;
    const required = byWords !== null && byWords.needed !== null;
    const supports = (score: number, cosine: number) => all || score > 0 || (!required && cosine >= floor);
    const passes = anyRowTest(rows);
    const matches = (row: number) =>
      isFree(byWords, row) && passes(row) && supports(byWords?.scores[row] ?? 0, this.#cosine(vector, row));
    const factors = coverageFactors(words);
    const bestWords = byWords === null || question.distinct !== true ? 0 : bestScore(byWords, () => true);
    const score = (row: number) => {
      const cosine = this.#cosine(vector, row);
      const match = { words: byWords?.scores[row] ?? 0, coverage: byWords?.coverage[row] ?? 0 };
      return fuse(Number.isNaN(cosine) ? null : cosine, match, bestWords, factors);
    };
    const isCopy = copyTest(this.#memory, question, matches, score);
    return {
      filter: rows,
      vector,
      factors,
      byWords,
      floor,
      all,
      required,
      supports,
      matches,
      hasCopies: isCopy !== null,
      isCopy: isCopy ?? (() => false),
    };
  }

  /** Finds rows that may be among the best `limit` and pass all filters, each once. */
  #candidates(asked: Asked, limit: number, except: ReadonlySet<number>): Competing {
    const { filter, byWords, vector, factors } = asked;
    const isWanted = (row: number) => isFree(byWords, row) && !except.has(row);
    const isPlain = !asked.hasCopies && except.size === 0 && (byWords === null || isOpen(byWords));
    const passes = isPlain
      ? filter.passes
      : (row: number) => isWanted(row) && filter.passes(row) && !asked.isCopy(row);
    const alone = (rows: Uint32Array) => ({ rows, dots: null, bestWords: 0 });
    if (filter.among !== null)
      return alone(filter.among.filter((row) => isWanted(row) && !asked.isCopy(row)));
    const { size } = this.#memory.rows;
    if (asked.all) return alone(Uint32Array.from({ length: size }, (_, row) => row).filter(passes));
    const bestWords = byWords === null ? 0 : bestScore(byWords, passes);
    const words = byWords === null || bestWords === 0 ? null : fusedWords(byWords, bestWords, factors);
    if (vector === null) {
      const rows = words === null ? NO_ROWS : topByWords(words, limit, passes);
      return { rows, dots: null, bestWords };
    }
    const floor = asked.required ? Number.POSITIVE_INFINITY : asked.floor;
    return { ...bestByMeaning(this.#memory, vector, { words, floor, limit, passes }), bestWords };
  }

  #cosinesOf(rows: ArrayLike<number>, dots: Int32Array): Float64Array {
    const { rows: posts } = this.#memory;
    const cosines = new Float64Array(rows.length);
    for (let at = 0; at < cosines.length; at += 1) {
      const dot = dots[at] ?? 0;
      // A row without a vector has zeros in its place.
      const isKnown = dot !== 0 || posts.hasVector(rows[at] ?? 0);
      cosines[at] = isKnown ? dot * DOT_TO_COSINE : Number.NaN;
    }
    return cosines;
  }

  #cosine(vector: Int8Array | null, row: number): number {
    const { rows, vectors } = this.#memory;
    return vector === null || !rows.hasVector(row) ? Number.NaN : vectors.dot(vector, row) * DOT_TO_COSINE;
  }

  /** Gives the filter of a question, and the test for its rows that pass it and match. */
  #everything(question: Question): RowFilter {
    const { words, vector } = question;
    const { filter, test } =
      words === null && vector === null ? this.#filtered(question) : this.#supported(question);
    const passes = test(filter.passes);
    const isCopy = copyTest(this.#memory, question, test(anyRowTest(filter)), () => 0);
    return isCopy === null
      ? { ...filter, passes }
      : { ...filter, passes: (row) => passes(row) && !isCopy(row) };
  }

  #filtered({ filter }: Question): { filter: RowFilter; test: (passes: RowTest) => RowTest } {
    return { filter: rowFilter(this.#memory, filter), test: (passes) => passes };
  }

  #supported(question: Question): { filter: RowFilter; test: (passes: RowTest) => RowTest } {
    const { filter, byWords, vector, supports } = this.#asked(question);
    const { rows, vectors } = this.#memory;
    const dots = vector === null ? null : vectors.scan(vector, rows.size);
    const test = (passes: RowTest) => (row: number) => {
      const cosine = dots !== null && rows.hasVector(row) ? (dots[row] ?? 0) * DOT_TO_COSINE : Number.NaN;
      return supports(byWords?.scores[row] ?? 0, cosine) && isFree(byWords, row) && passes(row);
    };
    return { filter, test };
  }
}

interface Competing {
  rows: Uint32Array;
  /** These are their dot products where they are known already. */
  dots: Int32Array | null;
  /** No row that passes has a larger score by words, at least of these. */
  bestWords: number;
}

/** Tests for rows that another match stands for, as the question asks for it; null where none does. */
function copyTest(
  memory: PostMemory,
  { distinct, nextDates, filter }: Question,
  matches: RowTest,
  score: (row: number) => number,
): RowTest | null {
  const groups = [
    ...(distinct === true ? [new Copies(memory, "source", matches, byStanding(memory, score))] : []),
    ...(nextDates === true ? [new Copies(memory, "series", matches, byNextDate(memory, filter.now))] : []),
  ];
  return groups.length === 0 ? null : (row) => groups.some((group) => group.isCopy(row));
}

const NO_ROWS = new Uint32Array(0);

/** Holds a question worked out as far as it concerns single rows. */
interface Asked {
  filter: RowFilter;
  vector: Int8Array | null;
  byWords: WordScores | null;
  /** See `coverageFactors`. */
  factors: Float64Array;
  /** Below this cosine meaning does not support a post. */
  floor: number;
  /** Every row that passes matches. */
  all: boolean;
  /** True when phrases are asked for: meaning alone supports nothing. */
  required: boolean;
  /** @param cosine  NaN where there is none */
  supports(score: number, cosine: number): boolean;
  /** True for any row that answers the question. */
  matches(row: number): boolean;
  /** False when no match stands for another. */
  hasCopies: boolean;
  /** True when another match stands for this one. */
  isCopy(row: number): boolean;
}

/** True when neither phrases nor excluded words are asked for. */
const isOpen = ({ needed, barred }: WordScores) => needed === null && barred === null;

/** True for rows with every phrase asked for and nothing excluded. */
function isFree(byWords: WordScores | null, row: number): boolean {
  if (byWords === null) return true;
  return (
    (byWords.needed === null || byWords.needed[row] === 1) &&
    (byWords.barred === null || byWords.barred[row] === 0)
  );
}
