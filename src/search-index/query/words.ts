import type { WordQuery } from "../../schema/filter.ts";
import { comparableWords } from "../../search/tokens.ts";
import { NAME } from "../memory/hash.ts";
import type { PostMemory } from "../memory/index.ts";
import type { Phrases } from "../words/phrases.ts";
import type { Stems } from "../words/stems.ts";

/** What the words of a query say of each row. */
export interface WordArm {
  /** BM25 of each row, 0 where no word occurs. */
  scores: Float32Array;
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
  /** Kept between questions; zero outside of them. */
  #scores = new Float32Array(1024);

  constructor(stems: Stems, phrases: Phrases) {
    this.#stems = stems;
    this.#phrases = phrases;
  }

  /** @returns scores that hold until the next call */
  score(memory: PostMemory, words: WordQuery): WordArm {
    const { size } = memory.rows;
    if (this.#scores.length < size) this.#scores = new Float32Array(Math.ceil(size * 1.25));
    const scores = this.#scores.fill(0, 0, size);
    const asked = [...new Set([...words.any, ...words.phrases.flat()])];
    const { stems, torn } = this.#split(asked);
    let known = asked.length === 0;
    const meanLength = memory.rows.words / Math.max(1, memory.rows.live);
    for (const [stem, times] of stems) {
      const name = memory.names.find(NAME.word, stem);
      const count = name < 0 ? 0 : memory.liveCount(name);
      if (count === 0) continue;
      known = true;
      const factor = times * rarity(count, memory.rows.live);
      if (factor > times * SCORE_MIN) {
        memory.lists.score(name, factor, memory.rows.length.view, meanLength, scores);
      } else {
        memory.lists.each(name, (row) => {
          scores[row] = (scores[row] ?? 0) + factor;
        });
      }
    }
    if (torn.length > 0 && this.#add(memory, scores, torn, "any") !== null) known = true;
    const phrases = words.phrases.map((phrase) => phrase.join(" "));
    const needed =
      phrases.length === 0 ? null : (this.#add(memory, scores, phrases, "all") ?? new Uint8Array(size));
    return { scores, known, needed, barred: this.#barred(memory, words.excluded) };
  }

  /** Adds the scores of phrases; gives the rows that have them, or null when none has. */
  #add(memory: PostMemory, scores: Float32Array, phrases: string[], which: "any" | "all"): Uint8Array | null {
    const found = this.#phrases.scores(phrases, which);
    if (found.length === 0) return null;
    const member = new Uint8Array(memory.rows.size);
    for (const [seq, score] of found) {
      const row = memory.rows.rowOfSeq(seq);
      if (row < 0) continue;
      member[row] = 1;
      scores[row] = (scores[row] ?? 0) + Math.max(score, SCORE_MIN);
    }
    return member;
  }

  #barred(memory: PostMemory, excluded: WordQuery["excluded"]): Uint8Array | null {
    if (excluded.length === 0) return null;
    const barred = new Uint8Array(memory.rows.size);
    const phrases: string[] = [];
    for (const words of excluded) {
      const { stems, torn } = this.#split(words);
      const [stem] = stems.keys();
      if (words.length > 1 || torn.length > 0) phrases.push(words.join(" "));
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
  #split(words: readonly string[]): { stems: Map<string, number>; torn: string[] } {
    const stems = new Map<string, number>();
    const torn: string[] = [];
    for (const word of words) {
      const all = comparableWords(word).flatMap((part) => this.#stems.of(part));
      const [stem] = all;
      if (stem === undefined || all.length > 1) torn.push(word);
      else stems.set(stem, (stems.get(stem) ?? 0) + 1);
    }
    return { stems, torn };
  }
}

/** A word in more than half of all posts still counts a little, as it does in FTS5: alike wherever it stands. */
const SCORE_MIN = 1e-6;

/** Inverse document frequency as FTS5 computes it. */
function rarity(count: number, posts: number): number {
  return Math.max(SCORE_MIN, Math.log((posts - count + 0.5) / (count + 0.5)));
}
