import type { Pushes } from "../domain/webhooks/pushes.ts";
import type { ClaimedPush, Store } from "../ports/store/index.ts";

/** This many attempts are under way at once in this process, in all and to receivers whose last push failed. */
const AT_ONCE = { total: 50, failing: 25 } as const;
/**
 * This many attempts of this process are under way at once to one origin, and beside them to its subscriptions whose last
 * push failed. Hosts of agents receive for all their people at one origin.
 */
const PER_ORIGIN = { working: 16, failing: 2 } as const;
/** No attempt may take as long. After it, another process sends what a dead one had claimed. */
const LEASE_MS = 30_000;
/** A stop waits this long for attempts under way, then gives them back to be made elsewhere. */
const STOP_MS = 3_000;

/** A clock that shows so much less than before was put back. */
const STEP_MS = 5_000;

interface DeliveryOptions {
  store: Store;
  pushes: Pushes;
  clock: () => number;
  /** The job calls this when the outcome of an attempt is stored. */
  ended: (delivered: boolean, isGivenUp: boolean) => void;
  /** The job calls this when an attempt has ended, since more may be claimed then. */
  freed: () => void;
  failed: (error: unknown) => void;
}

/**
 * Sends pushes that are due. Each is settled on its own as soon as its attempt ends, so that a slow receiver holds a
 * few of fifty places and nothing else.
 */
export class WebhookDelivery {
  readonly #options: DeliveryOptions;
  readonly #underWay = new Map<ClaimedPush, Promise<void>>();
  /** The last claim was made at this time; a start begins by looking for what waits by a clock that has gone back. */
  #latest = Number.POSITIVE_INFINITY;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Claims due pushes, at most one for each free place, and begins to send them. Resolves to how many. */
  async claim(now: number): Promise<number> {
    const limit = AT_ONCE.total - this.#underWay.size;
    if (limit <= 0) return 0;
    if (now < this.#latest - STEP_MS) await this.#options.store.pushes.hasten(now);
    this.#latest = now;
    const underWay = [...this.#underWay.keys()].map(({ receiver }) => receiver);
    const failing = underWay.filter((receiver) => receiver.failing).length;
    const claimed = await this.#options.store.pushes.claim({
      limit,
      perOrigin: PER_ORIGIN.working,
      failingPerOrigin: PER_ORIGIN.failing,
      underWay,
      failing: AT_ONCE.failing - failing,
      leaseMs: LEASE_MS,
      now,
    });
    for (const push of claimed) this.#underWay.set(push, this.#send(push));
    return claimed.length;
  }

  /** Waits, once nothing claims any more, for what is under way. Resolves when all attempts have ended or are given back. */
  async stop(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref());
    await Promise.race([Promise.all(this.#underWay.values()), late]);
    const left = [...this.#underWay.keys()];
    // From here on their outcome is not recorded.
    this.#underWay.clear();
    if (left.length > 0) await this.#options.store.pushes.giveBack(left);
  }

  async #send(push: ClaimedPush): Promise<void> {
    const { store, pushes, clock, ended, failed } = this.#options;
    try {
      const { attempt, outcome } = await pushes.attempt(push, clock());
      if (!this.#underWay.has(push)) return;
      await store.pushes.settle(push, attempt, outcome);
      if (attempt !== null) ended(outcome.state === "delivered", outcome.deactivate !== null);
    } catch (error) {
      // The push stays unsettled: its lease ends, and it is tried again.
      if (this.#underWay.has(push)) failed(error);
    } finally {
      this.#underWay.delete(push);
      this.#options.freed();
    }
  }
}
