import rrule, { type Options } from "rrule";
import { spanOfText } from "../../../schema/time/iso-8601.ts";
import { FeedError } from "../../item.ts";

const DAY_MS = 86_400_000;

/** What clocks show by a time without a zone, in milliseconds as if it stood in UTC; null for anything else. */
export const clockIn = (text: string): number | null => spanOfText(text)?.from ?? null;

/**
 * A recurrence rule (RFC 5545, 3.3.10) on the clocks of its start. A last day counts whole; a last moment in UTC is what
 * clocks show then.
 * @param clockOf  what those clocks show at a moment
 * @throws FeedError
 */
export function ruleOf(text: string, dtstart: Date, clockOf: (moment: number) => number): Partial<Options> {
  const parts = text
    .toUpperCase()
    .replace(/\s+/g, "")
    .split(";")
    .filter((part) => /^[A-Z]+=./.test(part));
  const last = parts.find((part) => part.startsWith("UNTIL="))?.slice("UNTIL=".length);
  const span = last === undefined ? null : spanOfText(last);
  const until = span === null ? null : span.local ? Math.max(span.from, span.to) : clockOf(span.from);
  try {
    const rule = rrule.RRule.parseString(parts.filter((part) => !part.startsWith("UNTIL=")).join(";"));
    if (rule.freq === undefined) throw new Error("no FREQ");
    return { ...rule, dtstart, ...(until === null ? {} : { until: new Date(until) }) };
  } catch (cause) {
    throw new FeedError(`its rule cannot be read: ${text.slice(0, 100)}.`, { cause });
  }
}

/** How long something takes: days by the calendar, and milliseconds beside them. */
export interface Length {
  days: number;
  ms: number;
}

const DURATION = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;

/** A duration (RFC 5545, 3.3.6), or null for anything else. */
export function lengthOf(text: string): Length | null {
  const parts = DURATION.exec(text.trim());
  if (parts === null) return null;
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}

/** The day that a clock shows. */
export const dayOfClock = (clock: number): number => clock - (((clock % DAY_MS) + DAY_MS) % DAY_MS);
