import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { type Comparison, isOpen, releaseComparison } from "../../search/kernel/comparison.ts";
import type { CodeHelper, SignCodes } from "../../search/kernel/sign-codes.ts";
import { siblingOf, startWorker } from "../../start-worker.ts";
import { HELPER, type HelperOrder } from "./messages.ts";

/** Rows from which half of the comparison is worth a thread: among 300,000 it gained nothing, among a million a quarter. */
const HELPED_FROM = 500_000;
/** After as many ends of the thread, no other is started. */
const BREAKS_MAX = 3;
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 };

/**
 * A second thread for one search at a time: it compares sign codes while the search thread sums up words, and both share
 * what is left then. The codes lie in shared memory, so that only numbers are sent. The search waits for it at most a few
 * milliseconds, and does all by itself while it is not there.
 */
export class HelperThread implements CodeHelper {
  readonly #from: number;
  readonly #isCrowded: () => boolean;
  #worker: Worker | null = null;
  /** Numbers by `HELPER`: no message reaches this thread while it searches. */
  #state = new Int32Array(new SharedArrayBuffer(4 * HELPER.numbers));
  #breaks = 0;
  /** The codes it knows. */
  #codes: SignCodes | null = null;
  /** What it may be writing to. */
  #sent: Comparison[] = [];

  /**
   * @param options.from  rows from which it helps
   * @param options.isCrowded  true while searches queue up: they get no more processor time by it, and all else gets less
   */
  constructor({
    from = HELPED_FROM,
    isCrowded = () => false,
  }: { from?: number; isCrowded?: () => boolean } = {}) {
    this.#from = from;
    this.#isCrowded = isCrowded;
  }

  /** @returns a helper where the machine has a core for it */
  static where(isCrowded: () => boolean, cores = availableParallelism()): HelperThread | null {
    return cores > 1 ? new HelperThread({ isCrowded }) : null;
  }

  help(codes: SignCodes, comparison: Comparison): void {
    if (comparison.size < this.#from || this.#breaks >= BREAKS_MAX || this.#isCrowded()) return;
    this.#worker ??= this.#start();
    if (Atomics.load(this.#state, HELPER.ready) === 0) return;
    const { memory, dimension } = codes;
    if (this.#codes !== codes) this.#worker.postMessage({ memory, dimension } satisfies HelperOrder);
    this.#codes = codes;
    this.#worker.postMessage(comparison satisfies HelperOrder);
    this.#sent = [...this.#sent.filter(isOpen), comparison];
  }

  /** How many chunks the thread has compared. */
  get chunks(): number {
    return this.#worker === null ? 0 : Atomics.load(this.#state, HELPER.chunks);
  }

  /** Resolves when the thread has ended. */
  async end(): Promise<void> {
    this.#breaks = BREAKS_MAX;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    this.#state = new Int32Array(new SharedArrayBuffer(4 * HELPER.numbers));
    const worker = startWorker(siblingOf(import.meta.url, "helper-worker"), this.#state.buffer, LIMITS);
    worker.unref();
    worker.on("error", () => {});
    worker.on("exit", () => {
      this.#breaks += 1;
      this.#codes = null;
      this.#worker = null;
      for (const comparison of this.#sent.splice(0)) releaseComparison(comparison);
    });
    return worker;
  }
}
