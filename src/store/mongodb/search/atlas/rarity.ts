import { LRUCache } from "lru-cache";
import { coverageWeight } from "../../../../search/fuse.ts";
import type { AtlasQueries } from "./queries.ts";
import { clauseOfWord } from "./words.ts";

/** How long a count of posts is good enough: weights are its logarithm. */
const COUNT_MS = 60_000;
const COUNTS_MAX = 10_000;

/** How rare the words of queries are, as mongot counts. */
export class Rarity {
  readonly #queries: AtlasQueries;
  /** Posts with a word; those of all posts under the empty word. */
  readonly #counts = new LRUCache<string, number>({ max: COUNTS_MAX, ttl: COUNT_MS });

  constructor(queries: AtlasQueries) {
    this.#queries = queries;
  }

  /** @returns the share of a query that each of its words makes up, and whether any post has one of them */
  async of(words: readonly string[]): Promise<{ shares: number[]; known: boolean }> {
    if (words.length === 0) return { shares: [], known: false };
    const [posts = 0, ...counts] = await Promise.all(["", ...words].map((word) => this.count(word)));
    const weights = counts.map((count) => coverageWeight(count, posts));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return { shares: weights.map((weight) => weight / total), known: counts.some((count) => count > 0) };
  }

  /** How many active posts have a word. */
  async count(word: string): Promise<number> {
    const known = this.#counts.get(word);
    if (known !== undefined) return known;
    const active = { equals: { path: "state", value: "active" } };
    const must = word === "" ? {} : { must: [clauseOfWord(word)] };
    const count = await this.#queries.count({ ...must, filter: [active] });
    this.#counts.set(word, count);
    return count;
  }
}
