import { setTimeout as sleep } from "node:timers/promises";
import type { FeedChange, IndexedState, IndexFeed, PublisherStatus } from "../../../../ports/index-feed.ts";
import type { StoreLog } from "../../../module.ts";

/** The present states of posts and publishers that changed, and the ids of those that are gone. */
export interface IndexChanges {
  posts: readonly IndexedState[];
  publishers: readonly PublisherStatus[];
  gonePosts: readonly string[];
  gonePublishers: readonly string[];
}

/** Posts, and publishers, whose states are read at once. */
const STEP = 200;
/** Ids that may wait; beyond it the feed is not read on. */
const WAITING_MAX = 5_000;
const RETRY_MS = 100;
const RETRY_MAX_MS = 2_000;

interface QueueOptions {
  feed: Pick<IndexFeed, "posts" | "publishers">;
  /** Writes all changes of a call together with its place, or nothing, and throws. */
  apply: (changes: IndexChanges, place: string | null) => Promise<void>;
  log: StoreLog;
}

/**
 * Applies changes strictly one step after another. The queue holds ids; their states are read when their turn comes, so
 * that no state ever replaces a newer one.
 */
export class ChangeQueue {
  readonly #options: QueueOptions;
  readonly #posts = new Set<string>();
  readonly #publishers = new Set<string>();
  /** The index holds everything up to it once nothing waits. */
  #place: string | null = null;
  /** Numbers of the last change that was added, of the last own one, and of those that are all applied. */
  #added = 0;
  #own = 0;
  #applied = 0;
  #isFailing = false;
  #running: Promise<void> | null = null;
  readonly #closed = new AbortController();
  /** Called after each step. */
  readonly #watchers = new Set<() => void>();

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Adds a write of this process. */
  addOwn(change: FeedChange): void {
    this.#add(change);
    this.#own = this.#added;
  }

  /** Adds what the feed reports; resolves when there is room for more. */
  async add({ place, ...change }: FeedChange & { place: string }): Promise<void> {
    this.#place = place;
    this.#add(change);
    await this.#until(() => this.#posts.size + this.#publishers.size < WAITING_MAX);
  }

  /** Resolves once all own writes so far are applied, or when the time is over; at once while the database does not answer. */
  async ownApplied(timeoutMs: number): Promise<void> {
    const last = this.#own;
    const isDone = () => this.#isFailing || this.#applied >= last;
    if (!isDone()) await this.#until(isDone, AbortSignal.timeout(timeoutMs));
  }

  /** Resolves once nothing waits. */
  async idle(): Promise<void> {
    await this.#until(() => this.#running === null);
  }

  /** Ends the step under way and applies nothing more. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
    this.#tell();
  }

  #add({ posts, publishers }: FeedChange): void {
    this.#added += 1;
    for (const id of posts) this.#posts.add(id);
    for (const id of publishers) this.#publishers.add(id);
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      this.#tell();
    });
  }

  async #run(): Promise<void> {
    // The first step begins after the caller's turn: what is added together is applied together.
    await null;
    for (let waitMs = RETRY_MS; this.#applied < this.#added && !this.#closed.signal.aborted; ) {
      const [posts, publishers] = [takeSome(this.#posts), takeSome(this.#publishers)];
      const isAll = this.#posts.size + this.#publishers.size === 0;
      const [added, place] = [this.#added, isAll ? this.#place : null];
      try {
        await this.#step({ posts, publishers }, place);
        if (isAll) this.#applied = added;
        this.#isFailing = false;
        waitMs = RETRY_MS;
      } catch (error) {
        for (const id of posts) this.#posts.add(id);
        for (const id of publishers) this.#publishers.add(id);
        if (!this.#isFailing) {
          const message = "the search index cannot follow the database now; it tries again";
          this.#options.log.warn({ err: error }, message);
        }
        this.#isFailing = true;
        this.#tell();
        waitMs = Math.min(RETRY_MAX_MS, 2 * waitMs);
        await sleep(waitMs, null, { signal: this.#closed.signal, ref: false }).catch(() => {});
      }
      this.#tell();
    }
  }

  async #step({ posts: ids, publishers: names }: FeedChange, place: string | null): Promise<void> {
    const { feed, apply } = this.#options;
    const [posts, publishers] = await Promise.all([
      ids.length === 0 ? [] : feed.posts(ids),
      names.length === 0 ? [] : feed.publishers(names),
    ]);
    const there = new Set([...posts.map(({ entry }) => entry.id), ...publishers.map(({ id }) => id)]);
    const isGone = (id: string) => !there.has(id);
    const changes = {
      posts,
      publishers,
      gonePosts: ids.filter(isGone),
      gonePublishers: names.filter(isGone),
    };
    await apply(changes, place);
  }

  /** Resolves when `reached` holds after some step, the queue is closed, or `signal` aborts. */
  #until(reached: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const look = () => {
        if (!reached() && !this.#closed.signal.aborted && signal?.aborted !== true) return;
        this.#watchers.delete(look);
        signal?.removeEventListener("abort", look);
        done();
      };
      this.#watchers.add(look);
      signal?.addEventListener("abort", look);
      look();
    });
  }

  #tell(): void {
    for (const look of this.#watchers) look();
  }
}

/** Takes out some ids, those that waited longest. */
function takeSome(waiting: Set<string>): string[] {
  const some = [...waiting].slice(0, STEP);
  for (const id of some) waiting.delete(id);
  return some;
}
