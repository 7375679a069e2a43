import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { siblingOf, startWorker } from "../platform/start-worker.ts";
import type { Entries } from "./entries.ts";
import type { Feed } from "./feeds.ts";
import type { Sent } from "./fetch.ts";
import { FeedError } from "./item.ts";

/** A feed that takes more time or memory is given up. Ten thousand events take a second. */
const DEADLINE_MS = 60_000;
const HEAP_MAX_MB = 512;
/** A thread waits so long for the next feed. */
const IDLE_MS = 5_000;

/** `entriesOf` takes these. */
export interface ReadRequest {
  sent: Sent;
  feed: Feed;
  now: number;
}
export type ReadResult = { read: Entries } | { refusal: string };

/**
 * Reads feeds in threads, short ones too: a single line can ask for a recurrence that is never found. What comes back is posts,
 * cut and free of markup, so that a long feed does not hold up the board.
 */
export class FeedReader {
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];

  /** @throws FeedError */
  async read(request: ReadRequest): Promise<Entries> {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    const worker = idle?.worker ?? this.#start();
    worker.ref();
    const signal = AbortSignal.timeout(DEADLINE_MS);
    let result: ReadResult;
    try {
      const answered = once(worker, "message", { signal });
      worker.postMessage(request);
      [result] = (await answered) as [ReadResult];
    } catch (cause) {
      await worker.terminate();
      const what = signal.aborted ? "Reading the feed takes too long." : "The feed could not be read.";
      throw new FeedError(what, { cause });
    }
    this.#keep(worker);
    if ("read" in result) return result.read;
    throw new FeedError(result.refusal);
  }

  #start(): Worker {
    const limits = { maxOldGenerationSizeMb: HEAP_MAX_MB };
    const worker = startWorker(siblingOf(import.meta.url, "worker"), null, limits);
    // Without a listener, an error of an idle thread would end the program.
    return worker.on("error", () => undefined);
  }

  /** To start a thread takes longer than to read most feeds, so an idle one waits a while for the next. */
  #keep(worker: Worker): void {
    worker.unref();
    const end = () => {
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      void worker.terminate();
    };
    const idle = { worker, timer: setTimeout(end, IDLE_MS).unref() };
    this.#idle.push(idle);
  }
}
