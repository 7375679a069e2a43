import { LRUCache } from "lru-cache";
import { Binary, type Document, type FindOptions } from "mongodb";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import { coverageWeight } from "../../../../search/ranking/rank.ts";
import type { PostDocument } from "../../database/schema/documents.ts";
import { MEANING_INDEX, WORDS_INDEX } from "./definitions.ts";
import type { SearchedStore, SearchIndexes } from "./indexes.ts";
import { clauseOfWord } from "./words.ts";

/** MongoDB's search stages allow no more. */
export const CANDIDATES_MAX = 10_000;
/** A query that takes longer fails. */
export const MAX_TIME_MS = 2_000;
/** This many neighbours are considered: MongoDB's own advice for a page, and what long lists need for the same recall. */
const CONSIDERED_MIN = 2_000;
const CONSIDERED_PER_RESULT = 3;

/** These tell the series of a post, and which of its dates is the next. */
export const DATED = {
  ...{ publisher_id: 1, title: 1, link: 1, source_url: 1, place: 1 },
  ...{ starts_at: 1, parent_id: 1, win_start: 1, win_end: 1 },
} as const;

const READ = {
  ...DATED,
  body: 1,
  tags: 1,
  vec: 1,
  vec_model: 1,
  created_at: 1,
  source: 1,
  syndicated: 1,
} as const;

export type FoundPost = Pick<PostDocument, "_id" | keyof typeof READ>;

/** A count of posts is good enough for this long: weights are its logarithm. */
const COUNT_MS = 60_000;
const COUNTS_MAX = 10_000;

/** Asks the single questions that make up a search: those to mongot, and those to the collection. */
export class AtlasQueries {
  readonly #store: SearchedStore;
  readonly #indexes: SearchIndexes;
  readonly #modelId: string | null;
  /** Counts posts with a word; those of all posts under the empty word. */
  readonly #counts = new LRUCache<string, number>({ max: COUNTS_MAX, ttl: COUNT_MS });

  /** @param modelId  vectors of other models count as none */
  constructor(store: SearchedStore, indexes: SearchIndexes, modelId: string | null) {
    this.#store = store;
    this.#indexes = indexes;
    this.#modelId = modelId;
  }

  /** Scores the posts that `compound` finds, the best, or the first in the order of `sort`. */
  async words(
    compound: Document,
    { limit, sort }: { limit: number; sort?: Document | undefined },
  ): Promise<{ scores: Map<string, number>; total: number }> {
    const rows = await this.#aggregate([
      {
        $search: {
          index: WORDS_INDEX,
          compound,
          sort: sort ?? { score: { $meta: "searchScore" }, _id: 1 },
          count: { type: "lowerBound", threshold: CANDIDATES_MAX },
        },
      },
      { $limit: limit },
      { $project: { score: { $meta: "searchScore" }, total: "$$SEARCH_META.count.lowerBound" } },
    ]);
    const scores = new Map(rows.map((row) => [String(row["_id"]), Number(row["score"])]));
    return { scores, total: Number(rows[0]?.["total"] ?? 0) };
  }

  /** @returns the share of a query that each of its words makes up by its rarity, and whether any post has one of them */
  async rarity(words: readonly string[]): Promise<{ shares: number[]; known: boolean }> {
    if (words.length === 0) return { shares: [], known: false };
    const [posts = 0, ...counts] = await Promise.all(["", ...words].map((word) => this.count(word)));
    const weights = counts.map((count) => coverageWeight(count, posts));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return { shares: weights.map((weight) => weight / total), known: counts.some((count) => count > 0) };
  }

  async count(word: string): Promise<number> {
    const known = this.#counts.get(word);
    if (known !== undefined) return known;
    const active = { equals: { path: "state", value: "active" } };
    const compound = { must: word === "" ? [] : [clauseOfWord(word)], filter: [active] };
    const stage = { index: WORDS_INDEX, compound, count: { type: "total" } };
    const [row] = await this.#aggregate([{ $searchMeta: stage }]);
    const count = Number(row?.["count"]?.["total"] ?? 0);
    this.#counts.set(word, count);
    return count;
  }

  /** Finds ids of the posts nearest to a vector; approximate. */
  async neighbours(vector: Int8Array, conditions: readonly Document[], limit: number): Promise<string[]> {
    const considered = Math.max(CONSIDERED_MIN, CONSIDERED_PER_RESULT * limit);
    const stage = {
      index: MEANING_INDEX,
      path: "vec",
      queryVector: Binary.fromInt8Array(vector),
      numCandidates: Math.min(CANDIDATES_MAX, considered),
      limit,
      filter: { $and: [...conditions, { vec_model: this.#modelId }] },
    };
    const rows = await this.#aggregate([{ $vectorSearch: stage }, { $project: { _id: 1 } }]);
    return rows.map((row) => String(row["_id"]));
  }

  /** Reads posts of the collection as they are now, at most `limit`, those that changed last first. */
  latest(conditions: readonly Document[], limit: number): Promise<FoundPost[]> {
    return this.found(conditions, { projection: READ, sort: { updated_at: -1 }, limit });
  }

  /** Reads those of some posts that meet the conditions now. */
  async posts(
    ids: readonly string[],
    conditions: readonly Document[],
    projection: Document = READ,
  ): Promise<FoundPost[]> {
    if (ids.length === 0) return [];
    // Conditions beside the ids would make the server consider other indexes.
    return this.found([{ _id: { $in: [...ids] } }, ...conditions], { projection, hint: { _id: 1 } });
  }

  /** Reads a post's vector; null where it has none of the model. */
  vectorOf({ vec, vec_model }: Pick<FoundPost, "vec" | "vec_model">): Int8Array | null {
    return vec === undefined || vec_model !== this.#modelId ? null : vec.toInt8Array();
  }

  /** Reads the posts of the collection that meet the conditions now. */
  found(conditions: readonly Document[], options: FindOptions): Promise<FoundPost[]> {
    const { connection, collections } = this.#store;
    const filter = { $and: [...conditions] };
    return connection.run(() =>
      collections.posts.find(filter, { ...options, maxTimeMS: MAX_TIME_MS }).toArray(),
    );
  }

  /** @throws StoreUnavailable also without an index: mongot then finds nothing, and reports no error */
  async #aggregate(pipeline: Document[]): Promise<Document[]> {
    const { connection, collections } = this.#store;
    if (this.#indexes.state !== "ready") throw new StoreUnavailable(AWAY);
    // Search stages refuse any other read concern.
    const options = { maxTimeMS: MAX_TIME_MS, readConcern: { level: "local" } } as const;
    try {
      return await connection.run(() => collections.posts.aggregate(pipeline, options).toArray());
    } catch (cause) {
      throw new StoreUnavailable(AWAY, { cause });
    }
  }
}

const AWAY = "the database's search does not answer";
