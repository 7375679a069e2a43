import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { BoardError, FAILURES } from "../../board/failures.ts";
import { Abandoned } from "../../ports/search-index.ts";
import { StoreUnavailable } from "../../ports/store/index.ts";

/** Turns anything thrown into a failure that the caller may see. */
export function asBoardError(thrown: unknown): BoardError {
  if (thrown instanceof BoardError) return thrown;
  // Errors of the body parser and of Express itself carry a type or a status.
  const { type, status, name, code } = (thrown ?? {}) as Partial<
    Record<"type" | "status" | "name" | "code", unknown>
  >;
  if (type === "entity.too.large" || type === "parameters.too.many") return new BoardError("body_too_large");
  if (type === "encoding.unsupported" || type === "charset.unsupported")
    return new BoardError("unsupported_media_type");
  if (type === "request.aborted" || type === "request.size.invalid" || type === "entity.parse.failed") {
    return new BoardError("invalid_json");
  }
  if (name === "URIError" || status === 400) return new BoardError("not_found");
  // A process that may open no more files can do so again when some callers have left. One that has hung up reads no answer.
  if (code === "EMFILE" || code === "ENFILE" || thrown instanceof Abandoned)
    return new BoardError("overloaded", { retryAfterS: 1, cause: thrown });
  if (thrown instanceof StoreUnavailable) {
    return new BoardError("store_unavailable", { retryAfterS: 2, cause: thrown });
  }
  return new BoardError("internal", { cause: thrown });
}

/**
 * Logs what the operator should see of a failure: an internal one whole, an outage of the store once, another 503 as a
 * warning.
 * @returns the reference of an internal failure in the log, for the caller to quote
 */
export function logFailure(error: BoardError, logger: Logger, outages: Outages): string | undefined {
  const { status } = FAILURES[error.code];
  if (status === 500) {
    const reference = randomUUID();
    logger.error({ err: error.cause ?? error, reference }, "internal failure");
    return reference;
  }
  if (error.cause instanceof StoreUnavailable) outages.met(error.cause);
  else if (error.cause instanceof Abandoned) return undefined;
  else if (status === 503) logger.warn({ err: error.cause, code: error.code }, "refused");
  return undefined;
}

/** An outage that goes on is logged again after this long. */
const REMINDER_MS = 10 * 60_000;
/** After so long without a failure, the next one is another outage. */
const CALM_MS = 60_000;
/** After so long without a failure, an outage is over if the store says so too. */
const OVER_MS = 2_000;
/** At most this many reasons are kept apart; the stores have about ten. */
const REASONS_MAX = 100;

/** Logs an outage of the store once, however many calls and jobs meet it. */
export class Outages {
  readonly #parts: { logger: Logger; clock: () => number };
  readonly #known = new Map<string, { loggedAt: number; metAt: number; times: number }>();
  /** The outage that goes on was first logged then; null while there is none. */
  #beganAt: number | null = null;

  constructor(parts: { logger: Logger; clock: () => number }) {
    this.#parts = parts;
  }

  met(error: StoreUnavailable): void {
    const now = this.#parts.clock();
    const known = this.#known.get(error.message);
    if (known !== undefined && now - known.metAt < CALM_MS && now - known.loggedAt < REMINDER_MS) {
      known.metAt = now;
      known.times += 1;
      return;
    }
    if (this.#known.size >= REASONS_MAX) this.#known.clear();
    this.#known.set(error.message, { loggedAt: now, metAt: now, times: 0 });
    const before = known === undefined || known.times === 0 ? {} : { times_since_last_line: known.times };
    this.#parts.logger.error({ err: error, ...before }, "the store is unavailable");
    this.#beganAt ??= now;
  }

  /** The store was asked and works: logs the end of an outage, once nothing has met it for a while. */
  over(): void {
    const now = this.#parts.clock();
    const metAt = Math.max(...[...this.#known.values()].map((known) => known.metAt));
    if (this.#beganAt === null || now - metAt < OVER_MS) return;
    const seconds = Math.round((now - this.#beganAt) / 1_000);
    this.#known.clear();
    this.#beganAt = null;
    this.#parts.logger.info({ seconds }, "the store is available again");
  }
}
