import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import type { IndexFeed } from "../../../ports/index-feed.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import { EmbeddedIndex } from "../../../search-index/index.ts";
import type { StoreLog } from "../../module.ts";
import { Intake, type Taken } from "./replica/change-queue.ts";

/** A question waits so long for own writes. */
const OWN_WRITES_MS = 1_000;
const RETRY_MS = 1_000;
/** Ids that `tidy` asks about at once. */
const TIDY_AT_ONCE = 1_000;

/**
 * Posts that changed a moment ago, in an embedded index in memory: what another index, which follows with some delay, may
 * not have yet, or only in an older form.
 */
export class Recent {
  readonly index: EmbeddedIndex;
  readonly #feed: IndexFeed;
  readonly #log: StoreLog;
  readonly #database = new DatabaseSync(":memory:");
  /** When each post changed, in milliseconds of `performance.now()`, oldest first; posts that are gone since are in it too. */
  readonly #changed = new Map<string, number>();
  readonly #gone = new Set<string>();
  readonly #publishers = new Set<string>();
  readonly #intake: Intake;
  readonly #closed = new AbortController();

  constructor(parts: { feed: IndexFeed; modelId: string | null; dimension: number; log: StoreLog }) {
    this.#feed = parts.feed;
    this.#log = parts.log;
    this.index = new EmbeddedIndex(parts);
    for (const statement of this.index.migrations) this.#database.exec(statement);
    this.index.attach(this.#database);
    this.#intake = new Intake({ feed: parts.feed, log: parts.log, take: (taken) => this.#take(taken) });
    parts.feed.onWrite((change) => this.#intake.noteOwn(change));
    void this.#follow();
  }

  /** True for a post whose state is known better here. */
  has(id: string): boolean {
    return this.#changed.has(id);
  }

  /** Ids of what changed last. */
  newest(limit: number): string[] {
    return [...this.#changed.keys()].slice(-limit);
  }

  /** Resolves once all own writes so far are in, or after a second. */
  ownTaken(): Promise<void> {
    return this.#intake.ownTaken(OWN_WRITES_MS);
  }

  /**
   * Forgets posts that changed before `since` and that the other index has by now, and whatever changed before `atLatest`.
   * @param held  those of some ids that the other index has
   */
  async tidy(since: number, atLatest: number, held: (ids: string[]) => Promise<Set<string>>): Promise<void> {
    const old = [...this.#changed].filter(([, at]) => at < since);
    for (let start = 0; start < old.length; start += TIDY_AT_ONCE) {
      const some = old.slice(start, start + TIDY_AT_ONCE);
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
    await this.#intake.close();
    this.#database.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        const place = await this.#feed.here();
        for await (const change of this.#feed.follow(place, signal)) await this.#intake.note(change);
        // It ends by itself only with the store.
        signal.throwIfAborted();
        throw new StoreUnavailable("the store is closed");
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error }, "recent posts cannot be followed now");
        await sleep(RETRY_MS, null, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async #take(taken: Taken): Promise<void> {
    const unknown = new Set(taken.posts.map(({ entry }) => entry.publisherId));
    for (const id of this.#publishers) unknown.delete(id);
    const publishers = unknown.size === 0 ? [] : await this.#feed.publishers([...unknown]);
    const now = performance.now();
    this.#write(() => {
      for (const { id, ...standing } of [...publishers, ...taken.publishers]) {
        this.index.putPublisher(id, standing);
        this.#publishers.add(id);
      }
      for (const { entry, vector } of taken.posts) {
        this.index.put(entry);
        if (vector === null) this.index.removeVector(entry.id);
        else this.index.putVector(entry.id, vector.model, vector.vector);
        this.#gone.delete(entry.id);
        this.#touch(entry.id, now);
      }
      for (const id of taken.gonePosts) {
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
