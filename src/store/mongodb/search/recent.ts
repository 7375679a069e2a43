import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import type { IndexFeed } from "../../../ports/index-feed.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import { EmbeddedIndex } from "../../../search-index/index.ts";
import type { StoreLog } from "../../module.ts";
import type { LeftOut } from "./mongot/index.ts";
import { ChangeQueue, type IndexChanges } from "./replica/change-queue.ts";

/** How long a question waits for this process's own writes. */
const OWN_WRITES_MS = 1_000;
const RETRY_MS = 1_000;
/** Ids that `prune` asks about at once. */
const IDS_AT_ONCE = 1_000;

/**
 * Posts that changed a moment ago, in an embedded index in memory: an index that lags behind may lack them, or hold an
 * older state.
 */
export class RecentPosts {
  readonly index: EmbeddedIndex;
  readonly #feed: IndexFeed;
  readonly #log: StoreLog;
  readonly #database = new DatabaseSync(":memory:");
  /** When each post changed, in milliseconds of `performance.now()`, oldest first; includes posts that are gone. */
  readonly #changed = new Map<string, number>();
  readonly #gone = new Set<string>();
  readonly #publishers = new Set<string>();
  readonly #queue: ChangeQueue;
  readonly #closed = new AbortController();

  constructor(options: { feed: IndexFeed; modelId: string | null; dimension: number; log: StoreLog }) {
    this.#feed = options.feed;
    this.#log = options.log;
    this.index = new EmbeddedIndex(options);
    for (const statement of this.index.migrations) this.#database.exec(statement);
    this.index.attach(this.#database);
    this.#queue = new ChangeQueue({
      feed: options.feed,
      log: options.log,
      apply: (changes) => this.#apply(changes),
    });
    options.feed.onWrite((change) => this.#queue.addOwn(change));
    void this.#follow();
  }

  /**
   * The posts that a question asked now leaves to this index. One that changes only later is still the other's: this index
   * may have answered before.
   */
  since(now: number): LeftOut {
    return {
      newest: (limit) => [...this.#changed.keys()].slice(-limit),
      has: (id) => (this.#changed.get(id) ?? Number.POSITIVE_INFINITY) <= now,
    };
  }

  /** Resolves once it holds all own writes so far, or after a second. */
  ownApplied(): Promise<void> {
    return this.#queue.ownApplied(OWN_WRITES_MS);
  }

  /**
   * Drops posts that changed before `since` and reached the other index, and all that changed before `atLatest`.
   * @param held  answers which of some ids the other index holds
   */
  async prune(since: number, atLatest: number, held: (ids: string[]) => Promise<Set<string>>): Promise<void> {
    const old = [...this.#changed].filter(([, at]) => at < since);
    for (let start = 0; start < old.length; start += IDS_AT_ONCE) {
      const some = old.slice(start, start + IDS_AT_ONCE);
      const there = await held(some.map(([id]) => id));
      const settled = some.filter(
        ([id, at]) =>
          // Not changed again meanwhile.
          this.#changed.get(id) === at && (at < atLatest || there.has(id) !== this.#gone.has(id)),
      );
      this.#write(() => {
        for (const [id] of settled) {
          if (!this.#gone.delete(id)) this.index.remove(id);
          this.#changed.delete(id);
        }
      });
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#queue.close();
    await this.index.close();
    this.#database.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        const place = await this.#feed.here();
        for await (const change of this.#feed.follow(place, signal)) await this.#queue.add(change);
        // The feed ends by itself only when the store closes.
        signal.throwIfAborted();
        throw new StoreUnavailable("the store is closed");
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error }, "recent posts cannot be followed now; the next try is in a second");
        await sleep(RETRY_MS, null, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #apply(changes: IndexChanges): Promise<void> {
    const unknown = new Set(changes.posts.map(({ entry }) => entry.publisherId));
    for (const id of this.#publishers) unknown.delete(id);
    const publishers = unknown.size === 0 ? [] : await this.#feed.publishers([...unknown]);
    const now = performance.now();
    this.#write(() => {
      for (const { id, verified, suspended } of [...publishers, ...changes.publishers]) {
        this.index.putPublisher(id, { verified, suspended });
        this.#publishers.add(id);
      }
      for (const { entry, vector } of changes.posts) {
        this.index.put(entry);
        if (vector === null) this.index.removeVector(entry.id);
        else this.index.putVector(entry.id, vector.model, vector.vector);
        this.#gone.delete(entry.id);
        this.#touch(entry.id, now);
      }
      for (const id of changes.gonePosts) {
        this.index.remove(id);
        this.#gone.add(id);
        this.#touch(id, now);
      }
    });
  }

  #touch(id: string, now: number): void {
    this.#changed.delete(id);
    this.#changed.set(id, now);
  }

  #write(change: () => void): void {
    this.#database.exec("BEGIN");
    change();
    this.#database.exec("COMMIT");
    this.index.committed();
  }
}
