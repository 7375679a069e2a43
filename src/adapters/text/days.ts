import type { Post } from "../../schema/post.ts";
import { type ClockTime, clockTimeIn, shownEnd } from "./clock.ts";
import { zoneOf } from "./when.ts";

const DAY_MS = 86_400_000;

/** The days of a post in its own time zone, such as `2026-12-05`; null without a start. */
export function localDaysOf(post: Post): { first: string; last: string } | null {
  if (post.starts_at === null) return null;
  const zone = zoneOf(post);
  const start = clockTimeIn(post.starts_at, zone);
  const first = dayText(start);
  const ends = shownEnd(post);
  if (ends === null || Date.parse(ends) <= Date.parse(post.starts_at)) return { first, last: first };
  // What ends at midnight is not on for the day that begins then.
  const end = clockTimeIn(new Date(Date.parse(ends) - 1).toISOString(), zone);
  // An evening that goes on into the small hours is one day.
  const isNight =
    Date.parse(ends) - Date.parse(post.starts_at) < DAY_MS && end.time < "06:00" && start.time > end.time;
  return { first, last: isNight ? first : dayText(end) };
}

/** @returns such as `2026-12-05` */
export const localDay = (ms: number, zone: string): string =>
  dayText(clockTimeIn(new Date(ms).toISOString(), zone));

export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** 0 for Sunday, 6 for Saturday. */
export const weekdayOf = (day: string): number => new Date(day).getUTCDay();

const dayText = ({ year, month, day }: ClockTime): string => `${year}-${padded(month)}-${padded(day)}`;
const padded = (number: number) => String(number).padStart(2, "0");
