import rrule, { type Options } from "rrule";
import { findIana } from "windows-iana";
import { TimeZone } from "../../../schema/scalars.ts";
import { spanOfText } from "../../../schema/time/iso-8601.ts";
import { momentOfClock, offsetMs } from "../../../schema/time/local-time.ts";
import { FeedError } from "../../item.ts";
import { type Component, textFor } from "./lines.ts";

const DAY_MS = 86_400_000;

/** What clocks show by a time without a zone, in milliseconds as if it stood in UTC; null for anything else. */
const clockIn = (text: string): number | null => spanOfText(text)?.from ?? null;

/**
 * A recurrence rule (RFC 5545, 3.3.10) on the clocks of its start. A last day counts whole; a last moment in UTC is what
 * clocks show then.
 * @param clockOf  what those clocks show at a moment
 * @throws FeedError
 */
export function ruleOf(text: string, dtstart: Date, clockOf: (moment: number) => number): Partial<Options> {
  const parts = text
    .toUpperCase()
    .replace(/\s+/g, "")
    .split(";")
    .filter((part) => /^[A-Z]+=./.test(part));
  const last = parts.find((part) => part.startsWith("UNTIL="))?.slice("UNTIL=".length);
  const span = last === undefined ? null : spanOfText(last);
  const until = span === null ? null : span.local ? Math.max(span.from, span.to) : clockOf(span.from);
  try {
    const rule = rrule.RRule.parseString(parts.filter((part) => !part.startsWith("UNTIL=")).join(";"));
    if (rule.freq === undefined) throw new Error("no FREQ");
    return { ...rule, dtstart, ...(until === null ? {} : { until: new Date(until) }) };
  } catch (cause) {
    throw new FeedError(`its rule cannot be read: ${text.slice(0, 100)}.`, { cause });
  }
}

/** How long something takes: days by the calendar, and milliseconds beside them. */
export interface Length {
  days: number;
  ms: number;
}

const DURATION = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;

/** A duration (RFC 5545, 3.3.6), or null for anything else. */
export function lengthOf(text: string): Length | null {
  const parts = DURATION.exec(text.trim());
  if (parts === null) return null;
  const numbers = parts.slice(1).map((part) => Number(part ?? 0));
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers;
  return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}

/** The day that a clock shows. */
export const dayOfClock = (clock: number): number => clock - (((clock % DAY_MS) + DAY_MS) % DAY_MS);

/** Clocks of a calendar. What they show is given in milliseconds, as if it stood in UTC. */
export interface Zone {
  /** IANA name to show its times in. */
  shownIn: string;
  /** @throws FeedError for what clocks cannot show */
  momentOf(clock: number): number;
  clockOf(moment: number): number;
}

/** The zones of a calendar by the names that it gives them. */
export interface Zones {
  /** Of times without a zone. */
  own: Zone;
  named(name: string | undefined): Zone;
}

export const utcShownIn = (shownIn: string): Zone => ({
  shownIn,
  momentOf: (clock) => clock,
  clockOf: (moment) => moment,
});

/** @param timezone  IANA zone of a calendar that names none */
export function zonesOf(calendar: Component, timezone: string): Zones {
  const own = ianaZone(ianaNamed(textFor(calendar, "X-WR-TIMEZONE")) ?? timezone);
  const defined = new Map(
    calendar.parts
      .filter(({ name }) => name === "VTIMEZONE")
      .map((component) => [textFor(component, "TZID"), component]),
  );
  const known = new Map<string, Zone>();
  const find = (name: string): Zone => {
    const iana = ianaNamed(name);
    if (iana !== null) return ianaZone(iana);
    // Only the file knows this zone.
    const component = defined.get(name);
    return component === undefined ? own : definedZone(component, own.shownIn);
  };
  return {
    own,
    named(name = "") {
      if (!known.has(name)) known.set(name, find(name));
      return known.get(name) as Zone;
    },
  };
}

function ianaZone(shownIn: string): Zone {
  return {
    shownIn,
    momentOf(clock) {
      const moment = momentOfClock(clock, shownIn);
      if (moment === null || Number.isNaN(moment)) throw new FeedError("it has a time that is none.");
      return moment;
    },
    clockOf: (moment) => moment + offsetMs(moment, shownIn),
  };
}

/** A zone by the rules of a VTIMEZONE: at each of its onsets, clocks begin to be ahead of UTC by another time. */
function definedZone(component: Component, shownIn: string): Zone {
  const observances = component.parts.flatMap((part) => {
    const onset = clockIn(textFor(part, "DTSTART"));
    const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)/.exec(textFor(part, "TZOFFSETTO")) ?? [];
    if (onset === null || sign === undefined) return [];
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
    // Rules that began centuries ago would be stepped through from then.
    const year = Math.max(new Date(onset).getUTCFullYear(), RULES_FROM_YEAR);
    const rule = textFor(part, "RRULE");
    const dtstart = new Date(new Date(onset).setUTCFullYear(year));
    return [
      { onset, offset, rule: rule === "" ? null : new rrule.RRule(ruleOf(rule, dtstart, (clock) => clock)) },
    ];
  });
  const offsetAt = (clock: number): number => {
    const begun = observances
      .map(({ onset, offset, rule }) => ({
        offset,
        since: rule?.before(new Date(clock), true)?.getTime() ?? onset,
      }))
      .filter(({ since }) => since <= clock)
      .sort((a, b) => a.since - b.since);
    return begun.at(-1)?.offset ?? observances[0]?.offset ?? 0;
  };
  return {
    shownIn,
    momentOf: (clock) => clock - offsetAt(clock),
    clockOf: (moment) => moment + offsetAt(moment + offsetAt(moment)),
  };
}

const RULES_FROM_YEAR = 2020;

const isZone = (name: string) => TimeZone.safeParse(name).success;

const CITIES = new Map(
  Intl.supportedValuesOf("timeZone").map((zone) => [zone.slice(zone.lastIndexOf("/") + 1), zone]),
);

/**
 * IANA name of a zone by that name, by Outlook's, by what Windows shows for it, or by one with a path of the vendor before
 * it; null for others.
 */
function ianaNamed(name: string): string | null {
  const bare = name.replace(/^"|"$/g, "").trim();
  if (bare === "") return null;
  if (isZone(bare)) return bare;
  const known = windowsZone(bare);
  if (known !== null) return known;
  const tail = bare.match(/[A-Z][A-Za-z_]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?$/)?.[0];
  if (tail !== undefined && isZone(tail)) return tail;
  const [, offset, shown] = /^\((?:UTC|GMT)\s*([+-]\d\d:\d\d)?\)\s*(.+)$/i.exec(bare) ?? [];
  if (shown === undefined) return null;
  const city = shown
    .split(/,\s*/)
    .map((one) => CITIES.get(one.trim().replaceAll(" ", "_")))
    .find((zone) => zone !== undefined);
  // Windows shows "Eastern Time (US & Canada)" for Eastern Standard Time, and "Alaska" for Alaskan Standard Time.
  const [region = ""] = /^\w+/.exec(shown) ?? [];
  const standard = windowsZone(`${region} Standard Time`) ?? windowsZone(`${region}n Standard Time`);
  const hours = /^([+-])0?(\d+):00$/.exec(offset ?? "+0:00");
  // In these names the sign says what is to be added to reach UTC.
  const fixed = hours === null ? null : `Etc/GMT${hours[1] === "-" ? "+" : "-"}${hours[2]}`;
  return city ?? standard ?? fixed;
}

const windowsZone = (name: string): string | null =>
  findIana(name as Parameters<typeof findIana>[0])[0] ?? null;
