import { LRUCache } from "lru-cache";
import type { Document } from "mongodb";
import type { WordQuery } from "../../../../schema/filter.ts";
import { coverageWeight } from "../../../../search/fuse.ts";
import { clauseOfWord, distinctWords } from "./words.ts";

/** Words told apart by one score: a float holds 24 bits. */
const WORDS_AT_ONCE = 24;
/** How long a count of posts is good enough: weights are its logarithm. */
const COUNT_MS = 60_000;
const COUNTS_MAX = 10_000;

/** What coverage needs of mongot. */
interface Asked {
  words(compound: Document, options: { limit: number }): Promise<{ found: { id: string; score: number }[] }>;
  count(compound: Document): Promise<number>;
}

/** Which share of a query stands in posts that mongot found; see `WordMatch.coverage`. */
export class Coverage {
  readonly #queries: Asked;
  /** Posts with a word; those of all posts under the empty word. */
  readonly #counts = new LRUCache<string, number>({ max: COUNTS_MAX, ttl: COUNT_MS });

  constructor(queries: Asked) {
    this.#queries = queries;
  }

  /** @returns posts without any of the words are left out */
  async of(words: WordQuery | null, ids: readonly string[]): Promise<Map<string, number>> {
    const asked = words === null ? [] : distinctWords(words);
    const coverage = new Map<string, number>();
    if (asked.length === 0 || ids.length === 0) return coverage;
    const [posts, ...counts] = await Promise.all(["", ...asked].map((word) => this.#count(word)));
    const weights = counts.map((count) => coverageWeight(count, posts ?? 0));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (let start = 0; start < asked.length; start += WORDS_AT_ONCE) {
      const some = asked.slice(start, start + WORDS_AT_ONCE);
      for (const { id, score } of await this.#masks(some, ids)) {
        const share = some.reduce(
          (sum, _, bit) => sum + ((score >> bit) & 1 ? (weights[start + bit] ?? 0) / total : 0),
          coverage.get(id) ?? 0,
        );
        coverage.set(id, share);
      }
    }
    return coverage;
  }

  /** Posts with the words they have as bits of their score. */
  async #masks(words: readonly string[], ids: readonly string[]) {
    const should = words.map((word, bit) => clauseOfWord(word, { constant: { value: 2 ** bit } }));
    const filter = [{ in: { path: "_id", value: [...ids] } }];
    const compound = { should, minimumShouldMatch: 1, filter };
    return (await this.#queries.words(compound, { limit: ids.length })).found;
  }

  async #count(word: string): Promise<number> {
    const known = this.#counts.get(word);
    if (known !== undefined) return known;
    const active = { equals: { path: "state", value: "active" } };
    const must = word === "" ? {} : { must: [clauseOfWord(word)] };
    const count = await this.#queries.count({ ...must, filter: [active] });
    this.#counts.set(word, count);
    return count;
  }
}
