import { setTimeout as after } from "node:timers/promises";
import type { Logger } from "pino";
import { BoardError, FAILURES, LOST_KEY, type Surface } from "../../board/failures.ts";
import {
  type Context,
  type LimitName,
  type Operation,
  OUTCOME_STATUS,
  type Reply,
  type Services,
} from "../../board/operation.ts";
import type { Usage } from "../../domain/board/usage.ts";
import { objectTo } from "../../domain/publishers/recovery.ts";
import { looksLikeApiKey, type Secrets, sha256 } from "../../domain/secrets.ts";
import type { Line } from "../../domain/subscriptions/waits.ts";
import { type PublisherStore, type StoredPublisher, StoreUnavailable } from "../../ports/store/index.ts";
import { hasLocalTimes } from "../../schema/time/local-time.ts";
import { cutAnswer, type Envelopes, type Success } from "./envelope.ts";
import { asBoardError, logFailure, type Outages } from "./errors.ts";
import { parseInput } from "./input.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import { addressBucket, type LimitHeaders, type Limits } from "./limits.ts";
import { lineLeaving, Queues } from "./queues.ts";

const CHECKSUM =
  "The key is mistyped: its checksum is wrong. Copy it again; it has 42 characters and begins with bbk_.";
const MISTYPED = {
  rest: CHECKSUM,
  tools: `${CHECKSUM} ${LOST_KEY} Any other registers again with \`register_publisher\`.`,
  reading: CHECKSUM,
};

/** The adapter reads them from the request; nobody has checked them yet. */
export interface Credentials {
  /** The key is as sent, or null. */
  apiKey: string | null;
  /** The token of this publisher came with the request, already checked. */
  signedIn?: StoredPublisher;
  /** The dispatcher believes this name: a key of OPERATOR_KEY was checked. */
  operator?: "operator" | `operator ${string}`;
  /** The client called from this address. */
  address: string;
  /** Names the calling program, out of a fixed set; `none` if nothing names it. */
  client?: string;
  /** The answer is read there; `rest` if not given. */
  surface?: Surface;
  line?: Line;
  /** The dispatcher tells the id of the publisher that calls, once it is known. */
  onCaller?(id: string): void;
  /** The dispatcher tells the limit headers once the call has been counted; null where limits are off. */
  onCounted?(limits: LimitHeaders | null): void;
}

interface Caller {
  caller: StoredPublisher | null;
  problem: BoardError | null;
  note?: string;
}

/** An open call waits so long for the owner of its key, and is then nobody's. */
const KEY_WAIT_MS = 2_000;
const NOBODY: Caller = {
  caller: null,
  problem: null,
  note: "The API key could not be looked up; this open call was answered without it.",
};

/** Tells who makes a call within its limits, and the limit headers of its answer. */
export interface Admission {
  caller: StoredPublisher | null;
  limits: LimitHeaders | null;
  notes: string[];
  reporter: string;
  /** The call waits there for its turn. */
  queue: string;
  /** A keyed hash stands for the caller's address. IPv6 counts by /48, since a household has many a /64. */
  address: string;
  client: string;
  surface: Surface;
  line: Line | null;
  now: number;
  /**
   * A call is refused by `missing_api_key` or `invalid_api_key` when the operation needs a key and the call has none
   * that is valid.
   */
  refusal: BoardError | null;
}

export interface Performed {
  reply: Reply<unknown>;
  body: Success;
}

/** An answer is counted under this name: the operation's, or the surface's own. */
export interface AnswerLabel {
  as: string;
  /** Names the calling program, for answers that are also counted by program. */
  client?: string;
}

/** Shows a failure as its caller may see it. */
export interface Failed {
  error: BoardError;
  status: number;
  /** The log line of an `internal` failure has this id. */
  reference: string | undefined;
}

/** These fields decide whether a call is admitted. */
type AdmittedCall = Pick<Operation, "auth" | "effect" | "limit">;

interface DispatcherParts {
  services: Services;
  publishers: PublisherStore;
  limits: Limits;
  answers: KeptAnswers;
  envelopes: Envelopes;
  secrets: Secrets;
  usage: Usage;
  logger: Logger;
  outages: Outages;
  readOnly: boolean;
  clock: () => number;
}

/**
 * Handles a call for every surface. `admit` needs no body, so a refused call costs little. `perform` parses the input,
 * runs the handler, wraps its answer and counts it. `fail` logs and counts a failure.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #queues = new Queues();

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  get answers(): KeptAnswers {
    return this.#parts.answers;
  }

  /** Gives epoch milliseconds. */
  get now(): number {
    return this.#parts.clock();
  }

  /**
   * Counts the call against its limits and looks up its caller. A call without a valid key counts by address. If it
   * needs one, the failure becomes the admission's `refusal`, so its answer carries the limit headers like any other.
   *
   * @throws BoardError `rate_limited`
   */
  async admit(operation: AdmittedCall, credentials: Credentials): Promise<Admission> {
    const now = this.#parts.clock();
    const isOpen = operation.auth !== "key" && operation.effect === "reads";
    const { caller, problem, note } = await (isOpen
      ? this.#callerOrNobody(credentials)
      : this.#callerOf(credentials));
    if (caller !== null) credentials.onCaller?.(caller.id);
    const refusal =
      operation.auth === "key" && caller === null ? (problem ?? new BoardError("missing_api_key")) : null;
    const limits = await this.#count(operation.limit, caller, credentials, now);
    const notes = note === undefined ? [] : [note];
    if (problem !== null)
      notes.push("The API key sent is not valid; this open call was answered without it.");
    if (caller !== null && limits?.nearly != null) notes.push(limits.nearly);
    const hashed = (bits: 64 | 48) =>
      `addr:${this.#parts.secrets.addressTag(addressBucket(credentials.address, bits))}`;
    const reporter = caller === null ? hashed(64) : `key:${caller.id}`;
    const address = hashed(48);
    const { client = "none", surface = "rest", line = null } = credentials;
    const queue = addressBucket(credentials.address);
    return { caller, limits, notes, reporter, queue, address, client, surface, line, now, refusal };
  }

  /** Admits a call that is no operation's; resolves to what a handler is given. Throws as `admit` and `perform` do. */
  async enter(asked: AdmittedCall, credentials: Credentials): Promise<Context & { caller: StoredPublisher }> {
    const { caller, reporter, address, line, now, refusal } = await this.admit(asked, credentials);
    if (caller === null) throw refusal ?? new BoardError("missing_api_key");
    this.#checkWriting(asked, caller);
    return { ...this.#parts.services, caller, reporter, address, line, now };
  }

  /**
   * Counts an answer that comes from no operation, such as the manual or `tools/list`, against the limit of reads, or another.
   * @throws BoardError `rate_limited`
   */
  async stray(credentials: Credentials, limit: LimitName = "read"): Promise<LimitHeaders | null> {
    const { caller } = await this.#callerOf(credentials);
    return this.#count(limit, caller, credentials, this.#parts.clock());
  }

  /**
   * Performs an operation, and counts its answer and its statistic.
   *
   * @param source  where the input came from; it decides the failure of an invalid one
   * @param fits  how many items of a page the surface can show; the page then ends behind these
   * @throws BoardError the admission's refusal, `read_only`, `publisher_suspended`, or a failure of the operation
   */
  async perform(
    operation: Operation,
    admission: Admission,
    sent: Record<string, unknown>,
    source: "body" | "query",
    label: AnswerLabel = { as: operation.name },
    fits?: (page: unknown) => number,
  ): Promise<Performed> {
    const began = performance.now();
    const first = await this.#run(operation, admission, sent, source);
    const again = (limit: number) => this.#run(operation, admission, { ...sent, limit }, source);
    const { input, reply, body } =
      fits === undefined ? first : await cutAnswer(first, fits(first.body.data), again);
    const { reporter: caller, client, now } = admission;
    this.answered(label, OUTCOME_STATUS[reply.outcome], first.hasRested ? null : performance.now() - began);
    if (operation.statistic !== undefined) {
      const success = { isNew: reply.outcome === "created", input, data: reply.data, caller, client };
      this.#parts.usage.succeeded(operation.statistic, success, now);
    }
    return { reply, body };
  }

  /**
   * Performs an operation for a part of an answer, such as a page, that the caller of this method counts as a whole. Throws
   * as `perform` does.
   *
   * @param options.searched  counts a search for its reader, but none of its posts as retrieved
   */
  async ask(
    operation: Operation,
    admission: Admission,
    sent: Record<string, unknown>,
    options: { searched?: boolean } = {},
  ): Promise<Success> {
    const { input, reply, body } = await this.#run(operation, admission, sent, "query");
    if (options.searched === true) {
      this.#parts.usage.looked({ input, data: reply.data, caller: admission.reporter }, admission.now);
    }
    return body;
  }

  /** Resolves when work that no operation does may begin, in its turn among the calls of its address. */
  async inTurn({ address }: Pick<Credentials, "address">): Promise<void> {
    const leave = await this.#queues.enter(addressBucket(address));
    leave();
  }

  /** See `Queues`. */
  ownTurn(): Promise<void> {
    return this.#queues.ownTurn();
  }

  /** Counts an answer that did not come from `perform`, such as a page or a feed. */
  answered({ as, client }: AnswerLabel, status: number, ms: number | null = null): void {
    this.#parts.usage.answered(as, status, this.#parts.clock(), { client, ms });
  }

  /**
   * Turns anything thrown into a failure, logs what the operator should see of it, and counts it.
   * @param label  null when the failure came before any operation was called
   */
  fail(thrown: unknown, label: AnswerLabel | null): Failed {
    const error = asBoardError(thrown);
    const { status } = FAILURES[error.code];
    const reference = logFailure(error, this.#parts.logger, this.#parts.outages);
    if (label !== null) this.answered(label, status);
    return { error, status, reference };
  }

  async #run(
    operation: Operation,
    admission: Admission,
    sent: Record<string, unknown>,
    source: "body" | "query",
  ) {
    const { caller, reporter, address, surface, now, refusal } = admission;
    if (refusal !== null) throw refusal;
    this.#checkWriting(operation, caller);
    // What writes may wait for others' servers, which no call behind it should do.
    const leave = operation.effect === "reads" ? await this.#queues.enter(admission.queue) : () => {};
    try {
      const isLocal = operation.zone !== undefined && hasLocalTimes(sent);
      const zone = isLocal ? ((await operation.zone?.(sent, this.#parts.services)) ?? null) : null;
      const { input, notes } = parseInput(operation, sent, source, surface, zone);
      const line = admission.line && lineLeaving(admission.line, leave);
      const context: Context = { ...this.#parts.services, caller, reporter, address, line, now };
      const reply = await operation.handle(input, context);
      const said = [...admission.notes, ...notes];
      const body = await this.#parts.envelopes.success(operation, reply, said, now, surface);
      return { input, reply, body, hasRested: line?.hasRested === true };
    } finally {
      leave();
    }
  }

  #checkWriting({ effect }: AdmittedCall, caller: StoredPublisher | null): void {
    if (this.#parts.readOnly && effect !== "reads") throw new BoardError("read_only", { retryAfterS: 60 });
    // A suspended publisher may still read and may erase what it wrote.
    if (effect === "writes" && caller?.suspendedAt != null) {
      throw new BoardError("publisher_suspended");
    }
  }

  async #count(
    limit: LimitName,
    caller: StoredPublisher | null,
    { address, onCounted }: Credentials,
    now: number,
  ): Promise<LimitHeaders | null> {
    try {
      const limits = await this.#parts.limits.take(limit, { caller, address }, now);
      onCounted?.(limits);
      return limits;
    } catch (error) {
      // A call too many was counted as well.
      if (error instanceof BoardError) onCounted?.(error.cause as LimitHeaders);
      throw error;
    }
  }

  /** Finds the caller of an open call, which needs no key to be answered while the database is away. */
  async #callerOrNobody(credentials: Credentials): Promise<Caller> {
    if (credentials.apiKey === null || credentials.signedIn !== undefined) return this.#callerOf(credentials);
    try {
      const late = after(KEY_WAIT_MS, NOBODY, { ref: false });
      return await Promise.race([this.#callerOf(credentials), late]);
    } catch (error) {
      if (error instanceof StoreUnavailable) return NOBODY;
      throw error;
    }
  }

  /** Returns a problem for a wrong key; only operations that need a key fail for it. */
  async #callerOf({ apiKey, signedIn, address }: Credentials): Promise<Caller> {
    if (signedIn !== undefined) return { caller: signedIn, problem: null };
    if (apiKey === null || apiKey === "") return { caller: null, problem: null };
    if (!looksLikeApiKey(apiKey)) {
      await this.#parts.limits.failedKey(address);
      return { caller: null, problem: new BoardError("invalid_api_key", { hint: MISTYPED }) };
    }
    const caller = await this.#parts.publishers.byKeyHash(sha256(apiKey));
    if (caller?.recovery != null)
      return { caller, problem: null, note: await objectTo(this.#parts.publishers, caller) };
    if (caller !== null) return { caller, problem: null };
    await this.#parts.limits.failedKey(address);
    return { caller: null, problem: new BoardError("invalid_api_key") };
  }
}
