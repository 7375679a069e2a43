import tzLookup from "@photostructure/tz-lookup";
import type { Post } from "../../schema/post.ts";
import { type ClockTime, clockTimeIn, isAllDay, shownEnd } from "./clock.ts";

/**
 * When a post takes place, in its own time zone, else in that of its place, else in UTC: `Sat 2026-12-05 10:00–16:00
 * Europe/Amsterdam`. Without a start, when it was posted.
 */
export function whenOf(post: Post): string {
  return timesOf(post, "whole");
}

/** The same in fewer words: no zone where the post names its place, and no hours over several days. */
export function briefWhenOf(post: Post): string {
  return timesOf(post, "brief");
}

/** A moment as the board's clock shows it: `Sun 2026-11-22, 14:43 UTC`. */
export function nowText(now: number): string {
  const moment = clockTimeIn(new Date(now - (now % 60_000)).toISOString(), "UTC");
  return `${dayText(moment)}, ${moment.time} UTC`;
}

function timesOf(post: Post, form: "whole" | "brief"): string {
  const zone = zoneOf(post);
  const ends = shownEnd(post);
  if (post.starts_at === null) {
    const until = ends === null ? "" : `, until ${dayText(clockTimeIn(ends, zone))}`;
    return `posted ${post.created_at.slice(0, 10)}${until}`;
  }
  const start = clockTimeIn(post.starts_at, zone);
  const end = ends === null ? start : clockTimeIn(ends, zone);
  const [first, last] = [dayText(start), dayText(end)];
  if (isAllDay(post)) return first === last ? first : `${first} – ${last}`;
  if (form === "brief" && isOverADay(post)) return `${first} – ${last}`;
  const told = form === "brief" && hasPlace(post) && zone !== "UTC" ? "" : ` ${zone}`;
  // In brief, an evening that ends after midnight is still that evening.
  if (first !== last && form === "whole") return `${first} ${start.time} – ${last} ${end.time}${told}`;
  return `${first} ${start.time}${end.time === start.time ? "" : `–${end.time}`}${told}`;
}

const DAY_MS = 86_400_000;
const isOverADay = ({ starts_at, ends_at }: Post) =>
  starts_at !== null && ends_at !== null && Date.parse(ends_at) - Date.parse(starts_at) >= DAY_MS;

const hasPlace = ({ location }: Post) => (location?.name ?? "") !== "" || typeof location?.lat === "number";

/** The time zone in which a post's times are told: its own, else that of its place, else UTC. */
export function zoneOf({ timezone, location }: Post): string {
  if (timezone !== null) return timezone;
  const { lat, lng } = location ?? {};
  return typeof lat === "number" && typeof lng === "number" ? tzLookup(lat, lng) : "UTC";
}

const dayText = ({ weekday, year, month, day }: ClockTime) =>
  `${weekday} ${year}-${padded(month)}-${padded(day)}`;
const padded = (number: number) => String(number).padStart(2, "0");
