import type { IndexEntry } from "./search-index.ts";

/** An active post as an index takes it in, with its vector of any model. */
export interface IndexedState {
  entry: IndexEntry;
  vector: { model: string; vector: Int8Array } | null;
}

/** What filters need to know of a publisher. */
export interface PublisherStatus {
  id: string;
  verified: boolean;
  suspended: boolean;
}

/** Whose state changed; what it is now is read from the feed, so that a late notice can never bring back an old state. */
export interface FeedChange {
  posts: readonly string[];
  publishers: readonly string[];
}

/**
 * What an index follows that stands apart from its store: everything once, then what changed. Reads give what a majority
 * of the database holds, in the state of now, and never one older than what `follow` told or `here` answered before.
 */
export interface IndexFeed {
  /** A place in the stream of changes: everything committed before this call is in a scan that begins after it. */
  here(): Promise<string>;
  /** Active posts by id after `after`, at most `limit`; `next` is null at the end. */
  scanPosts(after: string | null, limit: number): Promise<{ rows: IndexedState[]; next: string | null }>;
  /** All publishers in pages, the same way. */
  scanPublishers(
    after: string | null,
    limit: number,
  ): Promise<{ rows: PublisherStatus[]; next: string | null }>;
  /** Those of the posts that are active. At most 1,000 ids. */
  posts(ids: readonly string[]): Promise<IndexedState[]>;
  /** Those of the publishers that exist; one that is being erased is suspended. At most 1,000 ids. */
  publishers(ids: readonly string[]): Promise<PublisherStatus[]>;
  /**
   * Changes after a place, as they come, until `signal` aborts. Also yields without a change now and then, with a newer
   * place. Survives a change of the primary and a restart of the database by itself.
   * @throws FeedLost when the database no longer knows what came after `place`: scan again
   */
  follow(place: string, signal: AbortSignal): AsyncIterable<FeedChange & { place: string }>;
  /** True when a stream that is at `place` has told everything that was committed before `here` answered `target`. */
  reached(place: string, target: string): boolean;
  /** Calls back after each write of this handle, before the write resolves to its caller. */
  onWrite(wrote: (change: FeedChange) => void): void;
}

/** The place is older than what the database remembers. */
export class FeedLost extends Error {
  constructor(options: { cause?: unknown } = {}) {
    super("the database no longer has the changes since this index was last up to date", options);
    this.name = "FeedLost";
  }
}
