import { setTimeout as sleep } from "node:timers/promises";
import type { IndexFeed } from "../../../ports/index-feed.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import { EmbeddedIndex } from "../../../search-index/index.ts";
import { DatabaseSync } from "../../../sqlite.ts";
import type { StoreLog } from "../../module.ts";
import type { LeftOut } from "./mongot/candidates.ts";
import { ChangeQueue, type IndexChanges } from "./replica/change-queue.ts";
import type { Sourced } from "./sources.ts";

/** How long a question waits for this process's own writes. */
const OWN_WRITES_MS = 1_000;
const RETRY_MS = 1_000;
/** Ids that `prune` asks about at once. */
const IDS_AT_ONCE = 1_000;

/** A changed post. */
interface Change {
  /** When the change arrived here. */
  at: number;
  /** Null when the post is gone. */
  post: { updatedAt: number; source: Sourced } | null;
}

/**
 * Posts that changed a moment ago, in an embedded index in memory: an index that lags behind may lack them, or hold an
 * older state.
 */
export class RecentPosts {
  readonly index: EmbeddedIndex;
  readonly #feed: IndexFeed;
  readonly #log: StoreLog;
  readonly #database = new DatabaseSync(":memory:");
  readonly #clock: () => number;
  /** Oldest first. */
  readonly #changed = new Map<string, Change>();
  readonly #publishers = new Map<string, PublisherStatus>();
  /** Publishers that changed, and when. */
  readonly #changedPublishers = new Map<string, number>();
  /** From when on no change was missed; null while changes cannot be followed. */
  #followedSince: number | null = null;
  readonly #queue: ChangeQueue;
  readonly #closed = new AbortController();

  /** @param options.clock  milliseconds that never go back, for all times here */
  constructor(options: {
    feed: IndexFeed;
    modelId: string | null;
    dimension: number;
    log: StoreLog;
    clock: () => number;
  }) {
    this.#feed = options.feed;
    this.#clock = options.clock;
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
   * @param lagMs  by how much the other index lags behind at most
   */
  leftOut(lagMs: number): LeftOut {
    const now = this.#clock();
    return {
      newest: (limit) => [...this.#changed.keys()].slice(-limit),
      has: (id) => (this.#changed.get(id)?.at ?? Number.POSITIVE_INFINITY) <= now,
      isComplete: this.#followedSince !== null && now - this.#followedSince >= lagMs,
      publisher: (id) => (this.#changedPublishers.has(id) ? (this.#publishers.get(id) ?? GONE) : null),
    };
  }

  /** What those of some posts that are here have for a source. */
  sourced(ids: Iterable<string>): Sourced[] {
    return [...ids].flatMap((id) => this.#changed.get(id)?.post?.source ?? []);
  }

  /** Resolves once it holds all own writes so far, or after a second. */
  ownApplied(): Promise<void> {
    return this.#queue.ownApplied(OWN_WRITES_MS);
  }

  /**
   * Drops posts that changed before `since` and reached the other index, and all that changed before `atLatest`.
   * @param held  answers which of some ids the other index holds, and when the state that it holds was written
   */
  async prune(
    since: number,
    atLatest: number,
    held: (ids: string[]) => Promise<Map<string, number>>,
  ): Promise<void> {
    for (const [id, at] of this.#changedPublishers) if (at < atLatest) this.#changedPublishers.delete(id);
    const old = [...this.#changed].filter(([, { at }]) => at < since);
    for (let start = 0; start < old.length; start += IDS_AT_ONCE) {
      const some = old.slice(start, start + IDS_AT_ONCE);
      const there = await held(some.map(([id]) => id));
      const settled = some.filter(
        ([id, change]) =>
          // Not changed again meanwhile.
          this.#changed.get(id) === change && (change.at < atLatest || isKnown(change, there.get(id))),
      );
      this.#write(() => {
        for (const [id, { post }] of settled) {
          if (post !== null) this.index.remove(id);
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
        this.#followedSince = this.#clock();
        for await (const change of this.#feed.follow(place, signal)) await this.#queue.add(change);
        // The feed ends by itself only when the store closes.
        signal.throwIfAborted();
        throw new StoreUnavailable("the store is closed");
      } catch (error) {
        if (signal.aborted) return;
        this.#followedSince = null;
        this.#log.warn({ err: error }, "recent posts cannot be followed now; the next try is in a second");
        await sleep(RETRY_MS, null, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #apply(changes: IndexChanges): Promise<void> {
    const unknown = new Set(changes.posts.map(({ entry }) => entry.publisherId));
    for (const id of this.#publishers.keys()) unknown.delete(id);
    const publishers = unknown.size === 0 ? [] : await this.#feed.publishers([...unknown]);
    const now = this.#clock();
    this.#write(() => {
      for (const { id, verified, suspended } of [...publishers, ...changes.publishers]) {
        this.index.putPublisher(id, { verified, suspended });
        this.#publishers.set(id, { verified, suspended });
      }
      for (const { id } of changes.publishers) this.#changedPublishers.set(id, now);
      for (const id of changes.gonePublishers) {
        this.#publishers.delete(id);
        this.#changedPublishers.set(id, now);
      }
      for (const { entry, updatedAt, vector } of changes.posts) {
        this.index.put(entry);
        if (vector === null) this.index.removeVector(entry.id);
        else this.index.putVector(entry.id, vector.model, vector.vector);
        const { id, source, publisherId, syndicated, createdAt } = entry;
        this.#touch(id, {
          at: now,
          post: { updatedAt, source: { id, source, publisherId, syndicated, createdAt } },
        });
      }
      for (const id of changes.gonePosts) {
        this.index.remove(id);
        this.#touch(id, { at: now, post: null });
      }
    });
  }

  #touch(id: string, change: Change): void {
    this.#changed.delete(id);
    this.#changed.set(id, change);
  }

  #write(change: () => void): void {
    this.#database.exec("BEGIN");
    change();
    this.#database.exec("COMMIT");
    this.index.committed();
  }
}

type PublisherStatus = NonNullable<ReturnType<LeftOut["publisher"]>>;

/** The posts of a publisher that is gone are going. */
const GONE: PublisherStatus = { verified: false, suspended: true };

/** @param heldState  when the state that the other index holds was written; undefined when it does not hold the post */
const isKnown = ({ post }: Change, heldState: number | undefined): boolean =>
  post === null ? heldState === undefined : heldState !== undefined && heldState >= post.updatedAt;
