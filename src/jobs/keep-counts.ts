import { randomUUID } from "node:crypto";
import type { LeaseStore } from "../ports/store/index.ts";

const LEASE = "board:keep-counts";
/** A process that dies leaves the figures alone for so long; afterwards calls still get them, or count. */
const LEASE_MS = 15_000;
/** The pause after a run when posts were written; otherwise one run in two is left out, for what expires. */
const PAUSE_MS = 4_000;

/** Has one process of the board keep its figures: when posts were written, and every 8 s. */
export class KeepCounts {
  readonly #parts: Parts;
  readonly #owner = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #stopped = true;
  #isWritten = true;
  #hasRested = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#stopped = false;
    this.#look();
  }

  /** A post was written or changed. */
  written(): void {
    this.#isWritten = true;
  }

  /** Resolves when the run under way is done and another process may go on. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#parts.leases.release(LEASE, this.#owner);
  }

  #look(): void {
    const wasWritten = this.#isWritten;
    const isIdle = !wasWritten && this.#hasRested === false;
    this.#isWritten = false;
    this.#hasRested = isIdle;
    this.#running = (isIdle ? Promise.resolve() : this.#run(!wasWritten))
      .catch((error: unknown) => {
        this.#isWritten = true;
        this.#parts.failed(error);
      })
      .finally(() => {
        if (this.#stopped) return;
        this.#timer = setTimeout(() => this.#look(), PAUSE_MS);
        this.#timer.unref();
      });
  }

  async #run(unchanged: boolean): Promise<void> {
    const { keep, leases, clock } = this.#parts;
    do {
      if ((await leases.acquire(LEASE, this.#owner, LEASE_MS, clock())) === null) return;
    } while ((await keep(clock(), { unchanged })) && !this.#stopped);
  }
}

interface Parts {
  /** See `StatisticsStore.keep`. */
  keep: (now: number, options: { unchanged: boolean }) => Promise<boolean>;
  leases: LeaseStore;
  clock: () => number;
  failed: (error: unknown) => void;
}
