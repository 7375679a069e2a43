import { LRUCache } from "lru-cache";
import type { Post } from "../../schema/post.ts";
import { type Html, html } from "./html.ts";

/** Zones have some 600 names, but in any letter case. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });
/** Intl takes longer for one moment than everything else of a slip; the posts of a page are shown again and again. */
const moments = new LRUCache<string, Moment>({ max: 5_000 });

interface Moment {
  /** Such as `Sat`. */
  weekday: string;
  day: string;
  /** Such as `Dec`. */
  month: string;
  year: string;
  /** Such as `09:30`. */
  time: string;
}

/** A moment of the wire as a reader in `zone` would write it on paper. */
export function momentIn(iso: string, zone: string): Moment {
  const key = `${iso} ${zone}`;
  const known = moments.get(key);
  if (known !== undefined) return known;
  const moment = readMoment(iso, zone);
  moments.set(key, moment);
  return moment;
}

function readMoment(iso: string, zone: string): Moment {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(new Date(iso))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return {
    weekday: part("weekday"),
    day: part("day"),
    month: part("month"),
    year: part("year"),
    time: `${part("hour")}:${part("minute")}`,
  };
}

/** A day in UTC: `19 Nov 2026`. */
export function dayTag(iso: string): Html {
  const { day, month, year } = momentIn(iso, "UTC");
  return html`<time datetime="${iso}">${day} ${month} ${year}</time>`;
}

/** When a post takes place, on the clock of its own zone, or null without a start and an end. */
export function whenTag(post: Post): Html | null {
  const { starts_at: starts, ends_at: ends } = post;
  if (starts === null) return ends === null ? null : html`until ${dayAndTime(ends, post)}`;
  const start = momentIn(starts, zoneOf(post));
  const end = ends === null ? start : momentIn(ends, zoneOf(post));
  if (ends === null || dayText(start) === dayText(end)) {
    const until = ends !== null && !isAllDay(post) && end.time !== start.time;
    return html`${dayAndTime(starts, post)}${until && html`–<time datetime="${ends}">${end.time}</time>`}`;
  }
  return html`${dayAndTime(starts, post)} – ${dayAndTime(ends, post)}`;
}

/** The zone of `whenTag`'s clock. */
export const zoneOf = (post: Post): string => post.timezone ?? "UTC";

export const isAllDay = (post: Post): boolean => post.metadata["all_day"] === true;

function dayAndTime(iso: string, post: Post): Html {
  const moment = momentIn(iso, zoneOf(post));
  return html`<time datetime="${iso}">${dayText(moment)}${!isAllDay(post) && `, ${moment.time}`}</time>`;
}

const dayText = ({ weekday, day, month, year }: Moment) => `${weekday} ${day} ${month} ${year}`;

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  formats.set(zone, format);
  return format;
}
