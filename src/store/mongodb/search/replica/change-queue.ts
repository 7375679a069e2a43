import { setTimeout as sleep } from "node:timers/promises";
import type { FeedChange, IndexedState, IndexFeed, PublisherStatus } from "../../../../ports/index-feed.ts";
import type { StoreLog } from "../../../module.ts";

/** What became of some posts and publishers: their states of now, and who is there no more. */
export interface Taken {
  posts: readonly IndexedState[];
  publishers: readonly PublisherStatus[];
  gonePosts: readonly string[];
  gonePublishers: readonly string[];
}

/** Where changes go. Keeps all of a call, and the place with it, or throws. */
export type Take = (taken: Taken, place: string | null) => Promise<void>;

/** Posts, and publishers, whose state is read at once. */
const STEP = 200;
/** Ids of others' changes that may wait; the feed is not asked for more then. */
const WAITING_MAX = 5_000;
const RETRY_MS = 100;
const RETRY_MAX_MS = 2_000;

/**
 * Takes changes in, strictly one step after another: ids are noted, and what became of them is read when their turn
 * comes, so that no state is ever replaced by an older one. Own writes go first.
 */
export class Intake {
  readonly #feed: IndexFeed;
  readonly #take: Take;
  readonly #log: StoreLog;
  readonly #own = new Waiting();
  readonly #others = new Waiting();
  /** Everything up to it is taken in, once nothing of `#others` waits. */
  #place: string | null = null;
  #alone: (() => Promise<void>)[] = [];
  /** Who waits for steps to end; called after each. */
  #watchers = new Set<() => void>();
  #running: Promise<void> | null = null;
  #closed = new AbortController();
  #notes = 0;
  #ownBefore = false;
  /** Of the oldest own note that the step under way takes in, null when it takes none. */
  #ownUnderWay: number | null = null;

  constructor(parts: { feed: IndexFeed; take: Take; log: StoreLog }) {
    this.#feed = parts.feed;
    this.#take = parts.take;
    this.#log = parts.log;
  }

  /** Notes what this process wrote. */
  noteOwn(change: FeedChange): void {
    this.#notes += 1;
    this.#own.add(change, this.#notes);
    this.#wake();
  }

  /** Notes what the feed says; waits while too much is under way. */
  async note(change: FeedChange & { place: string }): Promise<void> {
    this.#notes += 1;
    this.#others.add(change, this.#notes);
    this.#place = change.place;
    this.#wake();
    await this.#until(() => this.#others.size < WAITING_MAX);
  }

  /** Resolves once all own writes noted before this call are in, or the time is over. */
  async ownTaken(timeoutMs: number): Promise<void> {
    const last = this.#notes;
    const isIn = () => Math.min(this.#own.oldest(), this.#ownUnderWay ?? Number.POSITIVE_INFINITY) > last;
    if (!isIn()) await this.#until(isIn, AbortSignal.timeout(timeoutMs));
  }

  /** Resolves once nothing waits. */
  async idle(): Promise<void> {
    await this.#until(() => this.#running === null);
  }

  /** Runs `job` between two steps; again, later, when it fails. Resolves when it is done, or `signal` aborts it. */
  alone(job: () => Promise<void>, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      this.#alone.push(async () => {
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

  /** Ends the step under way and takes nothing more in. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  #wake(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      this.#tell();
      // Noted between the last look and now.
      if (this.#isWaiting() && !this.#closed.signal.aborted) this.#wake();
    });
  }

  async #run(): Promise<void> {
    // The first step begins after the caller's turn: what is noted together is taken in together.
    await null;
    for (let tries = 0; !this.#closed.signal.aborted; ) {
      const step = this.#nextStep();
      if (step === null) return;
      try {
        await step.run();
        tries = 0;
      } catch (error) {
        step.giveBack();
        if (tries === 0) this.#log.warn({ err: error }, "the search index cannot follow the database now");
        tries += 1;
        const waitMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** tries);
        await sleep(waitMs, null, { signal: this.#closed.signal, ref: false }).catch(() => {});
      } finally {
        this.#ownUnderWay = null;
        this.#tell();
      }
    }
  }

  #isWaiting(): boolean {
    return this.#own.size > 0 || this.#alone.length > 0 || this.#others.size > 0 || this.#place !== null;
  }

  /** Own writes first, and others in turn with them when there is no end of own ones. */
  #nextStep(): Step | null {
    const ownTurn = !this.#ownBefore || (this.#alone.length === 0 && this.#others.size === 0);
    this.#ownBefore = this.#own.size > 0 && ownTurn;
    if (this.#ownBefore) {
      this.#ownUnderWay = this.#own.oldest();
      return this.#stepOf(this.#own, null);
    }
    const job = this.#alone.shift();
    if (job !== undefined) return { run: job, giveBack: () => void this.#alone.unshift(job) };
    if (this.#others.size === 0 && this.#place === null) return null;
    return this.#stepOf(this.#others, this.#place);
  }

  /** @param place  where taking in all of `waiting` leads */
  #stepOf(waiting: Waiting, place: string | null): Step {
    const some = waiting.some(STEP);
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
    const taken = {
      posts,
      publishers,
      gonePosts: some.posts.filter(isGone),
      gonePublishers: some.publishers.filter(isGone),
    };
    await this.#take(taken, place);
  }

  /** Resolves when `reached` holds after some step, or the intake is closed, or `signal` aborts. */
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
  /** Puts what it took back in front, after a failure. */
  giveBack: () => void;
}

/** Ids with the number of the note that brought them. */
interface Noted {
  posts: Map<string, number>;
  publishers: Map<string, number>;
}

/** Ids that wait for their turn, each once, oldest first. */
class Waiting {
  #ids: Noted = { posts: new Map(), publishers: new Map() };

  get size(): number {
    return this.#ids.posts.size + this.#ids.publishers.size;
  }

  /** Number of the oldest note, infinite when nothing waits. */
  oldest(): number {
    const [posts, publishers] = [this.#ids.posts, this.#ids.publishers].map(
      (ids) => ids.values().next().value ?? Number.POSITIVE_INFINITY,
    );
    return Math.min(posts ?? 0, publishers ?? 0);
  }

  /** What waits already keeps its place: when its turn comes, the newest state is read. */
  add({ posts, publishers }: FeedChange, no: number): void {
    for (const id of posts) if (!this.#ids.posts.has(id)) this.#ids.posts.set(id, no);
    for (const id of publishers) if (!this.#ids.publishers.has(id)) this.#ids.publishers.set(id, no);
  }

  /** Takes at most `limit` of each out. */
  some(limit: number): Noted {
    return {
      posts: takeFirst(this.#ids.posts, limit),
      publishers: takeFirst(this.#ids.publishers, limit),
    };
  }

  giveBack(some: Noted): void {
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
