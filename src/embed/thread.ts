import type { Worker } from "node:worker_threads";
import { EmbedderUnavailable, type ModelState } from "../ports/embedder.ts";
import { siblingOf, startWorker } from "../start-worker.ts";
import { takeBatch, type Waiting } from "./batches.ts";
import { innermostReason } from "./download.ts";
import type { EmbeddingModel } from "./models.ts";
import type { WorkerNews, WorkerOrder, WorkerStart } from "./worker.ts";

/** A pino logger fits. */
export interface ModelLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

type ModelFolders = Pick<WorkerStart, "modelFolder" | "weights" | "runtimeFolder">;

/** Orders with a worker at once. While it works on one, the next waits there, so that it never idles between two. */
const MAX_ORDERS = 2;
/** Texts that may wait at once; a call beyond that is refused whole. */
const MAX_WAITING = 512;
/** A batch takes some 50 ms, loading 1 s: after this long, no answer will come. */
const STUCK_MS = 60_000;
/** Time for a worker to end: one that is loading must finish that first. */
const CLOSE_MS = 10_000;
const RESTART_AFTER_MS = 1000;
/** A worker that ran this long before it broke has earned another restart. */
const SOUND_MS = 10 * 60_000;
/** An absent model is looked for again after this time, then after twice as long, and so on up to an hour. */
const AGAIN_MS = 60_000;
const AGAIN_MAX_MS = 60 * 60_000;

/**
 * Hands one worker batch after batch, queries first, and answers each text as soon as its vector is there: the searches
 * of several callers then take turns with the model. Restarts the worker when it breaks. Without a model, or after a second
 * break, the state is `absent`, and everything is tried again after a while: the network may be back, or the files in
 * place.
 */
export class ModelThread {
  state: ModelState = "loading";
  /** The whole words of the model's vocabulary, about 20,000; empty until it is ready. */
  words: ReadonlySet<string> = new Set();
  readonly #model: EmbeddingModel;
  readonly #find: (signal: AbortSignal) => Promise<ModelFolders>;
  readonly #log: ModelLog;
  readonly #closing = new AbortController();
  readonly #queues = { query: [] as Waiting[], post: [] as Waiting[] };
  #worker: Worker | null = null;
  /** Batches handed to the worker, in order; a text leaves with its vector. */
  #handed: { id: number; texts: Waiting[] }[] = [];
  /** Vectors on their way to their callers, one for each turn of the event loop. */
  readonly #arrived: (() => void)[] = [];
  #orders = 0;
  #alarm: NodeJS.Timeout | undefined;
  #restartAt: NodeJS.Timeout | undefined;
  #againMs: number;
  #startedAt = 0;
  #restarted = false;
  #settling: ((state: ModelState) => void)[] = [];

  /** @param find  resolves to the folders of model and runtime, downloaded first where they are missing */
  constructor(
    model: EmbeddingModel,
    find: (signal: AbortSignal) => Promise<ModelFolders>,
    log: ModelLog,
    againMs = AGAIN_MS,
  ) {
    this.#model = model;
    this.#find = find;
    this.#log = log;
    this.#againMs = againMs;
    void this.#open();
  }

  settled(): Promise<ModelState> {
    if (this.state !== "loading") return Promise.resolve(this.state);
    return new Promise((resolve) => this.#settling.push(resolve));
  }

  /** One unit vector for each text, in order. Rejects with EmbedderUnavailable. */
  embed(texts: readonly Waiting["text"][], purpose: "query" | "post"): Promise<Float32Array[]> {
    if (this.#queues.query.length + this.#queues.post.length + texts.length > MAX_WAITING) {
      return Promise.reject(new EmbedderUnavailable("too many texts are waiting"));
    }
    const vectors = texts.map(
      (text) =>
        new Promise<Float32Array>((resolve, reject) => {
          this.#queues[purpose].push({ text, resolve, reject });
        }),
    );
    this.#next();
    return Promise.all(vectors);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#restartAt);
    clearTimeout(this.#alarm);
    this.#settle("absent");
    this.#rejectAll("the embedder is closed");
    const worker = this.#worker;
    this.#worker = null;
    if (worker === null) return;
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.postMessage("end" satisfies WorkerOrder);
    await Promise.race([ended, this.#giveTime(worker)]);
    clearTimeout(this.#alarm);
  }

  /** A worker is asked to end, never terminated: during a run, the runtime would abort the whole process. */
  #giveTime(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      this.#alarm = setTimeout(() => {
        worker.unref();
        resolve();
      }, CLOSE_MS);
    });
  }

  async #open(): Promise<void> {
    const began = performance.now();
    try {
      const folders = await this.#find(this.#closing.signal);
      if (!this.#closing.signal.aborted) this.#start(folders, began);
    } catch (error) {
      this.#giveUp(innermostReason(error));
    }
  }

  #start(folders: ModelFolders, began: number): void {
    const { pooling, dimension, maxTokens, english, queryPrefix, postPrefix, chosen } = this.#model;
    const reading = { pooling, dimension, maxTokens, english, queryPrefix, postPrefix };
    const start: WorkerStart = { ...folders, ...reading, closes: chosen !== undefined };
    const worker = startWorker(siblingOf(import.meta.url, "worker"), start);
    this.#worker = worker;
    this.#watch(worker);
    worker.on("message", (news: WorkerNews) => {
      if (this.#worker !== worker) return;
      if (news.kind === "failed") {
        this.#worker = null;
        clearTimeout(this.#alarm);
        this.#giveUp(news.message);
      } else if (news.kind === "ready") {
        clearTimeout(this.#alarm);
        this.#startedAt = performance.now();
        this.words = new Set(news.words);
        const ms = Math.round(this.#startedAt - began);
        this.#log.info({ model: this.#model.name, ms }, "model ready");
        this.#settle("ready");
        this.#next();
      } else {
        this.#take(news);
      }
    });
    let reason = "it ended";
    worker.on("error", (error) => {
      reason = innermostReason(error);
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#broke(reason, folders);
    });
  }

  #next(): void {
    const worker = this.#worker;
    if (worker === null || this.state !== "ready" || this.#handed.length === MAX_ORDERS) return;
    const { query } = this.#queues;
    // Posts wait here, where a query still comes before them.
    if (query.length === 0 && this.#handed.length > 0) return;
    const purpose = query.length > 0 ? "query" : "post";
    const texts = takeBatch(this.#queues[purpose], this.#model.maxTokens);
    if (texts.length === 0) return;
    this.#orders += 1;
    this.#handed.push({ id: this.#orders, texts: [...texts] });
    this.#watch(worker);
    worker.postMessage({
      id: this.#orders,
      purpose,
      texts: texts.map(({ text }) => text),
    } satisfies WorkerOrder);
  }

  #take(news: Extract<WorkerNews, { id: number }>): void {
    const [batch] = this.#handed;
    if (batch === undefined || batch.id !== news.id) return;
    if (news.kind === "vector") this.#arrive(batch.texts.shift(), news.vector);
    else for (const { reject } of batch.texts.splice(0)) reject(new EmbedderUnavailable(news.message));
    if (batch.texts.length > 0) return;
    clearTimeout(this.#alarm);
    this.#handed.shift();
    if (this.#handed.length > 0 && this.#worker !== null) this.#watch(this.#worker);
    this.#next();
  }

  /** Whoever waits for a vector goes on with work of its own: between two of them, other requests get their turn. */
  #arrive(waiting: Waiting | undefined, vector: Float32Array): void {
    this.#arrived.push(() => waiting?.resolve(vector));
    if (this.#arrived.length === 1) setImmediate(() => this.#answerOne());
  }

  #answerOne(): void {
    this.#arrived[0]?.();
    this.#arrived.shift();
    if (this.#arrived.length > 0) setImmediate(() => this.#answerOne());
  }

  /** Gives up a worker that does not answer, and leaves it alone; `#giveTime` says why. */
  #watch(worker: Worker): void {
    clearTimeout(this.#alarm);
    this.#alarm = setTimeout(() => {
      this.#worker = null;
      worker.unref();
      // No second try: the abandoned worker keeps its memory.
      this.#giveUp("its thread does not answer", false);
    }, STUCK_MS);
    this.#alarm.unref();
  }

  #broke(reason: string, folders: ModelFolders): void {
    clearTimeout(this.#alarm);
    this.#worker = null;
    if (this.#restarted && performance.now() - this.#startedAt < SOUND_MS) {
      this.#giveUp(`its thread broke again (${reason})`);
      return;
    }
    this.#restarted = true;
    this.state = "loading";
    this.#rejectAll("the model's thread broke");
    this.#log.warn({ model: this.#model.name, reason }, "the model's thread broke; it is started again");
    this.#restartAt = setTimeout(() => this.#start(folders, performance.now()), RESTART_AFTER_MS);
  }

  #giveUp(reason: string, tryAgain = true): void {
    this.#settle("absent");
    this.#rejectAll("the model is absent");
    if (this.#closing.signal.aborted) return;
    const again = tryAgain ? { again_in_s: Math.round(this.#againMs / 1000) } : {};
    this.#log.warn(
      { model: this.#model.name, reason, ...again },
      "no model: the board searches by words only",
    );
    if (!tryAgain) return;
    this.#restartAt = setTimeout(() => void this.#open(), this.#againMs);
    this.#restartAt.unref();
    this.#againMs = Math.min(this.#againMs * 2, AGAIN_MAX_MS);
  }

  #settle(state: "ready" | "absent"): void {
    this.state = state;
    for (const resolve of this.#settling.splice(0)) resolve(state);
  }

  #rejectAll(reason: string): void {
    const waiting = [
      ...this.#handed.splice(0).flatMap(({ texts }) => texts),
      ...this.#queues.query.splice(0),
      ...this.#queues.post.splice(0),
    ];
    for (const { reject } of waiting) reject(new EmbedderUnavailable(reason));
  }
}
