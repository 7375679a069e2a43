/** It pauses this long after a look that left nothing to do: the pause doubles up to the longest. */
const PAUSE_MS = { shortest: 400, longest: 3_200 } as const;
/** It pauses after a failure, so that a broken database is not asked over and over. */
const REST_MS = 2_000;

/** Runs bounded batches, one at a time, as long as there is work: at once when nudged, otherwise after pauses. */
export class Poller {
  readonly #batch: () => Promise<boolean>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #nudged = false;
  readonly #longestMs: number;
  #pauseMs: number = PAUSE_MS.shortest;
  #stopped = true;

  /**
   * @param batch  does a bounded piece of work and resolves to true when there may be more
   * @param longestMs  the longest pause
   */
  constructor(
    batch: () => Promise<boolean>,
    failed: (error: unknown) => void,
    longestMs: number = PAUSE_MS.longest,
  ) {
    this.#longestMs = longestMs;
    this.#batch = batch;
    this.#failed = failed;
  }

  start(): void {
    this.#stopped = false;
    this.nudge();
  }

  /** Says that there is work now. */
  nudge(): void {
    this.#pauseMs = PAUSE_MS.shortest;
    this.#look();
  }

  /** Resolves when the batch under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  #look(): void {
    if (this.#stopped) return;
    this.#nudged = true;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    let hasFailed = false;
    try {
      let isMore = true;
      while (!this.#stopped && (isMore || this.#nudged)) {
        this.#nudged = false;
        isMore = await this.#batch();
        if (isMore) this.#pauseMs = PAUSE_MS.shortest;
      }
    } catch (error) {
      hasFailed = true;
      this.#failed(error);
    }
    this.#running = null;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.#look(), hasFailed ? REST_MS : this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, this.#longestMs);
    this.#timer.unref();
  }
}
