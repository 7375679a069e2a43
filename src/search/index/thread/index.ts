import type { Worker } from "node:worker_threads";
import { startWorker } from "../../../platform/start-worker.ts";
import { Abandoned, type Answered, type Ask } from "../../../ports/search-index.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import { type Answers, goneOf, type IndexModel } from "../local.ts";

/** This many questions may wait; more are refused. */
const WAITING_MAX = 256;
/** A question that has no answer by then is refused: its caller has given up or soon will. */
const ANSWER_MS = 5_000;
/** The thread has this many questions at a time: while it answers one, the next lies there. */
const SENT_MAX = 2;
/** V8 keeps for new objects what it once took, up to 50 MB and more; a search makes few of them. */
const LIMITS = { maxYoungGenerationSizeMb: 6 };

/** The thread starts with the database's file, and knows whose vectors are searched. */
export interface ThreadStart {
  file: string;
  model: IndexModel;
}

/** A ranking of more posts is a caller's search. One of fewer belongs to a post that is read or written, which is quick. */
const FEW = 100;

/** Tells whether others go first: it may take milliseconds among many posts. */
const isLong = ({ what, of }: ThreadQuestion): boolean =>
  what === "count" || (what === "rank" && (of as Parameters<Answered["rank"]>)[1].limit > FEW);

interface ThreadQuestion {
  what: keyof Answered;
  of: Parameters<Answered[keyof Answered]>;
}

/** The thread is sent a question, news of an erasure, or the request to end. */
export type ThreadOrder = ThreadQuestion | "forget" | "end";

/** Says once that it is ready, then answers each question in turn. `errcode` is SQLite's, else null. */
export type ThreadNews =
  | "ready"
  | { answer: unknown }
  | { failure: { message: string; errcode: number | null } };

interface Asked extends ThreadQuestion {
  resolve(answer: unknown): void;
  reject(error: Error): void;
  /** Nobody waits any more, for its time or for its caller. */
  ended(): void;
}

/**
 * Answers in a thread of their own: the event loop does not wait for a search. The thread reads the same database by a
 * connection of its own, and looks for commits before each question, so it knows all that was acknowledged before.
 */
export class ThreadAnswers implements Answers {
  readonly #worker: Worker;
  readonly #waiting: Asked[] = [];
  /** Questions stand in the order in which they will be answered. */
  readonly #sent: Asked[] = [];
  readonly #ready: Promise<void>;
  #broken: Error | null = null;

  /**
   * @param module  that the thread runs, see `serveSearches`
   * @param broke  called once when the thread ends by itself; what waits has been refused then
   */
  constructor(module: URL, start: ThreadStart, broke: (error: Error) => void) {
    this.#worker = startWorker(module, start, LIMITS);
    // Questions keep the process alive, the thread does not.
    this.#worker.unref();
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (news: ThreadNews) => {
        if (news === "ready") resolve();
        else this.#take(news);
      });
      let reason = new Error("the search thread ended");
      this.#worker.on("error", (error: Error) => {
        reason = error;
      });
      this.#worker.on("exit", () => {
        this.#broken = reason;
        this.#refuseAll(reason);
        reject(reason);
        broke(reason);
      });
    });
    this.#ready.catch(() => {});
  }

  /** Resolves when the first question would be answered at once. */
  ready(): Promise<void> {
    return this.#ready;
  }

  forget(): void {
    this.#worker.postMessage("forget" satisfies ThreadOrder);
  }

  async close(): Promise<void> {
    if (this.#broken !== null) return;
    this.#worker.ref();
    const ended = new Promise<void>((resolve) => this.#worker.once("exit", () => resolve()));
    this.#worker.postMessage("end" satisfies ThreadOrder);
    await ended;
  }

  readonly ask: Ask = (what, ...of) => {
    const gone = goneOf(of);
    if (gone?.aborted === true) return Promise.reject(new Abandoned());
    if (this.#broken !== null) return Promise.reject(unavailable(this.#broken));
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new StoreUnavailable("too many searches are waiting"));
    }
    return new Promise((resolve, reject) => {
      const giveUp = (why: Error) => {
        const at = this.#waiting.indexOf(asked);
        if (at >= 0) this.#waiting.splice(at, 1);
        asked.ended();
        reject(why);
      };
      const abandon = () => giveUp(new Abandoned());
      const timer = setTimeout(() => giveUp(new StoreUnavailable("the search took too long")), ANSWER_MS);
      const ended = () => {
        clearTimeout(timer);
        // One call may ask dozens of questions under one signal.
        gone?.removeEventListener("abort", abandon);
      };
      const asked: Asked = { what, of, resolve, reject, ended };
      const before = isLong(asked) ? -1 : this.#waiting.findIndex(isLong);
      this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, asked);
      gone?.addEventListener("abort", abandon, { once: true });
      this.#next();
    });
  };

  #next(): void {
    while (this.#sent.length < SENT_MAX) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#sent.push(next);
      this.#worker.postMessage({ what: next.what, of: sendable(next.of) });
    }
    if (this.#sent.length > 0) this.#worker.ref();
    else this.#worker.unref();
  }

  #take(news: Exclude<ThreadNews, "ready">): void {
    const asked = this.#sent.shift();
    if (asked === undefined) return;
    asked.ended();
    if ("answer" in news) asked.resolve(news.answer);
    else asked.reject(Object.assign(new Error(news.failure.message), { errcode: news.failure.errcode }));
    this.#next();
  }

  #refuseAll(reason: Error): void {
    for (const { reject, ended } of [...this.#sent.splice(0), ...this.#waiting.splice(0)]) {
      ended();
      reject(unavailable(reason));
    }
  }
}

/** A signal cannot go to another thread. */
const sendable = ([question, ...others]: readonly unknown[]) =>
  goneOf([question]) === undefined
    ? [question, ...others]
    : [{ ...(question as object), gone: undefined }, ...others];

const unavailable = (cause: Error) => new StoreUnavailable("the search thread broke", { cause });
