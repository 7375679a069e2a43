import type { Parse } from "../item.ts";
import { cap } from "./cap.ts";
import { geojson } from "./geojson.ts";
import { ics } from "./ics/index.ts";
import type { FeedKind } from "./index.ts";
import { jsonl } from "./jsonl.ts";
import { news } from "./news.ts";

/** Only the thread that reads feeds loads these, with the libraries they need. */
export const PARSERS: Readonly<Record<FeedKind, Parse>> = {
  ics,
  rss: news,
  atom: news,
  jsonfeed: news,
  geojson,
  jsonl,
  cap,
};
