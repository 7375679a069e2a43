import type { FeedFormat } from "../item.ts";
import { cap } from "./cap.ts";
import { geojson } from "./geojson.ts";
import { ics } from "./ics/index.ts";
import { jsonl } from "./jsonl.ts";
import { news } from "./news.ts";

/** An operator gives the formats these names. */
export const FEED_FORMATS = {
  ics,
  rss: news,
  atom: news,
  jsonfeed: news,
  geojson,
  jsonl,
  cap,
} as const satisfies Record<string, FeedFormat>;

export type FeedKind = keyof typeof FEED_FORMATS;
export const FEED_KINDS = Object.keys(FEED_FORMATS) as FeedKind[];
