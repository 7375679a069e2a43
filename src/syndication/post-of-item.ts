import { convert } from "html-to-text";
import { sha256 } from "../domain/secrets.ts";
import { parseUrl } from "../parse-url.ts";
import { LIMITS, type PostInput, PostInput as Schema } from "../schema/post.ts";
import type { Feed } from "./feed.ts";
import { FeedError, type FeedItem } from "./item.ts";
import { FEED_FORMATS } from "./kinds/index.ts";
import { NEWS_MS } from "./kinds/news.ts";

const SOURCE_ID_MAX = 300;
/** Parts of an address that only count visits. */
const TRACKING = /^(utm_\w+|fbclid|gclid|mc_[ce]id|ref)$/;
const TAGS_MAX = 10;
/** A text with markup, or with characters written as entities. */
const MARKUP = /<\/?[a-z][^<>]*>|&(#\d+|#x[\da-f]+|[a-z]+);/i;
/** Of a text with markup, the characters that are read, and how deep its elements go. */
const MARKUP_CHARS_MAX = 1 << 16;
const MARKUP_DEPTH_MAX = 50;

/**
 * An entry as a post, its text free of markup and within bounds.
 * @throws FeedError for an entry that no post can be made of
 */
export function postOfItem(item: FeedItem, feed: Feed, now: number): PostInput {
  const title = cut(plainText(item.title).replace(/\s+/g, " "), LIMITS.titleChars);
  const body = cut(plainText(item.body), LIMITS.bodyChars);
  if (title === "") throw new FeedError("an entry without a title");
  const url = webAddress(item.url, feed.url);
  const kind = feed.postKind ?? item.kind ?? FEED_FORMATS[feed.kind].kind;
  const place = placeOf(item.place) ?? feed.place;
  const expiresAt = expiryOf(item, feed, now);
  const sent = {
    kind,
    title,
    body: body === "" ? title : body,
    url,
    source_url: url ?? feed.url,
    tags: tagsOf([...feed.tags, ...item.tags]),
    location: place,
    starts_at: iso(item.startsAt),
    ends_at: iso(item.endsAt),
    timezone: item.startsAt === null ? null : item.timezone,
    ...(expiresAt === null ? {} : { expires_at: iso(expiresAt) }),
    syndicated: true,
    metadata: {
      ...item.metadata,
      source: feed.id,
      source_id: sourceIdOf(item),
      source_name: feed.name,
      license: feed.license,
      ...(item.free === null ? {} : { free: item.free }),
      ...(item.startsAt === null ? {} : { all_day: item.allDay }),
    },
  };
  const checked = Schema.safeParse(sent);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new FeedError(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}

/** What the source calls an entry; a hash of it where that is very long. */
export const sourceIdOf = ({ id }: FeedItem): string => (id.length <= SOURCE_ID_MAX ? id : sha256(id));

/** What makes two entries the same thing, whoever tells of it: its name and its time, or its name and its address. */
export function samenessOf(post: {
  title: string;
  startsAt: number | null;
  sourceUrl: string | null;
}): string {
  const name = post.title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return `${name} ${post.startsAt ?? bareAddress(post.sourceUrl)}`;
}

/** An address without what only counts visits. */
function bareAddress(address: string | null): string {
  const url = address === null ? null : parseUrl(address);
  if (url === null) return address ?? "";
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  url.hash = "";
  return url.href.replace(/\/$/, "");
}

/** Undated news stays for two weeks; what has a time follows it by default. */
function expiryOf(item: FeedItem, feed: Feed, now: number): number | null {
  if (item.expiresAt !== null && item.expiresAt > now)
    return Math.min(item.expiresAt, now + LIMITS.lifetimeDays * 86_400_000);
  return item.startsAt === null && !FEED_FORMATS[feed.kind].isComplete ? now + NEWS_MS : null;
}

/** Text without markup. Only what has some is taken for HTML: plain text keeps its line breaks. */
export function plainText(text: string): string {
  const read = text.slice(0, MARKUP_CHARS_MAX);
  if (!MARKUP.test(read)) return read.trim();
  const options = {
    wordwrap: false as const,
    selectors: [
      { selector: "a", options: { ignoreHref: true } },
      { selector: "img", format: "skip" },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
    limits: { maxDepth: MARKUP_DEPTH_MAX },
  };
  return convert(read, options).trim();
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  let length = 0;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, 2 * most))) {
    length += segment.length;
    if (length > most - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

function tagsOf(tags: readonly string[]): string[] {
  const clean = tags
    .flatMap((tag) => plainText(tag).split(","))
    .map((tag) => tag.replace(/\s+/g, " ").trim().toLowerCase());
  return [...new Set(clean)].filter((tag) => tag !== "" && tag.length <= LIMITS.tagChars).slice(0, TAGS_MAX);
}

function placeOf(place: FeedItem["place"]): FeedItem["place"] {
  if (place === null) return null;
  const name = place.name === null ? null : cut(plainText(place.name).replace(/\s+/g, " "), 200);
  const inBounds =
    place.lat !== null && place.lng !== null && Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180;
  // Many exports write 0, 0 for "unknown".
  const known = inBounds && (place.lat !== 0 || place.lng !== 0);
  if (name === null && !known) return null;
  return { name: name === "" ? null : name, lat: known ? place.lat : null, lng: known ? place.lng : null };
}

/** Feeds may write addresses relative to their own. */
function webAddress(text: string | null, base: string): string | null {
  const url = text === null ? null : parseUrl(text, base);
  if (text === null || (url?.protocol !== "http:" && url?.protocol !== "https:")) return null;
  return parseUrl(text) === null ? url.href : text;
}
const iso = (moment: number | null): string | null =>
  moment === null ? null : new Date(moment).toISOString();
