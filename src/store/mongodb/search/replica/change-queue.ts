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

/** Writes changes to an index: all of a call together with its place, or nothing, and throws. */
export type ApplyChanges = (changes: IndexChanges, place: string | null) => Promise<void>;

/** Posts, and publishers, whose states are read at once. */
const STEP = 200;
/** Ids from the feed that may wait; beyond it the feed is not read on. */
const WAITING_MAX = 5_000;
const RETRY_MS = 100;
const RETRY_MAX_MS = 2_000;

/**
 * Applies changes strictly one step after another. The queue holds ids; their states are read when their turn comes, so
 * that no state ever replaces a newer one. Own writes go first.
 */
export class ChangeQueue {
  readonly #feed: IndexFeed;
  readonly #apply: ApplyChanges;
  readonly #log: StoreLog;
  readonly #own = new IdQueue();
  readonly #others = new IdQueue();
  /** The index holds everything up to it once `#others` is empty. */
  #place: string | null = null;
  #jobs: (() => Promise<void>)[] = [];
  /** Called after each step. */
  #watchers = new Set<() => void>();
  #running: Promise<void> | null = null;
  #closed = new AbortController();
  #added = 0;
  #ownBefore = false;
  /** Failed tries of the step under way. */
  #tries = 0;
  /** Number of the oldest own write in the step under way; null when there is none in it. */
  #ownUnderWay: number | null = null;

  constructor(options: { feed: IndexFeed; apply: ApplyChanges; log: StoreLog }) {
    this.#feed = options.feed;
    this.#apply = options.apply;
    this.#log = options.log;
  }

  /** Adds a write of this process. */
  addOwn(change: FeedChange): void {
    this.#added += 1;
    this.#own.add(change, this.#added);
    this.#wake();
  }

  /** Adds what the feed reports; resolves when there is room for more. */
  async add(change: FeedChange & { place: string }): Promise<void> {
    this.#added += 1;
    this.#others.add(change, this.#added);
    this.#place = change.place;
    this.#wake();
    await this.#until(() => this.#others.size < WAITING_MAX);
  }

  /**
   * Resolves once the index holds all own writes added before this call, or when the time is over; at once while the database
   * does not answer.
   */
  async ownApplied(timeoutMs: number): Promise<void> {
    const last = this.#added;
    const areIn = () => Math.min(this.#own.oldest(), this.#ownUnderWay ?? Number.POSITIVE_INFINITY) > last;
    const isDone = () => this.#tries > 0 || areIn();
    if (!isDone()) await this.#until(isDone, AbortSignal.timeout(timeoutMs));
  }

  /** Resolves once the queue is empty. */
  async idle(): Promise<void> {
    await this.#until(() => this.#running === null);
  }

  /** Runs `job` between two steps, and again later when it fails. Resolves when it is done or `signal` aborts. */
  exclusively(job: () => Promise<void>, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      this.#jobs.push(async () => {
        try {
          if (!signal.aborted) await job();
        } catch (error) {
          if (!signal.aborted) throw error;
        }
        done();
      });
      this.#wake();
    });
  }

  /** Ends the step under way and applies nothing more. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  #wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      this.#tell();
      // Added between the last look and now.
      if (this.#isWaiting() && !this.#closed.signal.aborted) this.#wake();
    });
  }

  async #run(): Promise<void> {
    // The first step begins after the caller's turn: what is added together is applied together.
    await null;
    while (!this.#closed.signal.aborted) {
      const step = this.#nextStep();
      if (step === null) return;
      try {
        await step.run();
        this.#tries = 0;
      } catch (error) {
        step.giveBack();
        if (this.#tries === 0)
          this.#log.warn({ err: error }, "the search index cannot follow the database now; it tries again");
        this.#tries += 1;
        this.#tell();
        const waitMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** this.#tries);
        await sleep(waitMs, null, { signal: this.#closed.signal, ref: false }).catch(() => {});
      } finally {
        this.#ownUnderWay = null;
        this.#tell();
      }
    }
  }

  #isWaiting(): boolean {
    return this.#own.size > 0 || this.#jobs.length > 0 || this.#others.size > 0 || this.#place !== null;
  }

  /** Own writes first; while they do not end, others take turns with them. */
  #nextStep(): Step | null {
    const ownTurn = !this.#ownBefore || (this.#jobs.length === 0 && this.#others.size === 0);
    this.#ownBefore = this.#own.size > 0 && ownTurn;
    if (this.#ownBefore) {
      this.#ownUnderWay = this.#own.oldest();
      return this.#stepOf(this.#own, null);
    }
    const job = this.#jobs.shift();
    if (job !== undefined) return { run: job, giveBack: () => void this.#jobs.unshift(job) };
    if (this.#others.size === 0 && this.#place === null) return null;
    return this.#stepOf(this.#others, this.#place);
  }

  /** @param place  reached when all of `waiting` is applied */
  #stepOf(waiting: IdQueue, place: string | null): Step {
    const some = waiting.take(STEP);
    const reached = waiting.size === 0 ? place : null;
    if (reached !== null) this.#place = null;
    return {
      run: () =>
        this.#step({ posts: [...some.posts.keys()], publishers: [...some.publishers.keys()] }, reached),
      giveBack: () => {
        waiting.giveBack(some);
        this.#place ??= reached;
      },
    };
  }

  async #step(some: FeedChange, place: string | null): Promise<void> {
    const [posts, publishers] = await Promise.all([
      some.posts.length === 0 ? [] : this.#feed.posts(some.posts),
      some.publishers.length === 0 ? [] : this.#feed.publishers(some.publishers),
    ]);
    const there = new Set([...posts.map(({ entry }) => entry.id), ...publishers.map(({ id }) => id)]);
    const isGone = (id: string) => !there.has(id);
    const changes = {
      posts,
      publishers,
      gonePosts: some.posts.filter(isGone),
      gonePublishers: some.publishers.filter(isGone),
    };
    await this.#apply(changes, place);
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

interface Step {
  run: () => Promise<void>;
  /** Puts its ids back in front, after a failure. */
  giveBack: () => void;
}

/** Ids with the number of the call that added them. */
interface NumberedIds {
  posts: Map<string, number>;
  publishers: Map<string, number>;
}

/** Ids that wait, each once, oldest first. */
class IdQueue {
  #ids: NumberedIds = { posts: new Map(), publishers: new Map() };

  get size(): number {
    return this.#ids.posts.size + this.#ids.publishers.size;
  }

  /** The oldest number, infinite when nothing waits. */
  oldest(): number {
    const firstOf = (ids: Map<string, number>) => ids.values().next().value ?? Number.POSITIVE_INFINITY;
    return Math.min(firstOf(this.#ids.posts), firstOf(this.#ids.publishers));
  }

  /** An id that waits already keeps its place: its newest state is read when its turn comes. */
  add({ posts, publishers }: FeedChange, no: number): void {
    for (const id of posts) if (!this.#ids.posts.has(id)) this.#ids.posts.set(id, no);
    for (const id of publishers) if (!this.#ids.publishers.has(id)) this.#ids.publishers.set(id, no);
  }

  /** Takes out at most `limit` of each kind. */
  take(limit: number): NumberedIds {
    return {
      posts: takeFirst(this.#ids.posts, limit),
      publishers: takeFirst(this.#ids.publishers, limit),
    };
  }

  giveBack(some: NumberedIds): void {
    const { posts, publishers } = this.#ids;
    this.#ids = {
      posts: new Map([...some.posts, ...[...posts].filter(([id]) => !some.posts.has(id))]),
      publishers: new Map([
        ...some.publishers,
        ...[...publishers].filter(([id]) => !some.publishers.has(id)),
      ]),
    };
  }
}

function takeFirst(ids: Map<string, number>, limit: number): Map<string, number> {
  const first = new Map<string, number>();
  for (const [id, no] of ids) {
    if (first.size === limit) break;
    first.set(id, no);
  }
  for (const id of first.keys()) ids.delete(id);
  return first;
}
