import { setTimeout as sleep } from "node:timers/promises";
import { FeedLost, type IndexFeed } from "../../../../ports/index-feed.ts";
import type { SearchIndex } from "../../../../ports/search-index.ts";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import type { EmbeddedIndex } from "../../../../search-index/index.ts";
import { isDamaged } from "../../../../search-index/sqlite-errors.ts";
import type { SearchState, StoreLog } from "../../../module.ts";
import { openReplicaFile, type ReplicaFile } from "./file.ts";
import { leaseFile } from "./file-lease.ts";
import { ChangeQueue } from "./queue.ts";
import { fillReplica, writeChanges } from "./write.ts";

/** An embedded index in its own file, kept up to date from a store's feed. */
export interface Replica extends SearchIndex {
  state(): SearchState;
  /** Resolves to true once it is ready, or to false when the time is over. */
  readyWithin(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  feed: IndexFeed;
  /** Folder of replicas; each process leases one file in it. */
  folder: string;
  /** Id of the board; a file of another board is replaced. */
  board: string;
  modelId: string | null;
  /** A multiple of 16. */
  dimension: number;
  log: StoreLog;
  /** Epoch milliseconds. */
  now: number;
}

/** How long a question waits for this process's own writes: their caller expects to find them. */
const OWN_WRITES_MS = 1_000;
const RETRY_MS = 1_000;
const LOOK_MS = 20;
/** How often the place is saved while nothing changes. */
const PLACE_EVERY_MS = 5_000;
const FILLING = "the search index is being filled";

/**
 * Opens the replica of this process and returns at once. `ready` says when it holds everything that was acknowledged
 * before this call; until then, questions fail with StoreUnavailable. From then on it answers from what it holds, even
 * while the database is away.
 */
export function openReplica(options: ReplicaOptions): Replica {
  const following = new ReplicaSync(options);
  const ask = following.ask.bind(following);
  return {
    match: (question, page) => ask((index) => index.match(question, page)),
    rank: (question, options) => ask((index) => index.rank(question, options)),
    list: (question, page) => ask((index) => index.list(question, page)),
    copies: (question, ids) => ask((index) => index.copies(question, ids)),
    count: (question) => ask((index) => index.count(question)),
    spots: (question, limit) => ask((index) => index.spots(question, limit)),
    related: (id, asked) => ask((index) => index.related(id, asked)),
    vectors: (ids) => ask((index) => index.vectors(ids)),
    spellings: (words) => ask((index) => index.spellings(words)),
    unknownWords: (words) => ask((index) => index.unknownWords(words)),
    cosines: (vector, ids) => ask((index) => index.cosines(vector, ids)),
    ready: () => following.ready,
    state: () => (following.ready ? "local" : "building"),
    readyWithin: (timeoutMs) => following.readyWithin(timeoutMs),
    close: () => following.close(),
  };
}

/** Keeps one file up to date until it is closed. */
class ReplicaSync {
  readonly #options: ReplicaOptions;
  readonly #lease;
  readonly #closed = new AbortController();
  #file: ReplicaFile;
  /** Null while the file is being filled: what is written meanwhile comes through the feed. */
  #queue: ChangeQueue | null = null;
  /** True once it holds everything that was acknowledged before it was opened. */
  ready = false;
  /** Aborted to start again with a new file. */
  #round = new AbortController();
  #running: Promise<void>;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#lease = leaseFile(options.folder, options.now);
    this.#file = openReplicaFile(this.#lease, options.board, options);
    options.feed.onWrite((change) => this.#queue?.addOwn(change));
    this.#running = this.#run();
  }

  async readyWithin(timeoutMs: number): Promise<boolean> {
    const until = performance.now() + timeoutMs;
    while (!this.ready && performance.now() < until && !this.#closed.signal.aborted) await sleep(LOOK_MS);
    return this.ready;
  }

  async ask<T>(question: (index: EmbeddedIndex) => Promise<T>): Promise<T> {
    if (!this.ready) throw new StoreUnavailable(FILLING);
    await this.#queue?.ownApplied(OWN_WRITES_MS);
    return this.#watched(() => question(this.#file.index));
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#round.abort();
    this.ready = false;
    await this.#running;
    await this.#file.close();
    this.#lease.release();
  }

  async #run(): Promise<void> {
    const { log, board } = this.#options;
    for (let isLost = false; !this.#closed.signal.aborted; ) {
      this.#round = new AbortController();
      const { signal } = this.#round;
      try {
        if (isLost) {
          await this.#file.close().catch(() => {});
          this.#lease.clear();
          this.#file = openReplicaFile(this.#lease, board, this.#options);
          isLost = false;
        }
        await this.#follow(signal);
      } catch (error) {
        if (this.#closed.signal.aborted) return;
        const reason: unknown = signal.aborted ? signal.reason : error;
        if (reason instanceof FeedLost || isDamaged(reason)) {
          log.warn({ err: reason }, "the search index cannot be used any more; a new one is filled");
          this.ready = false;
          isLost = true;
          continue;
        }
        log.warn({ err: reason }, "the search index lost its database; it tries again");
        await sleep(RETRY_MS, null, { signal: this.#closed.signal, ref: false }).catch(() => {});
      }
    }
  }

  /** Applies what changed since the file's place, or everything, and then each change, until `signal` aborts. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { feed, log } = this.#options;
    const file = this.#file;
    const place = file.place() ?? (await this.#fill(signal));
    await file.index.open();
    const queue = new ChangeQueue({
      feed,
      log,
      apply: (changes, reached) => this.#watched(() => writeChanges(file, changes, reached)),
    });
    this.#queue = queue;
    // A step that meets a damaged file would be tried again for ever.
    signal.addEventListener("abort", () => void queue.close(), { once: true });
    try {
      let notedAt = 0;
      for await (const change of feed.follow(place, signal)) {
        const isNews = change.posts.length > 0 || change.publishers.length > 0;
        if (isNews || performance.now() - notedAt > PLACE_EVERY_MS) {
          notedAt = performance.now();
          await queue.add(change);
        }
        if (this.ready || isNews) continue;
        await queue.idle();
        this.ready = !signal.aborted;
      }
      // The feed ends by itself only when the store closes.
      signal.throwIfAborted();
      throw new StoreUnavailable("the store is closed");
    } finally {
      this.#queue = null;
      await queue.close();
    }
  }

  /** Reads everything; resolves to the place from which to go on. */
  async #fill(signal: AbortSignal): Promise<string> {
    const { feed, log } = this.#options;
    const place = await feed.here();
    const startedAt = performance.now();
    await this.#watched(() => fillReplica(this.#file, feed, place, signal));
    log.info({ ms: Math.round(performance.now() - startedAt) }, "the search index is filled");
    this.ready = true;
    return place;
  }

  /** Runs `use`; a file that turns out to be damaged ends the round. */
  async #watched<T>(use: () => Promise<T>): Promise<T> {
    try {
      return await use();
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.ready = false;
      this.#round.abort(error);
      throw new StoreUnavailable(FILLING, { cause: error });
    }
  }
}
