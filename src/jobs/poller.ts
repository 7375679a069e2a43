/** Work left by other processes, or by one that died, is found within this time. */
const POLL_MS = 400;
/** The pause after a failure, so that a broken database is not asked over and over. */
const REST_MS = 2_000;

/** Runs bounded batches, one at a time, as long as there is work: at once when nudged, otherwise every 400 ms. */
export class Poller {
  readonly #batch: () => Promise<number>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #nudged = false;
  #stopped = true;

  /** @param batch  does a bounded piece of work and resolves to how many items it took */
  constructor(batch: () => Promise<number>, failed: (error: unknown) => void) {
    this.#batch = batch;
    this.#failed = failed;
  }

  start(): void {
    this.#stopped = false;
    this.nudge();
  }

  /** There is work now. */
  nudge(): void {
    if (this.#stopped) return;
    this.#nudged = true;
    this.#running ??= this.#run();
  }

  /** Resolves when the batch under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    let restMs = POLL_MS;
    try {
      let took = 1;
      while (!this.#stopped && (took > 0 || this.#nudged)) {
        this.#nudged = false;
        took = await this.#batch();
      }
    } catch (error) {
      restMs = REST_MS;
      this.#failed(error);
    }
    this.#running = null;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.nudge(), restMs);
    this.#timer.unref();
  }
}
