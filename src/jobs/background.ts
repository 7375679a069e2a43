import type { BoardModel } from "../domain/board/embedding-model.ts";
import type { Metrics } from "../domain/board/metrics.ts";
import type { Usage } from "../domain/board/usage.ts";
import type { Matching } from "../domain/subscriptions/matching.ts";
import type { Waits } from "../domain/subscriptions/waits.ts";
import type { Pushes } from "../domain/webhooks/pushes.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Store } from "../ports/store/index.ts";
import { WebhookDelivery } from "./deliver-webhooks.ts";
import { embedPosts, enqueueMissing, MISSING_SLICE } from "./embed-posts.ts";
import { matchPosts } from "./match-posts.ts";
import { Poller } from "./poller.ts";
import { type Job, startJobs } from "./scheduler.ts";
import { watchStore } from "./store-watch.ts";

const FLUSH_MS = 1_000;
/** Where the store reports each written post, no pause is longer: looking for them is then a precaution. */
const TOLD_PAUSE_MS = 8_000;
/** The process that wrote a post sees to it at once. Whoever is told looks after this time, for what that leaves. */
const TOLD_MS = 250;
/** Retrievals are written with every tenth flush. */
const FLUSHES_PER_RETRIEVALS = 10;

interface Parts {
  store: Store;
  embedder: Embedder;
  boardModel: BoardModel;
  matching: Matching;
  pushes: Pushes;
  usage: Usage;
  waits: Waits;
  metrics: Metrics;
  jobs: readonly Job[];
  clock: () => number;
  /** Each error is told with the work that failed, such as `matching`. The work is tried again. */
  failed: (what: string, error: unknown) => void;
  /** The loop calls this every second while the store can be written. */
  available: () => void;
  /** A run of a job that could not begin is told with the reason. */
  missed: (job: string, why: string) => void;
}

/** Does what a board does besides answering: matching, embedding, webhook delivery, counting, and scheduled jobs. */
export class Background {
  readonly #parts: Parts;
  readonly #matcher: Poller;
  readonly #embedding: Poller;
  readonly #deliverer: Poller;
  readonly #delivery: WebhookDelivery;
  /** True once this process has made its model the board's. Another process may have chosen since. */
  #hasChosen = false;
  /** True once it found no more vectors to renew. */
  #isRenewed = false;
  #flusher: NodeJS.Timeout | undefined;
  #stopJobs = async () => {};
  #endWatch = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    const { store, embedder, boardModel, matching, pushes, usage, waits, clock } = parts;
    const matched = (publisherIds: Iterable<string>) => {
      waits.wake(publisherIds);
      this.#deliverer.nudge();
    };
    const pauseMs = store.work.onPosts === undefined ? undefined : TOLD_PAUSE_MS;
    this.#matcher = new Poller(
      () => matchPosts({ store, matching, modelId: embedder.modelId, matched }, clock()),
      this.#failed("matching"),
      pauseMs,
    );
    this.#embedding = new Poller(
      async () => {
        await this.#chooseModel();
        const took = await embedPosts({ store, embedder, boardModel }, clock());
        if (took > 0) this.#matcher.nudge();
        return took > 0 || this.#renew();
      },
      this.#failed("embedding posts"),
      pauseMs,
    );
    let willLook = false;
    store.work.onPosts?.(() => {
      if (willLook) return;
      willLook = true;
      const look = () => {
        willLook = false;
        this.written();
      };
      setTimeout(look, TOLD_MS).unref();
    });
    this.#delivery = new WebhookDelivery({
      store,
      pushes,
      clock,
      ended: (delivered, isGivenUp) => usage.pushed(delivered, clock(), isGivenUp),
      freed: () => this.#deliverer.nudge(),
      failed: this.#failed("sending to a webhook"),
    });
    const claim = async () => (await this.#delivery.claim(clock())) > 0;
    this.#deliverer = new Poller(claim, this.#failed("claiming deliveries"));
  }

  /** Whoever wrote or changed a post calls this: matching and embedding wake up. */
  written(): void {
    this.#matcher.nudge();
    this.#embedding.nudge();
  }

  /** Counts the saved queries that this process keeps to match posts with, and about their memory. */
  held(): { queries: number; bytes: number } {
    const { matching } = this.#parts;
    return { queries: matching.size, bytes: matching.bytes };
  }

  start(): void {
    const { store, embedder, metrics, jobs, clock } = this.#parts;
    this.#matcher.start();
    this.#embedding.start();
    this.#deliverer.start();
    let flushes = 0;
    this.#flusher = setInterval(() => {
      flushes += 1;
      void this.#write(flushes % FLUSHES_PER_RETRIEVALS > 0);
    }, FLUSH_MS);
    this.#flusher.unref();
    this.#stopJobs = startJobs(jobs, {
      leases: store.leases,
      clock,
      failed: (job, error) => this.#parts.failed(job, error),
      missed: (job, why) => this.#parts.missed(job, why),
      ended: (job, ok) => metrics.jobEnded(job, ok, clock()),
    });
    this.#endWatch = watchStore(store, {
      available: this.#parts.available,
      unavailable: this.#failed("looking at the store"),
    });
    void embedder.settled().then(() => this.#embedding.nudge(), this.#failed("loading the model"));
  }

  /** Ends the work under way and releases claims. Counts may still be added after it; `flush` writes them. */
  async stop(): Promise<void> {
    clearInterval(this.#flusher);
    this.#endWatch();
    await this.#stopJobs();
    await Promise.all([this.#matcher.stop(), this.#embedding.stop(), this.#deliverer.stop()]);
    await this.#delivery.stop().catch(this.#failed("giving deliveries back"));
  }

  /** Writes the counts kept in memory. A failed write is reported, and its counts are lost. */
  flush(): Promise<void> {
    return this.#write(false);
  }

  async #write(talliesOnly: boolean): Promise<void> {
    const { usage } = this.#parts;
    try {
      await (talliesOnly ? usage.flushTallies() : usage.flush());
    } catch (error) {
      this.#parts.failed("writing counters", error);
    }
  }

  /** Chooses once, when the model is ready. If the store cannot be written, the next batch tries again. */
  async #chooseModel(): Promise<void> {
    const { embedder, boardModel } = this.#parts;
    if (this.#hasChosen || embedder.state() !== "ready") return;
    await boardModel.choose();
    this.#hasChosen = true;
  }

  /** Old vectors are renewed at leisure: a slice whenever nothing else waits, until a slice is not full. */
  async #renew(): Promise<boolean> {
    const { store, embedder, boardModel } = this.#parts;
    if (!this.#hasChosen || this.#isRenewed) return false;
    const count = await enqueueMissing({ store, embedder, boardModel });
    this.#isRenewed = count < MISSING_SLICE;
    return count > 0;
  }

  #failed(what: string): (error: unknown) => void {
    return (error) => this.#parts.failed(what, error);
  }
}
