import { spanOfText } from "../schema/time/iso-8601.ts";
import { firstMoment, lastMoment, momentOfClock } from "../schema/time/local-time.ts";

/** Zones that RFC 822 does not name and feeds do, by their offsets. */
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
/** Some write the day first, others the month. */
const AMBIGUOUS = /^\d{1,2}\/\d{1,2}\/\d{2,4}\b/;
const DOTTED = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b,?/;
const DAY_MS = 86_400_000;

/** What a date in a feed covers, in epoch milliseconds. `local`: its clock stands in the zone of the feed. */
export interface FeedSpan {
  from: number;
  /** Of a day, its last millisecond; of a moment, the same as `from`. */
  to: number;
  local: boolean;
}

/**
 * What a date as feeds write them covers: ISO 8601, RFC 822 and its dialects, `05.12.2026`.
 * @param timezone  IANA zone of a time that names none
 * @returns null for anything else
 */
export function feedSpan(text: string | null | undefined, timezone: string): FeedSpan | null {
  if (text == null) return null;
  // Weekdays in other languages, doubled blanks and a zone's long name are no part of the date.
  const bare = text
    .trim()
    .replace(/^\p{L}+\.?,\s*/u, "")
    .replace(/\s*\([^)]*\)$/, "")
    .replace(/\s+/g, " ")
    .replace(DOTTED, (_, day: string, month: string, year: string) =>
      [year, month.padStart(2, "0"), day.padStart(2, "0")].join("-"),
    );
  const span = spanOfText(bare);
  if (span !== null) {
    return { from: firstMoment(span, timezone), to: lastMoment(span, timezone), local: span.local };
  }
  if (AMBIGUOUS.test(bare)) return null;
  const named = ZONES.reduce((text, [offset, zones]) => text.replace(zones, offset), bare);
  const isZoned = ZONED.test(named);
  const at = Date.parse(isZoned ? named : `${named} GMT`);
  if (Number.isNaN(at)) return null;
  if (isZoned) return { from: at, to: at, local: false };
  const end = /\d:\d/.test(named) ? at : at + DAY_MS - 1;
  return { from: momentOfClock(at, timezone) ?? at, to: momentOfClock(end, timezone) ?? end, local: true };
}

/** The first moment of such a date, or null. */
export const feedDate = (text: string | null | undefined, timezone: string): number | null =>
  feedSpan(text, timezone)?.from ?? null;
