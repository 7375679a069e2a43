import { BoardError } from "../../board/failures.ts";
import { HOUR_MS } from "../../platform/time.ts";
import type { LimitStore } from "../../ports/store/index.ts";

/**
 * Calls that the board makes at a publisher's request to a host that did not ask: those per subscription, and those to one
 * host that did not take them, over all publishers. A host of agents that answers is asked by each of its people.
 */
const PER_HOUR = { subscription: 10, host: 30 } as const;

/** Limits the calls to webhooks that are made on request: challenges and tests. */
export class HourlyLimit {
  readonly #limits: LimitStore;
  readonly #limited: boolean;

  /** @param parts.limited  false where the operator switched limits off */
  constructor(parts: { limits: LimitStore; limited: boolean }) {
    this.#limits = parts.limits;
    this.#limited = parts.limited;
  }

  /**
   * Makes a call within the limits. It counts for the host while it is under way, and from then on unless it succeeded, so that
   * no number of calls at once passes the limit.
   *
   * @param by  the subscription or the publisher that the call is made for
   * @throws BoardError `rate_limited`
   */
  async within<T>(
    by: string,
    url: string,
    now: number,
    call: () => Promise<T>,
    succeeded: (result: T) => boolean,
  ): Promise<T> {
    if (!this.#limited) return call();
    await this.#count(`webhook:${by}`, PER_HOUR.subscription, now);
    const host = `webhook-host:${new URL(url).host.replace(/\.$/, "")}`;
    await this.#count(host, PER_HOUR.host, now);
    const result = await call();
    if (succeeded(result)) await this.#limits.add(host, -1, HOUR_MS, now);
    return result;
  }

  async #count(key: string, max: number, now: number): Promise<void> {
    const { points, endsAt } = await this.#limits.add(key, 1, HOUR_MS, now);
    if (points <= max) return;
    throw new BoardError("rate_limited", {
      retryAfterS: Math.ceil((endsAt - now) / 1000),
      hint: "A webhook is asked or tested at most 10 times an hour, and its host 30 times without success. Wait the seconds given in `Retry-After`.",
    });
  }
}
