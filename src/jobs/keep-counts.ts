import { randomUUID } from "node:crypto";
import type { KeptFigures, LeaseStore } from "../ports/store/index.ts";

const LEASE = "board:keep-counts";
/** A process that dies leaves the figures alone for so long; afterwards calls still get them, or count. */
const LEASE_MS = 15_000;
/** The pause between two looks. Where nothing was written, one look in two is left out. */
const PAUSE_MS = 4_000;

/** Has one process of the board keep its figures: they are counted when posts were written, and confirmed every 8 s. */
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
    this.#wait();
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

  #wait(): void {
    this.#timer = setTimeout(() => this.#look(), PAUSE_MS);
    this.#timer.unref();
  }

  #look(): void {
    const wasWritten = this.#isWritten;
    const rests = !wasWritten && !this.#hasRested;
    this.#isWritten = false;
    this.#hasRested = rests;
    this.#running = (rests ? Promise.resolve() : this.#keep(wasWritten))
      .catch((error: unknown) => {
        this.#isWritten = true;
        this.#parts.failed(error);
      })
      .finally(() => {
        if (!this.#stopped) this.#wait();
      });
  }

  async #keep(wasWritten: boolean): Promise<void> {
    const { kept, leases, clock } = this.#parts;
    if (!wasWritten && (await kept.confirm(clock()))) return;
    do {
      if ((await leases.acquire(LEASE, this.#owner, LEASE_MS, clock())) === null) return;
    } while ((await kept.count(clock())) && !this.#stopped);
  }
}

interface Parts {
  kept: KeptFigures;
  leases: LeaseStore;
  clock: () => number;
  failed: (error: unknown) => void;
}
