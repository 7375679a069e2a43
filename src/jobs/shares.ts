import { randomUUID } from "node:crypto";
import { deadMembers, ownersFor, partsOf } from "../domain/subscriptions/parts.ts";
import type { Parts, ShareStore, ShareTable } from "../ports/store/index.ts";

/** A process that has not renewed for `lifeMs` is dead to the others, which take its parts. */
const RENEWAL = { everyMs: 2_000, lifeMs: 5_000 } as const;
/** How often others may come first before the next call tries again. */
const TRIES = 5;

/** The saved queries that this process matches: an equal share of those of all living processes of the board. */
export class Shares {
  readonly #store: ShareStore;
  readonly #clock: () => number;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #member = randomUUID();
  #table: ShareTable | null = null;
  /** Until when the others count on this process. */
  #until = 0;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | null = null;

  /** @param parts.changed  called when the share should change: `held` changes it */
  constructor(parts: {
    store: ShareStore;
    clock: () => number;
    changed: () => void;
    failed: (error: unknown) => void;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#changed = parts.changed;
    this.#failed = parts.failed;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew()
        .then(() => {
          if (this.#wanted() !== null) this.#changed();
        }, this.#failed)
        .finally(() => {
          this.#renewing = null;
        });
    }, RENEWAL.everyMs);
    this.#timer.unref();
  }

  /** Ends the membership: others take its parts with their next renewal. Call it when nothing is being matched. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    if (this.#table !== null) await this.#store.leave(this.#member);
    this.#table = null;
  }

  /**
   * The parts to match now. Gives back and takes what has to move, so call it only while nothing is being matched. A
   * process that slept for longer than the others count on it asks them first.
   */
  async held(): Promise<Parts> {
    if (this.#table === null || this.#clock() >= this.#until) await this.#renew();
    for (let tries = 0; tries < TRIES; tries += 1) {
      const table = this.#table;
      const owners = this.#wanted();
      if (table === null || owners === null) break;
      const passed = await this.#store.pass(table.revision, owners, deadMembers(table, this.#clock()));
      await this.#renew();
      if (passed) break;
    }
    return this.owned;
  }

  /** The parts of this process as it last knew. */
  get owned(): Parts {
    return this.#table === null ? 0n : partsOf(this.#table.owners, this.#member);
  }

  async #renew(): Promise<void> {
    const now = this.#clock();
    this.#table = await this.#store.renew(this.#member, RENEWAL.lifeMs, now);
    this.#until = now + RENEWAL.lifeMs;
  }

  /** The owners that this process would set, or null when they are right. */
  #wanted(): (string | null)[] | null {
    if (this.#table === null) return null;
    const { owners } = this.#table;
    const wanted = ownersFor(this.#table, this.#member, this.#clock());
    const mine = (owner: string | null) => owner === this.#member;
    return wanted.some((owner, part) => mine(owner) !== mine(owners[part] ?? null)) ? wanted : null;
  }
}
