import type { Worker } from "node:worker_threads";
import {
  Abandoned,
  type Question,
  type Ranked,
  type RelatedQuestion,
  type SearchIndex,
  type Spot,
} from "../../ports/search-index.ts";
import { type Place, StoreUnavailable } from "../../ports/store/index.ts";
import { siblingOf, startWorker } from "../../start-worker.ts";
import type { Answers, IndexModel } from "../local.ts";
import { Turns } from "../memory/lending.ts";
import { Borrower } from "./borrower.ts";
import {
  isLong,
  type Method,
  type PackedRanking,
  type ThreadAnswer,
  type ThreadNews,
  type ThreadOrder,
  type ThreadStart,
  unpackRanking,
} from "./messages.ts";

/** Questions that may wait; more are refused. */
const WAITING_MAX = 256;
/** A question that has no answer by then is refused: its caller has given up or soon will. */
const ANSWER_MS = 5_000;
/** V8 keeps for new objects what it once took, up to 50 MB and more; a search makes few of them. */
const LIMITS = { maxYoungGenerationSizeMb: 6 };
/** Questions in the thread at a time, and how many of them may be long: while it answers one, the next lies there. */
const SENT_MAX = 8;
const LONG_MAX = 2;

interface Waiting {
  method: Method;
  args: unknown[];
  gone: AbortSignal | undefined;
  resolve(answer: unknown): void;
  reject(error: Error): void;
  /** Refuses it when its time is up. */
  timer: NodeJS.Timeout;
}

/**
 * Answers in a thread of their own: the event loop does not wait for a search. The thread reads the same database by a
 * connection of its own, and looks for commits before each question, so it knows all that was acknowledged before.
 */
export class ThreadAnswers implements Answers {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  readonly #sent = new Map<number, Waiting>();
  /** See `ThreadStart`. */
  readonly #gone = new Int32Array(new SharedArrayBuffer(4 * SENT_MAX));
  /** See `ThreadStart`. */
  readonly #notSent = new Int32Array(new SharedArrayBuffer(4));
  /** Reads the thread's memory. */
  readonly borrower: Borrower;
  readonly #newestChange: () => number;
  readonly #ready: Promise<void>;
  #broken: Error | null = null;

  /**
   * @param newestChange  number of the newest change in the file
   * @param broke  called once when the thread ends by itself; what waits has been refused then
   */
  constructor(file: string, model: IndexModel, newestChange: () => number, broke: (error: Error) => void) {
    this.#newestChange = newestChange;
    const turns = new Turns();
    this.borrower = new Borrower(turns, model);
    const [gone, waiting] = [this.#gone.buffer, this.#notSent.buffer];
    const start: ThreadStart = { file, model, gone, waiting, turns: turns.shared };
    this.#worker = startWorker(siblingOf(import.meta.url, "worker"), start, LIMITS);
    // Questions keep the process alive, the thread does not.
    this.#worker.unref();
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (news: ThreadNews) => {
        if (news === "ready") resolve();
        else if ("loan" in news) this.borrower.take(news.loan);
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

  async rank(question: Question, options: Parameters<SearchIndex["rank"]>[1]): Promise<Ranked[]> {
    return unpackRanking((await this.#search("rank", question, options)) as PackedRanking);
  }

  match(question: Question, page: Parameters<SearchIndex["match"]>[1]) {
    return this.#search("match", question, page) as ReturnType<SearchIndex["match"]>;
  }

  list(question: Question, page: Parameters<SearchIndex["list"]>[1]): Promise<Place[]> {
    return this.#search("list", question, page) as Promise<Place[]>;
  }

  copies(question: Question, ids: readonly string[]): Promise<string[][]> {
    return this.#search("copies", question, ids) as Promise<string[][]>;
  }

  count(question: Question): Promise<number> {
    return this.#search("count", question) as Promise<number>;
  }

  spots(question: Question, limit: number): Promise<Spot[]> {
    return this.#search("spots", question, limit) as Promise<Spot[]>;
  }

  spellings(words: readonly string[]): Promise<(string | null)[]> {
    return this.#ask("spellings", [words]) as Promise<(string | null)[]>;
  }

  /** Found here where that can be: the thread waits for a core while it is at work, and so would a question. */
  async related(id: string, asked: RelatedQuestion): Promise<string[]> {
    const found = this.#broken === null ? this.borrower.related(id, asked, this.#newestChange()) : null;
    return found ?? ((await this.#ask("related", [id, asked])) as string[]);
  }

  vectors(ids: readonly string[]): Promise<(Int8Array | null)[]> {
    return this.#ask("vectors", [ids]) as Promise<(Int8Array | null)[]>;
  }

  cosines(vector: Int8Array, ids: readonly string[]): Promise<Float64Array> {
    return this.#ask("cosines", [vector, ids]) as Promise<Float64Array>;
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

  #search(method: Method, { gone, ...question }: Question, ...options: unknown[]): Promise<unknown> {
    return this.#ask(method, [question, ...options], gone);
  }

  /** @param gone  see `Question` */
  #ask(method: Method, args: unknown[], gone?: AbortSignal): Promise<unknown> {
    if (gone?.aborted === true) return Promise.reject(new Abandoned());
    if (this.#broken !== null) return Promise.reject(unavailable(this.#broken));
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new StoreUnavailable("too many searches are waiting"));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(asked, late), ANSWER_MS);
      const asked: Waiting = { method, args, gone, resolve, reject, timer };
      const before = isLong(method) ? -1 : this.#waiting.findIndex((one) => isLong(one.method));
      this.#waiting.splice(before < 0 ? this.#waiting.length : before, 0, asked);
      gone?.addEventListener("abort", () => this.#giveUp(asked, () => new Abandoned()), { once: true });
      this.#next();
    });
  }

  /**
   * Takes back a question. The thread stops one that was sent at the next block of rows, and is asked no other in its
   * place until then.
   */
  #giveUp(asked: Waiting, why: () => Error): void {
    for (const [id, one] of this.#sent) if (one === asked) Atomics.store(this.#gone, id, 1);
    const at = this.#waiting.indexOf(asked);
    if (at >= 0) this.#waiting.splice(at, 1);
    clearTimeout(asked.timer);
    asked.reject(why());
  }

  #next(): void {
    for (let id = 0; id < SENT_MAX; id += 1) {
      if (this.#sent.has(id)) continue;
      const next = this.#first();
      if (next === undefined) break;
      Atomics.store(this.#gone, id, 0);
      this.#sent.set(id, next);
      this.#worker.postMessage({ id, method: next.method, args: next.args } satisfies ThreadOrder);
    }
    Atomics.store(this.#notSent, 0, this.#waiting.length);
    if (this.#sent.size > 0) this.#worker.ref();
    else this.#worker.unref();
  }

  /** The next question that may still be asked; none while the thread has its share of long ones, which come last. */
  #first(): Waiting | undefined {
    const [next] = this.#waiting;
    if (next === undefined || (isLong(next.method) && this.#longSent() === LONG_MAX)) return undefined;
    return this.#waiting.shift();
  }

  #longSent(): number {
    return [...this.#sent.values()].filter(({ method }) => isLong(method)).length;
  }

  #take(news: ThreadAnswer): void {
    const asked = this.#sent.get(news.id);
    if (asked === undefined) return;
    this.#sent.delete(news.id);
    clearTimeout(asked.timer);
    if (asked.gone?.aborted === true) asked.reject(new Abandoned());
    else if ("answer" in news) asked.resolve(news.answer);
    else asked.reject(Object.assign(new Error(news.failure.message), { errcode: news.failure.errcode }));
    this.#next();
  }

  #refuseAll(reason: Error): void {
    const all = [...this.#sent.values(), ...this.#waiting.splice(0)];
    this.#sent.clear();
    for (const { reject, timer } of all) {
      clearTimeout(timer);
      reject(unavailable(reason));
    }
  }
}

const late = () => new StoreUnavailable("the search took too long");
const unavailable = (cause: Error) => new StoreUnavailable("the search thread broke", { cause });
