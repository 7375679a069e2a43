import { refuseBoardKeys } from "../domain/board-keys.ts";
import { checkExpiry, checkWindow } from "../domain/posts/expiry.ts";
import { sha256 } from "../domain/secrets.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { DAY_MS } from "../platform/time.ts";
import { LIMITS, type PostInput, PostInput as Schema } from "../schema/post.ts";
import type { Feed } from "./feeds.ts";
import { overHttps } from "./fetch.ts";
import { FeedError, type FeedItem } from "./item.ts";
import { FEED_FORMATS, NEWS_MS } from "./kinds/index.ts";
import { cut, linkInText, plainText } from "./text.ts";

/** Programs put any of these between lines and paragraphs. */
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
const SOURCE_ID_MAX = 300;
const TAGS_MAX = 10;

/** Makes the post of an entry, its texts free of markup and within bounds. */
export function postOfItem(item: FeedItem, feed: Feed, now: number): PostInput {
  const clean = (text: string) => plainText(text.replace(LINE_ENDS, "\n"), item.isPlain ?? false);
  const line = (text: string, most: number) => cut(clean(text).replace(/\s+/g, " "), most);
  const title = line(item.title, LIMITS.titleChars);
  const body = cut(clean(item.body ?? ""), LIMITS.bodyChars);
  if (title === "") throw new FeedError("an entry without a title");
  const source = overHttps(feed.url);
  const url = webAddress(item.url, source);
  const kind = feed.postKind ?? item.kind ?? FEED_FORMATS[feed.kind].kind;
  const place = placeOf(item.place, line) ?? feed.place;
  const expiresAt = expiryOf(item, feed, now);
  const sent = {
    kind,
    title,
    body: body === "" ? title : body,
    url: url ?? webAddress(linkInText(item.body ?? ""), source),
    source_url: url ?? source,
    tags: tagsOf([...feed.tags, ...(item.tags ?? []).map(clean)]),
    location: place,
    starts_at: iso(item.startsAt),
    // An end before the start is a mistake, and is dropped.
    ends_at: (item.endsAt ?? 0) < (item.startsAt ?? 0) ? null : iso(item.endsAt),
    timezone: item.startsAt == null ? null : item.timezone,
    ...(expiresAt === null ? {} : { expires_at: iso(expiresAt) }),
    syndicated: true,
    metadata: {
      ...item.metadata,
      source: feed.id,
      source_id: sourceIdOf(item),
      source_name: feed.name,
      license: feed.license,
      ...(item.free == null ? {} : { free: item.free }),
      ...(item.startsAt == null ? {} : { all_day: item.allDay ?? false }),
    },
  };
  const checked = Schema.safeParse(sent);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new FeedError(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  }
  refuseBoardKeys(checked.data);
  checkWindow({ startsAt: checked.data.starts_at ?? null, endsAt: checked.data.ends_at ?? null }, now);
  if (checked.data.expires_at != null) checkExpiry(checked.data.expires_at, now);
  return checked.data;
}

/** Gives the id of an entry at the source, or the hash of a very long one. */
export const sourceIdOf = ({ id }: Pick<FeedItem, "id">): string =>
  id.length <= SOURCE_ID_MAX ? id : sha256(id);

/** Null leaves the expiry to the board, which takes it from the end or start of the post. */
function expiryOf(item: FeedItem, feed: Feed, now: number): number | null {
  if (item.expiresAt != null && item.expiresAt > now)
    return Math.min(item.expiresAt, now + LIMITS.lifetimeDays * DAY_MS);
  return FEED_FORMATS[feed.kind].isComplete ? null : now + NEWS_MS;
}

function tagsOf(tags: readonly string[]): string[] {
  const clean = tags
    .flatMap((tag) => tag.split(","))
    .map((tag) => tag.replace(/\s+/g, " ").trim().toLowerCase());
  return [...new Set(clean)].filter((tag) => tag !== "" && tag.length <= LIMITS.tagChars).slice(0, TAGS_MAX);
}

function placeOf(place: FeedItem["place"], line: (text: string, most: number) => string): Feed["place"] {
  if (place == null) return null;
  const name = line(place.name ?? "", 200);
  const inBounds =
    place.lat !== null && place.lng !== null && Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180;
  // Many exports write 0, 0 for "unknown".
  const known = inBounds && (place.lat !== 0 || place.lng !== 0);
  if (name === "" && !known) return null;
  return { name: name === "" ? null : name, lat: known ? place.lat : null, lng: known ? place.lng : null };
}

/** Gives a web address as it is written, completed by that of the feed where it is relative; null for anything else. */
function webAddress(text: string | null | undefined, base: string): string | null {
  const url = text == null ? null : parseUrl(text, base);
  if (text == null || (url?.protocol !== "http:" && url?.protocol !== "https:")) return null;
  return parseUrl(text) === null ? url.href : text;
}
const iso = (moment: number | null | undefined): string | null =>
  moment == null ? null : new Date(moment).toISOString();
