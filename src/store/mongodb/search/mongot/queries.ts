import { Binary, type Collection, type Document } from "mongodb";
import type { PostFilter } from "../../../../schema/filter.ts";
import type { PostDocument } from "../../schema/documents.ts";
import { MEANING_INDEX, WORDS_INDEX } from "./definitions.ts";
import { findConditionsOf } from "./filters.ts";

/** Upper bound of MongoDB's search stages. */
export const CANDIDATES_MAX = 10_000;
/** A query that takes longer fails, and the replica answers instead. */
export const MAX_TIME_MS = 2_000;
/** Neighbours considered for each result: MongoDB's own advice, and what long lists need for the same recall. */
const CANDIDATES_PER_RESULT = 20;
const CANDIDATES_PER_RESULT_OF_MANY = 3;
/** From this many results on, the list is long. */
const MANY = 100;
/** Posts read by id at once. */
const READ_AT_ONCE = 1_000;

export interface Scored {
  id: string;
  score: number;
}

/** A post that the index of words found, with the times that lists are ordered by. */
export interface Found extends Scored {
  createdAt: number;
  windowStart: number;
}

/** A candidate that still passes the filter, as the collection holds it now. */
export interface Checked {
  createdAt: number;
  windowStart: number;
  vector: Int8Array | null;
}

/** The queries that make up a search. */
export class MongotQueries {
  readonly #posts: Collection<PostDocument>;
  readonly #run: <T>(ask: () => Promise<T>) => Promise<T>;
  readonly #modelId: string | null;
  readonly #storesFields: () => boolean;

  /**
   * @param options.run  see `MongodbConnection.run`
   * @param options.storesFields  whether the index of words gives the times itself
   * @param options.modelId  vectors of other models count as none
   */
  constructor(options: {
    posts: Collection<PostDocument>;
    run: <T>(ask: () => Promise<T>) => Promise<T>;
    modelId: string | null;
    storesFields: () => boolean;
  }) {
    this.#storesFields = options.storesFields;
    this.#posts = options.posts;
    this.#run = options.run;
    this.#modelId = options.modelId;
  }

  /**
   * Posts that `compound` finds, in the order of `sort`, or best first, equal ones by id.
   * @returns `total` is exact up to 10,000
   */
  async words(
    compound: Document,
    options: { limit: number; sort?: Document },
  ): Promise<{ found: Found[]; total: number }> {
    const sort = options.sort ?? { score: { $meta: "searchScore" }, _id: 1 };
    const rows = await this.#aggregate([
      {
        $search: {
          index: WORDS_INDEX,
          compound,
          sort,
          ...(this.#storesFields() ? { returnStoredSource: true } : {}),
          count: { type: "lowerBound", threshold: CANDIDATES_MAX },
        },
      },
      { $limit: options.limit },
      {
        $project: {
          score: { $meta: "searchScore" },
          total: "$$SEARCH_META.count.lowerBound",
          created_at: 1,
          win_start: 1,
        },
      },
    ]);
    return {
      found: rows.map(({ _id, score, created_at, win_start }) => ({
        id: _id,
        score,
        createdAt: created_at.getTime(),
        windowStart: win_start.getTime(),
      })),
      total: Number(rows[0]?.["total"] ?? 0),
    };
  }

  /** How many posts `compound` finds. */
  async count(compound: Document): Promise<number> {
    const stage = { index: WORDS_INDEX, compound, count: { type: "total" } };
    const [row] = await this.#aggregate([{ $searchMeta: stage }]);
    return Number(row?.["count"]?.["total"] ?? 0);
  }

  /** The posts nearest to a vector, nearest first, with their cosines. */
  async meaning(vector: Int8Array, conditions: readonly Document[], limit: number): Promise<Scored[]> {
    const rows = await this.#aggregate([
      {
        $vectorSearch: {
          index: MEANING_INDEX,
          path: "vec",
          queryVector: Binary.fromInt8Array(vector),
          numCandidates: Math.min(
            CANDIDATES_MAX,
            Math.max(CANDIDATES_PER_RESULT * Math.min(limit, MANY), CANDIDATES_PER_RESULT_OF_MANY * limit),
          ),
          limit,
          filter: { $and: [...conditions, { vec_model: this.#modelId }] },
        },
      },
      { $project: { score: { $meta: "vectorSearchScore" } } },
    ]);
    // The server gives (1 + cosine) / 2.
    return rows.map(({ _id, score }) => ({ id: _id, score: 2 * score - 1 }));
  }

  /** Those of the posts that pass the filter now: the indexes lag behind and lack `datedOnly` and our distances. */
  async checked(
    ids: readonly string[],
    filter: PostFilter,
    withVectors: boolean,
  ): Promise<Map<string, Checked>> {
    const projection = { created_at: 1, win_start: 1, ...(withVectors ? VECTOR : {}) };
    const posts = await this.#read(ids, findConditionsOf(filter), projection);
    return new Map(
      posts.map((post) => [
        post._id,
        {
          createdAt: post.created_at.getTime(),
          windowStart: post.win_start.getTime(),
          vector: this.#vectorOf(post),
        },
      ]),
    );
  }

  /** Vectors of active posts. */
  async vectors(ids: readonly string[]): Promise<Map<string, Int8Array>> {
    const posts = await this.#read(ids, [{ state: "active" }], VECTOR);
    return new Map(
      posts.flatMap((post) => {
        const vector = this.#vectorOf(post);
        return vector === null ? [] : [[post._id, vector] as const];
      }),
    );
  }

  /** All words of active posts, a text for each. */
  async texts(ids: readonly string[]): Promise<string[]> {
    const projection = { title: 1, body: 1, tags: 1, "place.name": 1 };
    const posts = await this.#read(ids, [{ state: "active" }], projection);
    return posts.map(({ title, body, tags, place }) =>
      [title, body, ...(tags ?? []), place?.name ?? ""].join(" "),
    );
  }

  #vectorOf({ vec, vec_model }: PostDocument): Int8Array | null {
    return vec === undefined || vec_model !== this.#modelId ? null : vec.toInt8Array();
  }

  async #read(ids: readonly string[], conditions: Document[], projection: Document): Promise<PostDocument[]> {
    const pages: Promise<PostDocument[]>[] = [];
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const some = ids.slice(at, at + READ_AT_ONCE);
      const filter = { $and: [{ _id: { $in: some } }, ...conditions] };
      pages.push(this.#run(() => this.#posts.find(filter, { projection, ...BY_ID }).toArray()));
    }
    return (await Promise.all(pages)).flat();
  }

  #aggregate(pipeline: Document[]): Promise<Document[]> {
    // Search stages refuse any other read concern.
    const options = { maxTimeMS: MAX_TIME_MS, readConcern: { level: "local" } } as const;
    return this.#run(() => this.#posts.aggregate(pipeline, options).toArray());
  }
}

const VECTOR = { vec: 1, vec_model: 1 };
/** Conditions beside the ids would make the server consider other indexes. */
const BY_ID = { hint: { _id: 1 }, maxTimeMS: MAX_TIME_MS } as const;
