import { z } from "zod";
import { KINDS } from "./post.ts";

const count = z.int().min(0);

/** What `GET /board` tells. */
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

/** What `GET /metrics` tells: aggregates without addresses, keys or queries. */
export const Metrics = z.object({
  generated_at: z.string().meta({ format: "date-time" }),
  health: z.record(z.string(), z.unknown()),
  north_stars: z.record(z.string(), z.unknown()),
  metrics: z.record(z.string(), z.unknown()),
  funnel: z.record(z.string(), z.unknown()),
  board: z.record(z.string(), z.unknown()),
  unmet_demand: z.record(z.string(), z.unknown()),
  mcp: z.record(z.string(), z.unknown()),
  routes_7d: z.record(z.string(), z.unknown()),
  registration_clients: z.record(z.string(), z.unknown()),
  series_30d: z.array(z.record(z.string(), z.unknown())),
});
