import type { Kind } from "../schema/post.ts";
import type { Place } from "./store/index.ts";

/** Every filter of a search, with defaults applied. All times are epoch milliseconds. */
export interface PostFilter {
  kinds: readonly Kind[] | null;
  /** Any of them, in normal form. */
  tags: readonly string[] | null;
  near: { lat: number; lng: number; radiusKm: number } | null;
  /** Windows ending at or after it. */
  after: number | null;
  /** Windows starting at or before it. */
  before: number | null;
  verifiedOnly: boolean;
  publisherId: string | null;
  /** Only replies of this post. */
  parentId: string | null;
  includeReplies: boolean;
  includeExpired: boolean;
  includeSyndicated: boolean;
  /** Leaves out posts whose window begins in the millisecond they were written: those without a start. */
  datedOnly?: boolean;
  /** Posts expired at this moment are left out, unless `includeExpired`. */
  now: number;
  /** Only posts created at or before it: what keeps a walk over pages still while posts arrive. */
  createdUntil: number;
}

/**
 * The words of a query as `src/search/query-text.ts` parses them. All are plain words, never index syntax. With nothing
 * but `excluded`, every other post counts as found; with nothing at all, none.
 */
export interface WordQuery {
  /** A post with any of these counts as found by words; so do words of phrases. Without stop words, unless nothing else is left. */
  any: readonly string[];
  /** Each must occur, words in this order, next to each other. */
  phrases: readonly (readonly string[])[];
  /** None may occur; a phrase of one word is a word. */
  excluded: readonly (readonly string[])[];
}

/** What is asked: filters, and optionally words and meaning. With words or a vector, a post must be supported by one of them. */
export interface Question {
  filter: PostFilter;
  words: WordQuery | null;
  /** Meaning of the query as an int8 vector of the index's model. */
  vector: Int8Array | null;
  /** Cosine below which meaning does not support a post; more is asked (`UNKNOWN_WORDS_MARGIN`) when no post has any of the words. */
  minCosine: number;
}

/** A found post with the score of each arm. Both are exact for every match. */
export interface Match {
  id: string;
  /** Cosine in -1…1, or null when the post or the query has no vector. */
  cosine: number | null;
  /** BM25, above 0; 0 when no word occurs. */
  words: number;
}

/**
 * Candidates by words and by meaning, under the same filters. Rebuildable from the store at any time; fusing,
 * reranking and paging happen above it. Hidden, removed and suspended publishers' posts are never returned.
 */
export interface SearchIndex {
  /**
   * The best matches by the fused score of `src/search/fuse.ts`, best first, equal ones by id.
   * @param page.limit  how many at most
   * @param page.except  ids to leave out of `matches`
   * @returns `total` and `bestWords` (the largest `words`, 0 when no word occurs) are over all matches, those left out too
   */
  match(
    question: Question,
    page: { limit: number; except: ReadonlySet<string> },
  ): Promise<{ matches: Match[]; total: number; bestWords: number }>;
  /**
   * Matches in time order: `newest` by (createdAt, id) descending, `soonest` by (window start, id) ascending.
   * @returns ids with the time they are ordered by
   */
  list(
    question: Question,
    page: { order: "newest" | "soonest"; after: Place | null; limit: number },
  ): Promise<Place[]>;
  /** How many posts match. */
  count(question: Question): Promise<number>;
  /** Vectors of posts under the index's model, null where there is none. */
  vectors(ids: readonly string[]): Promise<(Int8Array | null)[]>;
  /** Cosines of posts to a vector, NaN where a post has none. */
  cosines(vector: Int8Array, ids: readonly string[]): Promise<Float64Array>;
  /** True when the index answers for everything the store acknowledged. */
  ready(): boolean;
}

/** What the index keeps of an active post. */
export interface IndexEntry {
  id: string;
  kind: Kind;
  title: string;
  body: string;
  tags: readonly string[];
  placeName: string | null;
  lat: number | null;
  lng: number | null;
  windowStart: number;
  windowEnd: number;
  expiresAt: number;
  createdAt: number;
  publisherId: string;
  parentId: string | null;
  syndicated: boolean;
}

/**
 * An index that lives inside a store's own database and changes in the store's own transactions, so that a post is
 * searchable as soon as it is acknowledged, or not there at all. `Tx` is the store's connection.
 */
export interface TransactionalIndex<Tx> {
  /** Statements that create the index's tables; run once per version inside the store's migrations, append-only. */
  readonly migrations: readonly string[];
  /** Called once after migrations, before anything else. */
  attach(tx: Tx): void;
  put(entry: IndexEntry): void;
  remove(id: string): void;
  putVector(id: string, model: string, vector: Int8Array): void;
  removeVector(id: string): void;
  /** What filters need to know of a publisher. */
  putPublisher(id: string, publisher: { verified: boolean; suspended: boolean }): void;
  removePublisher(id: string): void;
  /** Called after each commit, never inside one. */
  committed(): void;
}
