import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { siblingOf, startWorker } from "../platform/start-worker.ts";
import { EmbedderUnavailable, type ModelState } from "../ports/embedder.ts";
import type { PostParts } from "../schema/text.ts";
import { innermostReason } from "./download.ts";
import type { EmbeddingModel } from "./models.ts";
import type { WorkerAnswer, WorkerRequest, WorkerStart } from "./worker.ts";

/** A pino logger fits. */
export interface ModelLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

type ModelFolders = Pick<WorkerStart, "modelFolder" | "weights" | "runtimeFolder">;

interface Waiting {
  text: string | PostParts;
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

/** The worker has this many texts at the same time: while it embeds one, the next is there already. */
const MAX_HANDED = 2;
/** This many texts may wait at once; a call beyond that is refused whole. */
const MAX_WAITING = 512;
/** A text takes some 10 ms, loading 1 s: after this long, no answer will come. */
const STUCK_MS = 60_000;
/** A worker has this long to end: one that is loading must finish that first. */
const CLOSE_MS = 10_000;
/** An absent model is looked for again after this time, then after twice as long, and so on up to an hour. */
const AGAIN_MS = 5_000;
const AGAIN_MAX_MS = 60 * 60_000;

/**
 * Gives texts to one worker, queries first. Without a model, or when its thread broke, the state is `absent`, and after a while
 * everything is tried again: the network may be back, or the files in place.
 */
export class ModelThread {
  state: ModelState = "loading";
  /** The model's vocabulary has about 20,000 whole words; the set is empty until it is ready. */
  words: ReadonlySet<string> = new Set();
  readonly #model: EmbeddingModel;
  readonly #find: (signal: AbortSignal) => Promise<ModelFolders>;
  readonly #log: ModelLog;
  readonly #closing = new AbortController();
  readonly #queues = { query: [] as Waiting[], post: [] as Waiting[] };
  #worker: Worker | null = null;
  /** The worker has these texts, in the order of its answers. */
  readonly #handed: Waiting[] = [];
  #alarm: NodeJS.Timeout | undefined;
  #restartAt: NodeJS.Timeout | undefined;
  #againMs: number;
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

  /** Gives one unit vector for each text, in order. Rejects with EmbedderUnavailable. */
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
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    // The thread is never terminated: during a run, the runtime would abort the whole process.
    worker.postMessage("end" satisfies WorkerRequest);
    await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
    worker.unref();
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
    worker.on("message", (answer: WorkerAnswer) => {
      if (this.#worker !== worker) return;
      if (answer.kind === "failed") this.#giveUp(answer.message);
      else if (answer.kind === "ready") {
        clearTimeout(this.#alarm);
        this.words = new Set(answer.words);
        const ms = Math.round(performance.now() - began);
        this.#log.info({ model: this.#model.name, ms }, "model ready");
        this.#settle("ready");
        this.#next();
      } else {
        this.#take(worker, answer);
      }
    });
    let reason = "it ended";
    worker.on("error", (error) => {
      reason = innermostReason(error);
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#giveUp(`its thread broke: ${reason}`);
    });
  }

  #next(): void {
    while (this.#worker !== null && this.state === "ready" && this.#handed.length < MAX_HANDED) {
      const purpose = this.#queues.query.length > 0 ? "query" : "post";
      const waiting = this.#queues[purpose].shift();
      if (waiting === undefined) return;
      if (this.#handed.length === 0) this.#watch(this.#worker);
      this.#handed.push(waiting);
      this.#worker.postMessage({ purpose, text: waiting.text } satisfies WorkerRequest);
    }
  }

  #take(worker: Worker, answer: Exclude<WorkerAnswer, { kind: "ready" }>): void {
    const waiting = this.#handed.shift();
    if (answer.kind === "vector") waiting?.resolve(answer.vector);
    else waiting?.reject(new EmbedderUnavailable(answer.message));
    clearTimeout(this.#alarm);
    if (this.#handed.length > 0) this.#watch(worker);
    this.#next();
  }

  /** Gives up a worker that does not answer in time. It is not terminated: see `close`. */
  #watch(worker: Worker): void {
    this.#alarm = setTimeout(() => {
      worker.unref();
      // There is no second try, since the worker keeps its memory.
      this.#giveUp("its thread does not answer", false);
    }, STUCK_MS);
    this.#alarm.unref();
  }

  #giveUp(reason: string, tryAgain = true): void {
    clearTimeout(this.#alarm);
    this.#worker = null;
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
    for (const list of [this.#handed, this.#queues.query, this.#queues.post]) {
      for (const { reject } of list.splice(0)) reject(new EmbedderUnavailable(reason));
    }
  }
}
