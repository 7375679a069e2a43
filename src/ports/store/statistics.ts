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

/** Counts by indexes, exact at the time of asking; `SharedValue` spares the database from doing it often. */
export interface StatisticsStore {
  counts(now: number): Promise<BoardCounts>;
  /**
   * Tags: the 25 most frequent on posts that are neither expired, removed nor hidden.
   */
  overview(now: number, days: number): Promise<BoardOverview>;
  /** Adds to counters by UTC day and name. Names hold no address, key or query. May lose the last second on a crash. */
  add(counts: readonly { day: string; name: string; n: number }[]): Promise<void>;
  /** Counters from `since` (a UTC day) on, oldest first. */
  read(since: string): Promise<{ day: string; name: string; n: number }[]>;
  /** Distinct publishers that wrote a post in [from, to). */
  activePublishers(from: number, to: number): Promise<number>;
}
