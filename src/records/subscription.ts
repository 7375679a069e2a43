import { z } from "zod";
import { parseUrl } from "../platform/parse-url.ts";
import { Breadth, INACTIVE_REASONS } from "../schema/subscription.ts";
import { change } from "./change.ts";
import { changeNumber } from "./post.ts";
import { count, free, id, idOf, moment, type RowOf, record, since, text, vector } from "./record.ts";

export const EVENTS = ["post.replied", "post.matched"] as const;
export type EventName = (typeof EVENTS)[number];

export const SUBSCRIPTION = record({
  id,
  publisherId: idOf("publisher", id),
  label: text.nullable(),
  /** The saved query is JSON in the form that callers send, as `src/domain/search/query.ts` writes it. */
  query: free,
  breadth: since(Breadth, () => "close"),
  /** True when it is told that a post which it was told of moves, ends early or is taken down. */
  changes: since(z.boolean(), () => true),
  /** The query's text has this vector under `vectorModel`; null means that there is none yet. */
  vector: vector.nullable(),
  vectorModel: text.nullable(),
  /**
   * Counts how the board's posts compare with it; null until that is counted with a vector of `vectorModel`. Earlier
   * boards also wrote what the rule no longer reads.
   */
  background: z.object({ posts: count, passing: count }).nullable(),
  // zod's own check asks `URL.canParse`: see `parseUrl`.
  webhookUrl: text.refine((sent) => parseUrl(sent) !== null, "must be a URL").nullable(),
  webhookVerifiedAt: moment.nullable(),
  /** Says why its webhook did not consent when it was last asked, in no words of the receiver's; null where it did. */
  webhookRefusal: since(text.nullable(), () => null),
  /** The signing secret is derived from this version. */
  secretVersion: count,
  /** The previous secret signs too until then; null where there is none. */
  previousSecretUntil: moment.nullable(),
  /** A host of MCP Events subscribed to this; null for a query that was saved by a tool or over REST. */
  event: since(z.enum(EVENTS).nullable(), () => null),
  /** Lasts until then unless it is renewed; null for good. */
  expiresAt: since(moment.nullable(), () => null),
  /** A host chose this secret for its webhook; it is sealed, with the one before it. */
  clientSecret: since(text.nullable(), () => null),
  previousClientSecret: since(text.nullable(), () => null),
  active: z.boolean(),
  inactiveReason: z.enum(INACTIVE_REASONS).nullable(),
  /** Counts failed pushes since the last delivered one. */
  failures: count,
  /** The first of them failed then; null while none does. */
  failingSince: moment.nullable(),
  lastMatchedAt: moment.nullable(),
  createdAt: moment,
  /**
   * The change that saved it, or that ended its last pause, has this number, see `StoredPost.writtenNo`: order of
   * writing decides which posts are newer, since clocks differ and go back, and since matching may be behind. The store
   * sets it, whatever is given.
   */
  savedNo: changeNumber,
});
export type StoredSubscription = RowOf<typeof SUBSCRIPTION>;

/**
 * True when new posts are matched against the subscription: it is active, or only its webhook was given up and it can
 * still be polled.
 */
export function isMatched({
  active,
  inactiveReason,
}: Pick<StoredSubscription, "active" | "inactiveReason">): boolean {
  return active || inactiveReason === "webhook_gone" || inactiveReason === "webhook_failing";
}

/** One row for each pair of subscription and post; `matchedAt` is null once the delivery is pruned: the pair stays known. */
export const DELIVERY = record(
  {
    subscriptionId: idOf("subscription", id),
    postId: idOf("post", id),
    deliveryId: count,
    matchedAt: moment.nullable(),
    /** This change was told last; null before the post changed. */
    change,
  },
  [["subscriptionId", "postId"]],
);

/** A series has dates that a subscription knows of until then. */
export const TOLD_SERIES = record({ subscriptionId: idOf("subscription", id), series: id, endsAt: moment }, [
  ["subscriptionId", "series"],
]);

const PUSH_STATES = ["waiting", "delivered", "failed", "cancelled"] as const;
export type PushState = (typeof PUSH_STATES)[number];

const attempt = z.strictObject({
  at: moment,
  latencyMs: count,
  /** The answer had this HTTP status; null means that none came. */
  status: z.int().nullable(),
  /** Says why there was none, in a few words, none of them the receiver's. */
  error: text.nullable(),
});
export type PushAttempt = z.output<typeof attempt>;

/** Shows a push with its attempts, as its owner sees it. */
export const PUSH = record(
  {
    subscriptionId: idOf("subscription", id),
    deliveryId: count,
    postId: id,
    matchedAt: moment,
    state: z.enum(PUSH_STATES),
    /** Counts attempts since the delivery, or since it was last requested once more. */
    attempts: count,
    /** Keeps the latest 20 attempts, oldest first, those before a redelivery included. */
    history: z.array(attempt).readonly(),
    /** The next attempt is made then; null means that there is none. */
    dueAt: moment.nullable(),
  },
  [["subscriptionId", "deliveryId"]],
);
export type PushRecord = RowOf<typeof PUSH>;

/** Each entry concerns a publisher. */
export const INBOX = record(
  {
    publisherId: idOf("publisher", id),
    /** Grows per publisher, in the order entries become visible: a reader who continues from the last one misses none. */
    no: count,
    /**
     * A `reply` is to a post of the publisher, a `match` of one of its subscriptions, an `activity` a reply in a thread it
     * replied to, or the end of that.
     */
    type: z.enum(["reply", "match", "activity"]),
    at: moment,
    postId: idOf("post", id),
    subscriptionId: idOf("subscription", id.nullable()),
    deliveryId: count.nullable(),
    /** Tells what changed of the post, where that is the news. */
    change,
  },
  [["publisherId", "no"]],
);
export type InboxEntry = Omit<RowOf<typeof INBOX>, "publisherId">;
