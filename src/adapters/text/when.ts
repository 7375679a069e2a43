import { LRUCache } from "lru-cache";
import { DAY_MS } from "../../platform/time.ts";
import type { Post } from "../../schema/post.ts";
import { zoneOf } from "../../schema/time/local-time.ts";

/**
 * Tells when a post takes place, in its own time zone, else in that of its place, else in UTC: `Sat 2026-12-05 10:00–16:00
 * Europe/Amsterdam`. Without a start it tells when it was posted.
 * @param form  in `brief` an evening that ends after midnight is still that evening
 */
export function whenOf(post: Post, form: "whole" | "brief" = "whole"): string {
  const status = statusOf(post);
  return status === null ? timesOf(post, form) : `${status.toUpperCase()}: ${timesOf(post, form)}`;
}

/** Tells what `metadata.status` says of a post that may not take place; null for one that will. */
export function statusOf(post: Post): "cancelled" | "postponed" | "tentative" | null {
  const said = String(post.metadata["status"]).toLowerCase().replace("canceled", "cancelled");
  return (["cancelled", "postponed", "tentative"] as const).find((status) => status === said) ?? null;
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
  if (first !== last && (form === "whole" || isOverADay(post)))
    return `${first} ${start.time} – ${last} ${end.time} ${zone}`;
  return `${first} ${start.time}${end.time === start.time ? "" : `–${end.time}`} ${zone}`;
}

const isOverADay = ({ starts_at, ends_at }: Post) =>
  starts_at !== null && ends_at !== null && Date.parse(ends_at) - Date.parse(starts_at) >= DAY_MS;

/** Gives a moment as the board's clock shows it: `Sun 2026-11-22, 14:43 UTC`. */
export function nowText(now: number): string {
  const moment = clockTimeIn(new Date(now - (now % 60_000)).toISOString(), "UTC");
  return `${dayText(moment)}, ${moment.time} UTC`;
}

/** Gives the days of a post in its own time zone, such as `2026-12-05`; null without a start. */
export function localDaysOf(post: Post): { first: string; last: string } | null {
  if (post.starts_at === null) return null;
  const zone = zoneOf(post);
  const start = clockTimeIn(post.starts_at, zone);
  const first = dateText(start);
  const ends = shownEnd(post);
  if (ends === null || Date.parse(ends) <= Date.parse(post.starts_at)) return { first, last: first };
  // An event that ends at midnight is not on during the day that begins then.
  const end = clockTimeIn(new Date(Date.parse(ends) - 1).toISOString(), zone);
  // An evening that goes on into the small hours is one day.
  const isNight =
    Date.parse(ends) - Date.parse(post.starts_at) < DAY_MS && end.time < "06:00" && start.time > end.time;
  return { first, last: isNight ? first : dateText(end) };
}

/** @returns such as `2026-12-05` */
export const localDay = (ms: number, zone: string): string =>
  dateText(clockTimeIn(new Date(ms).toISOString(), zone));

export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Sunday is 0, Saturday 6. */
export const weekdayOf = (day: string): number => new Date(day).getUTCDay();

/** Lists later days of a series, in the zone of the post: `2026-12-08, 2026-12-15 +3`. Empty without any. */
export function laterDaysOf(post: Post, most: number): string {
  const { starts_at: starts, more } = post.also_on ?? { starts_at: [], more: 0 };
  const shown = starts.slice(0, most);
  const days = new Set(shown.map((start) => dateText(clockTimeIn(start, zoneOf(post)))));
  const rest = starts.length - shown.length + more;
  return `${[...days].join(", ")}${rest === 0 ? "" : ` +${rest}`}`;
}

const dayText = (clock: ClockTime): string => `${clock.weekday} ${dateText(clock)}`;
const dateText = ({ year, month, day }: ClockTime): string => `${year}-${padded(month)}-${padded(day)}`;
const padded = (number: number) => String(number).padStart(2, "0");

/** Formats are kept by language, parts and zone. There are some 600 zones, but callers may spell them in any letter case. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({
  max: 500,
  memoMethod: (key) => new Intl.DateTimeFormat(...(JSON.parse(key) as [string, DateOptions])),
});

type DateOptions = Intl.DateTimeFormatOptions;

/** Makes a format of dates; making one costs far more than using it. */
export const dateFormat = (language: string, options: DateOptions): Intl.DateTimeFormat =>
  formats.memo(JSON.stringify([language, options]));

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

interface ClockTime {
  weekday: string;
  /** Days count from 1 to 31. */
  day: number;
  /** Months count from 1 to 12. */
  month: number;
  monthName: string;
  /** Has four digits. */
  year: string;
  time: string;
}

/** Formatting one time costs more than the rest of a shown post, and the same posts are shown again and again. */
const clockTimes = new LRUCache<string, ClockTime>({ max: 5_000, memoMethod: readClockTime });

/**
 * @param iso  ISO 8601
 * @param zone  an IANA name
 */
export const clockTimeIn = (iso: string, zone: string): ClockTime => clockTimes.memo(`${iso} ${zone}`);

/**
 * Tells whether a post has days but no hours: it says so, or it begins at a midnight of its zone and ends at none but
 * another, since a date is kept as its first and last moment.
 */
export function isAllDay(post: Post): boolean {
  const said = post.metadata["all_day"];
  if (typeof said === "boolean") return said;
  if (post.starts_at === null) return false;
  const timeOf = (iso: string) => clockTimeIn(iso, zoneOf(post)).time;
  return (
    timeOf(post.starts_at) === "00:00" && /^(?:00:00|23:59)$/.test(timeOf(post.ends_at ?? post.starts_at))
  );
}

/** Gives the end of a post as readers see it: on its last day. */
export function shownEnd(post: Post): string | null {
  if (post.ends_at === null || !isAllDay(post)) return post.ends_at;
  const latest = Date.parse(post.ends_at) - 1;
  const first = post.starts_at === null ? latest : Date.parse(post.starts_at);
  return new Date(Math.max(first, latest)).toISOString();
}

/** @param key  moment and zone, with a blank between them */
function readClockTime(key: string): ClockTime {
  const [iso = "", timeZone] = key.split(" ");
  const numeric = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const format = dateFormat("en", { timeZone, weekday: "short", ...numeric, ...time });
  const parts = new Map(format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const month = Number(part("month"));
  return {
    weekday: part("weekday"),
    day: Number(part("day")),
    month,
    monthName: MONTHS[month - 1] ?? "",
    year: part("year").padStart(4, "0"),
    time: `${part("hour")}:${part("minute")}`,
  };
}
