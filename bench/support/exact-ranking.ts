import { DatabaseSync } from "../../src/platform/sqlite.ts";
import type { Question } from "../../src/ports/search-index.ts";
import { indexedTextOf } from "../../src/search/index/indexed-post.ts";
import {
  coverageFactors,
  coverageWeight,
  FEEDBACK,
  feedback,
  fuse,
  UNKNOWN_WORDS_MARGIN,
} from "../../src/search/ranking/rank.ts";
import { cosineOf } from "../../src/search/ranking/vectors.ts";
import { termsOf } from "../../src/search/standing/terms.ts";
import { indexable } from "../../src/search/text/tokens.ts";
import type { IndexedPost } from "./index-under-test.ts";

/** FTS5 counts no word for less. */
const SCORE_MIN = 1e-6;

export interface Scored {
  id: string;
  score: number;
}

/**
 * Ranks every post for a question, with no index and no candidates: BM25 by an FTS5 table of its own in memory, cosines
 * one by one. What the board finds is held against it, here and in the tests of the index.
 */
export class ExactRanking {
  readonly #posts: { id: string; vector: Int8Array | null }[] = [];
  readonly #database = new DatabaseSync(":memory:");
  readonly #scores;

  constructor(posts: Iterable<IndexedPost>) {
    this.#database.exec(
      `CREATE VIRTUAL TABLE words USING fts5(
         title, body, more, tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
       ); BEGIN`,
    );
    const add = this.#database.prepare("INSERT INTO words (rowid, title, body, more) VALUES (?, ?, ?, ?)");
    for (const { entry, vector } of posts) {
      const { title, body, more } = indexedTextOf(entry);
      add.run(this.#posts.length, title, body, more);
      this.#posts.push({ id: entry.id, vector });
    }
    this.#database.exec("COMMIT");
    this.#scores = this.#database.prepare(
      "SELECT rowid, -bm25(words, 2.0, 1.0, 1.5) FROM words WHERE words MATCH ?",
    );
    this.#scores.setReturnArrays(true);
  }

  /**
   * @param question.words  of words that compounds do not hold
   * @param passes  stands for the question's filter
   * @param options.rerank  scores every post once more, by the query moved towards the best
   * @returns every post that words or meaning support, best first, equal scores by id
   */
  rank(
    { words, vector, minCosine, margin = UNKNOWN_WORDS_MARGIN }: Question,
    fits: (at: number) => boolean,
    { rerank }: { rerank: boolean },
  ): Scored[] {
    const asked = this.#asked(words);
    const phrases = (words?.phrases ?? []).map((phrase) => phrase.join(" "));
    const needed = phrases.map((phrase) => this.#with(phrase));
    const barred = (words?.excluded ?? []).map((phrase) => this.#with(phrase.join(" ")));
    const passes = (at: number) =>
      fits(at) && needed.every((having) => having.has(at)) && !barred.some((having) => having.has(at));
    const found = this.#sums([...asked, ...phrases]);
    const byWords = new Map([...found].filter(([at]) => passes(at)));
    let best = 0;
    for (const bm25 of byWords.values()) best = Math.max(best, bm25);
    const coverage = this.#coverage(asked);
    const factors = coverageFactors(words);
    const fused = (at: number, cosine: number | null) =>
      fuse(cosine, { words: byWords.get(at) ?? 0, coverage: coverage.get(at) ?? 0 }, best, factors);
    // A word that stands in any post, whatever the filter, is known.
    const known = asked.length === 0 || found.size > 0;
    const floor = phrases.length > 0 ? Number.POSITIVE_INFINITY : known ? minCosine : minCosine + margin;
    const supported: { at: number; id: string; score: number }[] = [];
    for (const [at, { id }] of this.#posts.entries()) {
      if (!passes(at)) continue;
      const cosine = this.#cosine(vector, at);
      const bm25 = byWords.get(at) ?? 0;
      if (bm25 > 0 || (cosine !== null && cosine >= floor))
        supported.push({ at, id, score: fused(at, cosine) });
    }
    sort(supported);
    if (rerank && vector !== null) {
      const best = supported.slice(0, FEEDBACK.posts).map(({ at }) => this.#posts[at]?.vector ?? null);
      const moved = feedback(
        vector,
        best.filter((one) => one !== null),
      );
      for (const one of supported) one.score = fused(one.at, this.#cosine(moved, one.at));
      sort(supported);
    }
    return supported.map(({ id, score }) => ({ id, score }));
  }

  close(): void {
    this.#database.close();
  }

  /** Lists the words of a query, and their other spellings (boundary-layer, boundarylayer) where a post has them. */
  #asked(words: Question["words"]): string[] {
    const [any, respelt] = [words?.any ?? [], words?.respelt ?? []];
    const others = respelt.filter((word) => !any.includes(word) && this.#with(word).size > 0);
    return [...any, ...(words?.phrases.flat() ?? []), ...others];
  }

  /** Sums what words and phrases count in each post. One in more than half of all posts counts the same in each. */
  #sums(all: readonly string[]): Map<number, number> {
    const sums = new Map<number, number>();
    for (const found of all.map((one) => this.#with(one))) {
      const isFlat = found.size * 2 >= this.#posts.length;
      for (const [at, score] of found) sums.set(at, (sums.get(at) ?? 0) + (isFlat ? SCORE_MIN : score));
    }
    return sums;
  }

  /** Takes BM25 of the posts that have a word or phrase. */
  #with(one: string): Map<number, number> {
    return new Map(this.#scores.all(`"${indexable(one)}"`) as unknown as [number, number][]);
  }

  /** Takes the share of the query in each post: how rare each of its words is, those of one stem once. */
  #coverage(words: readonly string[]): Map<number, number> {
    const byStem = new Map(words.map((word) => [termsOf(word), word]));
    const found = [...byStem.values()].map((word) => this.#with(word));
    const weights = found.map(({ size }) => coverageWeight(size, this.#posts.length));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const coverage = new Map<number, number>();
    for (const [i, rows] of found.entries()) {
      for (const at of rows.keys()) coverage.set(at, (coverage.get(at) ?? 0) + (weights[i] ?? 0) / total);
    }
    return coverage;
  }

  #cosine(vector: Int8Array | null, at: number): number | null {
    const own = this.#posts[at]?.vector ?? null;
    return vector === null || own === null ? null : cosineOf(vector, own);
  }
}

function sort(scored: Scored[]): void {
  scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** The share of the first `depth` of the exact ranking that stands among the first `depth` found. 1 when it is empty. */
export function recallAt(depth: number, found: readonly string[], exact: readonly Scored[]): number {
  const top = new Set(found.slice(0, depth));
  const wanted = exact.slice(0, depth);
  return wanted.length === 0 ? 1 : wanted.filter(({ id }) => top.has(id)).length / wanted.length;
}
