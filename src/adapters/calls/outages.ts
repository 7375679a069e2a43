import type { Logger } from "pino";
import type { StoreUnavailable } from "../../ports/store/index.ts";

/** An outage that goes on is logged again after this long. */
const REMINDER_MS = 10 * 60_000;
/** After so long without a failure, the next one is another outage. */
const CALM_MS = 60_000;
/** Reasons told apart; the stores know about ten. */
const REASONS_MAX = 100;

/** Logs an outage of the store once, however many calls and jobs meet it. */
export class Outages {
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #known = new Map<string, { loggedAt: number; metAt: number; times: number }>();

  constructor(parts: { logger: Logger; clock: () => number }) {
    this.#logger = parts.logger;
    this.#clock = parts.clock;
  }

  met(error: StoreUnavailable): void {
    const now = this.#clock();
    const known = this.#known.get(error.message);
    if (known !== undefined && now - known.metAt < CALM_MS && now - known.loggedAt < REMINDER_MS) {
      known.metAt = now;
      known.times += 1;
      return;
    }
    if (this.#known.size >= REASONS_MAX) this.#known.clear();
    this.#known.set(error.message, { loggedAt: now, metAt: now, times: 0 });
    const before = known === undefined || known.times === 0 ? {} : { times_since_last_line: known.times };
    this.#logger.error({ err: error, ...before }, "the store is unavailable");
  }
}
