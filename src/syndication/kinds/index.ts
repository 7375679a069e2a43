import type { FeedFormat } from "../item.ts";
import { cap } from "./cap.ts";
import { geojson } from "./geojson.ts";
import { ics } from "./ics/index.ts";
import { jsonl } from "./jsonl.ts";
import { news } from "./news.ts";

/** Every kind of feed by the name that an operator gives it. */
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

/** What texts of the kinds begin with, or hold. */
const SIGNS: readonly (readonly [FeedKind, RegExp])[] = [
  ["ics", /^\s*BEGIN:VCALENDAR/i],
  ["cap", /<(?:\w+:)?alert[\s>]|urn:oasis:names:tc:emergency:cap/],
  ["rss", /<(?:rss|rdf:RDF)[\s>]/i],
  ["atom", /<feed[\s>]/],
  ["jsonfeed", /^\s*\{[\s\S]*"version"\s*:\s*"https:\/\/jsonfeed\.org/],
  ["geojson", /^\s*\{[\s\S]*"type"\s*:\s*"Feature(?:Collection)?"/],
  ["jsonl", /^\s*[{[]/],
];

/** The kind that a text looks like, or null. */
export const kindOfText = (text: string): FeedKind | null =>
  SIGNS.find(([, sign]) => sign.test(text.slice(0, 2_000)))?.[0] ?? null;
