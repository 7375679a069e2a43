import type { Post } from "../../../schema/post.ts";
import { type ClockTime, clockTimeIn, isAllDay, shownEnd } from "../../text/clock.ts";
import { zoneOf } from "../../text/when.ts";
import { type Html, html } from "./html.ts";
import type { Language } from "./language.ts";

/** A day in UTC: `19 Nov 2026`. */
export const dayTag = (iso: string, language: Language): Html =>
  timeTag(iso, language.date(iso, "UTC", "date"), language);

/** A moment in words of the visitor's language. */
export const timeTag = (iso: string, words: string, language: Language): Html =>
  html`<time datetime="${iso}"${language.attribute}>${words}</time>`;

/**
 * When a post takes place, in its own time zone; null without a start and an end.
 * @param form  `dayOfWeek` leaves the year out
 */
export function whenTag(post: Post, language: Language, form: "whole" | "dayOfWeek" = "whole"): Html | null {
  const { starts_at: starts } = post;
  const ends = shownEnd(post);
  if (starts === null) return ends === null ? null : html`until ${dayAndTime(ends, post, language, form)}`;
  const start = clockTimeIn(starts, zoneOf(post));
  const end = ends === null ? start : clockTimeIn(ends, zoneOf(post));
  if (ends === null || isSameDay(start, end)) {
    const until = ends !== null && !isAllDay(post) && end.time !== start.time;
    return html`${dayAndTime(starts, post, language, form)}${until && html`–<time datetime="${ends}">${end.time}</time>`}`;
  }
  return html`${dayAndTime(starts, post, language, form)} – ${dayAndTime(ends, post, language, form)}`;
}

/**
 * What a date stub leaves open: the hours of a day (`18:00–22:00`), or the last of several days. Null where it leaves
 * nothing open. The zone is named only where it is UTC for want of a better one.
 */
export function hoursTag(post: Post, language: Language): Html | null {
  const { starts_at: starts } = post;
  const ends = shownEnd(post);
  const zone = zoneOf(post);
  const lastDay = (iso: string) => html`until ${timeTag(iso, language.date(iso, zone, "day"), language)}`;
  if (starts === null) return ends === null ? null : lastDay(ends);
  const start = clockTimeIn(starts, zone);
  const end = ends === null ? start : clockTimeIn(ends, zone);
  const oneDay = ends === null || isSameDay(start, end) || isOneNight(starts, ends, start, end);
  if (isAllDay(post)) return oneDay || ends === null ? null : lastDay(ends);
  const until = !oneDay && ends !== null ? html` ${lastDay(ends)}` : null;
  const last = oneDay && end.time !== start.time && `–${end.time}`;
  return html`<time datetime="${starts}">${start.time}</time>${last}${until}${zone === "UTC" && " UTC"}`;
}

const isSameDay = (a: ClockTime, b: ClockTime) => a.day === b.day && a.month === b.month && a.year === b.year;

/** Whether an evening ends in the small hours of the next day. */
function isOneNight(starts: string, ends: string, start: ClockTime, end: ClockTime): boolean {
  return Date.parse(ends) - Date.parse(starts) < DAY_MS && end.time < "06:00" && start.time > end.time;
}

const DAY_MS = 86_400_000;

function dayAndTime(iso: string, post: Post, language: Language, form: "whole" | "dayOfWeek"): Html {
  const zone = zoneOf(post);
  const time = isAllDay(post) ? "" : `, ${clockTimeIn(iso, zone).time}`;
  return timeTag(iso, language.date(iso, zone, form) + time, language);
}

/** A UTC day such as `2026-11-19` as `19 Nov`; empty without a day. */
export const shortDay = (day: string | undefined, language: Language): string =>
  day === undefined ? "" : language.date(day, "UTC", "day");
