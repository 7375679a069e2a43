import { Binary, type Collection, type Document } from "mongodb";
import type { PostFilter } from "../../../../schema/filter.ts";
import type { PostDocument } from "../../database/schema/documents.ts";
import { MEANING_INDEX, STORED, WORDS_INDEX } from "./definitions.ts";
import type { Facts } from "./facts.ts";
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

/** A post that mongot found. `facts` are null where its index does not store all of them. */
export interface Found extends Scored {
  facts: Facts | null;
}

/** The queries that make up a search. */
export class MongotQueries {
  readonly #posts: Collection<PostDocument>;
  readonly #run: <T>(ask: () => Promise<T>) => Promise<T>;
  readonly #modelId: string | null;
  readonly #storesFacts: () => boolean;
  #asked = 0;

  /**
   * @param options.run  see `MongodbConnection.run`
   * @param options.storesFacts  whether the index of words gives the facts itself
   * @param options.modelId  vectors of other models count as none
   */
  constructor(options: {
    posts: Collection<PostDocument>;
    run: <T>(ask: () => Promise<T>) => Promise<T>;
    modelId: string | null;
    storesFacts: () => boolean;
  }) {
    this.#storesFacts = options.storesFacts;
    this.#posts = options.posts;
    this.#run = options.run;
    this.#modelId = options.modelId;
  }

  /** How many questions were put to mongot so far. */
  get asked(): number {
    return this.#asked;
  }

  /**
   * Posts that `compound` finds, in the order of `sort`, or best first, equal ones by id. Where the index stores the facts,
   * the server reads no document.
   * @returns `total` is exact up to 10,000
   */
  async words(
    compound: Document,
    options: { limit: number; sort?: Document; withVectors?: boolean },
  ): Promise<{ found: Found[]; total: number }> {
    const sort = options.sort ?? { score: { $meta: "searchScore" }, _id: 1 };
    const rows = await this.#aggregate([
      {
        $search: {
          index: WORDS_INDEX,
          compound,
          sort,
          ...(this.#storesFacts() ? { returnStoredSource: true } : {}),
          count: { type: "lowerBound", threshold: CANDIDATES_MAX },
        },
      },
      { $limit: options.limit },
      {
        $project: {
          score: { $meta: "searchScore" },
          total: "$$SEARCH_META.count.lowerBound",
          ...(options.withVectors === true ? FACTS : FACTS_ALONE),
        },
      },
    ]);
    const found = rows.map((row) => ({ id: row["_id"], score: row["score"], facts: this.#factsOf(row) }));
    return { found, total: Number(rows[0]?.["total"] ?? 0) };
  }

  /** How many posts `compound` finds. */
  async count(compound: Document): Promise<number> {
    const stage = { index: WORDS_INDEX, compound, count: { type: "total" } };
    const [row] = await this.#aggregate([{ $searchMeta: stage }]);
    return Number(row?.["count"]?.["total"] ?? 0);
  }

  /**
   * The posts nearest to a vector, nearest first, with their cosines. The server looks up the document of each in any case,
   * and the facts are those of the document.
   */
  async meaning(vector: Int8Array, conditions: readonly Document[], limit: number): Promise<Found[]> {
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
      { $project: { score: { $meta: "vectorSearchScore" }, ...FACTS } },
    ]);
    // The server gives (1 + cosine) / 2.
    return rows.map((row) => ({ id: row["_id"], score: 2 * row["score"] - 1, facts: this.#factsOf(row) }));
  }

  /** Those of the posts that pass the filter as the collection holds them now. */
  async checked(
    ids: readonly string[],
    filter: PostFilter,
    withVectors: boolean,
  ): Promise<Map<string, Facts>> {
    const posts = await this.#read(ids, findConditionsOf(filter), withVectors ? FACTS : FACTS_ALONE);
    return new Map(
      posts.flatMap((post) => {
        const facts = this.#factsOf(post);
        return facts === null ? [] : [[post._id, facts] as const];
      }),
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

  /** Null when a field that every post has is missing, or the vector of a post that has one. */
  #factsOf(row: Document): Facts | null {
    const { created_at, updated_at, win_start, win_end, geo, publisher_id, vec, vec_model } = row as Stored;
    if (created_at === undefined || updated_at === undefined || publisher_id === undefined) return null;
    if (win_start === undefined || win_end === undefined) return null;
    if (vec === undefined && vec_model !== undefined && vec_model === this.#modelId) return null;
    const [lng, lat] = geo?.coordinates ?? [];
    return {
      createdAt: created_at.getTime(),
      updatedAt: updated_at.getTime(),
      windowStart: win_start.getTime(),
      windowEnd: win_end.getTime(),
      point: lat === undefined || lng === undefined ? null : { lat, lng },
      publisherId: publisher_id,
      source: row["source"] ?? null,
      syndicated: row["syndicated"] === true,
      vector: this.#vectorOf({ vec, vec_model }),
    };
  }

  #vectorOf({ vec, vec_model }: Stored): Int8Array | null {
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
    this.#asked += 1;
    // Search stages refuse any other read concern.
    const options = { maxTimeMS: MAX_TIME_MS, readConcern: { level: "local" } } as const;
    return this.#run(() => this.#posts.aggregate(pipeline, options).toArray());
  }
}

/** A document, or as much of it as an index stores. */
type Stored = { [Field in keyof PostDocument]?: PostDocument[Field] | undefined };

const VECTOR = { vec: 1, vec_model: 1 };
/** Facts as a projection. */
const FACTS = projectionOf(STORED);
const FACTS_ALONE = projectionOf(STORED.filter((field) => !(field in VECTOR)));
/** Conditions beside the ids would make the server consider other indexes. */
const BY_ID = { hint: { _id: 1 }, maxTimeMS: MAX_TIME_MS } as const;

function projectionOf(fields: readonly string[]): Document {
  return Object.fromEntries(fields.map((field) => [field, 1]));
}
