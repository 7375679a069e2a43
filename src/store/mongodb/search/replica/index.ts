import { setTimeout as sleep } from "node:timers/promises";
import { FeedLost, type IndexFeed } from "../../../../ports/index-feed.ts";
import type { SearchIndex } from "../../../../ports/search-index.ts";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import type { LIMITS } from "../../../../search-index/follower.ts";
import type { EmbeddedIndex } from "../../../../search-index/index.ts";
import { isDamaged } from "../../../../search-index/sqlite-errors.ts";
import type { StoreLog } from "../../../module.ts";
import { ChangeQueue } from "./change-queue.ts";
import { openReplicaFile, type ReplicaFile } from "./file.ts";
import { leaseFile } from "./file-lease.ts";
import { fillReplica, rescanReplica } from "./scan.ts";
import { writeChanges } from "./write.ts";

/** An embedded index in its own file, kept up to date from a store's feed. */
export interface Replica extends SearchIndex {
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
  /** Only benches and tests choose others than `LIMITS`. */
  limits?: typeof LIMITS;
}

/** How long a question waits for this process's own writes: their caller expects to find them. */
const OWN_WRITES_MS = 1_000;
const RETRY_MS = 1_000;
/** How often the place is saved while nothing changes. */
const PLACE_EVERY_MS = 5_000;

/**
 * Opens the replica of this process and returns at once. `ready` says when it holds everything that was acknowledged
 * before this call; until then, questions fail with StoreUnavailable. From then on it answers from what it holds, even
 * while the database is away.
 */
export function openReplica(options: ReplicaOptions): Replica {
  const following = new ReplicaSync(options);
  const ask = async <T>(question: (index: EmbeddedIndex) => Promise<T>): Promise<T> => {
    if (!following.ready) throw new StoreUnavailable("the search index is being filled");
    await following.ownApplied();
    return following.ask(question);
  };
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
    cosines: (vector, ids) => ask((index) => index.cosines(vector, ids)),
    ready: () => following.ready,
    readyWithin: (timeoutMs) => following.readyWithin(timeoutMs),
    close: () => following.close(),
  };
}

/** Keeps one file up to date until it is closed. */
class ReplicaSync {
  #ready = false;
  /** Called once it is ready. */
  #waiting: (() => void)[] = [];
  readonly #options: ReplicaOptions;
  readonly #lease;
  readonly #queue: ChangeQueue;
  readonly #closed = new AbortController();
  #file: ReplicaFile;
  /** Aborted to start again with a new file. */
  #round = new AbortController();

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#lease = leaseFile(options.folder, options.now);
    this.#file = openReplicaFile(this.#lease, options.board, options);
    this.#queue = new ChangeQueue({
      feed: options.feed,
      log: options.log,
      apply: async (changes, place) => {
        // A place would make a half-filled file look complete.
        const reached = this.#file.place() === null ? null : place;
        await this.#onDamage(() => writeChanges(this.#file, changes, reached));
      },
    });
    options.feed.onWrite((change) => this.#queue.addOwn(change));
    void this.#run();
  }

  /** True once it holds everything that was acknowledged before it was opened. */
  get ready(): boolean {
    return this.#ready;
  }

  set ready(ready: boolean) {
    this.#ready = ready;
    if (ready) for (const tell of this.#waiting.splice(0)) tell();
  }

  async readyWithin(timeoutMs: number): Promise<boolean> {
    if (this.#ready) return true;
    const over = new AbortController();
    await Promise.race([
      new Promise<void>((done) => this.#waiting.push(done)),
      sleep(timeoutMs, null, { signal: over.signal }).catch(() => {}),
    ]);
    over.abort();
    return this.#ready;
  }

  ownApplied(): Promise<void> {
    return this.#queue.ownApplied(OWN_WRITES_MS);
  }

  ask<T>(question: (index: EmbeddedIndex) => Promise<T>): Promise<T> {
    return this.#onDamage(() => question(this.#file.index));
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#round.abort();
    this.ready = false;
    await this.#queue.close();
    await this.#file.index.close();
    this.#file.close();
    this.#lease.release();
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      this.#round = new AbortController();
      try {
        await this.#follow(this.#round.signal);
      } catch (error) {
        if (this.#round.signal.aborted) continue;
        this.#options.log.warn({ err: error }, "the search index lost its database; it tries again");
        await sleep(RETRY_MS, null, { signal: this.#closed.signal, ref: false }).catch(() => {});
      }
    }
  }

  /** Applies what changed since the file's place, or everything, and then each change, until `signal` aborts. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { feed, log } = this.#options;
    if (this.#file.place() !== null) await this.#onDamage(() => this.#file.index.open());
    let place = this.#file.place() ?? (await this.#scan(signal));
    let notedAt = 0;
    while (!signal.aborted) {
      try {
        for await (const change of feed.follow(place, signal)) {
          const isNews = change.posts.length > 0 || change.publishers.length > 0;
          if (isNews || performance.now() - notedAt > PLACE_EVERY_MS) {
            notedAt = performance.now();
            await this.#queue.add(change);
          }
          place = change.place;
          if (!this.ready && !isNews) {
            await this.#queue.idle();
            this.ready = !signal.aborted;
          }
        }
        // The feed ends by itself only when the store closes.
        signal.throwIfAborted();
        throw new StoreUnavailable("the store is closed");
      } catch (error) {
        if (!(error instanceof FeedLost)) throw error;
        log.info({}, "the search index was away too long; it reads everything again");
        place = await this.#scan(signal);
      }
    }
  }

  /** Reads everything; resolves to the place from which to go on. */
  async #scan(signal: AbortSignal): Promise<string> {
    const { feed, log } = this.#options;
    const place = await feed.here();
    const startedAt = performance.now();
    if (this.#file.place() === null) {
      await this.#queue.exclusively(
        () => this.#onDamage(() => fillReplica(this.#file, feed, place, signal)),
        signal,
      );
    } else {
      const alone = (job: () => Promise<void>) => this.#queue.exclusively(() => this.#onDamage(job), signal);
      await rescanReplica(() => this.#file, feed, alone, signal);
      await this.#queue.add({ posts: [], publishers: [], place });
    }
    signal.throwIfAborted();
    log.info({ ms: Math.round(performance.now() - startedAt) }, "the search index is filled");
    this.ready = true;
    return place;
  }

  /** Runs `use`; a file that turns out to be damaged is replaced and filled again. */
  async #onDamage<T>(use: () => Promise<T>): Promise<T> {
    const file = this.#file;
    try {
      return await use();
    } catch (error) {
      if (!isDamaged(error)) throw error;
      if (file === this.#file && !this.#closed.signal.aborted) {
        this.#options.log.warn(
          { err: error },
          "the file of the search index is damaged; a new one is filled",
        );
        this.ready = false;
        file.close();
        this.#lease.clear();
        this.#file = openReplicaFile(this.#lease, this.#options.board, this.#options);
        this.#round.abort();
      }
      throw new StoreUnavailable("the search index is being filled", { cause: error });
    }
  }
}
