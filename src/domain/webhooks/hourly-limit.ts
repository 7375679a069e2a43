import { BoardError } from "../../failures.ts";
import type { LimitStore, StoredSubscription } from "../../ports/store/index.ts";
import { HOUR_MS } from "../time.ts";

/**
 * Calls that the board makes at a publisher's request to a host that did not ask: per subscription, and per host over
 * all publishers.
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

  /** @throws BoardError `rate_limited` */
  async take(row: StoredSubscription, url: string, now: number): Promise<void> {
    if (!this.#limited) return;
    await this.#count(`webhook:${row.id}`, PER_HOUR.subscription, now);
    await this.#count(`webhook-host:${new URL(url).host.replace(/\.$/, "")}`, PER_HOUR.host, now);
  }

  async #count(key: string, max: number, now: number): Promise<void> {
    const { points, endsAt } = await this.#limits.add(key, 1, HOUR_MS, now);
    if (points <= max) return;
    throw new BoardError("rate_limited", {
      retryAfterS: Math.ceil((endsAt - now) / 1000),
      hint: "A webhook is asked or tested at most 10 times an hour, and its host 30 times. Wait the seconds given in `Retry-After`.",
    });
  }
}
