import type { BoardModel } from "../domain/board/embedding-model.ts";
import type { Metrics } from "../domain/board/metrics.ts";
import type { Usage } from "../domain/board/usage.ts";
import type { Matching } from "../domain/subscriptions/matching.ts";
import type { Pushes } from "../domain/webhooks/pushes.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Store } from "../ports/store/index.ts";
import { WebhookDelivery } from "./deliver-webhooks.ts";
import { embedPosts, enqueueMissing } from "./embed-posts.ts";
import { matchPosts } from "./match-posts.ts";
import { Poller } from "./poller.ts";
import { type Job, startJobs } from "./scheduler.ts";

const FLUSH_MS = 1_000;

interface Parts {
  store: Store;
  embedder: Embedder;
  boardModel: BoardModel;
  matching: Matching;
  pushes: Pushes;
  usage: Usage;
  metrics: Metrics;
  jobs: readonly Job[];
  clock: () => number;
  /** Told of each failure and of what failed, as `matching`; the work is tried again. */
  failed: (what: string, error: unknown) => void;
  /** Told of a job's run that did not begin, and why. */
  missed: (job: string, why: string) => void;
}

/** What a board does beside its answers: it matches, embeds and sends what was written, keeps counts, and runs jobs by the clock. */
export class Background {
  readonly #parts: Parts;
  readonly #matcher: Poller;
  readonly #embedding: Poller;
  readonly #deliverer: Poller;
  readonly #delivery: WebhookDelivery;
  /** True when this process's model is the board's, or was until another process chose. */
  #hasChosen = false;
  #flusher: NodeJS.Timeout | undefined;
  #stopJobs = async () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
    const { store, embedder, boardModel, matching, pushes, usage, clock } = parts;
    this.#matcher = new Poller(async () => {
      const took = await matchPosts({ store, matching, modelId: embedder.modelId }, clock());
      if (took > 0) this.#deliverer.nudge();
      // Takes new subscriptions in now, and not only when a post waits for it.
      else await matching.refresh();
      return took;
    }, this.#failed("matching"));
    this.#embedding = new Poller(async () => {
      await this.#chooseModel();
      const took = await embedPosts({ store, embedder, boardModel }, clock());
      if (took > 0) this.#matcher.nudge();
      return took;
    }, this.#failed("embedding posts"));
    this.#delivery = new WebhookDelivery({
      store,
      pushes,
      clock,
      ended: (delivered) => usage.pushed(delivered, clock()),
      freed: () => this.#deliverer.nudge(),
      failed: this.#failed("sending to a webhook"),
    });
    this.#deliverer = new Poller(() => this.#delivery.claim(clock()), this.#failed("claiming deliveries"));
  }

  /** A post was written or changed: there is something to match and to embed. */
  written(): void {
    this.#matcher.nudge();
    this.#embedding.nudge();
  }

  start(): void {
    const { store, embedder, metrics, jobs, clock } = this.#parts;
    this.#matcher.start();
    this.#embedding.start();
    this.#deliverer.start();
    this.#flusher = setInterval(() => void this.flush(), FLUSH_MS);
    this.#flusher.unref();
    this.#stopJobs = startJobs(jobs, {
      leases: store.leases,
      clock,
      failed: (job, error) => this.#parts.failed(job, error),
      missed: (job, why) => this.#parts.missed(job, why),
      ended: (job, ok) => metrics.jobEnded(job, ok, clock()),
    });
    void embedder.settled().then(() => this.#embedding.nudge(), this.#failed("loading the model"));
  }

  /** Ends what is under way and gives back what was claimed; counts may still be added and are written by `flush`. */
  async stop(): Promise<void> {
    clearInterval(this.#flusher);
    await this.#stopJobs();
    await Promise.all([this.#matcher.stop(), this.#embedding.stop(), this.#deliverer.stop()]);
    await this.#delivery.stop().catch(this.#failed("giving deliveries back"));
  }

  /** Writes counts that were kept in memory; a failure is told, and they are lost. */
  async flush(): Promise<void> {
    try {
      await this.#parts.usage.flush();
    } catch (error) {
      this.#parts.failed("writing counters", error);
    }
  }

  /** Once the model is there; a store that cannot be written then is asked again at the next turn. */
  async #chooseModel(): Promise<void> {
    const { store, embedder, boardModel } = this.#parts;
    if (this.#hasChosen || embedder.state() !== "ready") return;
    await boardModel.choose();
    await enqueueMissing({ store, embedder, boardModel });
    this.#hasChosen = true;
  }

  #failed(what: string): (error: unknown) => void {
    return (error) => this.#parts.failed(what, error);
  }
}
