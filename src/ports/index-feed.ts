import type { IndexEntry } from "./search-index.ts";

/** An active post as an index takes it in, with its vector under whatever model. */
export interface IndexedState {
  entry: IndexEntry;
  /** When the post was written or edited last, epoch milliseconds. */
  updatedAt: number;
  vector: { model: string; vector: Int8Array } | null;
}

/** What filters need to know about a publisher. */
export interface PublisherStatus {
  id: string;
  verified: boolean;
  /** True also while it is being erased. */
  suspended: boolean;
}

/**
 * Which posts and publishers changed. Their state is read from the feed, so that a late notice never brings back an old
 * one.
 */
export interface FeedChange {
  posts: readonly string[];
  publishers: readonly string[];
}

/**
 * What an index that is separate from its store follows: everything once, then every change. Reads give the current
 * state as a majority of the database holds it, never older than what `follow` yielded before.
 */
export interface IndexFeed {
  /** A place in the stream of changes. A scan begun after this call holds everything committed before it. */
  here(): Promise<string>;
  /** Active posts by id after `after`, at most `limit`; `next` is null at the end. */
  scanPosts(after: string | null, limit: number): Promise<{ rows: IndexedState[]; next: string | null }>;
  /** All publishers in pages, the same way. */
  scanPublishers(
    after: string | null,
    limit: number,
  ): Promise<{ rows: PublisherStatus[]; next: string | null }>;
  /** The active ones among these posts. At most 1,000 ids. */
  posts(ids: readonly string[]): Promise<IndexedState[]>;
  /** The existing ones among these publishers. At most 1,000 ids. */
  publishers(ids: readonly string[]): Promise<PublisherStatus[]>;
  /**
   * Changes after a place, as they come, until `signal` aborts. One without posts and publishers says that there are no more
   * for now. It survives a change of primary and a restart of the database.
   * @throws FeedLost when the database no longer knows what came after `place`: scan again
   */
  follow(place: string, signal: AbortSignal): AsyncIterable<FeedChange & { place: string }>;
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
