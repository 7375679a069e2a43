import type { Document, FindOptions } from "mongodb";
import { type Answered, type Question, SPOTS_PER_DEGREE, type Spot } from "../../../../ports/search-index.ts";
import { type Position, StoreUnavailable } from "../../../../ports/store/index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import { KINDS } from "../../../../schema/post.ts";
import type { PostDocument } from "../../database/schema/documents.ts";
import { conditionAfter, findConditionsOf, ORDERS } from "../filters.ts";
import { COUNTED_BY, NEWEST_BY_TAG } from "./definitions.ts";
import type { SearchedStore, SearchIndexes } from "./indexes.ts";
import { MAX_TIME_MS } from "./queries.ts";

/** True when a question has neither words nor a vector. */
export const isFilterOnly = ({ words, vector }: Question): boolean => words === null && vector === null;

/** Copies are looked for among so many matches of a count. */
const COUNTED_APART = 2_000;
const SPOTS_MS = 60_000;

/**
 * Makes lists and counts by filters alone, from the collection itself: exact, with every acknowledged post, and without
 * mongot. Reads the indexes of `LIST_INDEXES`.
 */
export class Lists {
  readonly #store: SearchedStore;
  readonly #indexes: SearchIndexes;

  constructor(store: SearchedStore, indexes: SearchIndexes) {
    this.#store = store;
    this.#indexes = indexes;
  }

  /** @throws StoreUnavailable also when it takes longer than 2 s */
  async list(question: Question, page: Parameters<Answered["list"]>[1]): Promise<Position[]> {
    const places: Position[] = [];
    // Copies leave gaps, and a short page would end the walk.
    for (let { after } = page; ; ) {
      const found = await this.#found(question.filter, { ...page, after });
      const hidden = await this.#hidden(question, found);
      const { path } = ORDERS[page.order];
      const step = found.map((post) => ({ id: post._id, at: post[path].getTime() }));
      places.push(...step.filter(({ id }) => !hidden.has(id)));
      const last = step.at(-1);
      if (last === undefined || step.length < page.limit || places.length >= page.limit)
        return places.slice(0, page.limit);
      after = last;
    }
  }

  /**
   * Walks all matches: of 100,000 posts in about 50 ms by kinds and times, in 200 ms by other filters. Copies are taken off
   * among the newest matches.
   * @throws StoreUnavailable also when it takes longer than 2 s
   */
  async count(question: Question, most?: number): Promise<number> {
    const { tags, near, publisherId, parentId } = question.filter;
    // The server does not always see that the keys alone suffice.
    const hint = tags === null && near === null && publisherId === null && parentId === null;
    // Copies are taken off what was counted, so some more are.
    const limit =
      most === undefined ? {} : { limit: most + (question.distinct === true ? COUNTED_APART : 0) };
    const options = { maxTimeMS: MAX_TIME_MS, ...limit, ...(hint ? { hint: COUNTED_BY } : {}) };
    const { posts } = this.#collections;
    const all = await this.#store.connection.run(() =>
      posts.countDocuments({ $and: conditionsOfList(question.filter) }, options),
    );
    if (question.distinct !== true) return all;
    const newest = { order: "newest", after: null, limit: COUNTED_APART } as const;
    const copies = await this.#hidden(question, await this.#found(question.filter, newest));
    return Math.min(most ?? all, all - copies.size);
  }

  /**
   * Reads all matches: of a million posts some seconds.
   * @throws StoreUnavailable also when it takes longer than a minute
   */
  async spots(filter: PostFilter, limit: number): Promise<Spot[]> {
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
    const { posts } = this.#collections;
    return this.#store.connection.runLong(() => posts.aggregate<Spot>(pipeline, options).toArray());
  }

  /** Finds which of some posts have a source. */
  sourced(ids: readonly string[]): Promise<Sourced[]> {
    return this.#sourced([{ _id: { $in: [...ids] } }]);
  }

  /** Finds the posts with a source of some posts that pass a filter. */
  async sharing(filter: PostFilter, posts: readonly Sourced[]): Promise<Sourced[]> {
    const sources = [...new Set(posts.flatMap(({ source }) => source ?? []))];
    if (sources.length === 0) return [];
    return this.#sourced([{ source: { $type: "string", $in: sources } }, ...findConditionsOf(filter)]);
  }

  async #hidden(question: Question, posts: readonly Sourced[]): Promise<Set<string>> {
    if (question.distinct !== true) return new Set();
    return copiesAmong(posts, await this.sharing(question.filter, posts));
  }

  #sourced(conditions: Document[]): Promise<Sourced[]> {
    return this.#find([{ source: { $type: "string" } }, ...conditions], { projection: SOURCED });
  }

  #found(filter: PostFilter, page: Parameters<Answered["list"]>[1]): Promise<PostDocument[]> {
    const { path, direction } = ORDERS[page.order];
    const { order, after } = page;
    const conditions = conditionsOfList(filter);
    if (after !== null) conditions.push(conditionAfter({ order, after }));
    const options = {
      projection: { ...SOURCED, [path]: 1 },
      sort: { [path]: direction, _id: direction },
      limit: page.limit,
      batchSize: page.limit,
      ...(hasOrderByTag(filter, order) ? { hint: NEWEST_BY_TAG } : {}),
    };
    return this.#find(conditions, options);
  }

  async #find(conditions: Document[], options: FindOptions): Promise<PostDocument[]> {
    const { posts } = this.#collections;
    return this.#store.connection.run(() =>
      posts.find({ $and: conditions }, { ...options, maxTimeMS: MAX_TIME_MS }).toArray(),
    );
  }

  /** @throws StoreUnavailable until the indexes are there */
  get #collections(): SearchedStore["collections"] {
    if (!this.#indexes.listsReady) throw new StoreUnavailable("the indexes of lists are being built");
    return this.#store.collections;
  }
}

const SOURCED = { source: 1, publisher_id: 1, syndicated: 1, created_at: 1 } as const;

/** Numbers a square's row or column, from degrees rounded to a centimetre as the embedded index keeps them. */
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

/** Writes a filter in full: the keys of the indexes begin with fields that it may leave open, and those get all their values. */
function conditionsOfList(filter: PostFilter): Document[] {
  const conditions = findConditionsOf(filter);
  if (filter.kinds === null) conditions.push({ kind: { $in: [...KINDS] } });
  if (filter.parentId === null && filter.includeReplies)
    conditions.push({ is_reply: { $in: [false, true] } });
  return conditions;
}

/** These tell which of several posts with one source stands for the others. */
export interface Sourced {
  _id: string;
  source?: string | null | undefined;
  publisher_id: string;
  syndicated: boolean;
  created_at: Date;
}

/** Finds the posts for which one of another publisher stands among `all`: the first-hand one, else the oldest. */
export function copiesAmong(posts: readonly Sourced[], all: readonly Sourced[]): Set<string> {
  const groups = groupsOf(all);
  const hidden = posts.filter((post) => {
    const [first] = (groups.get(post.source ?? "") ?? []).toSorted(compareStanding);
    return first !== undefined && first.publisher_id !== post.publisher_id;
  });
  return new Set(hidden.map(({ _id }) => _id));
}

/** Gives ids of the posts of other publishers with the source of a post, oldest first. */
export function copiesOf(post: Sourced | undefined, all: readonly Sourced[]): string[] {
  const group = post === undefined ? [] : (groupsOf(all).get(post.source ?? "") ?? []);
  const others = group.filter(({ publisher_id }) => publisher_id !== post?.publisher_id);
  return others.toSorted(compareAges).map(({ _id }) => _id);
}

function groupsOf(posts: readonly Sourced[]): Map<string, Sourced[]> {
  const groups = new Map<string, Sourced[]>();
  for (const post of posts) {
    if (post.source == null) continue;
    groups.set(post.source, [...(groups.get(post.source) ?? []), post]);
  }
  return groups;
}

const compareAges = (a: Sourced, b: Sourced) =>
  a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1);
const compareStanding = (a: Sourced, b: Sourced) =>
  Number(a.syndicated) - Number(b.syndicated) || compareAges(a, b);
