import { setTimeout as sleep } from "node:timers/promises";
import { FeedLost, type IndexFeed } from "../../../../ports/index-feed.ts";
import type { SearchIndex } from "../../../../ports/search-index.ts";
import { StoreUnavailable } from "../../../../ports/store/index.ts";
import type { EmbeddedIndex } from "../../../../search-index/index.ts";
import type { StoreLog } from "../../../module.ts";
import { Intake } from "./change-queue.ts";
import { isDamage, openReplicaFile, type ReplicaFile } from "./file.ts";
import { takeSlot } from "./file-lease.ts";
import { fill, scanAgain } from "./scan.ts";
import { write } from "./write.ts";

/** An embedded index that follows a store which stands apart. */
export interface Replica extends SearchIndex {
  /** Resolves to true once it is ready, to false when the time is over. */
  readyWithin(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export interface ReplicaParts {
  feed: IndexFeed;
  /** Where its file is; each process takes one of its own there. */
  folder: string;
  /** Tells boards apart: a file of another one is thrown away. */
  board: string;
  modelId: string | null;
  /** A multiple of 16. */
  dimension: number;
  log: StoreLog;
  /** Epoch milliseconds. */
  now: number;
}

/** A question waits so long for own writes; whoever wrote them expects to find them. */
const OWN_WRITES_MS = 1_000;
const RETRY_MS = 1_000;
/** How often a place is kept while nothing changes. */
const PLACE_EVERY_MS = 5_000;

/**
 * Opens the replica of this process, and returns at once; `ready` tells when it holds everything that was acknowledged
 * before this call. Until then, questions fail with StoreUnavailable. Afterwards it answers from what it has, also while
 * the database is away.
 */
export function openReplica(parts: ReplicaParts): Replica {
  const following = new Following(parts);
  const ask = async <T>(question: (index: EmbeddedIndex) => Promise<T>): Promise<T> => {
    if (!following.ready) throw new StoreUnavailable("the search index is being filled");
    await following.ownTaken();
    return following.ask(question);
  };
  return {
    match: (question, page) => ask((index) => index.match(question, page)),
    list: (question, page) => ask((index) => index.list(question, page)),
    count: (question) => ask((index) => index.count(question)),
    vectors: (ids) => ask((index) => index.vectors(ids)),
    cosines: (vector, ids) => ask((index) => index.cosines(vector, ids)),
    ready: () => following.ready,
    readyWithin: (timeoutMs) => following.readyWithin(timeoutMs),
    close: () => following.close(),
  };
}

/** Keeps one file up to date from its opening to its closing. */
class Following {
  #ready = false;
  /** Who waits for it. */
  #waiting: (() => void)[] = [];
  readonly #parts: ReplicaParts;
  readonly #slot;
  readonly #intake: Intake;
  readonly #closed = new AbortController();
  #file: ReplicaFile;
  /** Aborted to begin again with another file. */
  #round = new AbortController();

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    this.#slot = takeSlot(parts.folder, parts.now);
    this.#file = openReplicaFile(this.#slot, parts.board, parts);
    this.#intake = new Intake({
      feed: parts.feed,
      log: parts.log,
      take: async (taken, place) => {
        // A file that is not filled yet must not look as if it were.
        const reached = this.#file.place() === null ? null : place;
        await this.#onDamage(() => write(this.#file, taken, reached));
      },
    });
    parts.feed.onWrite((change) => this.#intake.noteOwn(change));
    void this.#run();
  }

  /** True once everything that was acknowledged before the opening is in. */
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

  ownTaken(): Promise<void> {
    return this.#intake.ownTaken(OWN_WRITES_MS);
  }

  ask<T>(question: (index: EmbeddedIndex) => Promise<T>): Promise<T> {
    return this.#onDamage(() => question(this.#file.index));
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#round.abort();
    this.ready = false;
    await this.#intake.close();
    this.#file.close();
    this.#slot.release();
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      this.#round = new AbortController();
      try {
        await this.#follow(this.#round.signal);
      } catch (error) {
        if (this.#round.signal.aborted) continue;
        this.#parts.log.warn({ err: error }, "the search index lost its database and follows again");
        await sleep(RETRY_MS, null, { signal: this.#closed.signal, ref: false }).catch(() => {});
      }
    }
  }

  /** Takes in what changed since the file's place, or everything, and then what changes, until `signal` aborts. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { feed, log } = this.#parts;
    const target = this.ready ? null : await feed.here();
    const isReached = (at: string) => target !== null && feed.reached(at, target);
    let place = this.#file.place() ?? (await this.#scan(signal));
    let notedAt = 0;
    while (!signal.aborted) {
      try {
        if (isReached(place)) this.ready = true;
        for await (const change of feed.follow(place, signal)) {
          const isNews = change.posts.length > 0 || change.publishers.length > 0;
          if (isNews || performance.now() - notedAt > PLACE_EVERY_MS) {
            notedAt = performance.now();
            await this.#intake.note(change);
          }
          place = change.place;
          if (!this.ready && isReached(place)) {
            await this.#intake.idle();
            this.ready = !signal.aborted;
          }
        }
        // It ends by itself only with the store.
        signal.throwIfAborted();
        throw new StoreUnavailable("the store is closed");
      } catch (error) {
        if (!(error instanceof FeedLost)) throw error;
        log.info({}, "the search index was away for too long and reads everything again");
        place = await this.#scan(signal);
      }
    }
  }

  /** Reads everything; resolves to the place from which to follow. */
  async #scan(signal: AbortSignal): Promise<string> {
    const { feed, log } = this.#parts;
    const place = await feed.here();
    const startedAt = performance.now();
    if (this.#file.place() === null) {
      await this.#intake.alone(() => this.#onDamage(() => fill(this.#file, feed, place, signal)), signal);
    } else {
      const alone = (job: () => Promise<void>) => this.#intake.alone(() => this.#onDamage(job), signal);
      await scanAgain(() => this.#file, feed, alone, signal);
      await this.#intake.note({ posts: [], publishers: [], place });
    }
    signal.throwIfAborted();
    log.info({ ms: Math.round(performance.now() - startedAt) }, "the search index is filled");
    this.ready = true;
    return place;
  }

  /** Runs `use`; when it finds the file damaged, the file is thrown away and filled again. */
  async #onDamage<T>(use: () => Promise<T>): Promise<T> {
    const file = this.#file;
    try {
      return await use();
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (file === this.#file && !this.#closed.signal.aborted) {
        this.#parts.log.warn({ err: error }, "the file of the search index is damaged and is made anew");
        this.ready = false;
        file.close();
        this.#slot.clear();
        this.#file = openReplicaFile(this.#slot, this.#parts.board, this.#parts);
        this.#round.abort();
      }
      throw new StoreUnavailable("the search index is being filled", { cause: error });
    }
  }
}
