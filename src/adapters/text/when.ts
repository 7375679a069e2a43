import type { Post } from "../../schema/post.ts";
import { type ClockTime, clockTimeIn, isAllDay, shownEnd } from "./clock.ts";

/**
 * When a post takes place, in its own time zone or else in UTC: `Sat 2026-12-05 10:00–16:00 Europe/Amsterdam`. Without a
 * start, when it was posted.
 */
export function whenOf(post: Post): string {
  const zone = post.timezone ?? "UTC";
  const ends = shownEnd(post);
  if (post.starts_at === null) {
    const until = ends === null ? "" : `, until ${dayOf(clockTimeIn(ends, zone))}`;
    return `posted ${post.created_at.slice(0, 10)}${until}`;
  }
  const start = clockTimeIn(post.starts_at, zone);
  const end = ends === null ? start : clockTimeIn(ends, zone);
  const [first, last] = [dayOf(start), dayOf(end)];
  if (isAllDay(post)) return first === last ? first : `${first} – ${last}`;
  if (first !== last) return `${first} ${start.time} – ${last} ${end.time} ${zone}`;
  return `${first} ${start.time}${end.time === start.time ? "" : `–${end.time}`} ${zone}`;
}

const dayOf = ({ weekday, year, month, day }: ClockTime) =>
  `${weekday} ${year}-${padded(month)}-${padded(day)}`;
const padded = (number: number) => String(number).padStart(2, "0");
