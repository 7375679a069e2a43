import { DAY_MS } from "../platform/time.ts";
import { spanOfText } from "../schema/time/iso-8601.ts";
import { firstMoment, lastMoment, momentOfClock } from "../schema/time/local-time.ts";

/** Feeds name zones with these offsets, and RFC 822 does not. */
const ZONES: readonly (readonly [offset: string, zones: RegExp])[] = [
  ["GMT", /\b(?:UTC?|Z|WET)$/],
  ["+0100", /\b(?:WEST|BST|CET|MEZ)$/],
  ["+0200", /\b(?:CEST|MESZ|EET)$/],
  ["+0300", /\b(?:EEST|MSK)$/],
  ["+0900", /\bJST$/],
  ["+1000", /\bAEST$/],
  ["+1100", /\bAEDT$/],
];
const ZONED = /(?:GMT|[ECMP][SD]T|[+-]\d\d:?\d\d)$/;
/** Some countries write the day first, others the month. */
const AMBIGUOUS = /^\d{1,2}\/\d{1,2}\/\d{2,4}\b/;
const DOTTED = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b,?/;

/** Matches an hour behind a date, with the point or `h` of many countries. */
const POINTED = /(?<=\d{4},? )(\d{1,2})[.h]([0-5]\d)(?![\d.])/i;
/** `Date.parse` knows these words of dates. It passes over any others, and would find a date in most texts. */
const WORDS =
  /^(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs?|fri|sat|sun|january|february|march|april|august|september|october|november|december|[a-z]{3,6}day|am|pm|gmt|utc?|[ecmp][sd]t|t|z)$/i;

/** A date in a feed covers this time, in epoch milliseconds. */
export interface FeedSpan {
  from: number;
  /** The last millisecond of a day is meant; for a moment it equals `from`. */
  to: number;
  /** The date names no zone, so it was read in that of the feed. */
  local: boolean;
}

/**
 * Reads a date in the forms that feeds use: ISO 8601, RFC 822 and its dialects, `05.12.2026`.
 * @param timezone  IANA zone of a date that names none
 * @returns null for anything else
 */
export function feedSpan(text: string | null | undefined, timezone: string): FeedSpan | null {
  if (text == null) return null;
  // Weekdays in any language, doubled blanks and the long name of a zone say nothing more.
  const bare = text
    .trim()
    .replace(/^\p{L}+\.?,\s*/u, "")
    .replace(/\s*\([^)]*\)$/, "")
    .replace(/\s+/g, " ")
    .replace(POINTED, "$1:$2")
    .replace(DOTTED, (_, day: string, month: string, year: string) =>
      [year, month.padStart(2, "0"), day.padStart(2, "0")].join("-"),
    );
  const span = spanOfText(bare);
  if (span !== null) {
    return { from: firstMoment(span, timezone), to: lastMoment(span, timezone), local: span.local };
  }
  if (AMBIGUOUS.test(bare)) return null;
  const named = ZONES.reduce((text, [offset, zones]) => text.replace(zones, offset), bare);
  if (!(named.match(/\p{L}+/gu) ?? []).every((word) => WORDS.test(word))) return null;
  const isZoned = ZONED.test(named);
  const at = Date.parse(isZoned ? named : `${named} GMT`);
  if (Number.isNaN(at)) return null;
  if (isZoned) return { from: at, to: at, local: false };
  const end = /\d:\d/.test(named) ? at : at + DAY_MS - 1;
  return { from: momentOfClock(at, timezone) ?? at, to: momentOfClock(end, timezone) ?? end, local: true };
}

/** Reads the first moment of a date in these forms, or null. */
export const feedDate = (text: string | null | undefined, timezone: string): number | null =>
  feedSpan(text, timezone)?.from ?? null;

const CLOCK =
  /^(\d{1,2})(?:[:.h]([0-5]\d))?(?:[:.]([0-5]\d))?(?:\.\d+)?\s*(?:uhr|h|hrs?)?\s*(?:([ap])\.?m\.?)?\s*(z|[+-]\d\d:?\d\d)?$/i;

/** Writes an hour as people write it (`19.30`, `7 pm`, `19h30`, `19 Uhr`) in the form of ISO 8601; null for anything else. */
export function clockOfText(text: string): string | null {
  const [, hours, minutes = "00", seconds = "00", half = "", offset = ""] = CLOCK.exec(text.trim()) ?? [];
  if (hours === undefined || Number(hours) > (half === "" ? 24 : 12)) return null;
  const hour = half === "" ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${String(hour).padStart(2, "0")}:${minutes}:${seconds}${offset}`;
}
