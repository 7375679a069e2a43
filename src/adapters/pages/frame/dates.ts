import type { Post } from "../../../schema/post.ts";
import { type ClockTime, clockTimeIn, isAllDay, shownEnd } from "../../text/clock.ts";
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

/** The time zone that `whenTag` uses. */
export const zoneOf = (post: Post): string => post.timezone ?? "UTC";

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
