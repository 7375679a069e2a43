import type { WordQuery } from "../../schema/filter.ts";
import { coverageWeight } from "../../search/fuse.ts";
import { comparableWords } from "../../search/tokens.ts";
import { NAME } from "../memory/hash.ts";
import type { PostMemory } from "../memory/index.ts";
import type { WordSums } from "../memory/row-lists.ts";
import type { Phrases } from "../words/phrases.ts";
import type { Stems } from "../words/stems.ts";

/** What the words of a query say of each row. */
export interface WordArm {
  /** BM25 of each row, 0 where no word occurs. */
  scores: Float32Array;
  /** Share of the query that stands in each row; see `WordMatch`. */
  coverage: Float32Array;
  /** Rows with a score, each once. */
  matched: Uint32Array;
  /** Room for a number a row: zeros. */
  spare: Float32Array;
  /** False when no post has any of the words, whatever the filters. */
  known: boolean;
  /** Rows that have all phrases; null when none is asked for. */
  needed: Uint8Array | null;
  /** Rows that have something excluded. */
  barred: Uint8Array | null;
}

/** Scores rows by words: single ones by their lists, what only FTS5 can tell by FTS5. The scores of both add up. */
export class WordScorer {
  readonly #stems: Stems;
  readonly #phrases: Phrases;
  /** Numbers a row in each of what follows; kept between questions. */
  #room = 0;
  #scores = new Float32Array(0);
  #coverage = new Float32Array(0);
  #spare = new Float32Array(0);
  #matched = new Uint32Array(0);
  #within = new Uint8Array(0);

  constructor(stems: Stems, phrases: Phrases) {
    this.#stems = stems;
    this.#phrases = phrases;
  }

  /**
   * @param among  only these rows need a score; null means all
   * @returns scores that hold until the next call
   */
  score(memory: PostMemory, words: WordQuery, among: Uint32Array | null): WordArm {
    const sums = this.#sums(memory.rows.size, among);
    const asked = this.#asked(memory, [...words.any, ...words.phrases.flat()]);
    const { live } = memory.rows;
    const total = asked.reduce((sum, { count }) => sum + coverageWeight(count, live), 0);
    const lengths = memory.rows.length.view;
    const meanLength = memory.rows.words / Math.max(1, live);
    for (const { times, count, name, found } of asked) {
      if (count === 0) continue;
      const share = coverageWeight(count, live) / total;
      const factor = times * rarity(count, live);
      if (found !== null) for (const [row, score] of found) add(sums, row, times * score, share);
      else if (factor > times * SCORE_MIN)
        memory.lists.score(name, { factor, share }, { lengths, meanLength }, sums);
      else memory.lists.each(name, (row) => add(sums, row, factor, share));
    }
    const known = asked.length === 0 || asked.some(({ count }) => count > 0);
    const phrases = words.phrases.map((phrase) => phrase.join(" "));
    const needed = phrases.length === 0 ? null : this.#needed(memory, sums, phrases);
    return {
      scores: sums.scores,
      coverage: sums.coverage,
      matched: sums.matched.subarray(0, sums.count),
      spare: this.#spare,
      known,
      needed,
      barred: this.#barred(memory, words.excluded),
    };
  }

  /** Sums for that many rows, all zero. */
  #sums(rows: number, among: Uint32Array | null): WordSums {
    if (this.#room < rows) {
      this.#room = Math.ceil(rows * 1.25);
      this.#scores = new Float32Array(this.#room);
      this.#coverage = new Float32Array(this.#room);
      this.#spare = new Float32Array(this.#room);
      this.#matched = new Uint32Array(this.#room);
      this.#within = new Uint8Array(this.#room);
    }
    this.#scores.fill(0, 0, rows);
    this.#coverage.fill(0, 0, rows);
    this.#spare.fill(0, 0, rows);
    if (among !== null) {
      this.#within.fill(0, 0, rows);
      for (const row of among) this.#within[row] = 1;
    }
    return {
      scores: this.#scores,
      coverage: this.#coverage,
      matched: this.#matched,
      count: 0,
      within: among === null ? null : this.#within,
    };
  }

  /** Adds the scores of phrases; gives the rows that have all of them. */
  #needed(memory: PostMemory, sums: WordSums, phrases: string[]): Uint8Array {
    const member = new Uint8Array(memory.rows.size);
    for (const [row, score] of this.#foundBy(memory, phrases)) {
      member[row] = 1;
      add(sums, row, score, 0);
    }
    return member;
  }

  /** Rows with all of some phrases, with their scores. */
  #foundBy(memory: PostMemory, phrases: string[]): [row: number, score: number][] {
    return this.#phrases.scores(phrases).flatMap(([seq, score]) => {
      const row = memory.rows.rowOfSeq(seq);
      return row < 0 ? [] : [[row, Math.max(score, SCORE_MIN)]];
    });
  }

  /** The words of a query: those of one stem by their lists, others by FTS5. */
  #asked(memory: PostMemory, words: readonly string[]): AskedWord[] {
    const { stems, torn } = this.#split(words);
    const single = [...stems].map(([stem, times]) => {
      const name = memory.names.find(NAME.word, stem);
      return { times, name, count: name < 0 ? 0 : memory.liveCount(name), found: null };
    });
    const several = [...torn].map(([word, times]) => {
      const found = this.#foundBy(memory, [word]);
      return { times, name: -1, count: found.length, found };
    });
    return [...single, ...several];
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
      for (const seq of this.#phrases.found(phrases)) {
        const row = memory.rows.rowOfSeq(seq);
        if (row >= 0) barred[row] = 1;
      }
    }
    return barred;
  }

  /** The stems of words with how often each is asked for; words of several stems or none are left to FTS5. */
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

function add(sums: WordSums, row: number, score: number, share: number): void {
  const before = sums.scores[row] ?? 0;
  if (before === 0) {
    sums.matched[sums.count] = row;
    sums.count += 1;
  }
  sums.scores[row] = before + score;
  sums.coverage[row] = (sums.coverage[row] ?? 0) + share;
}

interface AskedWord {
  /** How often it is asked for. */
  times: number;
  /** Number of its list; below 0 when it has none. */
  name: number;
  /** Posts with it. */
  count: number;
  /** Rows with their scores where FTS5 answered. */
  found: [row: number, score: number][] | null;
}

/** A word in more than half of all posts still counts a little, as it does in FTS5: alike wherever it stands. */
const SCORE_MIN = 1e-6;

/** Inverse document frequency as FTS5 computes it. */
function rarity(count: number, posts: number): number {
  return Math.max(SCORE_MIN, Math.log((posts - count + 0.5) / (count + 0.5)));
}
