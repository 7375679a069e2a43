import type { Secrets } from "../../domain/secrets.ts";
import { looksLikeApiKey, sha256 } from "../../domain/secrets.ts";
import { BoardError } from "../../failures.ts";
import type { Context, Operation, Reply, Services } from "../../operation.ts";
import type { PublisherStore, StoredPublisher } from "../../ports/store/index.ts";
import type { Envelopes, Success } from "./envelope.ts";
import { parseInput } from "./input.ts";
import { addressBucket, type LimitHeaders, type Limits } from "./limits.ts";

/** Who calls, as an adapter found out. */
export interface Credentials {
  /** As it was sent, or null. */
  apiKey: string | null;
  /** Address of the client. */
  address: string;
  /** Its program, as a name of a fixed set; `none` where nothing names it. */
  client?: string;
}

/** A call that may go on: who calls, and what the answer's limit headers say. */
export interface Admission {
  caller: StoredPublisher | null;
  limits: LimitHeaders | null;
  notes: string[];
  reporter: string;
  client: string;
  now: number;
  /** `missing_api_key` or `invalid_api_key` where the operation needs a key. */
  refusal: BoardError | null;
}

/** A call that succeeded. */
export interface Performed {
  reply: Reply<unknown>;
  body: Success;
}

/**
 * What every surface does with a call, in two steps: `admit` needs no body, so that a refused call costs little;
 * `perform` parses the input, asks the handler and wraps its answer.
 */
export class Calls {
  readonly #services: Services;
  readonly #publishers: PublisherStore;
  readonly #limits: Limits;
  readonly #envelopes: Envelopes;
  readonly #secrets: Secrets;
  readonly #readOnly: boolean;
  readonly #clock: () => number;

  constructor(parts: {
    services: Services;
    publishers: PublisherStore;
    limits: Limits;
    envelopes: Envelopes;
    secrets: Secrets;
    readOnly: boolean;
    clock: () => number;
  }) {
    this.#services = parts.services;
    this.#publishers = parts.publishers;
    this.#limits = parts.limits;
    this.#envelopes = parts.envelopes;
    this.#secrets = parts.secrets;
    this.#readOnly = parts.readOnly;
    this.#clock = parts.clock;
  }

  /**
   * Counts the call and finds out who makes it. A missing or wrong key is counted by address and becomes the admission's
   * `refusal`, so that its answer carries the limits like any other.
   *
   * @throws BoardError `rate_limited`
   */
  async admit(operation: Operation, credentials: Credentials): Promise<Admission> {
    const now = this.#clock();
    const { caller, problem } = await this.#callerOf(credentials);
    const refusal =
      operation.auth === "key" && caller === null ? (problem ?? new BoardError("missing_api_key")) : null;
    const limits = await this.#limits.take(operation.limit, { caller, address: credentials.address }, now);
    const notes =
      problem === null ? [] : ["The API key sent is not valid; this open call was answered without it."];
    if (caller !== null && limits?.nearly != null) notes.push(limits.nearly);
    const bucket = addressBucket(credentials.address, false);
    const reporter = caller === null ? `addr:${this.#secrets.addressTag(bucket)}` : `key:${caller.id}`;
    return { caller, limits, notes, reporter, client: credentials.client ?? "none", now, refusal };
  }

  /** Counts a call to an address that has no operation. */
  stray({ address }: Credentials): Promise<LimitHeaders | null> {
    return this.#limits.take("read", { caller: null, address }, this.#clock());
  }

  /**
   * @param source  where the input came from, which names the failure of a wrong one
   * @param counts  false for feeds and pages
   * @throws BoardError the admission's refusal, `read_only`, `publisher_suspended`, and whatever the operation may answer
   */
  async perform(
    operation: Operation,
    admission: Admission,
    sent: Record<string, unknown>,
    source: "body" | "query",
    counts = true,
  ): Promise<Performed> {
    if (admission.refusal !== null) throw admission.refusal;
    this.#checkWriting(operation, admission.caller);
    const { input, notes } = parseInput(operation, sent, source);
    const { caller, reporter, client, now } = admission;
    const context: Context = { ...this.#services, caller, reporter, client, counts, now };
    const reply = await operation.handle(input, context);
    const body = await this.#envelopes.success(operation, reply, [...admission.notes, ...notes], now);
    return { reply, body };
  }

  #checkWriting(operation: Operation, caller: StoredPublisher | null): void {
    if (this.#readOnly && operation.effect !== "reads")
      throw new BoardError("read_only", { retryAfterS: 60 });
    // A suspended publisher may still read, and erase what it wrote.
    if (operation.auth === "key" && operation.effect === "writes" && caller?.suspendedAt != null) {
      throw new BoardError("publisher_suspended");
    }
  }

  /** A key that is wrong is a problem only where one is needed. */
  async #callerOf({
    apiKey,
    address,
  }: Credentials): Promise<{ caller: StoredPublisher | null; problem: BoardError | null }> {
    if (apiKey === null || apiKey === "") return { caller: null, problem: null };
    await this.#limits.checkFailedKeys(address);
    if (!looksLikeApiKey(apiKey)) {
      await this.#limits.failedKey(address);
      const hint =
        "The key is mistyped: its checksum is wrong. Copy it again; it has 42 characters and begins with bbk_.";
      return { caller: null, problem: new BoardError("invalid_api_key", { hint }) };
    }
    const caller = await this.#publishers.byKeyHash(sha256(apiKey));
    if (caller !== null) return { caller, problem: null };
    await this.#limits.failedKey(address);
    return { caller: null, problem: new BoardError("invalid_api_key") };
  }
}
