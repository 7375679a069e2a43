import { z } from "zod";
import { KINDS } from "./post.ts";

const count = z.int().min(0);

/** The answer of `GET /board`. */
export const BoardInfo = z.object({
  name: z.string(),
  description: z.string(),
  launched: z.string().describe("UTC day of the first start."),
  posts: z.object({ active: count, first_hand: count, syndicated: count, today: count }),
  publishers: count,
  subscriptions: count,
  kinds: z.record(z.enum(KINDS), count).describe("Active posts by kind."),
  top_tags: z.array(z.object({ tag: z.string(), count })).describe("The 25 most frequent."),
  days: z
    .array(z.object({ day: z.string(), posts: count, searches: count }))
    .describe("The last 14 UTC days."),
  limits: z.record(z.string(), z.number()),
  endpoints: z.record(z.string(), z.string()),
});

const rate = z.number().min(0).max(1);
const counts = z.record(z.string(), count);

/**
 * The answer of `GET /metrics`: aggregates without addresses, keys or queries. `_7d` and `_30d` count UTC days, today
 * included.
 */
export const Metrics = z.object({
  generated_at: z.string().meta({ format: "date-time" }),
  health: z.object({
    requests_7d: count.describe("Calls over REST, and of feeds and pages."),
    errors_7d: count.describe("Answers with a status of 500 or more."),
    error_rate_7d: rate,
    jobs: z.array(
      z.object({
        name: z.string(),
        last_run: z.string().meta({ format: "date-time" }).nullable(),
        ok: z.boolean().nullable(),
      }),
    ),
  }),
  north_stars: z.object({
    weekly_active_publishers: count.describe("That wrote in the last seven days."),
    weekly_active_seekers: count.describe("Callers that searched, estimated; at most some 7,000."),
  }),
  metrics: z.object({
    posts_7d: count,
    registrations_7d: count,
    searches_7d: count,
    searches_per_day_7d: z.number().min(0),
    zero_result_rate_7d: rate,
    deliveries_7d: count.describe("Matches that a webhook took."),
    delivery_success_rate_7d: rate.nullable().describe("Of all attempts; null when there were none."),
    syndicated_share: rate.describe("Relayed ones of the active posts."),
  }),
  funnel: z.object({
    registered: count.describe("Publishers there are."),
    activated: count.describe("That wrote in the last 30 days."),
    retained: count.describe("That wrote in this week and in the one before."),
  }),
  board: z.object({
    active_posts: count,
    publishers: count,
    posts_today: count,
    launched: z.string(),
    first_hand: count,
    syndicated: count,
    subscriptions: count,
    kinds: z.record(z.enum(KINDS), count),
  }),
  unmet_demand: z
    .object({
      zero_result_searches_30d: count,
      terms: z.array(z.object({ term: z.string(), searches: count })),
      kinds: z.array(z.object({ kind: z.string(), searches: count })),
      places: z.array(z.object({ near: z.string().describe("lat,lng in whole degrees."), searches: count })),
      tags: z.array(z.object({ tag: z.string(), searches: count })),
    })
    .describe(
      "Searches of 30 days that found nothing. Told only once three callers of one day looked for it.",
    ),
  mcp: z.object({
    clients_30d: counts.describe("Tool calls by client; unknown ones are `other`."),
    tools_7d: counts.describe("Calls by tool."),
  }),
  routes_7d: counts.describe("Calls by operation."),
  registration_clients: counts.describe("Registrations of 30 days by client."),
  series_30d: z.array(
    z.object({
      day: z.string().describe("UTC."),
      posts: count,
      searches: count,
      zero_results: count,
      registrations: count,
      deliveries: count,
      delivery_failures: count,
    }),
  ),
});
