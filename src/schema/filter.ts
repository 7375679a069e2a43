import type { Kind } from "./post.ts";

/** Holds the filters of a query, saved or asked now, with defaults applied. All times are epoch milliseconds. */
export interface StandingFilter {
  kinds: readonly Kind[] | null;
  /** Any of them is enough; they are in normal form. */
  tags: readonly string[] | null;
  near: { lat: number; lng: number; radiusKm: number } | null;
  /** Windows end at or after it. */
  after: number | null;
  /** Windows start at or before it. */
  before: number | null;
  verifiedOnly: boolean;
  publisherId: string | null;
  /** Only replies to this post count. */
  parentId: string | null;
  includeReplies: boolean;
  includeSyndicated: boolean;
}

/** Adds the filters that belong to the moment of asking to those that a standing query keeps. */
export interface PostFilter extends StandingFilter {
  includeExpired: boolean;
  /** Leaves out posts whose window begins in the millisecond they were written: those without a start. */
  datedOnly?: boolean;
  /** Only posts whose window ends before it count. */
  endedBy?: number;
  /** Posts expired at this moment are left out, unless `includeExpired`. */
  now: number;
  /** Only dates of this series (`seriesOf`); an index may leave it to the reader. */
  series?: string;
  /** Only posts created at or before it: this keeps a walk over pages still while posts arrive. */
  createdUntil: number;
}

/** Holds the words of a query as `src/search/text/query-text.ts` parses them. */
export interface WordQuery {
  /**
   * A post with any of these counts as found by words; so does one with a word of a phrase. A word that is said twice
   * stands here twice, and counts twice. No stop words, unless nothing else is left.
   */
  any: readonly string[];
  /** These are the words of `any` as others write them, `check-in` as one; each counts where a post has it. */
  respelt?: readonly string[];
  /** Their name is asked for: their posts count as if they had a part of it. Only a query of words alone names any. */
  publishers?: readonly string[];
  /** Each must occur: its words in this order, next to each other. */
  phrases: readonly (readonly string[])[];
  /** None may occur; a phrase of one word is a word. */
  excluded: readonly (readonly string[])[];
}

/** Moves the posts that fit a filter in a ranking. */
export interface Lift {
  /** A condition that is left out holds for every post. Posts without dates fit a window too, unless `datedOnly`. */
  filter: Partial<PostFilter>;
  /** The weight is added to the fused score, which is about a cosine: 0.1 is much, below 0 moves down. */
  weight: number;
}
