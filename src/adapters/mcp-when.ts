import { LRUCache } from "lru-cache";
import type { Post } from "../schema/post.ts";

/** Zones have some 600 names, but in any letter case. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

/**
 * When a post takes place, on the clock of its own time zone where it names one, else in UTC:
 * `Sat 2026-12-05 10:00–16:00 Europe/Amsterdam`. A post without a start tells when it was written.
 */
export function whenOf(post: Post): string {
  const zone = post.timezone ?? "UTC";
  if (post.starts_at === null) {
    const until = post.ends_at === null ? "" : `, until ${momentOf(post.ends_at, zone).day}`;
    return `posted ${post.created_at.slice(0, 10)}${until}`;
  }
  const start = momentOf(post.starts_at, zone);
  const end = post.ends_at === null ? start : momentOf(post.ends_at, zone);
  if (post.metadata["all_day"] === true)
    return start.day === end.day ? start.day : `${start.day} – ${end.day}`;
  if (start.day !== end.day) return `${start.day} ${start.time} – ${end.day} ${end.time} ${zone}`;
  return `${start.day} ${start.time}${end.time === start.time ? "" : `–${end.time}`} ${zone}`;
}

/** @param iso  a moment as on the wire */
function momentOf(iso: string, zone: string): { day: string; time: string } {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(new Date(iso))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return {
    day: `${part("weekday")} ${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`,
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
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  formats.set(zone, format);
  return format;
}
