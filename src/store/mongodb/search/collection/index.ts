import type { Collection, Document } from "mongodb";
import type { Question, SearchIndex } from "../../../../ports/search-index.ts";
import type { Place } from "../../../../ports/store/index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import { KINDS } from "../../../../schema/post.ts";
import type { PostDocument } from "../../schema/documents.ts";
import { conditionAfter, findConditionsOf, ORDERS } from "../mongot/filters.ts";
import { MAX_TIME_MS } from "../mongot/queries.ts";
import { COUNTED_BY, NEWEST_BY_TAG } from "./indexes.ts";

/** True when nothing but a filter says what matches. */
export const asksOnlyFilters = ({ words, vector }: Question): boolean => words === null && vector === null;

/**
 * Lists and counts by filters alone, from the collection itself: exact, with every acknowledged post, and without mongot.
 * Only the standing of a publisher reaches its posts a moment later. It takes the indexes of `list-indexes.ts`.
 */
export class Lists {
  readonly #posts: Collection<PostDocument>;
  readonly #run: <T>(ask: () => Promise<T>) => Promise<T>;

  /** @param run  what questions to the collection run in */
  constructor(parts: { posts: Collection<PostDocument>; run: <T>(ask: () => Promise<T>) => Promise<T> }) {
    this.#posts = parts.posts;
    this.#run = parts.run;
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
   * Goes through all that match: of 100,000 posts in about 50 ms by kinds and times, in 200 ms by other filters.
   * @throws StoreUnavailable also when it takes longer than 2 s
   */
  count(filter: PostFilter): Promise<number> {
    const { tags, near, publisherId, parentId } = filter;
    // The server does not always see that the keys alone would do.
    const hint = tags === null && near === null && publisherId === null && parentId === null;
    const options = { maxTimeMS: MAX_TIME_MS, ...(hint ? { hint: COUNTED_BY } : {}) };
    return this.#run(() => this.#posts.countDocuments({ $and: conditionsOfList(filter) }, options));
  }
}

/** True where the posts of a few tags, in order, are the way to go; the server may choose to walk all newest ones instead. */
function hasOrderByTag(
  { tags, near, publisherId, parentId }: PostFilter,
  order: "newest" | "soonest",
): boolean {
  return order === "newest" && tags !== null && near === null && publisherId === null && parentId === null;
}

/** A filter, and for what it leaves open all there is, since the keys of the indexes begin with it. */
function conditionsOfList(filter: PostFilter): Document[] {
  const conditions = findConditionsOf(filter);
  if (filter.kinds === null) conditions.push({ kind: { $in: [...KINDS] } });
  if (filter.parentId === null && filter.includeReplies)
    conditions.push({ is_reply: { $in: [false, true] } });
  return conditions;
}
