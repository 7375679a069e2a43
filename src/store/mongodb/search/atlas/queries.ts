import { Binary, type Collection, type Document } from "mongodb";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import type { PostDocument } from "../../database/schema/documents.ts";
import { MEANING_INDEX, WORDS_INDEX } from "./definitions.ts";

/** Upper bound of MongoDB's search stages. */
export const CANDIDATES_MAX = 10_000;
/** A query that takes longer fails. */
export const MAX_TIME_MS = 2_000;
/** Neighbours considered: MongoDB's own advice for a page, and what long lists need for the same recall. */
const CONSIDERED_MIN = 2_000;
const CONSIDERED_PER_RESULT = 3;

const READ = {
  title: 1,
  body: 1,
  tags: 1,
  place: 1,
  vec: 1,
  vec_model: 1,
  created_at: 1,
  win_start: 1,
  source: 1,
  publisher_id: 1,
  syndicated: 1,
} as const;

/** What a search reads of a post. */
export type FoundPost = Pick<PostDocument, "_id" | keyof typeof READ>;

export type Run = <T>(ask: () => Promise<T>) => Promise<T>;

/** The single questions that make up a search: two to mongot, the rest to the collection. */
export class AtlasQueries {
  readonly #posts: Collection<PostDocument>;
  readonly #run: Run;
  readonly #modelId: string | null;
  readonly #isReady: () => boolean;

  /**
   * @param options.run  see `MongodbConnection.run`
   * @param options.modelId  vectors of other models count as none
   * @param options.isReady  whether mongot can be asked: without an index it finds nothing, and says no word
   */
  constructor(options: {
    posts: Collection<PostDocument>;
    run: Run;
    modelId: string | null;
    isReady: () => boolean;
  }) {
    this.#isReady = options.isReady;
    this.#posts = options.posts;
    this.#run = options.run;
    this.#modelId = options.modelId;
  }

  /**
   * Scores of the posts that `compound` finds, the best, or the first in the order of `sort`.
   * @returns `total` is exact up to 10,000
   */
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

  /** How many posts `compound` finds. */
  async count(compound: Document): Promise<number> {
    const stage = { index: WORDS_INDEX, compound, count: { type: "total" } };
    const [row] = await this.#aggregate([{ $searchMeta: stage }]);
    return Number(row?.["count"]?.["total"] ?? 0);
  }

  /** Ids of the posts nearest to a vector; approximate. */
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

  /** Posts of the collection as they are now, at most `limit`, those that changed last first. */
  latest(conditions: readonly Document[], limit: number): Promise<FoundPost[]> {
    const options = { projection: READ, sort: { updated_at: -1 }, limit, maxTimeMS: MAX_TIME_MS } as const;
    return this.#run(() => this.#posts.find({ $and: [...conditions] }, options).toArray());
  }

  /** Those of some posts that meet the conditions now. */
  async posts(
    ids: readonly string[],
    conditions: readonly Document[],
    projection: Document = READ,
  ): Promise<FoundPost[]> {
    if (ids.length === 0) return [];
    // Conditions beside the ids would make the server consider other indexes.
    const options = { projection, hint: { _id: 1 }, maxTimeMS: MAX_TIME_MS } as const;
    return this.#run(() =>
      this.#posts.find({ $and: [{ _id: { $in: [...ids] } }, ...conditions] }, options).toArray(),
    );
  }

  /** Null where a post has no vector of the model. */
  vectorOf({ vec, vec_model }: Pick<FoundPost, "vec" | "vec_model">): Int8Array | null {
    return vec === undefined || vec_model !== this.#modelId ? null : vec.toInt8Array();
  }

  /** @throws StoreUnavailable whenever mongot does not answer */
  async #aggregate(pipeline: Document[]): Promise<Document[]> {
    if (!this.#isReady()) throw new StoreUnavailable(AWAY);
    // Search stages refuse any other read concern.
    const options = { maxTimeMS: MAX_TIME_MS, readConcern: { level: "local" } } as const;
    try {
      return await this.#run(() => this.#posts.aggregate(pipeline, options).toArray());
    } catch (cause) {
      throw new StoreUnavailable(AWAY, { cause });
    }
  }
}

const AWAY = "the database's search does not answer";
