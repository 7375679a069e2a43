import { timingSafeEqual } from "node:crypto";
import { BoardError } from "../failures.ts";
import { type Embedder, EmbedderUnavailable } from "../ports/embedder.ts";
import { type Outbound, OutboundError } from "../ports/outbound.ts";
import type { Store, StoredPublisher, StoredSubscription } from "../ports/store.ts";
import type { PendingMatch, Subscription, SubscriptionInput } from "../schema/subscription.ts";
import { StandingQuery } from "../schema/subscription.ts";
import { cleanLine } from "../schema/text.ts";
import { quantize } from "../search/quantize.ts";
import { parseQueryText } from "../search/query-text.ts";
import type { Cursors } from "./cursors.ts";
import type { Posts } from "./posts.ts";
import { criteriaOnWire, describeQuery, textOfQuery } from "./query.ts";
import { newId, newToken, type Secrets } from "./secrets.ts";
import type { Site } from "./site.ts";
import { signedHeaders } from "./webhook-signature.ts";
import { isoTime } from "./wire.ts";

const ACTIVE_MAX = 50;
const HOUR_MS = 3_600_000;
const CHALLENGE = { ttlMs: 10 * 60_000, timeoutMs: 10_000, maxBytes: 4 * 1024 } as const;
/** Consent is asked by a request to somebody else's host, so it is limited by subscription and by host. */
const CHALLENGES_PER_HOUR = { subscription: 10, host: 30 } as const;

/** Standing queries: saving, reading, matches by polling, and consent of a webhook's owner. */
export class Subscriptions {
  readonly #store: Store;
  readonly #embedder: Embedder;
  readonly #outbound: Outbound;
  readonly #site: Site;
  readonly #secrets: Secrets;
  readonly #cursors: Cursors;
  readonly #posts: Posts;
  readonly #limited: boolean;
  readonly #log: (message: string, error: unknown) => void;
  readonly #asking = new Set<Promise<void>>();

  /** @param parts.limited  false where the operator switched limits off */
  constructor(parts: {
    store: Store;
    embedder: Embedder;
    outbound: Outbound;
    site: Site;
    secrets: Secrets;
    cursors: Cursors;
    posts: Posts;
    limited: boolean;
    log: (message: string, error: unknown) => void;
  }) {
    this.#store = parts.store;
    this.#embedder = parts.embedder;
    this.#outbound = parts.outbound;
    this.#site = parts.site;
    this.#secrets = parts.secrets;
    this.#cursors = parts.cursors;
    this.#posts = parts.posts;
    this.#limited = parts.limited;
    this.#log = parts.log;
  }

  /**
   * Saves a standing query. The webhook's owner is asked for consent after the answer, which carries the secret that
   * verifies the question.
   *
   * @throws BoardError `invalid_url` for a webhook the board may not call, `too_many_subscriptions`
   */
  async create(
    input: SubscriptionInput,
    caller: StoredPublisher,
    now: number,
  ): Promise<Subscription & { secret: string }> {
    const webhookUrl = input.webhook_url ?? null;
    this.#checkWebhook(webhookUrl);
    const vector = await this.#vectorOf(input.query);
    const row: StoredSubscription = {
      id: newId("sub"),
      publisherId: caller.id,
      label: cleanLine(input.label ?? "") || null,
      query: criteriaOnWire(input.query),
      vector,
      vectorModel: vector === null ? null : this.#embedder.modelId,
      webhookUrl,
      webhookVerifiedAt: null,
      secretVersion: 1,
      active: true,
      inactiveReason: null,
      failures: 0,
      lastMatchedAt: null,
      createdAt: now,
    };
    if (!(await this.#store.subscriptions.insert(row, ACTIVE_MAX)))
      throw new BoardError("too_many_subscriptions");
    if (webhookUrl !== null) this.#askLater(row, now);
    return { ...this.#onWire(row, 0), secret: this.#secrets.webhookSecret(row.id, row.secretVersion) };
  }

  /** The caller's subscriptions, oldest first. */
  async list(caller: StoredPublisher): Promise<Subscription[]> {
    const rows = await this.#store.subscriptions.ofPublisher(caller.id);
    const counts = await this.#store.subscriptions.pendingCounts(rows.map((row) => row.id));
    return rows.map((row) => this.#onWire(row, counts.get(row.id) ?? 0));
  }

  /** @throws BoardError `subscription_not_found` */
  async read(id: string, caller: StoredPublisher): Promise<Subscription> {
    return this.#counted(await this.#own(id, caller));
  }

  /** @throws BoardError `subscription_not_found` */
  async remove(id: string, caller: StoredPublisher): Promise<void> {
    await this.#own(id, caller);
    await this.#store.subscriptions.remove(id);
  }

  /**
   * Matches after the caller's watermark, oldest first. Nothing is consumed.
   *
   * @returns `nextCursor` is the new watermark; an empty page gives back the cursor it was given
   * @throws BoardError `subscription_not_found`, `invalid_cursor`
   */
  async pending(
    id: string,
    caller: StoredPublisher,
    page: { cursor: string | undefined; limit: number },
  ): Promise<{ matches: PendingMatch[]; nextCursor: string | null }> {
    await this.#own(id, caller);
    const list = `pending ${id}`;
    const [after] = page.cursor === undefined ? [0] : this.#cursors.read(list, page.cursor);
    if (typeof after !== "number") throw new BoardError("invalid_cursor");
    const deliveries = await this.#store.subscriptions.pending(id, after, page.limit);
    const rows = await this.#store.posts.many(deliveries.map((delivery) => delivery.postId));
    const posts = new Map((await this.#posts.onWire(rows)).map((post) => [post.id, post]));
    const matches = deliveries.flatMap((delivery) => {
      const post = posts.get(delivery.postId);
      return post === undefined
        ? []
        : [{ ...post, delivery_id: delivery.deliveryId, matched_at: isoTime(delivery.matchedAt) }];
    });
    const last = deliveries.at(-1);
    const nextCursor =
      last === undefined ? (page.cursor ?? null) : this.#cursors.write(list, [last.deliveryId]);
    return { matches, nextCursor };
  }

  /**
   * Asks the webhook's owner for consent once more; a yes re-activates an inactive subscription.
   * @throws BoardError `subscription_not_found`, `no_webhook`, `rate_limited`
   */
  async verifyWebhook(
    id: string,
    caller: StoredPublisher,
    now: number,
  ): Promise<{ subscription: Subscription; verified: boolean }> {
    const row = await this.#own(id, caller);
    if (row.webhookUrl === null) throw new BoardError("no_webhook");
    const verified = await this.#ask(row, row.webhookUrl, now);
    const change = verified
      ? { webhookVerifiedAt: now, active: true, inactiveReason: null, failures: 0 }
      : { webhookVerifiedAt: null };
    const changed = await this.#store.subscriptions.update(id, change);
    if (changed === null) throw new BoardError("subscription_not_found");
    return { subscription: await this.#counted(changed), verified };
  }

  /** Waits for questions of consent that are under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asking);
  }

  async #own(id: string, caller: StoredPublisher): Promise<StoredSubscription> {
    const row = await this.#store.subscriptions.get(id);
    if (row === null || row.publisherId !== caller.id) throw new BoardError("subscription_not_found");
    return row;
  }

  async #counted(row: StoredSubscription): Promise<Subscription> {
    const counts = await this.#store.subscriptions.pendingCounts([row.id]);
    return this.#onWire(row, counts.get(row.id) ?? 0);
  }

  #onWire(row: StoredSubscription, pending: number): Subscription {
    return {
      id: row.id,
      label: row.label,
      query: row.query,
      describes: describeQuery(StandingQuery.parse(row.query)),
      webhook_url: row.webhookUrl,
      webhook_verified: row.webhookVerifiedAt !== null,
      poll_url: this.#site.pending(row.id),
      active: row.active,
      inactive_reason: row.inactiveReason,
      created_at: isoTime(row.createdAt),
      last_matched_at: row.lastMatchedAt === null ? null : isoTime(row.lastMatchedAt),
      pending,
      failures: row.failures,
    };
  }

  #checkWebhook(url: string | null): void {
    if (url === null) return;
    const refusal = this.#outbound.refusal(url);
    if (refusal === null) return;
    throw new BoardError("invalid_url", {
      issues: [{ path: "webhook_url", code: "invalid_url", message: refusal }],
    });
  }

  /** Null without a model; matching then goes by words until the follower finds the model ready. */
  async #vectorOf(query: StandingQuery): Promise<Int8Array | null> {
    const text = parseQueryText(textOfQuery(query) ?? "").plain;
    if (text === "" || this.#embedder.state() !== "ready") return null;
    try {
      const [vector] = await this.#embedder.embed([text], "query");
      return vector === undefined ? null : quantize(vector);
    } catch (error) {
      if (error instanceof EmbedderUnavailable) return null;
      throw error;
    }
  }

  #askLater(row: StoredSubscription, now: number): void {
    const asked = (async () => {
      try {
        if (await this.#ask(row, row.webhookUrl ?? "", now)) {
          await this.#store.subscriptions.update(row.id, { webhookVerifiedAt: now });
        }
      } catch (error) {
        if (!(error instanceof BoardError)) this.#log("asking a webhook for consent failed", error);
      }
    })();
    this.#asking.add(asked);
    void asked.finally(() => this.#asking.delete(asked));
  }

  /**
   * Posts a signed challenge. Consent is a 200 whose body is exactly the challenge, or a JSON object with it as its only
   * member: a server that reflects what it is sent does not consent.
   */
  async #ask(row: StoredSubscription, url: string, now: number): Promise<boolean> {
    await this.#count(`challenge:${row.id}`, CHALLENGES_PER_HOUR.subscription, now);
    await this.#count(`challenge-host:${new URL(url).host}`, CHALLENGES_PER_HOUR.host, now);
    const challenge = newToken() + newToken();
    const body = JSON.stringify({
      type: "webhook.challenge",
      subscription_id: row.id,
      challenge,
      expires_at: isoTime(now + CHALLENGE.ttlMs),
    });
    const secret = this.#secrets.webhookSecret(row.id, row.secretVersion);
    const headers = signedHeaders(
      [secret],
      `msg_${row.id}_challenge_${newToken()}`,
      Math.floor(now / 1000),
      body,
    );
    try {
      const answer = await this.#outbound.send({ method: "POST", url, headers, body, ...CHALLENGE });
      return answer.status === 200 && consents(answer.body.toString("utf8"), challenge);
    } catch (error) {
      if (error instanceof OutboundError) return false;
      throw error;
    }
  }

  async #count(key: string, max: number, now: number): Promise<void> {
    if (!this.#limited) return;
    const { points, endsAt } = await this.#store.limits.add(key, 1, HOUR_MS, now);
    if (points > max) throw new BoardError("rate_limited", { retryAfterS: Math.ceil((endsAt - now) / 1000) });
  }
}

function consents(body: string, challenge: string): boolean {
  if (sameText(body.trim(), challenge)) return true;
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json !== "object" || json === null) return false;
    const [[key, value] = [], ...others] = Object.entries(json);
    return (
      others.length === 0 && key === "challenge" && typeof value === "string" && sameText(value, challenge)
    );
  } catch {
    return false;
  }
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
