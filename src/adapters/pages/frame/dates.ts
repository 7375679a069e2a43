import type { Post } from "../../../schema/post.ts";
import { type ClockTime, clockTimeIn, isAllDay, shownEnd } from "../../text/clock.ts";
import { zoneOf } from "../../text/when.ts";
import { type Html, html } from "./html.ts";

/** A day in UTC: `19 Nov 2026`. */
export function dayTag(iso: string): Html {
  const { day, monthName, year } = clockTimeIn(iso, "UTC");
  return html`<time datetime="${iso}">${day} ${monthName} ${year}</time>`;
}

/** When a post takes place, in its own time zone; null without a start and an end. */
export function whenTag(post: Post): Html | null {
  const { starts_at: starts } = post;
  const ends = shownEnd(post);
  if (starts === null) return ends === null ? null : html`until ${dayAndTime(ends, post)}`;
  const start = clockTimeIn(starts, zoneOf(post));
  const end = ends === null ? start : clockTimeIn(ends, zoneOf(post));
  if (ends === null || dayText(start) === dayText(end)) {
    const until = ends !== null && !isAllDay(post) && end.time !== start.time;
    return html`${dayAndTime(starts, post)}${until && html`–<time datetime="${ends}">${end.time}</time>`}`;
  }
  return html`${dayAndTime(starts, post)} – ${dayAndTime(ends, post)}`;
}

/**
 * What a date stub leaves open: the hours of a day (`18:00–22:00`), or the last of several days. Null where it leaves
 * nothing open. The zone is named only where it is UTC for want of a better one.
 */
export function hoursTag(post: Post): Html | null {
  const { starts_at: starts } = post;
  const ends = shownEnd(post);
  const zone = zoneOf(post);
  if (starts === null) return ends === null ? null : html`until ${shortDayTag(ends, zone)}`;
  const start = clockTimeIn(starts, zone);
  const end = ends === null ? start : clockTimeIn(ends, zone);
  const oneDay = ends === null || dayText(start) === dayText(end) || isOneNight(starts, ends, start, end);
  if (isAllDay(post)) return oneDay || ends === null ? null : html`until ${shortDayTag(ends, zone)}`;
  const until = !oneDay && ends !== null ? html` until ${shortDayTag(ends, zone)}` : null;
  const last = oneDay && end.time !== start.time && `–${end.time}`;
  return html`<time datetime="${starts}">${start.time}</time>${last}${until}${zone === "UTC" && " UTC"}`;
}

/** Whether an evening ends in the small hours of the next day. */
function isOneNight(starts: string, ends: string, start: ClockTime, end: ClockTime): boolean {
  return Date.parse(ends) - Date.parse(starts) < DAY_MS && end.time < "06:00" && start.time > end.time;
}

const DAY_MS = 86_400_000;

function shortDayTag(iso: string, zone: string): Html {
  const { day, monthName } = clockTimeIn(iso, zone);
  return html`<time datetime="${iso}">${day} ${monthName}</time>`;
}

function dayAndTime(iso: string, post: Post): Html {
  const clock = clockTimeIn(iso, zoneOf(post));
  return html`<time datetime="${iso}">${dayText(clock)}${!isAllDay(post) && `, ${clock.time}`}</time>`;
}

const dayText = ({ weekday, day, monthName, year }: ClockTime) => `${weekday} ${day} ${monthName} ${year}`;

/** `19 Nov`; empty without a day. */
export const shortDay = (day: string | undefined) =>
  day === undefined
    ? ""
    : new Date(day).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
