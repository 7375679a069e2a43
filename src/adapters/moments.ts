import { LRUCache } from "lru-cache";

/** Zones have some 600 names, but in any letter case. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });
/** Intl takes longer for one moment than everything else of a shown post; the same posts are shown again and again. */
const moments = new LRUCache<string, Moment>({ max: 5_000 });

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A moment on the clock of a time zone. */
export interface Moment {
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
 * @param iso  a moment as on the wire
 * @param zone  an IANA name
 */
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
