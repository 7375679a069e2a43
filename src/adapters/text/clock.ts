import { LRUCache } from "lru-cache";
import type { Post } from "../../schema/post.ts";

/** By zone. There are some 600 names, but callers may spell them in any letter case. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });
/** Formatting one time costs more than the rest of a shown post, and the same posts are shown again and again. */
const clockTimes = new LRUCache<string, ClockTime>({ max: 5_000 });

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** What the clock of a time zone shows. */
export interface ClockTime {
  /** Such as `Sat`. */
  weekday: string;
  /** 1 to 31. */
  day: number;
  /** 1 to 12. */
  month: number;
  /** Such as `Dec`. */
  monthName: string;
  /** Four digits. */
  year: string;
  /** Such as `09:30`. */
  time: string;
}

/**
 * @param iso  ISO 8601
 * @param zone  an IANA name
 */
export function clockTimeIn(iso: string, zone: string): ClockTime {
  const key = `${iso} ${zone}`;
  const known = clockTimes.get(key);
  if (known !== undefined) return known;
  const time = readClockTime(iso, zone);
  clockTimes.set(key, time);
  return time;
}

/** Whether a post has days but no hours. */
export const isAllDay = (post: Post): boolean => post.metadata["all_day"] === true;

/**
 * The end of a post as readers see it: on its last day. An all-day post that ends at midnight ends the day before.
 * @returns ISO 8601, or null without an end
 */
export function shownEnd(post: Post): string | null {
  if (post.ends_at === null || !isAllDay(post)) return post.ends_at;
  const latest = Date.parse(post.ends_at) - 1;
  const first = post.starts_at === null ? latest : Date.parse(post.starts_at);
  return new Date(Math.max(first, latest)).toISOString();
}

function readClockTime(iso: string, zone: string): ClockTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(new Date(iso))
      .map(({ type, value }) => [type, value]),
  );
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

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    weekday: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  formats.set(zone, format);
  return format;
}
