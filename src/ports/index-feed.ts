import type { IndexEntry } from "./search-index.ts";
import type { StoredPost, StoredPublisher } from "./store/index.ts";

/** An active post as an index takes it in, with its vector under whatever model. */
export interface IndexedState {
  entry: IndexEntry;
  /** The whole post, for copies beside the index; its retrievals are not counted. */
  post: StoredPost;
  vector: { model: string; vector: Int8Array } | null;
}

/** What filters need to know about a publisher. */
export interface PublisherStatus {
  id: string;
  verified: boolean;
  suspended: boolean;
  /** The whole publisher; null while it is being erased. */
  row: StoredPublisher | null;
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
 * state as a majority of the database holds it, never older than what `follow` yielded or `here` answered before.
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
  /** The existing ones among these publishers; one being erased counts as suspended. At most 1,000 ids. */
  publishers(ids: readonly string[]): Promise<PublisherStatus[]>;
  /**
   * Changes after a place, as they come, until `signal` aborts. Now and then it yields a newer place without a change.
   * It survives a change of primary and a restart of the database.
   * @throws FeedLost when the database no longer knows what came after `place`: scan again
   */
  follow(place: string, signal: AbortSignal): AsyncIterable<FeedChange & { place: string }>;
  /** True when a stream at `place` has yielded everything committed before `here` answered `target`. */
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
