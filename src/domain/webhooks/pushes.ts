import type { Outbound } from "../../ports/outbound.ts";
import type { ClaimedPush, PushAttempt, Store, StoredSubscription } from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type { Posts } from "../posts/index.ts";
import { isoTime } from "../resources.ts";
import type { Secrets } from "../secrets.ts";
import { HOUR_MS, MINUTE_MS } from "../time.ts";
import { callWebhook } from "./request.ts";
import { outcomeOf, type PushOutcome } from "./retries.ts";
import { signedHeaders } from "./signature.ts";

/** A push claimed just before its subscription was paused or lost its consent is tried again after this. */
const PAUSED_MS = MINUTE_MS;
/** One whose post is hidden or whose publisher is suspended is tried again after this: either may be reversed. */
const HIDDEN_MS = HOUR_MS;

/** How a push was dealt with: the attempt, if one was made, and what follows. */
export interface AttemptResult {
  attempt: PushAttempt | null;
  outcome: PushOutcome;
}

/** Sends matches to webhooks, one attempt at a time. */
export class Pushes {
  readonly #store: Store;
  readonly #outbound: Outbound;
  readonly #secrets: Secrets;
  readonly #posts: Posts;
  readonly #contentNotice: string;
  readonly #random: () => number;

  /**
   * @param parts.contentNotice  what every message says about the text in it
   * @param parts.random  in 0…1, for the jitter of retries
   */
  constructor(parts: {
    store: Store;
    outbound: Outbound;
    secrets: Secrets;
    posts: Posts;
    contentNotice: string;
    random: () => number;
  }) {
    this.#store = parts.store;
    this.#outbound = parts.outbound;
    this.#secrets = parts.secrets;
    this.#posts = parts.posts;
    this.#contentNotice = parts.contentNotice;
    this.#random = parts.random;
  }

  /** Makes one attempt, unless what was true at the match no longer is: everything is read again. */
  async attempt(push: ClaimedPush, now: number): Promise<AttemptResult> {
    const [row, owner, post] = await Promise.all([
      this.#store.subscriptions.get(push.subscriptionId),
      this.#store.publishers.get(push.receiver.publisherId),
      this.#store.posts.get(push.postId),
    ]);
    if (row === null || owner === null) return CANCELLED;
    const mayBeSent = row.active && row.webhookVerifiedAt !== null && owner.suspendedAt === null;
    if (row.webhookUrl === null || !mayBeSent) return putOff(now + PAUSED_MS);
    if (post === null || post.state === "removed" || post.expiresAt <= now) return CANCELLED;
    const [shown] = await this.#posts.shown([post]);
    if (shown === undefined) return putOff(now + HIDDEN_MS);

    const body = this.#bodyOf(push, row, shown);
    const message = { id: `msg_${push.subscriptionId}_${push.deliveryId}`, body };
    const headers = signedHeaders(row, this.#secrets, message, now);
    const called = await callWebhook(this.#outbound, row.webhookUrl, headers, body, now);
    const { retryAfter: _, ...attempt } = called;
    const before = { attempts: push.attempts, failingSince: row.failingSince };
    return { attempt, outcome: outcomeOf(called, before, now + called.latencyMs, this.#random()) };
  }

  /** The same bytes for the same rows: members come in a fixed order. */
  #bodyOf(push: ClaimedPush, row: StoredSubscription, post: Post): string {
    return JSON.stringify({
      type: "post.matched",
      timestamp: isoTime(push.matchedAt),
      data: {
        subscription_id: row.id,
        delivery_id: push.deliveryId,
        query: row.query,
        post,
        content_notice: this.#contentNotice,
      },
    });
  }
}

const CANCELLED: AttemptResult = {
  attempt: null,
  outcome: { state: "cancelled", dueAt: null, deactivate: null },
};

const putOff = (dueAt: number): AttemptResult => ({
  attempt: null,
  outcome: { state: "waiting", dueAt, deactivate: null },
});
