import type { ParsedResult } from "chrono-node";
import { DAY_MS } from "../../../platform/time.ts";
import { dayOf } from "../../resources.ts";

/** A text speaks of these days. */
export interface DaysInText {
  /** Both are days such as `2026-12-12`; null for an open end. */
  first: string | null;
  last: string | null;
  /** These words name them. */
  text: string;
}

export interface Span {
  first: string;
  last: string;
}

/** Gives the first and the last day; null where the text names an hour only, or now. */
export function spanOf({ text, start, end }: ParsedResult, today: string): Span | null {
  const day = dayOfParts(start);
  if (/^now$/i.test(text)) return null;
  if (end != null) return { first: day, last: dayOfParts(end) };
  if (/weekend/i.test(text)) return weekendOf(day);
  if (/week$/i.test(text)) return weekOf(day);
  // The parser takes an hour that is past for that of tomorrow.
  if (/^(?:this (?:evening|morning|afternoon|night)|ce soir|esta noche)$/i.test(text))
    return { first: today, last: today };
  if (start.isCertain("day") || start.isCertain("weekday"))
    return /^(?:evening|morning|afternoon|night|noon)$/i.test(text) ? null : { first: day, last: day };
  if (!start.isCertain("month")) return null;
  const [year = 0, month = 1] = day.split("-").map(Number);
  // The parser takes a month that has begun for that of next year.
  const hasBegun = !start.isCertain("year") && day.slice(5, 7) === today.slice(5, 7);
  return wholeMonth(hasBegun ? Number(today.slice(0, 4)) : year, month);
}

function dayOfParts(parts: ParsedResult["start"]): string {
  const [year, month, day] = [parts.get("year") ?? 0, parts.get("month") ?? 1, parts.get("day") ?? 1];
  return dayOf(Date.UTC(year, month - 1, day));
}

/** Gives Monday to Sunday around a day. */
export function weekOf(day: string): Span {
  const monday = dayAfter(day, -((new Date(day).getUTCDay() + 6) % 7));
  return { first: monday, last: dayAfter(monday, 6) };
}

/** Gives the Saturday and Sunday of the week around a day. */
export function weekendOf(day: string): Span {
  const { last } = weekOf(day);
  return { first: dayAfter(last, -1), last };
}

/** @param month  from 1 on; 13 is the next January */
export const wholeMonth = (year: number, month: number): Span => ({
  first: dayOf(Date.UTC(year, month - 1, 1)),
  last: dayOf(Date.UTC(year, month, 0)),
});

export const dayAfter = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY_MS);
