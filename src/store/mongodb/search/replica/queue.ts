import { setTimeout as sleep } from "node:timers/promises";
import type { FeedChange } from "../feed/stream.ts";

/** This many posts, and publishers, are applied at once: some milliseconds of the event loop. */
const STEP = 100;
const RETRY_MS = 100;
const RETRY_MAX_MS = 2_000;

interface QueueOptions {
  /** Nothing is applied before it resolves. */
  after: Promise<void>;
  /** Reads the states of these and writes them, together or not at all. */
  apply(some: FeedChange): Promise<void>;
  /** The first of several failures is told; the step is tried again. */
  failed(error: unknown): void;
  /** Ends it after the step under way. */
  signal: AbortSignal;
}

/**
 * Applies changes strictly one step after another. The queue holds ids; their states are read when their turn comes, so
 * that no state ever replaces a newer one.
 */
export class ChangeQueue {
  readonly #options: QueueOptions;
  readonly #posts = new Set<string>();
  readonly #publishers = new Set<string>();
  #running: Promise<void>;
  /** This run begins after the running one, with all that waits by then. */
  #next: Promise<void> | null = null;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#running = options.after.catch(() => {});
  }

  /** Resolves once they are applied, or the queue has ended. */
  add({ posts, publishers }: FeedChange): Promise<void> {
    for (const id of posts) this.#posts.add(id);
    for (const id of publishers) this.#publishers.add(id);
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.#applyAll();
    });
    this.#running = this.#next;
    return this.#next;
  }

  /** Resolves when nothing is being applied. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #applyAll(): Promise<void> {
    const [posts, publishers] = [[...this.#posts], [...this.#publishers]];
    this.#posts.clear();
    this.#publishers.clear();
    for (let from = 0; from < Math.max(posts.length, publishers.length); from += STEP) {
      const step = (ids: string[]) => ids.slice(from, from + STEP);
      await this.#apply({ posts: step(posts), publishers: step(publishers) });
    }
  }

  async #apply(some: FeedChange): Promise<void> {
    const { apply, failed, signal } = this.#options;
    for (let waitMs = RETRY_MS; !signal.aborted; waitMs = Math.min(RETRY_MAX_MS, 2 * waitMs)) {
      try {
        return await apply(some);
      } catch (error) {
        if (waitMs === RETRY_MS && !signal.aborted) failed(error);
        await sleep(waitMs, null, { signal, ref: false }).catch(() => {});
      }
    }
  }
}
