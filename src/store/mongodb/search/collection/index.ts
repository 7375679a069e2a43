import type { Collection, Document } from "mongodb";
import {
  type Question,
  type SearchIndex,
  SPOTS_PER_DEGREE,
  type Spot,
} from "../../../../ports/search-index.ts";
import type { Place } from "../../../../ports/store/index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import { KINDS } from "../../../../schema/post.ts";
import type { PostDocument } from "../../database/schema/documents.ts";
import { conditionAfter, findConditionsOf, ORDERS } from "../mongot/filters.ts";
import { MAX_TIME_MS } from "../mongot/queries.ts";
import { COUNTED_BY, NEWEST_BY_TAG } from "./indexes.ts";

/** True when a question has neither words nor a vector. */
export const isFilterOnly = ({ words, vector }: Question): boolean => words === null && vector === null;

/**
 * Lists and counts by filters alone, from the collection itself: exact, with every acknowledged post, and without mongot.
 * Only a publisher's status reaches its posts a moment later. Reads the indexes of `indexes.ts`.
 */
export class CollectionQueries {
  readonly #posts: Collection<PostDocument>;
  readonly #run: Run;
  readonly #runLong: Run;

  /** @param options.run  see `MongodbConnection.run`, and there `runLong` */
  constructor(options: { posts: Collection<PostDocument>; run: Run; runLong: Run }) {
    this.#posts = options.posts;
    this.#run = options.run;
    this.#runLong = options.runLong;
  }

  /** @throws StoreUnavailable also when it takes longer than 2 s */
  async list(filter: PostFilter, page: Parameters<SearchIndex["list"]>[1]): Promise<Place[]> {
    const { path, direction } = ORDERS[page.order];
    const conditions = conditionsOfList(filter);
    if (page.after !== null) conditions.push(conditionAfter(path, direction, page.after));
    const posts = await this.#run(() =>
      this.#posts
        .find(
          { $and: conditions },
          {
            projection: { [path]: 1 },
            sort: { [path]: direction, _id: direction },
            limit: page.limit,
            batchSize: page.limit,
            maxTimeMS: MAX_TIME_MS,
            ...(hasOrderByTag(filter, page.order) ? { hint: NEWEST_BY_TAG } : {}),
          },
        )
        .toArray(),
    );
    return posts.map((post) => ({ id: post._id, at: post[path].getTime() }));
  }

  /**
   * Walks all matches: of 100,000 posts in about 50 ms by kinds and times, in 200 ms by other filters.
   * @throws StoreUnavailable also when it takes longer than 2 s
   */
  count(filter: PostFilter): Promise<number> {
    const { tags, near, publisherId, parentId } = filter;
    // The server does not always see that the keys alone suffice.
    const hint = tags === null && near === null && publisherId === null && parentId === null;
    const options = { maxTimeMS: MAX_TIME_MS, ...(hint ? { hint: COUNTED_BY } : {}) };
    return this.#run(() => this.#posts.countDocuments({ $and: conditionsOfList(filter) }, options));
  }

  /**
   * Reads all matches: of a million posts some seconds.
   * @throws StoreUnavailable also when it takes longer than a minute
   */
  spots(filter: PostFilter, limit: number): Promise<Spot[]> {
    const pipeline = [
      { $match: { $and: [...conditionsOfList(filter), { geo: { $exists: true } }] } },
      {
        $group: {
          _id: { lat: squareOf("$place.lat"), lng: squareOf("$place.lng") },
          lat: { $avg: "$place.lat" },
          lng: { $avg: "$place.lng" },
          count: { $sum: 1 },
        },
      },
      { $sort: { count: -1 } },
      { $limit: limit },
      { $project: { _id: 0 } },
    ];
    const options = { maxTimeMS: SPOTS_MS, allowDiskUse: true };
    return this.#runLong(() => this.#posts.aggregate<Spot>(pipeline, options).toArray());
  }
}

type Run = <T>(ask: () => Promise<T>) => Promise<T>;

const SPOTS_MS = 60_000;

/** Number of a square's row or column, from degrees rounded to a centimetre as the embedded index keeps them. */
const squareOf = (degrees: string) => ({
  $floor: { $divide: [{ $round: [{ $multiply: [degrees, 1e7] }, 0] }, 1e7 / SPOTS_PER_DEGREE] },
});

/** True where it is best to walk the posts of a few tags; left to itself, the server might walk all the newest posts. */
function hasOrderByTag(
  { tags, near, publisherId, parentId }: PostFilter,
  order: "newest" | "soonest",
): boolean {
  return order === "newest" && tags !== null && near === null && publisherId === null && parentId === null;
}

/** A filter in full: the keys of the indexes begin with fields that it may leave open, and those get all their values. */
function conditionsOfList(filter: PostFilter): Document[] {
  const conditions = findConditionsOf(filter);
  if (filter.kinds === null) conditions.push({ kind: { $in: [...KINDS] } });
  if (filter.parentId === null && filter.includeReplies)
    conditions.push({ is_reply: { $in: [false, true] } });
  return conditions;
}
