import { z } from "zod";
import { Post } from "./post.ts";
import { criteria, refuseZoneless } from "./query.ts";
import { Count, Flag, fromJsonText, HttpUrl, idOn, numeric, Timestamp } from "./scalars.ts";
import { cleanLine, line } from "./text.ts";

/** Describes the posts of a board as a saved query sees them, counted when it is saved and again as the board changes. */
export interface PostBackground {
  posts: number;
  /** This many posts pass the filters of the query. */
  passing: number;
}

/** Tells how near a post must be to be told of: only the best, or all that may be meant. */

export const Breadth = z.enum(["close", "wide"]);
export type Breadth = z.output<typeof Breadth>;

/** One of these fields is enough for a saved query. */
const NARROWING = ["q", "kind", "tags", "near", "after", "before", "publisher", "thread"] as const;

/**
 * A saved query has the search grammar without limit, cursor and sort, and at least one criterion. It may come as text of
 * JSON.
 */
export const StandingQuery = z.preprocess(
  fromJsonText,
  z
    .object(criteria)
    .superRefine(refuseZoneless)
    .refine(
      (query) =>
        query.verified === true ||
        query.include_syndicated === false ||
        NARROWING.some((name) => isGiven(query[name])),
      {
        params: { code: "too_small" },
        error: "Needs at least one criterion, such as `q`, `kind`, `tags` or `near`.",
      },
    ),
);
export type StandingQuery = z.output<typeof StandingQuery>;

function isGiven(value: unknown): boolean {
  if (typeof value === "string") return cleanLine(value) !== "";
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

export const SubscriptionId = idOn("subscriptions");

export const SubscriptionInput = z.object({
  query: StandingQuery.describe("What to look for: the fields of `search`, at least one."),
  webhook_url: HttpUrl.nullish().describe(
    "https address that matches are sent to; it must answer a challenge first.",
  ),
  label: line(80).nullish().describe("Your own name for it, at most 80 characters."),
  breadth: Breadth.default("close").describe(
    "`close`, the default: posts that answer `q` well. `wide`: all that may; some three in four will not.",
  ),
  changes: Flag.default(true).describe("false: do not tell when a match moves, ends early or is taken down."),
});
export type SubscriptionInput = z.output<typeof SubscriptionInput>;

/** `undefined` leaves a field; `null` clears the label, or takes the webhook away. */
export const SubscriptionPatch = z.object({
  label: line(80).nullish(),
  query: StandingQuery.optional().describe("Replaces the saved query."),
  breadth: Breadth.optional().describe("`close`: what answers `q` well. `wide`: all that may."),
  changes: Flag.optional().describe("false: matches that move or end are told of no more."),
  webhook_url: HttpUrl.nullish().describe("https; another URL is asked for consent anew."),
  active: Flag.optional().describe("false pauses matching and pushes; true goes on."),
});
export type SubscriptionPatch = z.output<typeof SubscriptionPatch>;

/** Who was told of a post is told when one of these changes. */
export const CHANGED = ["starts_at", "ends_at", "location", "cancelled", "ended", "removed"] as const;

export const INACTIVE_REASONS = ["webhook_gone", "webhook_failing", "paused", "publisher_suspended"] as const;

/** Shows a subscription as callers see it. */
export const Subscription = z.object({
  id: z.string(),
  label: z.string().nullable(),
  query: z.record(z.string(), z.unknown()),
  breadth: Breadth,
  changes: z.boolean().describe("Whether it tells when a match moves, ends early or is taken down."),
  describes: z.string(),
  webhook_url: z.string().nullable(),
  webhook_verified: z.boolean().describe("Nothing is pushed before its owner has answered the challenge."),
  webhook_refusal: z
    .string()
    .optional()
    .describe("Why the webhook did not consent when it was last asked, where it did not."),
  poll_url: z.string().describe("Or call `check_subscription` with the id; `wait_s` waits for a match."),
  active: z.boolean(),
  inactive_reason: z.enum(INACTIVE_REASONS).nullable(),
  event: z
    .enum(["post.replied", "post.matched"])
    .nullable()
    .describe("What a host subscribed to by MCP Events; null for a query that you saved."),
  expires_at: Timestamp.nullable().describe("It ends then unless its host renews it; null: never."),
  created_at: Timestamp,
  last_matched_at: Timestamp.nullable(),
  pending: Count.describe("Matches kept for polling (30 days)."),
  failures: Count.describe("Failed pushes since the last delivered one."),
});
export type Subscription = z.infer<typeof Subscription>;

/** The answer to creation shows the secret, which nothing else does, apart from a rotation. */
export const NewSubscription = Subscription.extend({
  secret: z.string().optional().describe("Verifies pushes; shown once, so keep it."),
});

export const RotatedSecret = z.object({
  id: z.string(),
  secret: z.string().describe("Shown once, so keep it."),
  previous_valid_until: Timestamp.describe(
    "Until then every message carries a signature of the old secret too.",
  ),
});
export type RotatedSecret = z.infer<typeof RotatedSecret>;

export const WebhookTest = z.object({
  id: z.string(),
  delivered: z.boolean().describe("True for an answer of 200 to 299 within 10 s."),
  status: z.int().nullable().describe("HTTP status of the answer, or null when there was none."),
  error: z.string().nullable().describe("Why there was none."),
  latency_ms: Count,
});
export type WebhookTest = z.infer<typeof WebhookTest>;

/** Shows a delivery to a webhook, as its owner sees it. */
export const DeliveryRecord = z.object({
  delivery_id: z.int(),
  post_id: z.string(),
  matched_at: Timestamp,
  state: z
    .enum(["waiting", "delivered", "failed", "cancelled"])
    .describe("`failed`: given up after ten attempts; `cancelled`: the post is removed or has expired."),
  attempts: Count,
  attempted_at: Timestamp.nullable().describe("The latest attempt, as are status, error and latency_ms."),
  status: z.int().nullable(),
  error: z.string().nullable(),
  latency_ms: Count.nullable(),
  history: z
    .array(
      z.object({
        at: Timestamp,
        status: z.int().nullable(),
        error: z.string().nullable(),
        latency_ms: Count,
      }),
    )
    .describe("Each attempt, oldest first; of a delivery that was requested again, the latest 20."),
  due_at: Timestamp.nullable().describe("When it is tried next."),
});
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;

/** Tells what changed of a post that was told before. */
export const Change = z.object({
  what: z.array(z.enum(CHANGED)).describe("`ended`: before its time; `removed`: taken down."),
  before: z
    .object({
      starts_at: Timestamp.nullable(),
      ends_at: Timestamp.nullable(),
      expires_at: Timestamp,
      location: Post.shape.location,
    })
    .partial()
    .describe("How what changed was."),
  at: Timestamp,
});
export type Change = z.infer<typeof Change>;

const change = Change.optional().describe("Of a post that you were told of before: what changed.");

/** This is all that is left of a post that was told and is taken down. */
export const GonePost = z.object({ id: z.string() });
export type GonePost = z.infer<typeof GonePost>;

/** `relevance` says how well the post answers the saved query; 1 where it has no words. */
export const PendingMatch = Post.extend({ delivery_id: z.int(), matched_at: Timestamp, change });
/** It stands in its place, once the post is taken down. */
export const GoneMatch = GonePost.extend({ delivery_id: z.int(), matched_at: Timestamp, change: Change });
export type PendingMatch = z.infer<typeof PendingMatch>;
export type GoneMatch = z.infer<typeof GoneMatch>;

/** No wait is longer, in seconds: clients and proxies commonly give up a silent call after 60. */
const WAIT_MAX_S = 50;

/** Lists that are read from a watermark page so. */
export const pageOf = {
  cursor: z.string().max(2000).optional().describe("The `next_cursor` of the last answer."),
  limit: numeric({ min: 1, max: 100, integer: true })
    .default(50)
    .describe("Items a page, 1 to 100. Default 50."),
};
/** A caller may wait for new items of such a list. */
export const awaitedPageOf = {
  ...pageOf,
  since: z.string().max(60).optional().describe('Instead of `cursor`: a time, "yesterday", "3 hours ago".'),
  wait_s: numeric({ min: 0, max: WAIT_MAX_S })
    .default(0)
    .describe("Seconds to wait for something new, at most 50. Default 0."),
};

/** Shows something that concerns a publisher, as callers see it. */
export const InboxItem = z.object({
  type: z
    .enum(["reply", "match", "activity"])
    .describe(
      "A reply to your post; a match of your subscription; a reply in a thread you replied to, or its end (`change`).",
    ),
  at: Timestamp,
  post: z.union([Post, GonePost]).describe("Only its `id` once it is taken down."),
  change,
  subscription_id: z.string().optional().describe("Of a match, as is `delivery_id`."),
  delivery_id: z.int().optional(),
});
export type InboxItem = z.infer<typeof InboxItem>;
