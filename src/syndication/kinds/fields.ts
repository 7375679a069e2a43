import { type FeedSpan, feedSpan } from "../dates.ts";
import { FeedError, type FeedItem } from "../item.ts";

/** A JSON object or parsed element with any fields. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The trimmed content of the first of these fields that holds a text or a number. */
export function textIn(fields: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return null;
}

const STARTS = ["starts_at", "start", "start_time", "startDate", "start_date", "onset"];
const ENDS = ["ends_at", "end", "end_time", "endDate", "end_date", "ends"];

/**
 * When an entry takes place. A start without a time means the whole day, and an end without a time includes its day.
 * @param timezone  IANA zone of times that name none
 * @throws FeedError for a number that is no time
 */
export function timesIn(
  fields: Fields,
  timezone: string,
): Pick<FeedItem, "startsAt" | "endsAt" | "allDay" | "timezone"> {
  const start = spanIn(fields, timezone, STARTS);
  const end = spanIn(fields, timezone, ENDS);
  const isDay = start?.local === true && start.to > start.from;
  return {
    startsAt: start?.from ?? null,
    endsAt: end?.to ?? (isDay ? start.to : null),
    allDay: isDay && (end === null || end.to > end.from),
    timezone: start?.local === true ? timezone : null,
  };
}

/** What entries call by similar names in all formats with free fields, except times and place; null without a title. */
export function factsIn(fields: Fields, timezone: string): FeedItem | null {
  const title = textIn(fields, "headline", "title", "name", "event", "label");
  if (title === null) return null;
  return {
    id:
      textIn(fields, "source_id", "identifier", "id", "guid", "idempotency_key", "uid", "code", "url") ??
      title,
    title,
    body: textIn(fields, "body", "description", "summary", "text"),
    url: textIn(fields, "url", "source_url", "web", "link", "website"),
    tags: listOf(fields["tags"] ?? fields["category"] ?? fields["type"]).map(String),
    expiresAt: endIn(fields, timezone, "expires_at", "expires"),
  };
}

/** The last moment of the first of some fields that holds a date. */
const endIn = (fields: Fields, timezone: string, ...names: string[]): number | null =>
  spanIn(fields, timezone, names)?.to ?? null;

function spanIn(fields: Fields, timezone: string, names: readonly string[]): FeedSpan | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") {
      const at = Math.abs(value) < SECONDS_BELOW ? value * 1000 : value;
      if (!(Math.abs(at) <= LATEST)) throw new FeedError(`\`${name}\` is no time: ${value}.`);
      return { from: at, to: at, local: false };
    }
    const span = typeof value === "string" ? feedSpan(value, timezone) : null;
    if (span !== null) return span;
  }
  return null;
}

/** Smaller numbers are seconds. As milliseconds they would be dates before March 1973. */
const SECONDS_BELOW = 1e11;
const LATEST = Date.UTC(9999, 11, 31);

/** A coordinate that came as a number or text; null for anything else. */
export function coordinate(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export interface Point {
  lat: number;
  lng: number;
}

/** The middle of the box around some points, or null for none. A box wider than half the world crosses the antimeridian. */
export function middleOf(points: readonly Point[]): Point | null {
  if (points.length === 0) return null;
  const [south, north] = boundsOf(points.map(({ lat }) => lat));
  const [west, east] = boundsOf(points.map(({ lng }) => lng));
  if (east - west <= 180) return { lat: (south + north) / 2, lng: (west + east) / 2 };
  const [from, to] = boundsOf(points.map(({ lng }) => (lng < 0 ? lng + 360 : lng)));
  const lng = (from + to) / 2;
  return { lat: (south + north) / 2, lng: lng > 180 ? lng - 360 : lng };
}

/** By steps: a shape may have more points than a call takes arguments. */
const boundsOf = (numbers: readonly number[]): [number, number] =>
  numbers.reduce<[number, number]>(
    ([least, most], n) => [Math.min(least, n), Math.max(most, n)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );

/** The items of a list. A parser may give a single item without a list. */
export const listOf = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
