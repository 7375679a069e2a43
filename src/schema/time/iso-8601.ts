import { DAY_MS } from "../../platform/time.ts";

/**
 * Holds what a text of ISO 8601 covers: a moment, or all of a day, week, month or year. Without an offset both ends are
 * what clocks show, as if these stood in UTC (`local`), unless the text names its zone.
 */
export interface TimeSpan {
  /** `from` and `to` are the first and the last millisecond covered, of the epoch; they are equal for a moment. */
  from: number;
  to: number;
  local: boolean;
  /** Only the spaces around it are gone from what was sent. */
  text: string;
  /** The text names this zone in brackets (RFC 9557). */
  zone?: string;
}

const DATE =
  /^(?<year>\d{4})(?:-?W(?<week>\d\d)(?:-?(?<weekday>[1-7]))?|-?(?<ordinal>\d{3})|-(?<month>\d\d)(?:-(?<day>\d\d))?|(?<basicMonth>\d\d)(?<basicDay>\d\d))?$/i;
const TIME = /^(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d))?)?(?<fraction>[.,]\d+)?$/;
/** Many countries write 19.30 or 19h30. Two digits that can be minutes are minutes, and no part of an hour. */
const MINUTES = /^(\d\d)[.,h]([0-5]\d)(?:[.:h]([0-5]\d))?$/i;
const OFFSET = /^(?<sign>[+\-−\s])(?<hours>\d\d)(?::?(?<minutes>\d\d))?$/;

/**
 * Reads the forms of ISO 8601 for a point in time: `2026-12-01T18:30:00.5+01:00`, with or without seconds, `19.30`, `Z`, `+0100`
 * or `+01`, basic (`20261201T1830Z`), a blank for the T, a zone in brackets, a date, a month, a week (`2026-W49`), a day of the
 * year (`2026-335`), a year.
 *
 * @returns null for anything else, and for days and times that do not exist
 */
export function spanOfText(sent: string): TimeSpan | null {
  const sentText = sent.trim();
  const [, text = "", zone] = /^(.*?)(?:\[!?([\w+/-]+)\])?$/.exec(sentText) ?? [];
  const [, dateText = "", timeText] = /^(\S+?)(?:[T\s]+(.+))?$/i.exec(text) ?? [];
  const date = dayOfText(dateText);
  if (date === null) return null;
  if (timeText === undefined)
    return { from: date.from, to: date.end - 1, local: true, text: sentText, ...zoneIn(zone) };
  if (date.end - date.from !== DAY_MS) return null;
  const time = timeOfText(timeText);
  if (time === null) return null;
  const at = date.from + time.ms;
  if (time.offsetMs === null) return { from: at, to: at, local: true, text: sentText, ...zoneIn(zone) };
  return { from: at - time.offsetMs, to: at - time.offsetMs, local: false, text: sentText };
}

/** Tells whether a text names a week, a month or a year. */
export const isOverADay = ({ from, to }: TimeSpan): boolean => to - from >= DAY_MS;

const zoneIn = (zone: string | undefined) => (zone === undefined ? {} : { zone });

/** Gives the first millisecond of a date and that of what follows it. */
function dayOfText(text: string): { from: number; end: number } | null {
  const groups = DATE.exec(text)?.groups;
  if (groups === undefined) return null;
  const year = Number(groups["year"]);
  if (year < 1) return null;
  const { week, weekday, ordinal } = groups;
  const month = groups["month"] ?? groups["basicMonth"];
  const day = groups["day"] ?? groups["basicDay"];
  if (week !== undefined) {
    // The week of 4 January is the first.
    const fourth = utcDay(year, 1, 4);
    const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS;
    const from = monday + (Number(week) - 1) * 7 * DAY_MS;
    if (Number(week) < 1 || new Date(from + 3 * DAY_MS).getUTCFullYear() !== year) return null;
    if (weekday === undefined) return { from, end: from + 7 * DAY_MS };
    return dayFrom(from + (Number(weekday) - 1) * DAY_MS);
  }
  if (ordinal !== undefined) {
    const from = utcDay(year, 1, 1) + (Number(ordinal) - 1) * DAY_MS;
    return Number(ordinal) > 0 && new Date(from).getUTCFullYear() === year ? dayFrom(from) : null;
  }
  if (month === undefined) return { from: utcDay(year, 1, 1), end: utcDay(year + 1, 1, 1) };
  if (Number(month) < 1 || Number(month) > 12) return null;
  if (day === undefined)
    return { from: utcDay(year, Number(month), 1), end: utcDay(year, Number(month) + 1, 1) };
  const from = utcDay(year, Number(month), Number(day));
  return Number(day) > 0 && new Date(from).getUTCMonth() + 1 === Number(month) ? dayFrom(from) : null;
}

const dayFrom = (from: number) => ({ from, end: from + DAY_MS });

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999. */
const utcDay = (year: number, month: number, day: number) => new Date(0).setUTCFullYear(year, month - 1, day);

/** Gives milliseconds since midnight, and how far the clock is ahead of UTC; null offset for a local time. */
function timeOfText(text: string): { ms: number; offsetMs: number | null } | null {
  const [, clock = "", offset = ""] = /^([\d:.,h]+)\s*(Z|[+\-−\s]\s*\d\d(?::?\d\d)?)?$/i.exec(text) ?? [];
  const groups = TIME.exec(
    clock.replace(MINUTES, (_, hour, minute, second = "00") => `${hour}:${minute}:${second}`),
  )?.groups;
  if (groups === undefined) return null;
  const [hour, minute, second] = [groups["hour"], groups["minute"], groups["second"]].map((part) =>
    Number(part ?? 0),
  );
  if (hour === undefined || minute === undefined || second === undefined) return null;
  if (minute > 59 || second > 60 || hour > 24 || (hour === 24 && minute + second > 0)) return null;
  const unit = groups["second"] !== undefined ? 1000 : groups["minute"] !== undefined ? 60_000 : 3_600_000;
  const fraction = Number((groups["fraction"] ?? "").replace(",", ".") || 0) * unit;
  const ms = hour * 3_600_000 + minute * 60_000 + Math.min(second, 59) * 1000 + Math.floor(fraction);
  if (offset === "") return { ms, offsetMs: null };
  if (/z/i.test(offset)) return { ms, offsetMs: 0 };
  // In an address a plus means a blank, so a blank before an offset was a plus.
  const parts = OFFSET.exec(offset.replace(/(?<=[+\-−])\s+/, ""))?.groups;
  const hours = Number(parts?.["hours"] ?? 99);
  const minutes = Number(parts?.["minutes"] ?? 0);
  if (hours > 23 || minutes > 59) return null;
  const sign = /[-−]/.test(parts?.["sign"] ?? "") ? -1 : 1;
  return { ms, offsetMs: sign * (hours * 3_600_000 + minutes * 60_000) };
}
