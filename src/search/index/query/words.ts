import type { WordQuery } from "../../../schema/filter.ts";
import { coverageWeight } from "../../ranking/rank.ts";
import { PART_WEIGHT, partTerm } from "../../text/compounds.ts";
import { comparableWords } from "../../text/tokens.ts";
import type { PostMemory } from "../memory/index.ts";
import { NAME } from "../memory/names.ts";
import type { Phrases } from "../words/phrases.ts";
import type { Stems } from "../words/stems.ts";

/** Tells what the words of a query say of rows. It holds until the next question. */
export interface WordScores {
  /** Rows with a score ascend. */
  rows: Uint32Array;
  /** Each row has its BM25, 0 where no word occurs. */
  scores: Float32Array;
  /** A row has this share of the query; see `WordMatch`. */
  coverage: Float32Array;
  /** False when no post has any of the words, whatever the filters. */
  known: boolean;
  /** These rows have all phrases; null when none is asked for. */
  needed: Uint8Array | null;
  /** These rows have something excluded. */
  barred: Uint8Array | null;
}

/** Scores rows by words: single ones by their lists, what only FTS5 can tell by FTS5. The scores of both add up. */
export class WordScorer {
  readonly #stems: Stems;
  readonly #phrases: Phrases;
  /** The sums are kept between questions. */
  readonly #sums = new WordSums();

  constructor(stems: Stems, phrases: Phrases) {
    this.#stems = stems;
    this.#phrases = phrases;
  }

  /** @param among  only these rows need a score; null means all */
  score(memory: PostMemory, words: WordQuery, among: Uint32Array | null): WordScores {
    const others = (words.respelt ?? []).filter((word) => !words.any.includes(word));
    const asked = [
      ...this.#asked(memory, [...words.any, ...words.phrases.flat()]),
      ...this.#asked(memory, others).filter(({ count }) => count > 0),
    ];
    const { live } = memory.rows;
    // A part of a compound stands for the whole word, which a post with the part has not.
    const total = asked.reduce(
      (sum, { count, isPart }) => sum + (isPart ? 0 : coverageWeight(count, live)),
      0,
    );
    const scored: (ListedWord | FoundRows)[] = asked
      .filter(({ count }) => count > 0)
      .map(({ times, count, name, found, weight }) => {
        const share = (weight * coverageWeight(count, live)) / total;
        const factor = weight * times * rarity(count, live);
        return found === null
          ? { name, factor, isFlat: factor <= times * SCORE_MIN, share }
          : { found: found.map(([row, score]) => [row, times * score] as const), share };
      });
    const phrases = words.phrases.map((phrase) => phrase.join(" "));
    const found = phrases.length === 0 ? null : this.#foundBy(memory, phrases);
    if (found !== null) scored.push({ found, share: 0 });
    const publishers = (words.publishers ?? []).map((id) => memory.names.find(NAME.publisher, id));
    for (const name of publishers.filter((number) => number >= 0)) {
      const factor = PART_WEIGHT * rarity(memory.liveCount(name), live);
      scored.push({ name, factor, isFlat: true, share: PART_WEIGHT });
    }
    const rows = this.#sums.sum(memory, scored, among);
    return {
      rows,
      scores: this.#sums.scores,
      coverage: this.#sums.coverage,
      known: asked.length === 0 || publishers.length > 0 || asked.some(({ count }) => count > 0),
      needed: found === null ? null : membersOf(found, memory.rows.size),
      barred: this.#barred(memory, words.excluded),
    };
  }

  /** Finds rows with all of some phrases, with their scores. */
  #foundBy(memory: PostMemory, phrases: string[]): [row: number, score: number][] {
    const found = this.#phrases.scores(memory, phrases);
    for (const one of found) one[1] = Math.max(one[1], SCORE_MIN);
    return found;
  }

  /** Reads the words of a query: those of one stem by their lists, others by FTS5. */
  #asked(memory: PostMemory, words: readonly string[]): AskedWord[] {
    const { stems, torn } = this.#split(words);
    const listed = (term: string, times: number, isPart: boolean): AskedWord => {
      const name = memory.names.find(NAME.word, term);
      const count = name < 0 ? 0 : memory.liveCount(name);
      return { times, name, count, found: null, weight: isPart ? PART_WEIGHT : 1, isPart };
    };
    const single = [...stems].map(([stem, times]) => listed(stem, times, false));
    const parts = words.flatMap((word) => comparableWords(word).flatMap((one) => partTerm(one) ?? []));
    const inCompounds = [...new Set(parts)].map((part) => listed(part, 1, true));
    const several = [...torn].map(([word, times]) => {
      const found = this.#foundBy(memory, [word]);
      return { times, name: -1, count: found.length, found, weight: 1, isPart: false };
    });
    return [...single, ...inCompounds.filter(({ count }) => count > 0), ...several];
  }

  #barred(memory: PostMemory, excluded: WordQuery["excluded"]): Uint8Array | null {
    if (excluded.length === 0) return null;
    const barred = new Uint8Array(memory.rows.size);
    const phrases: string[] = [];
    for (const words of excluded) {
      const { stems, torn } = this.#split(words);
      const [stem] = stems.keys();
      if (words.length > 1 || torn.size > 0) phrases.push(words.join(" "));
      else if (stem !== undefined) {
        const name = memory.names.find(NAME.word, stem);
        if (name < 0) continue;
        memory.lists.each(name, (row) => {
          barred[row] = 1;
        });
      }
    }
    if (phrases.length > 0) {
      for (const row of this.#phrases.found(memory, phrases)) barred[row] = 1;
    }
    return barred;
  }

  /** Gives the stems of words with how often each is asked for; words of several stems or none are left to FTS5. */
  #split(words: readonly string[]): { stems: Map<string, number>; torn: Map<string, number> } {
    const stems = new Map<string, number>();
    const torn = new Map<string, number>();
    for (const word of words) {
      const all = comparableWords(word).flatMap((part) => this.#stems.of(part));
      const [stem] = all;
      if (stem === undefined || all.length > 1) torn.set(word, (torn.get(word) ?? 0) + 1);
      else stems.set(stem, (stems.get(stem) ?? 0) + 1);
    }
    return { stems, torn };
  }
}

function membersOf(found: readonly (readonly [row: number, score: number])[], size: number): Uint8Array {
  const member = new Uint8Array(size);
  for (const [row] of found) member[row] = 1;
  return member;
}

interface AskedWord {
  times: number;
  /** The list has this number, below 0 when there is none. */
  name: number;
  /** This many posts have it. */
  count: number;
  /** These are rows with their scores, where FTS5 answered. */
  found: [row: number, score: number][] | null;
  /** Counts this much beside a whole word. */
  weight: number;
  /** True when the word is sought inside compounds. */
  isPart: boolean;
}

/** Takes BM25 (Robertson and Walker 1994) as FTS5 computes it: saturation of a word's count, and the share of a text's length. */
const K1 = 1.2;
const B = 0.75;

/** A word in more than half of all posts still counts a little, as it does in FTS5: the same for each post. */
const SCORE_MIN = 1e-6;

/** Takes the inverse document frequency as FTS5 computes it. */
function rarity(count: number, posts: number): number {
  return Math.max(SCORE_MIN, Math.log((posts - count + 0.5) / (count + 0.5)));
}

/** Such a word of a query has a list of rows. */
interface ListedWord {
  name: number;
  /** The word is so rare, times how often it was asked for. */
  factor: number;
  /** True for a word so common that only its presence counts. */
  isFlat: boolean;
  /** A word adds this share of the query to the coverage of each row. */
  share: number;
}

/** Holds rows that were found without a list, with their scores. */
interface FoundRows {
  found: readonly (readonly [row: number, score: number])[];
  share: number;
}

/** Adds up for each row what the words of a query count: BM25, and the share of the query that stands there. */
class WordSums {
  /** Scores stand by row. */
  scores = new Float32Array(0);
  coverage = new Float32Array(0);
  #found = new Uint32Array(0);

  /**
   * Replaces all sums.
   * @param among  only these rows are wanted, ascending; null means all
   * @returns rows with a score, ascending; they hold until the next call
   */
  sum(
    { rows, lists }: PostMemory,
    words: readonly (ListedWord | FoundRows)[],
    among: Uint32Array | null,
  ): Uint32Array {
    this.#clear(rows.size);
    const { scores, coverage } = this;
    const lengths = rows.length.view;
    const slope = (K1 * B) / (rows.words / Math.max(1, rows.live));
    const add = (row: number, score: number, share: number) => {
      scores[row] = (scores[row] ?? 0) + score;
      coverage[row] = (coverage[row] ?? 0) + share;
    };
    for (const word of words) {
      const { share } = word;
      if ("found" in word) {
        for (const [row, score] of word.found) add(row, score, share);
      } else if (word.isFlat) lists.each(word.name, (row) => add(row, word.factor, share));
      else {
        const scale = word.factor * (K1 + 1);
        lists.each(word.name, (row, weight) => {
          // A weight is twice the weighted count.
          const times = weight * 0.5;
          const divisor = times + K1 * (1 - B) + slope * (lengths[row] ?? 0);
          scores[row] = (scores[row] ?? 0) + (scale * times) / divisor;
          coverage[row] = (coverage[row] ?? 0) + share;
        });
      }
    }
    if (among !== null) return among.filter((row) => (scores[row] ?? 0) > 0);
    return this.#found.subarray(0, findScores(scores, rows.size, this.#found));
  }

  #clear(size: number): void {
    if (this.scores.length < size) {
      const room = Math.ceil(size * 1.25);
      this.scores = new Float32Array(room);
      this.coverage = new Float32Array(room);
      this.#found = new Uint32Array(room);
    } else {
      this.scores.fill(0, 0, size);
      this.coverage.fill(0, 0, size);
    }
  }
}

/** Writes the rows with a score to `out`, ascending. @returns how many they are */
function findScores(scores: Float32Array, size: number, out: Uint32Array): number {
  let count = 0;
  for (let row = 0; row < size; row += 1) {
    if ((scores[row] ?? 0) === 0) continue;
    out[count] = row;
    count += 1;
  }
  return count;
}
