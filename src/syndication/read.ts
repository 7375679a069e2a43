import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { siblingOf, startWorker } from "../start-worker.ts";
import type { Entries } from "./entries.ts";
import type { Feed } from "./feeds.ts";
import type { Sent } from "./fetch.ts";
import { FeedError } from "./item.ts";

/** What takes longer, or more memory, is given up: ten thousand events take a second. */
const DEADLINE_MS = 60_000;
const HEAP_MAX_MB = 512;
/** How long a thread waits for another feed. */
const IDLE_MS = 5_000;

/** What the thread is given; see `entriesOf`. */
export interface ReadOrder {
  sent: Sent;
  feed: Feed;
  now: number;
}
export type ReadNews = { read: Entries } | { refusal: string };

/**
 * Reads feeds in threads, however short they are: one line can ask for a recurrence that never comes. Posts come back, cut
 * and free of markup, so that a long feed is no work for the board.
 */
export class FeedReader {
  readonly #deadlineMs: number;
  readonly #idle: Worker[] = [];

  constructor({ deadlineMs = DEADLINE_MS } = {}) {
    this.#deadlineMs = deadlineMs;
  }

  /** @throws FeedError */
  async read(order: ReadOrder): Promise<Entries> {
    const worker = this.#idle.pop() ?? this.#start();
    worker.ref();
    const signal = AbortSignal.timeout(this.#deadlineMs);
    let news: ReadNews;
    try {
      const answered = once(worker, "message", { signal });
      worker.postMessage(order);
      [news] = (await answered) as [ReadNews];
    } catch (cause) {
      await worker.terminate();
      const what = signal.aborted ? "Reading the feed takes too long." : "The feed could not be read.";
      throw new FeedError(what, { cause });
    }
    this.#keep(worker);
    if ("read" in news) return news.read;
    throw new FeedError(news.refusal);
  }

  #start(): Worker {
    const limits = { maxOldGenerationSizeMb: HEAP_MAX_MB };
    const worker = startWorker(siblingOf(import.meta.url, "worker"), null, limits);
    // Without a listener, an error between two feeds would end the program.
    return worker.on("error", () => undefined);
  }

  /** Starting a thread takes longer than reading most feeds, so it waits for another one for a while. */
  #keep(worker: Worker): void {
    worker.unref();
    this.#idle.push(worker);
    setTimeout(() => {
      const at = this.#idle.indexOf(worker);
      if (at < 0) return;
      this.#idle.splice(at, 1);
      void worker.terminate();
    }, IDLE_MS).unref();
  }
}
