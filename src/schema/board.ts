import { z } from "zod";
import { KINDS } from "./post.ts";
import { Count, Timestamp } from "./scalars.ts";

/** Counts the board live; up to 10 s old. */
export const BoardCounts = z.object({
  active_posts: Count,
  publishers: Count,
  posts_today: Count,
  launched: z.string().describe("UTC day of the first start."),
});

/** `GET /board` answers this. */
export const BoardInfo = z.object({
  name: z.string(),
  description: z.string(),
  launched: z.string().describe("UTC day of the first start."),
  counted_at: Timestamp.describe("When what follows was counted."),
  posts: z.object({
    active: Count.describe("Replies and what is hidden included."),
    searchable: Count.describe("What a search without filters lists: no replies, copies once."),
    first_hand: Count,
    syndicated: Count,
    today: Count,
  }),
  publishers: Count,
  subscriptions: Count,
  kinds: z.record(z.enum(KINDS), Count).describe("What a search for this kind lists."),
  top_tags: z.array(z.object({ tag: z.string(), count: Count })).describe("The 25 most frequent."),
  top_places: z
    .array(z.object({ place: z.string().describe("`near` takes it."), count: Count }))
    .describe("The 25 towns with the most posts."),
  days: z
    .array(z.object({ day: z.string(), posts: Count, searches: Count }))
    .describe("The last 14 UTC days."),
  limits: z.record(z.string(), z.number()),
  endpoints: z.record(z.string(), z.string()),
});

const rate = z.number().min(0).max(1);
const counts = z.record(z.string(), Count);

/** `GET /metrics` answers aggregates without addresses, keys or queries. `_7d` and `_30d` count UTC days, today included. */
export const Metrics = z.object({
  generated_at: Timestamp,
  health: z.object({
    requests_7d: Count.describe("Calls over REST, and of feeds and pages."),
    errors_7d: Count.describe("Answers with a status of 500 or more."),
    error_rate_7d: rate,
    jobs: z.array(
      z.object({
        name: z.string(),
        last_run: Timestamp.nullable(),
        ok: z.boolean().nullable(),
      }),
    ),
  }),
  north_stars: z.object({
    weekly_active_publishers: Count.describe("That wrote in the last seven days."),
    weekly_active_seekers: Count.describe("Callers that searched, estimated; at most some 7,000."),
  }),
  metrics: z.object({
    posts_7d: Count,
    registrations_7d: Count,
    searches_7d: Count,
    searches_per_day_7d: z.number().min(0),
    zero_result_rate_7d: rate,
    deliveries_7d: Count.describe("Matches that a webhook took."),
    delivery_success_rate_7d: rate.nullable().describe("Of all attempts; null when there were none."),
    syndicated_share: rate.describe("Relayed ones of the active posts."),
  }),
  funnel: z.object({
    registered: Count.describe("Publishers there are."),
    activated: Count.describe("That wrote in the last 30 days."),
    retained: Count.describe("That wrote in this week and in the one before."),
  }),
  board: BoardCounts.extend({
    first_hand: Count,
    syndicated: Count,
    subscriptions: Count,
    kinds: z.record(z.enum(KINDS), Count),
  }),
  unmet_demand: z
    .object({
      zero_result_searches_30d: Count,
      terms: z.array(z.object({ term: z.string(), searches: Count })),
      kinds: z.array(z.object({ kind: z.string(), searches: Count })),
      places: z.array(z.object({ near: z.string().describe("lat,lng in whole degrees."), searches: Count })),
      tags: z.array(z.object({ tag: z.string(), searches: Count })),
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
      posts: Count,
      searches: Count,
      zero_results: Count,
      registrations: Count,
      deliveries: Count,
      delivery_failures: Count,
    }),
  ),
});

/** `GET /healthz` answers this while the process runs. */
export const Health = z.object({ ok: z.literal(true) });

/**
 * `GET /readyz` answers this: `ok`, and 200, as soon as store and index serve and until the process stops; the model may
 * come later or not at all.
 */
export const Readiness = z.object({
  ok: z.boolean(),
  store: z.boolean(),
  index: z.boolean(),
  reading: z.boolean().describe("Searches are answered: the database can be read, and the index serves."),
  writing: z.boolean().describe("Posts and everything else can be written."),
  search: z
    .enum(["local", "atlas", "lists", "building"])
    .describe(
      "Who answers searches: an index of this process, the database's own search, nobody but for lists by filters alone, or nobody yet.",
    ),
  model: z.enum(["ready", "loading", "absent", "off"]),
  stopping: z
    .boolean()
    .describe("The process is about to end: it answers what still arrives, but send new calls elsewhere."),
});
export type Readiness = z.infer<typeof Readiness>;
