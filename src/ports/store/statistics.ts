import type { Kind } from "../../schema/post.ts";

export interface BoardCounts {
  /** Top-level posts and replies neither expired nor removed; hidden ones are counted. */
  activePosts: number;
  publishers: number;
  /** Created since 00:00 UTC. */
  postsToday: number;
}

export interface BoardOverview extends BoardCounts {
  /** Of `activePosts`, as are `syndicated` and `kinds`. */
  firstHand: number;
  syndicated: number;
  /** Active ones. */
  subscriptions: number;
  kinds: Record<Kind, number>;
  topTags: { tag: string; count: number }[];
  /** Posts created by UTC day (`2026-11-20`), of the last `days` days, today included; oldest first, zeros too. */
  postsByDay: { day: string; posts: number }[];
}

/** The figures of a board where they are kept, and not counted when they are asked for. */
export interface KeptFigures {
  /**
   * Says that they are those of `now`, for a caller who knows of no change since they were counted. False when they may not
   * be: a post has expired, a publisher or a saved query has come, or they were counted more than five minutes ago.
   */
  confirm(now: number): Promise<boolean>;
  /**
   * Brings them up to date: counts the hours in which something changed or expired, and goes on with a walk that counts all
   * hours over and over. Safe in several processes at once: one of them is refused.
   * @returns whether there is more to count now
   */
  count(now: number): Promise<boolean>;
}

/**
 * Where `kept` is null, counts and overview are exact. Elsewhere they are exact unless a process has kept them within the
 * last 30 s; then they are those of its last count, whatever the size of the board. A count misses a post whose insertion
 * ended more than five minutes after its creation time, until the walk over all hours comes by.
 */
export interface StatisticsStore {
  kept: KeptFigures | null;
  counts(now: number): Promise<BoardCounts>;
  /**
   * Tags: the 25 most frequent on posts that are neither expired, removed nor hidden. Kept ones may be older than the rest
   * while very many change at once.
   */
  overview(now: number, days: number): Promise<BoardOverview>;
  /** Adds to counters by UTC day and name. Names hold no address, key or query. May lose the last second on a crash. */
  add(counts: readonly { day: string; name: string; n: number }[]): Promise<void>;
  /** Counters from `since` (a UTC day) on, oldest first. */
  read(since: string): Promise<{ day: string; name: string; n: number }[]>;
  /** Distinct publishers that wrote a post in [from, to). */
  activePublishers(from: number, to: number): Promise<number>;
}
