import type { FrozenRanking } from "../../records/board.ts";
import type { Kind } from "../../schema/post.ts";

export type { FrozenRanking };

export interface SettingStore {
  get(name: string): Promise<string | null>;
  /** Keeps `value` unless one is there; resolves to the value kept. Exact when several processes start at once. */
  setOnce(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}

export interface LeaseStore {
  /**
   * Takes or renews a lease. Resolves to its fence, or to null when another owner holds it. The fence is a number: it
   * grows each time the lease is taken and stays when it is renewed. An owner that meets another fence has lost the
   * lease in between.
   */
  acquire(name: string, owner: string, ttlMs: number, now: number): Promise<number | null>;
  release(name: string, owner: string): Promise<void>;
}

export interface LimitStore {
  /**
   * Adds `points` to a counter that restarts `windowMs` after its first point, and never later than
   * `windowMs` from now, also when the clock was set back; exact across processes. Need not survive a crash.
   * @returns the points so far, and when the window ends
   */
  add(
    key: string,
    points: number,
    windowMs: number,
    now: number,
  ): Promise<{ points: number; endsAt: number }>;
}

export interface RankingStore {
  /** It need not survive a crash. */
  save(ranking: FrozenRanking): Promise<void>;
  get(id: string, now: number): Promise<FrozenRanking | null>;
}

export interface BoardCounts {
  /** Counts top-level posts and replies neither expired nor removed; hidden ones are counted. */
  activePosts: number;
  publishers: number;
  /** These were created since 00:00 UTC. */
  postsToday: number;
}

export interface BoardOverview extends BoardCounts {
  /** Counts the first-hand ones among `activePosts`; `syndicated` and `kinds` count these too. */
  firstHand: number;
  syndicated: number;
  /** Counts active subscriptions. */
  subscriptions: number;
  kinds: Record<Kind, number>;
  topTags: { tag: string; count: number }[];
  /** Counts posts created by UTC day (`2026-11-20`), of the last `days` days, today included; oldest first, zeros too. */
  postsByDay: { day: string; posts: number }[];
}

/** Counts by indexes, exact at the time of asking; `SharedValue` spares the database from doing it often. */
export interface StatisticsStore {
  counts(now: number): Promise<BoardCounts>;
  /** Its tags are the 25 most frequent on posts that are neither expired, removed nor hidden. */
  overview(now: number, days: number): Promise<BoardOverview>;
  /** Adds to counters by UTC day and name. Names hold no address, key or query. May lose the last second on a crash. */
  add(counts: readonly { day: string; name: string; n: number }[]): Promise<void>;
  /** Reads counters from `since` (a UTC day) on, oldest first. */
  read(since: string): Promise<{ day: string; name: string; n: number }[]>;
  /** Counts distinct publishers that wrote a post in [from, to). */
  activePublishers(from: number, to: number): Promise<number>;
}
