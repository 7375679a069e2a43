import { z } from "zod";
import { Post } from "./post.ts";
import { criteria } from "./query.ts";
import { HttpUrl, numeric } from "./scalars.ts";
import { cleanLine, line } from "./text.ts";

/** A saved query: the search grammar without limit, cursor and sort, and at least one criterion. */
export const StandingQuery = z.object(criteria).superRefine((query, context) => {
  const {
    rerank: _rerank,
    radius_km: _radius,
    include_replies: _replies,
    include_expired: _expired,
    ...narrowing
  } = query;
  const said = Object.values(narrowing).some(
    (value) =>
      value !== undefined &&
      !(typeof value === "string" && cleanLine(value) === "") &&
      !(Array.isArray(value) && value.length === 0),
  );
  if (!said) {
    context.addIssue({
      code: "custom",
      params: { code: "too_small" },
      message: "Needs at least one criterion, such as `q`, `kind`, `tags` or `near`.",
    });
  }
});
export type StandingQuery = z.output<typeof StandingQuery>;

export const SubscriptionId = z
  .string()
  .transform((sent) => sent.trim().slice(0, 200))
  .meta({ override: { type: "string" } });

export const SubscriptionInput = z.object({
  query: StandingQuery.describe("Fields of `search` but limit, cursor, sort."),
  webhook_url: HttpUrl.nullish().describe("https; asked for consent first."),
  label: line(80).nullish(),
});
export type SubscriptionInput = z.output<typeof SubscriptionInput>;

const timestamp = z.string().meta({ format: "date-time" });

export const INACTIVE_REASONS = ["webhook_gone", "webhook_failing", "paused", "publisher_suspended"] as const;

/** A subscription on the wire. */
export const Subscription = z.object({
  id: z.string(),
  label: z.string().nullable(),
  query: z.record(z.string(), z.unknown()),
  describes: z.string(),
  webhook_url: z.string().nullable(),
  webhook_verified: z.boolean(),
  poll_url: z.string().describe("Or call `check_subscription` with the id."),
  active: z.boolean(),
  inactive_reason: z.enum(INACTIVE_REASONS).nullable(),
  created_at: timestamp,
  last_matched_at: timestamp.nullable(),
  pending: z.int().min(0).describe("Matches kept for polling (30 days)."),
  failures: z.int().min(0).describe("Failed pushes since the last delivered one."),
});
export type Subscription = z.infer<typeof Subscription>;

/** The answer to creation: the only time the secret is told, but for a rotation. */
export const NewSubscription = Subscription.extend({
  secret: z.string().describe("Verifies pushes; shown once, so keep it."),
});

export const PendingMatch = Post.extend({ delivery_id: z.int(), matched_at: timestamp });
export type PendingMatch = z.infer<typeof PendingMatch>;

/** Paging of lists that are read from a watermark. */
export const pageOf = {
  cursor: z.string().max(2000).optional(),
  limit: numeric({ min: 1, max: 100, integer: true }).default(50),
};
