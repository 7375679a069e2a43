import type { Lift, PostFilter, WordQuery } from "../schema/filter.ts";
import type { Kind } from "../schema/post.ts";
import type { Position } from "./store/index.ts";

/** A search has filters and, optionally, words and meaning. With words or a vector, one of them must support a post. */
export interface Question {
  filter: PostFilter;
  words: WordQuery | null;
  /** Holds the meaning of the query as an int8 vector of the index's model. */
  vector: Int8Array | null;
  /** The vector of the post with this id is asked with, in the place of `vector`; only `rank` takes it. */
  like?: string;
  /**
   * Below this cosine meaning does not support a post. When no post has any of the words, the floor is higher by `margin`,
   * by default `UNKNOWN_WORDS_MARGIN`.
   */
  minCosine: number;
  margin?: number;
  /** Only one of the posts with one `IndexEntry.source` matches: the first-hand one, else the oldest. */
  distinct?: boolean;
  /** Only one of the posts with one `IndexEntry.series` matches: the next date, or the last where all are over. */
  nextDates?: boolean;
  /**
   * The caller aborts it when nobody waits for the answer any more: a question that still waits for its turn is then
   * not asked.
   */
  gone?: AbortSignal | undefined;
}

/** Nobody waits for the answer any more. */
export class Abandoned extends Error {
  constructor() {
    super("the caller is gone");
    this.name = "Abandoned";
  }
}

/** A degree has so many squares of a `Spot` along it. */
export const SPOTS_PER_DEGREE = 10;

/** Gathers posts that are close together, with the mean of their places in degrees. */
export interface Spot {
  lat: number;
  lng: number;
  count: number;
}

export interface Ranked {
  id: string;
  /** It lies in 0…1, has three decimals, and is never larger than that of the post before. */
  relevance: number;
}

/** Each method is a question to an index, and gives the type of its answer. */
export interface Answered {
  /**
   * Finds the best matches by words and meaning together and, with `rerank`, by the query moved towards the best posts.
   * @param options.except  ids to leave out, such as those that an earlier part of the same walk returned
   * @param options.lifts  what moves posts up or down among the matches; it adds and hides none
   * @returns best first, equal scores by id
   */
  rank(
    question: Question,
    options: { rerank?: boolean; limit: number; except?: ReadonlySet<string>; lifts?: readonly Lift[] },
  ): Ranked[];
  /**
   * Lists matches in time order: `newest` by (createdAt, id) descending, `soonest` by (window start, id) ascending.
   * @returns ids with the time they are ordered by
   */
  list(
    question: Question,
    page: { order: "newest" | "soonest"; after: Position | null; limit: number },
  ): Position[];
  /**
   * Gives a page of a list with the number of all matches, counted to `most`: null at the end of the list, and where `most`
   * is 0. One question costs half of what two do where another thread answers.
   */
  page(
    question: Question,
    page: Parameters<Answered["list"]>[1] & { most: number },
  ): { places: Position[]; total: number | null };
  /** Gives ids of the posts that each of some posts stands for in a question's answer when it is `distinct`, oldest first. */
  copies(question: Question, ids: readonly string[]): string[][];
  /**
   * Finds the dates of a series, of each of some posts, that come after it and pass a filter, soonest first, as places by
   * start.
   */
  laterDates(filter: PostFilter, ids: readonly string[]): Position[][];
  /** Counts the posts that match, and stops at `most` of them: an index that need not see the others does not look for them. */
  count(question: Question, most?: number): number;
  /** Finds the `limit` fullest squares of a tenth of a degree, of matches with a place; equal ones come in any order. */
  spots(question: Question, limit: number): Spot[];
  /**
   * Finds for each word the word of the board that was most likely meant (`meantWord` of `src/search/text/spelling.ts`),
   * whatever the filters: null when a post has the word itself, or none is near.
   */
  spellings(words: readonly string[]): (string | null)[];
  /** Finds the words that no active post has, whatever the filters. */
  unknownWords(words: readonly string[]): string[];
  /** Reads vectors of posts under the index's model, null where there is none. */
  vectors(ids: readonly string[]): (Int8Array | null)[];
}

export type Ask = <What extends keyof Answered>(
  what: What,
  ...of: Parameters<Answered[What]>
) => Promise<ReturnType<Answered[What]>>;

/** Answers each question, at once or later. */
export type Answering = {
  [What in keyof Answered]: (
    ...of: Parameters<Answered[What]>
  ) => ReturnType<Answered[What]> | Promise<ReturnType<Answered[What]>>;
};

/**
 * Finds candidates by words and by meaning, under the same filters. It can be rebuilt from the store at any time; fusing,
 * reranking and paging happen above it. Hidden and removed posts, and those of suspended publishers, are never returned.
 */
export interface SearchIndex {
  readonly ask: Ask;
  /** True when the index answers for everything the store acknowledged. */
  ready(): boolean;
}

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
  /** Copies of one post have the same source, see `sourceOf`; replies and posts without one have null. */
  source: string | null;
  /** The dates of one series have the same value, see `seriesOf`. */
  series: string | null;
}

/** Holds the text of a post, as far as it is searched. */
export type IndexText = Pick<IndexEntry, "title" | "body" | "tags" | "placeName">;
