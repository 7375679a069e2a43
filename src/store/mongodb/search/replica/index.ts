import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Ask, SearchIndex } from "../../../../ports/search-index.ts";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import { isDamaged } from "../../../../search/index/sqlite-errors.ts";
import type { SearchState, StoreLog } from "../../../module.ts";
import type { IndexFeed } from "../feed/index.ts";
import type { FeedChange } from "../feed/stream.ts";
import { openReplicaFile, type ReplicaFile } from "./file.ts";
import { ChangeQueue } from "./queue.ts";

export interface ReplicaOptions {
  feed: IndexFeed;
  /** Replicas lie in this folder; each process has one file in it. */
  folder: string;
  modelId: string | null;
  /** The dimension is a multiple of 16. */
  dimension: number;
  log: StoreLog;
}

/** After a write of this process, questions wait for it this long: its caller expects to find it. */
const OWN_WRITES_MS = 1_000;
const RETRY_MS = 1_000;
const LOOK_MS = 20;
/** This many posts, or publishers, are written at once while it is filled: some milliseconds of the event loop. */
const SLICE = 100;
const FILLING = "the search index is being filled";

/**
 * Keeps the replica of this process: an embedded index in its own file, filled from a store's feed and kept up to date.
 * `ready` says when it holds everything that was acknowledged before it was opened; until then, questions fail with
 * StoreUnavailable. From then on it answers from what it holds, even while the database is away. When that fails, it begins
 * again with a new file.
 */
export class Replica implements SearchIndex {
  readonly #options: ReplicaOptions;
  readonly #closed = new AbortController();
  /** Whoever aborts it makes the round begin again. */
  #round = new AbortController();
  #file: ReplicaFile | null;
  #queue: ChangeQueue | null = null;
  /** Resolves once the last write of this process is in the index, or its time is over. */
  #own: Promise<unknown> = Promise.resolve();
  #isReady = false;
  readonly #running: Promise<void>;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#file = openReplicaFile(options.folder, options);
    options.feed.onWrite((change) => {
      const applied = this.#queue?.add(change);
      this.#own = Promise.race([applied, sleep(OWN_WRITES_MS, null, { ref: false })]);
    });
    this.#running = this.#run();
  }

  readonly ask: Ask = async (what, ...of) => {
    await this.#own;
    const file = this.#file;
    if (!this.#isReady || file === null) throw new StoreUnavailable(FILLING);
    return this.#watched(() => file.index.ask(what, ...of));
  };

  ready(): boolean {
    return this.#isReady;
  }

  state(): SearchState {
    return this.#isReady ? "local" : "building";
  }

  /** Resolves to true once it is ready, or to false when the time is over. */
  async readyWithin(timeoutMs: number): Promise<boolean> {
    const until = performance.now() + timeoutMs;
    while (!this.#isReady && performance.now() < until && !this.#closed.signal.aborted) await sleep(LOOK_MS);
    return this.#isReady;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, folder } = this.#options;
    const closed = this.#closed.signal;
    while (!closed.aborted) {
      this.#round = new AbortController();
      const signal = AbortSignal.any([closed, this.#round.signal]);
      try {
        this.#file ??= openReplicaFile(folder, this.#options);
        await this.#follow(this.#file, signal);
      } catch (error) {
        if (!closed.aborted) log.warn({ err: error }, "the search index is lost; a new one is filled");
      }
      this.#isReady = false;
      await this.#file?.close();
      this.#file = null;
      await sleep(RETRY_MS, null, { signal: closed, ref: false }).catch(() => {});
    }
  }

  /** Reads everything into a new file, and then each change, until `signal` aborts. */
  async #follow(file: ReplicaFile, signal: AbortSignal): Promise<void> {
    const { feed, log } = this.#options;
    const changes = feed.follow(signal);
    await changes.next();
    const filling = this.#fill(file, signal);
    const queue = new ChangeQueue({
      after: filling,
      apply: (some) => this.#watched(() => this.#apply(file, some)),
      failed(err) {
        log.warn({ err }, "the search index cannot follow the database now; it tries again");
      },
      signal,
    });
    this.#queue = queue;
    try {
      await filling;
      this.#isReady = true;
      for await (const change of changes) await queue.add(change);
      // The feed ends by itself only when the store closes.
      signal.throwIfAborted();
      throw new StoreUnavailable("the store is closed");
    } finally {
      this.#queue = null;
      this.#round.abort();
      await changes.return();
      await queue.idle();
    }
  }

  async #fill(file: ReplicaFile, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    for await (const { posts, publishers } of this.#options.feed.scan()) {
      for (let from = 0; from < Math.max(posts.length, publishers.length); from += SLICE) {
        signal.throwIfAborted();
        const to = from + SLICE;
        file.write({ posts: posts.slice(from, to), publishers: publishers.slice(from, to) });
        await nextTurn();
      }
    }
    await file.index.open();
    const ms = Math.round(performance.now() - startedAt);
    this.#options.log.info({ ms }, "the search index is filled");
  }

  /** Brings some posts and publishers to their present states. */
  async #apply(file: ReplicaFile, ids: FeedChange): Promise<void> {
    const rows = await this.#options.feed.read(ids);
    const there = new Set([
      ...rows.posts.map(({ entry }) => entry.id),
      ...rows.publishers.map(({ id }) => id),
    ]);
    const isGone = (id: string) => !there.has(id);
    file.write(rows, { posts: ids.posts.filter(isGone), publishers: ids.publishers.filter(isGone) });
    file.index.follow();
  }

  /** Runs `use`; a file that turns out to be damaged ends the round. */
  async #watched<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.#isReady = false;
      this.#round.abort(error);
      throw new StoreUnavailable(FILLING, { cause: error });
    }
  }
}
