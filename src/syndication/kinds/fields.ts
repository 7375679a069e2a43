import { type FeedSpan, feedSpan } from "../dates.ts";
import { FeedError, type FeedItem } from "../item.ts";

/** A JSON object or parsed element may have any fields. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Gives the trimmed content of the first of these fields that holds a text or a number. */
export function textIn(fields: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") return String(value);
    if (typeof value === "string" && value.trim() !== "") return value.trim();
  }
  return null;
}

/** Finds the id of an entry at the source, by any of the names that formats have for it; null where it has none. */
export const idIn = (fields: Fields, title: string | null = titleIn(fields)): string | null =>
  textIn(fields, "source_id", "identifier", "id", "guid", "idempotency_key", "uid", "code", "url") ?? title;

const titleIn = (fields: Fields) => textIn(fields, "headline", "title", "name", "event", "label");

/** Reads what entries call by similar names in all formats with free fields, except times and place; null without a title. */
export function factsIn(fields: Fields, timezone: string): FeedItem | null {
  const title = titleIn(fields);
  if (title === null) return null;
  const body = textIn(fields, "body", "description", "summary", "text");
  const advice = textIn(fields, "instruction");
  return {
    id: idIn(fields) ?? title,
    title,
    body: advice === null ? body : [body, advice].filter((part) => part !== null).join("\n\n"),
    url: textIn(fields, "url", "source_url", "web", "link", "website"),
    tags: listOf(fields["tags"] ?? fields["category"] ?? fields["type"]).map(String),
    expiresAt: spanIn(fields, timezone, ["expires_at", "expires"])?.to ?? null,
  };
}

/** Reads the first of some fields that holds a date, with an hour that stands beside a day. */
export function spanIn(
  fields: Fields,
  timezone: string,
  names: readonly string[],
  clock: string | null = null,
): FeedSpan | null {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "number") {
      const at = Math.abs(value) < SECONDS_BELOW ? value * 1000 : value;
      if (!(Math.abs(at) <= LATEST)) throw new FeedError(`\`${name}\` is no time: ${value}.`);
      return { from: at, to: at, local: false };
    }
    const span = typeof value === "string" ? feedSpan(value, timezone) : null;
    const isDay = span?.local === true && span.to > span.from;
    if (span !== null)
      return (isDay && clock !== null ? feedSpan(`${value} ${clock}`, timezone) : null) ?? span;
  }
  return null;
}

/** Smaller numbers are seconds. As milliseconds they would be dates before March 1973. */
const SECONDS_BELOW = 1e11;
const LATEST = Date.UTC(9999, 11, 31);

/** Reads a coordinate that came as a number or text; null for anything else. */
export function coordinate(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export interface Point {
  lat: number;
  lng: number;
}

/** Finds the middle of the box around some points, or null for none. A box wider than half the world crosses the antimeridian. */
export function middleOf(points: readonly Point[]): Point | null {
  if (points.length === 0) return null;
  const [south, north] = boundsOf(points.map(({ lat }) => lat));
  const [west, east] = boundsOf(points.map(({ lng }) => lng));
  if (east - west <= 180) return { lat: (south + north) / 2, lng: (west + east) / 2 };
  const [from, to] = boundsOf(points.map(({ lng }) => (lng < 0 ? lng + 360 : lng)));
  const lng = (from + to) / 2;
  return { lat: (south + north) / 2, lng: lng > 180 ? lng - 360 : lng };
}

/** It goes by steps: a shape may have more points than a call takes arguments. */
const boundsOf = (numbers: readonly number[]): [number, number] =>
  numbers.reduce<[number, number]>(
    ([least, most], n) => [Math.min(least, n), Math.max(most, n)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );

/** Gives the items of a list. A parser may give a single item without a list. */
export const listOf = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
