import { BoardError } from "../failures.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { Outbound } from "../ports/outbound.ts";
import type { Store, StoredPublisher, StoredSubscription, SubscriptionChange } from "../ports/store.ts";
import type {
  PendingMatch,
  Subscription,
  SubscriptionInput,
  SubscriptionPatch,
} from "../schema/subscription.ts";
import { StandingQuery } from "../schema/subscription.ts";
import { cleanLine } from "../schema/text.ts";
import { parseQueryText } from "../search/query-text.ts";
import type { Cursors } from "./cursors.ts";
import type { Posts } from "./posts.ts";
import { criteriaOnWire, describeQuery, textOfQuery } from "./query.ts";
import { queryVector } from "./query-vector.ts";
import { newId, type Secrets } from "./secrets.ts";
import type { Site } from "./site.ts";
import { ACTIVATED, ACTIVE_MAX, isMatched, ownSubscription } from "./subscription-state.ts";
import type { Consent } from "./webhooks/consent.ts";
import { isoTime } from "./wire.ts";

/** Standing queries: saving, reading, matches by polling, and consent of a webhook's owner. */
export class Subscriptions {
  readonly #store: Store;
  readonly #embedder: Embedder;
  readonly #outbound: Outbound;
  readonly #site: Site;
  readonly #secrets: Secrets;
  readonly #cursors: Cursors;
  readonly #posts: Posts;
  readonly #consent: Consent;
  readonly #log: (message: string, error: unknown) => void;
  readonly #asking = new Set<Promise<void>>();

  constructor(parts: {
    store: Store;
    embedder: Embedder;
    outbound: Outbound;
    site: Site;
    secrets: Secrets;
    cursors: Cursors;
    posts: Posts;
    consent: Consent;
    log: (message: string, error: unknown) => void;
  }) {
    this.#store = parts.store;
    this.#embedder = parts.embedder;
    this.#outbound = parts.outbound;
    this.#site = parts.site;
    this.#secrets = parts.secrets;
    this.#cursors = parts.cursors;
    this.#posts = parts.posts;
    this.#consent = parts.consent;
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
      previousSecretUntil: null,
      ...ACTIVATED,
      lastMatchedAt: null,
      createdAt: now,
    };
    const kept = await this.#store.subscriptions.insert(row, ACTIVE_MAX).catch(async (error: unknown) => {
      // The publisher erased itself between our look at its key and our write.
      if ((await this.#store.publishers.get(caller.id)) === null) throw new BoardError("invalid_api_key");
      throw error;
    });
    if (!kept) throw new BoardError("too_many_subscriptions");
    if (webhookUrl !== null) this.#askLater(row, webhookUrl, now);
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
    return this.#counted(await ownSubscription(this.#store, id, caller));
  }

  /**
   * Changes the given fields. A new webhook URL is asked for consent after the answer, and gets nothing else before.
   * @throws BoardError `subscription_not_found`, `invalid_url`, `too_many_subscriptions`
   */
  async edit(
    id: string,
    patch: SubscriptionPatch,
    caller: StoredPublisher,
    now: number,
  ): Promise<Subscription> {
    const row = await ownSubscription(this.#store, id, caller);
    const webhookUrl = patch.webhook_url === undefined ? row.webhookUrl : patch.webhook_url;
    const isNewUrl = webhookUrl !== row.webhookUrl;
    if (isNewUrl) this.#checkWebhook(webhookUrl);
    const change: SubscriptionChange = {
      ...(patch.label === undefined ? {} : { label: cleanLine(patch.label ?? "") || null }),
      ...(patch.query === undefined ? {} : await this.#queryChange(patch.query)),
      ...(isNewUrl ? { webhookUrl, webhookVerifiedAt: null, failures: 0, failingSince: null } : {}),
      ...(patch.active === true && !row.active ? ACTIVATED : {}),
      ...(patch.active === false ? { active: false, inactiveReason: "paused" } : {}),
    };
    const changed = await this.#update(row, change);
    if (isNewUrl && webhookUrl !== null) this.#askLater(changed, webhookUrl, now);
    return this.#counted(changed);
  }

  /** @throws BoardError `subscription_not_found` */
  async remove(id: string, caller: StoredPublisher): Promise<void> {
    await ownSubscription(this.#store, id, caller);
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
    await ownSubscription(this.#store, id, caller);
    const list = `pending ${id}`;
    const [after] = page.cursor === undefined ? [0] : this.#cursors.read(list, page.cursor);
    if (typeof after !== "number") throw new BoardError("invalid_cursor");
    const deliveries = await this.#store.subscriptions.pending(id, after, page.limit);
    const rows = await this.#store.posts.many(deliveries.map((delivery) => delivery.postId));
    // One may have been removed or hidden since the deliveries were read.
    const shown = rows.filter(({ state }) => state === "active");
    const posts = new Map(
      (await this.#posts.onWire(shown, { suspended: false })).map((post) => [post.id, post]),
    );
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
   * @throws BoardError `subscription_not_found`, `no_webhook`, `rate_limited`, `too_many_subscriptions`
   */
  async verifyWebhook(
    id: string,
    caller: StoredPublisher,
    now: number,
  ): Promise<{ subscription: Subscription; verified: boolean }> {
    const row = await ownSubscription(this.#store, id, caller);
    if (row.webhookUrl === null) throw new BoardError("no_webhook");
    const verified = await this.#consent.ask(row, row.webhookUrl, now);
    const changed = verified
      ? await this.#consented(row, row.webhookUrl, ACTIVATED, now)
      : await this.#update(row, { webhookVerifiedAt: null });
    return { subscription: await this.#counted(changed), verified: changed.webhookVerifiedAt !== null };
  }

  /** Waits for questions of consent that are under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#asking);
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
  #vectorOf(query: StandingQuery): Promise<Int8Array | null> {
    return queryVector(this.#embedder, parseQueryText(textOfQuery(query) ?? "").plain);
  }

  async #queryChange(query: StandingQuery): Promise<SubscriptionChange> {
    const vector = await this.#vectorOf(query);
    const vectorModel = vector === null ? null : this.#embedder.modelId;
    return { query: criteriaOnWire(query), vector, vectorModel };
  }

  /** @throws BoardError `too_many_subscriptions` when it would become one active subscription too many */
  async #update(row: StoredSubscription, change: SubscriptionChange): Promise<StoredSubscription> {
    const activates = change.active === true && !row.active;
    const countActive = async () =>
      (await this.#store.subscriptions.ofPublisher(row.publisherId)).filter(({ active }) => active).length;
    if (activates && (await countActive()) >= ACTIVE_MAX) throw new BoardError("too_many_subscriptions");
    const changed = await this.#store.subscriptions.update(row.id, change);
    if (changed === null) throw new BoardError("subscription_not_found");
    // Others may have become active at the same time: rather one too few than one too many.
    if (activates && (await countActive()) > ACTIVE_MAX) {
      const { active, inactiveReason } = row;
      await this.#store.subscriptions.update(row.id, { active, inactiveReason });
      throw new BoardError("too_many_subscriptions");
    }
    return changed;
  }

  #askLater(row: StoredSubscription, url: string, now: number): void {
    const asked = (async () => {
      try {
        if (!(await this.#consent.ask(row, url, now))) return;
        const isGivenUp = !row.active && isMatched(row);
        await this.#consented(row, url, isGivenUp ? ACTIVATED : {}, now);
      } catch (error) {
        if (!(error instanceof BoardError)) this.#log("asking a webhook for consent failed", error);
      }
    })();
    this.#asking.add(asked);
    void asked.finally(() => this.#asking.delete(asked));
  }

  /** Keeps a yes, for the URL that said it: the owner may have changed it while it was asked. */
  async #consented(
    row: StoredSubscription,
    url: string,
    change: SubscriptionChange,
    now: number,
  ): Promise<StoredSubscription> {
    const current = await this.#store.subscriptions.get(row.id);
    if (current === null) throw new BoardError("subscription_not_found");
    if (current.webhookUrl !== url) return current;
    const changed = await this.#update(current, { ...change, webhookVerifiedAt: now });
    return changed.webhookUrl === url ? changed : this.#update(changed, { webhookVerifiedAt: null });
  }
}
