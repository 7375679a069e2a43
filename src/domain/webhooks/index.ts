import { BoardError } from "../../board/failures.ts";
import { DAY_MS } from "../../platform/time.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { PushRecord, Store, StoredPublisher, StoredSubscription } from "../../ports/store/index.ts";
import type { DeliveryRecord, RotatedSecret, WebhookTest } from "../../schema/subscription.ts";
import { type Cursors, cutPage } from "../cursors.ts";
import { isoTime, isoTimeOrNull } from "../resources.ts";
import { newToken, type Secrets } from "../secrets.ts";
import { ownSubscription, ownWebhook } from "../subscriptions/state.ts";
import type { HourlyLimit } from "./hourly-limit.ts";
import { callWebhook, isDelivered, keysOf } from "./request.ts";

interface Parts {
  store: Store;
  outbound: Outbound;
  secrets: Secrets;
  cursors: Cursors;
  hourly: HourlyLimit;
}

/** Lets the owner of a subscription deal with its webhook: test it, list deliveries, repeat one, replace the secret. */
export class Webhooks {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sends a signed `webhook.test` now, once, outside the queue; it counts neither as delivered nor as failed.
   * @throws BoardError `subscription_not_found`, `no_webhook`, `rate_limited`
   */
  async test(id: string, caller: StoredPublisher, now: number): Promise<WebhookTest> {
    await ownWebhook(this.#parts.store, id, caller);
    const { row, url } = await this.#consented(id, caller);
    const body = JSON.stringify({
      type: "webhook.test",
      timestamp: isoTime(now),
      data: { subscription_id: row.id },
    });
    const message = { id: `msg_${row.id}_test_${newToken()}`, body };
    const { hourly, outbound, secrets } = this.#parts;
    const send = () => callWebhook(outbound, { ...row, url }, keysOf(row, secrets, now), message, now);
    const called = await hourly.within(row.id, url, now, send, ({ attempt }) => isDelivered(attempt));
    const { status, error, latencyMs } = called.attempt;
    return { id, delivered: isDelivered(called.attempt), status, error, latency_ms: latencyMs };
  }

  /**
   * Makes a new secret. The previous one also signs for 24 h, so that a receiver can switch over without a gap.
   * @throws BoardError `subscription_not_found`
   */
  async rotateSecret(id: string, caller: StoredPublisher, now: number): Promise<RotatedSecret> {
    await ownWebhook(this.#parts.store, id, caller);
    const changed = await this.#parts.store.subscriptions.update(id, ({ secretVersion }) => ({
      secretVersion: secretVersion + 1,
      previousSecretUntil: now + DAY_MS,
    }));
    if (changed === null) throw new BoardError("subscription_not_found");
    return {
      id,
      secret: this.#parts.secrets.webhookSecret(id, changed.secretVersion),
      previous_valid_until: isoTime(now + DAY_MS),
    };
  }

  /** Lists deliveries of a subscription to its webhook, newest first. */
  async deliveries(
    id: string,
    caller: StoredPublisher,
    page: { cursor: string | undefined; limit: number },
  ): Promise<{ deliveries: DeliveryRecord[]; nextCursor: string | null; notes: string[] }> {
    const row = await ownSubscription(this.#parts.store, id, caller);
    const list = `deliveries ${id}`;
    const before = this.#parts.cursors.readNumber(list, page.cursor);
    const rows = await this.#parts.store.pushes.list(id, { before, limit: page.limit + 1 });
    const { shown, last } = cutPage(rows, page.limit);
    const isSent = row.active && row.webhookVerifiedAt !== null;
    return {
      deliveries: shown.map((push) => (isSent ? recordOf(push) : { ...recordOf(push), due_at: null })),
      notes: row.webhookUrl === null || isSent ? [] : [`Nothing is sent now: ${whyNot(row)}`],
      nextCursor: last === null ? null : this.#parts.cursors.write(list, [last.deliveryId]),
    };
  }

  /**
   * Queues a delivery once more, with the same id, however it ended.
   * @throws BoardError `subscription_not_found`, `no_webhook`; `not_found` for a delivery it does not have
   */
  async redeliver(
    id: string,
    deliveryId: number,
    caller: StoredPublisher,
    now: number,
  ): Promise<{ delivery: { id: string; delivery_id: number; due_at: string }; notes: string[] }> {
    const { row } = await this.#consented(id, caller);
    const isShown = await this.#isShown(id, deliveryId);
    if (!isShown || !(await this.#parts.store.pushes.redeliver(id, deliveryId, now))) {
      throw new BoardError("not_found", {
        hint: "The subscription has no delivery of this id that can be sent: they are kept for 30 days, and not while the post is removed or hidden. Its list is at GET /subscriptions/{id}/deliveries.",
      });
    }
    return {
      delivery: { id, delivery_id: deliveryId, due_at: isoTime(now) },
      notes: row.active ? [] : ["The subscription is inactive; this is sent once it is active again."],
    };
  }

  /** Tells whether anyone may see the post of a delivery now. */
  async #isShown(id: string, deliveryId: number): Promise<boolean> {
    const [delivery] = await this.#parts.store.subscriptions.pending(id, deliveryId - 1, 1);
    return delivery?.deliveryId === deliveryId;
  }

  /** Finds a subscription of the caller whose webhook may be called. */
  async #consented(id: string, caller: StoredPublisher) {
    const row = await ownSubscription(this.#parts.store, id, caller);
    if (row.webhookUrl === null) throw new BoardError("no_webhook");
    if (row.webhookVerifiedAt === null) {
      throw new BoardError("no_webhook", {
        hint: `${whyNot(row)} Make it answer the challenge, then call POST /subscriptions/{id}/verify-webhook.`,
      });
    }
    return { row, url: row.webhookUrl };
  }
}

function whyNot({ active, inactiveReason, webhookRefusal }: StoredSubscription): string {
  if (!active) return `the subscription is inactive (\`${inactiveReason}\`).`;
  return `Its webhook has not consented yet.${webhookRefusal === null ? "" : ` When it was asked: ${webhookRefusal}`}`;
}

function recordOf(push: PushRecord): DeliveryRecord {
  const last = push.history.at(-1);
  return {
    delivery_id: push.deliveryId,
    post_id: push.postId,
    matched_at: isoTime(push.matchedAt),
    state: push.state,
    attempts: push.attempts,
    attempted_at: isoTimeOrNull(last?.at ?? null),
    status: last?.status ?? null,
    error: last?.error ?? null,
    latency_ms: last?.latencyMs ?? null,
    history: push.history.map(({ at, status, error, latencyMs }) => ({
      at: isoTime(at),
      status,
      error,
      latency_ms: latencyMs,
    })),
    due_at: isoTimeOrNull(push.dueAt === null ? null : Math.max(push.dueAt, push.matchedAt)),
  };
}
