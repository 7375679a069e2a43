import { z } from "zod";
import { Kind } from "../schema/post.ts";
import { TimeZone } from "../schema/scalars.ts";
import { FEED_KINDS } from "./kinds/index.ts";

/** A feed as the operator added it. */
export const Feed = z.object({
  id: z.string(),
  url: z.string(),
  kind: z.enum(FEED_KINDS),
  /** Shown as the source of its posts. */
  name: z.string(),
  /** Under which the source allows its content to be passed on. */
  license: z.string(),
  /** The publisher that relays it. */
  publisherId: z.string(),
  /** Put on every post. */
  tags: z.array(z.string()),
  /** What its posts are, whatever the source says; null leaves it to the source. */
  postKind: Kind.nullable(),
  /** Of times without a zone. */
  timezone: TimeZone,
  /** Of entries without a place. */
  place: z
    .object({ name: z.string().nullable(), lat: z.number().nullable(), lng: z.number().nullable() })
    .nullable(),
  everyMs: z.number(),
  /** New posts a day at most. */
  dailyMax: z.number(),
  paused: z.boolean(),
});
export type Feed = z.infer<typeof Feed>;

/** How the polls of a feed went; the defaults are those of one that was never polled. Epoch milliseconds. */
export const FeedState = z.object({
  etag: z.string().nullable().default(null),
  lastModified: z.string().nullable().default(null),
  /** SHA-256 of the last text, so that a source without validators is not read again in vain. */
  textHash: z.string().nullable().default(null),
  /** When all of it was last read: recurring events then get the occurrences that have come into reach. */
  readAt: z.number().nullable().default(null),
  nextAt: z.number().default(0),
  polledAt: z.number().nullable().default(null),
  /** In a row. */
  failures: z.number().default(0),
  lastError: z.string().nullable().default(null),
  /** Why entries were not taken when it was last read. */
  refused: z.array(z.string()).default([]),
  /** The last answer lacked most posts, so that nothing was done. */
  isDoubted: z.boolean().default(false),
  /** The day that `addedToday` counts. */
  day: z.string().default(""),
  addedToday: z.number().default(0),
  added: z.number().default(0),
  changed: z.number().default(0),
  retired: z.number().default(0),
});
export type FeedState = z.infer<typeof FeedState>;
