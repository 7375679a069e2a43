import { parseFeed } from "feedsmith";
import { parseUrl } from "../../platform/parse-url.ts";
import { feedDate, feedSpan } from "../dates.ts";
import { FeedError, type FeedItem, type Parse, type Reading, readEach } from "../item.ts";
import { asMarkup } from "../text.ts";
import { cap } from "./cap.ts";
import { middleOf, type Point } from "./fields.ts";
import { NEWS_MS } from "./index.ts";

/** Reads RSS 0.9 to 2.0, RDF, Atom and JSON Feed, which list the newest entries. */
export const news: Parse = (text, reading) => {
  if (hasAlerts(text)) return cap(text, reading);
  const { entries, base } = entriesOf(text);
  return readEach(
    entries,
    (entry) => itemOf(entry, base, reading),
    () => null,
  );
};

/** Tells whether the entries have fields of alerts, or are alerts: these say what is over, a test or called off. */
function hasAlerts(text: string): boolean {
  const found = /xmlns(?::([\w-]+))?\s*=\s*["']urn:oasis:names:tc:emergency:cap:/.exec(text);
  return found !== null && (found[1] === undefined || text.includes(`<${found[1]}:`));
}

type Entry = { [key: string]: unknown };

/** Writes the places of a text in the simplest form of GeoRSS, since the parser passes over others. */
const withSimplePlaces = (text: string): string =>
  text
    .replace(/<\/?geo:Point\b[^>]*>/gi, "")
    .replace(
      /<(\w+:)where>((?:[^<]*<(?!\/?\w+:where\b)){0,20}[^<]*)<\/\1where>/gi,
      (_, space, gml: string) => {
        const numbers = gml.replace(/<[^>]*>/g, " ").trim();
        const name = `${space}${numbers.split(/\s+/).length === 2 ? "point" : "line"}`;
        return `<${name}>${numbers}</${name}>`;
      },
    )
    .replace(/(<\w+:point>\s*-?[\d.]+)\s*[,;]\s*(?=-?[\d.]+\s*<)/gi, "$1 ");

function entriesOf(text: string): { entries: Entry[]; base: string | null } {
  let parsed: ReturnType<typeof parseFeed>;
  try {
    parsed = parseFeed(withSimplePlaces(text));
  } catch (cause) {
    throw new FeedError("This is no RSS, RDF, Atom or JSON feed.", { cause });
  }
  const feed = parsed.feed as { items?: Entry[]; entries?: Entry[] } & Entry;
  return { entries: feed.items ?? feed.entries ?? [], base: baseOf(feed, null) };
}

/** Reads the `xml:base` of an element, which may be relative to that of the element around it. */
function baseOf({ xml }: Entry, outer: string | null): string | null {
  const own = (xml as { base?: string } | undefined)?.base ?? null;
  return own === null || outer === null ? (own ?? outer) : (parseUrl(own, outer)?.href ?? outer);
}

/** @returns null for an entry without title and text, or without an id */
function itemOf(entry: Entry, feedBase: string | null, reading: Reading): FeedItem | null {
  const link = linkOf(entry);
  const base = baseOf(entry, feedBase);
  const url = link === null || base === null ? link : (parseUrl(link, base)?.href ?? link);
  const body = first(
    entry["content"],
    entry["summary"],
    entry["description"],
    entry["content_html"],
    entry["content_text"],
    ...mediaTexts(entry),
  );
  const title = first(entry["title"]) ?? body;
  const id = first(entry["id"], entry["guid"]) ?? url ?? title;
  if (title === null || id === null) return null;
  return {
    id,
    title,
    body,
    url,
    place: placeOf(entry),
    tags: tagsOf(entry["categories"] ?? entry["tags"]),
    expiresAt: feedSpan(first(entry["expirationDate"]), reading.timezone)?.to ?? endOfNews(entry, reading),
  };
}

/** Ends two weeks after the last date of an entry, or after now where that is earlier; null without a date. */
function endOfNews(entry: Entry, { now, timezone }: Reading): number | null {
  const dates = (entry["dc"] as { dates?: unknown[] } | undefined)?.dates ?? [];
  const written = [entry["pubDate"], entry["published"], entry["updated"], ...dates]
    .concat(entry["date_published"], entry["date_modified"])
    .map((date) => feedDate(first(date), timezone))
    .filter((at) => at !== null);
  return written.length === 0 ? null : Math.min(Math.max(...written), now) + NEWS_MS;
}

/** Gathers what an episode or a video is about. */
function mediaTexts({ itunes, media }: Entry): unknown[] {
  const { summary, subtitle } = (itunes ?? {}) as { summary?: unknown; subtitle?: unknown };
  const {
    description,
    groups = [],
    contents = [],
  } = (media ?? {}) as {
    description?: unknown;
    groups?: { description?: unknown }[];
    contents?: { description?: unknown }[];
  };
  return [summary, description, ...[...groups, ...contents].map((one) => one.description), subtitle];
}

/** Reads a point, or the middle of a shape, from GeoRSS or W3C Geo. */
function placeOf({ georss, geo }: Entry): FeedItem["place"] {
  const shape = (georss ?? {}) as {
    point?: Point;
    box?: { lowerCorner: Point; upperCorner: Point };
    polygon?: { points?: Point[] };
    line?: { points?: Point[] };
  };
  const { lat, long } = (geo ?? {}) as { lat?: number; long?: number };
  const middle = middleOf([
    ...(shape.point === undefined ? [] : [shape.point]),
    ...(shape.box === undefined ? [] : [shape.box.lowerCorner, shape.box.upperCorner]),
    ...(shape.polygon?.points ?? shape.line?.points ?? []),
    ...(typeof lat === "number" && typeof long === "number" ? [{ lat, lng: long }] : []),
  ]);
  return middle === null ? null : { name: null, ...middle };
}

function linkOf(entry: Entry): string | null {
  const { links: atomLinks } = (entry["atom"] ?? {}) as Entry;
  const links = [entry["links"], atomLinks].flatMap((all) =>
    Array.isArray(all) ? (all as { href?: string; rel?: string }[]) : [],
  );
  const alternate = links.find(({ rel }) => rel === undefined || rel === "alternate") ?? links[0];
  const guid = entry["guid"] as { value?: string; isPermaLink?: boolean } | undefined;
  const permalink = guid?.isPermaLink !== false && /^https?:/.test(guid?.value ?? "") ? guid?.value : null;
  return first(entry["link"], entry["url"], entry["external_url"], alternate?.href, permalink);
}

function tagsOf(categories: unknown): string[] {
  if (!Array.isArray(categories)) return [];
  return (categories as unknown[]).flatMap((one) => {
    const { name, label, term } = (typeof one === "object" && one !== null ? one : { name: one }) as Entry;
    const tag = first(label, name, term);
    return tag === null ? [] : [tag];
  });
}

/** Gives the first text that is not empty. It may come as a string, `{ value, type }`, `{ encoded }` or `{ html }`. */
function first(...values: unknown[]): string | null {
  for (const value of values) {
    const {
      type,
      value: inner,
      encoded,
      html,
    } = (typeof value === "object" ? (value ?? {}) : { value }) as Entry;
    const text = inner ?? encoded ?? html;
    if (typeof text === "string" && text.trim() !== "")
      return type === "text" ? asMarkup(text.trim()) : text.trim();
  }
  return null;
}
