import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/time.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type {
  ClaimedPush,
  PushAttempt,
  PushStore,
  Store,
  StoredSubscription,
  ToldChange,
} from "../../ports/store/index.ts";
import type { Post } from "../../schema/post.ts";
import type { GonePost } from "../../schema/subscription.ts";
import type { Events } from "../events/index.ts";
import { webhookIdOf } from "../events/names.ts";
import type { Posts } from "../posts/index.ts";
import { isWhole } from "../posts/stands-for.ts";
import { changeResource, isoTime } from "../resources.ts";
import type { Secrets } from "../secrets.ts";
import { withRelevance } from "../subscriptions/relevance.ts";
import { type CallResult, callWebhook, isDelivered, keysOf, type Message } from "./request.ts";

/** A push claimed just before its subscription was paused or lost its consent is tried again after this. */
const PAUSED_MS = MINUTE_MS;
/** One whose post is hidden or whose publisher is suspended is tried again after this: either may be reversed. */
const HIDDEN_MS = HOUR_MS;

/** Tells how a push was dealt with: the attempt, if one was made, and what follows. */
export interface AttemptResult {
  attempt: PushAttempt | null;
  outcome: PushOutcome;
}

interface Parts {
  store: Store;
  embedder: Embedder;
  outbound: Outbound;
  secrets: Secrets;
  posts: Posts;
  /** Every message says it about the text in it. */
  contentNotice: string;
  events: Pick<Events, "pushed">;
  /** The log is told once what keeps messages from being signed. */
  log: (message: string) => void;
  /** Gives 0…1, for the jitter of retries. */
  random: () => number;
}

/** Sends matches to webhooks, one attempt at a time. */
export class Pushes {
  readonly #parts: Parts;
  #hasToldOfSecrets = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Makes one attempt, unless what was true at the match no longer is: everything is read again. */
  async attempt(push: ClaimedPush, now: number): Promise<AttemptResult> {
    const { store, outbound, posts, secrets, log, random } = this.#parts;
    const [row, owner, post] = await Promise.all([
      store.subscriptions.get(push.subscriptionId),
      store.publishers.get(push.receiver.publisherId),
      store.posts.get(push.postId),
    ]);
    if (row === null || owner === null) return CANCELLED;
    // A lapsed one may still be renewed; until then nothing is sent.
    const lasts = row.expiresAt === null || row.expiresAt > now;
    const mayBeSent = lasts && row.active && row.webhookVerifiedAt !== null && owner.suspendedAt === null;
    if (row.webhookUrl === null || !mayBeSent) return putOff(now + PAUSED_MS);
    if (post === null) return CANCELLED;
    // Only the last delivery of a pair that was told again is there: earlier ones send the post as it is now.
    const [delivery] = await store.subscriptions.pending(row.id, push.deliveryId - 1, 1);
    const change = delivery?.deliveryId === push.deliveryId ? delivery.change : null;
    if (change === null && post.state === "removed") return CANCELLED;
    const [shown] = await posts.told([{ postId: post.id, change }], now);
    if (shown === undefined) return post.expiresAt <= now ? CANCELLED : putOff(now + HIDDEN_MS);
    if (change === null && isWhole(shown) && Date.parse(shown.expires_at) <= now) return CANCELLED;

    const keys = keysOf(row, secrets, now);
    if (keys.length === 0) {
      if (!this.#hasToldOfSecrets) log(UNREADABLE);
      this.#hasToldOfSecrets = true;
      return CANCELLED;
    }
    const message = await this.#messageOf(push, row, { post: shown, change }, now);
    const called = await callWebhook(outbound, { ...row, url: row.webhookUrl }, keys, message, now);
    const { attempt } = called;
    const before = { attempts: push.attempts, failingSince: row.failingSince, event: row.event };
    return { attempt, outcome: outcomeOf(called, before, now + attempt.latencyMs, random()) };
  }

  async #messageOf(push: ClaimedPush, row: StoredSubscription, news: News, now: number): Promise<Message> {
    const { post, change } = news;
    if (row.event === null) {
      const [told = post] = await withRelevance(this.#parts, row, [post]);
      const body = this.#bodyOf(push, row, { post: told, change });
      return { id: `msg_${push.subscriptionId}_${push.deliveryId}`, body };
    }
    const event = await this.#parts.events.pushed(
      row,
      { post, change, told: push.postId, matchedAt: push.matchedAt },
      now,
    );
    return { id: webhookIdOf(event), body: JSON.stringify(event) };
  }

  /** The same bytes for the same rows: members come in a fixed order. */
  #bodyOf(push: ClaimedPush, row: StoredSubscription, { post, change }: News): string {
    return JSON.stringify({
      type: "post.matched",
      timestamp: isoTime(push.matchedAt),
      data: {
        subscription_id: row.id,
        delivery_id: push.deliveryId,
        query: row.query,
        post,
        ...(change === null ? {} : { change: changeResource(change) }),
        content_notice: this.#parts.contentNotice,
      },
    });
  }
}

/** A push tells this: a match, or a change of one. */
interface News {
  post: Post | GonePost;
  change: ToldChange | null;
}

const UNREADABLE =
  "secrets of hosts cannot be read under this SECRET_KEY: their events wait until they subscribe anew";

const CANCELLED: AttemptResult = {
  attempt: null,
  outcome: { state: "cancelled", dueAt: null, deactivate: null },
};

const putOff = (dueAt: number): AttemptResult => ({
  attempt: null,
  outcome: { state: "waiting", dueAt, deactivate: null },
});

type PushOutcome = Parameters<PushStore["settle"]>[2];

/**
 * Waits between the ten attempts, in seconds: 5 s, 5 min, 30 min, then 2, 5, 10, 14, 20 and 24 h, 75 h 35 min in all.
 * They are from the table of the Standard Webhooks specification 1.0.
 */
const WAITS_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/** Events of hosts, whose subscriptions last a day at most, wait this long. The event can still be polled. */
const WAITS_OF_HOSTS_S = [5, 30, 120, 600, 3_600];
/** A wait is longer or shorter by up to this share, so that what failed together does not return together. */
const JITTER = 0.2;
const RETRY_AFTER_MAX_MS = DAY_MS;
/** After this long with nothing but failures, a webhook is given up. */
const FAILING_MAX_MS = 5 * DAY_MS;

/**
 * Tells what follows from an attempt: delivered, another one later, or the end; and whether the webhook is given up.
 *
 * @param before.attempts  those before this one
 * @param before.failingSince  since when nothing but failures came from the webhook, null for no failure
 * @param now  when the attempt ended
 * @param random  in 0…1, for the jitter
 */
function outcomeOf(
  { attempt: { status }, retryAfter }: CallResult,
  before: { attempts: number; failingSince: number | null; event: string | null },
  now: number,
  random: number,
): PushOutcome {
  if (isDelivered({ status })) return { state: "delivered", dueAt: null, deactivate: null };
  const { attempts, failingSince, event } = before;
  // The push waits with what matches meanwhile, and goes first when the webhook is there again.
  if (status === 410 && event === null) return { state: "waiting", dueAt: 0, deactivate: "webhook_gone" };
  const givenUp = failingSince !== null && now - failingSince >= FAILING_MAX_MS;
  const deactivate = givenUp ? "webhook_failing" : null;
  // For hosts these statuses are about this event alone.
  const isFinal = event !== null && (status === 410 || status === 413);
  const waitS = isFinal ? undefined : (event === null ? WAITS_S : WAITS_OF_HOSTS_S)[attempts];
  if (waitS === undefined) return { state: "failed", dueAt: null, deactivate };
  const jittered = waitS * SECOND_MS * (1 + JITTER * (2 * random - 1));
  const asked = Math.min(retryAfterMs(retryAfter, now), RETRY_AFTER_MAX_MS);
  return { state: "waiting", dueAt: now + Math.round(Math.max(jittered, asked)), deactivate };
}

/** Reads `Retry-After` (RFC 9110, 10.2.3) in milliseconds from now: whole seconds or a date; 0 for anything else. */
export function retryAfterMs(header: string | null, now: number): number {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  if (!/^[A-Z][a-z]{2}, .+ GMT$/.test(text)) return 0;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : at - now;
}
