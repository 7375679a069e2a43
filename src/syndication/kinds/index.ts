import { DAY_MS } from "../../platform/time.ts";
import type { Kind } from "../../schema/post.ts";

/** Tells what the board knows of a format without reading a feed. */
interface FeedFormat {
  /** Its posts are of this kind, unless the entry or the operator names another. */
  kind: Kind;
  /** True: a feed lists everything, and what vanishes was withdrawn. False: it lists the newest entries. */
  isComplete: boolean;
}

const NEWS: FeedFormat = { kind: "announcement", isComplete: false };
const LIST: FeedFormat = { kind: "announcement", isComplete: true };

/** An operator gives the formats these names. `parsers.ts` reads them. */
export const FEED_FORMATS = {
  ics: { kind: "event", isComplete: true },
  rss: NEWS,
  atom: NEWS,
  jsonfeed: NEWS,
  geojson: LIST,
  jsonl: LIST,
  cap: LIST,
} as const satisfies Record<string, FeedFormat>;

export type FeedKind = keyof typeof FEED_FORMATS;
export const FEED_KINDS = Object.keys(FEED_FORMATS) as FeedKind[];

/** Relayed news without an end is shown for this long after it was published. */
export const NEWS_MS = 14 * DAY_MS;
