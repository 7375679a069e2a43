import rrule, { type Options } from "rrule";
import { findIana } from "windows-iana";
import { DAY_MS } from "../../../platform/time.ts";
import { spanOfText } from "../../../schema/time/iso-8601.ts";
import { momentOfClock, offsetMs, zoneMeantAt } from "../../../schema/time/local-time.ts";
import { zoneNamed, zonesMeant } from "../../../schema/time/zones.ts";
import { FeedError } from "../../item.ts";
import { type Component, textFor } from "./lines.ts";

/**
 * Reads a recurrence rule (RFC 5545, 3.3.10), on the clocks of its start. A last day is included; a last moment in UTC is
 * converted to those clocks.
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

/** A length has days of the calendar, and milliseconds besides. */
export interface Length {
  days: number;
  ms: number;
}

const DURATION = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;

/** Reads a duration (RFC 5545, 3.3.6); null for anything else. */
export function lengthOf(text: string): Length | null {
  const parts = DURATION.exec(text.trim());
  if (parts === null) return null;
  const numbers = parts.slice(1).map((part) => Number(part ?? 0));
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers;
  return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}

/** Finds the midnight at which the day begins that a clock shows. */
export const dayOfClock = (clock: number): number => clock - (((clock % DAY_MS) + DAY_MS) % DAY_MS);

/** Tells of the clocks of a zone. What they show is given in milliseconds, as if it were UTC. */
export interface Zone {
  /** The board shows its times in the zone that IANA names so. */
  shownIn: string;
  /** @throws FeedError for a time that no clock can show */
  momentOf(clock: number): number;
  clockOf(moment: number): number;
}

/** Finds the zones of a calendar, by its own names for them. */
export interface Zones {
  /** Times that name no zone are in this one. */
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
  const defined = new Map(
    calendar.parts
      .filter(({ name }) => name === "VTIMEZONE")
      .map((component) => [textFor(component, "TZID"), component]),
  );
  const known = new Map<string, Zone>();
  const find = (name: string, own: Zone): Zone => {
    const iana = ianaNamed(name);
    const component = defined.get(name);
    const observances = component === undefined ? [] : observancesIn(component);
    if (observances.length > 0) {
      // What the calendar says of its own name counts, unless it is but an extract of what IANA knows.
      return iana !== null && areOf(iana, observances)
        ? ianaZone(iana)
        : definedZone(observances, own.shownIn);
    }
    if (iana !== null) return ianaZone(iana);
    const meant = zoneMeantAt(name, own.shownIn);
    if (meant === null && zonesMeant(name).length > 0)
      throw new FeedError(`its zone is an abbreviation that may mean ${zonesMeant(name).join(" or ")}.`);
    return own;
  };
  const ofCalendar = textFor(calendar, "X-WR-TIMEZONE");
  const isShort = zonesMeant(ofCalendar).length > 0 && !defined.has(ofCalendar);
  const own = isShort ? ianaZone(timezone) : find(ofCalendar, ianaZone(timezone));
  return {
    own,
    named(name = "") {
      if (!known.has(name)) known.set(name, find(name, own));
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

/** An onset sets the clocks of a zone to another offset from UTC, in milliseconds, once or by a rule. */
interface Observance {
  onset: number;
  offset: number;
  rule: InstanceType<typeof rrule.RRule> | null;
}

/** Reads the rules of a VTIMEZONE. */
function observancesIn(component: Component): Observance[] {
  return component.parts.flatMap((part) => {
    const onset = spanOfText(textFor(part, "DTSTART"))?.from;
    const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)/.exec(textFor(part, "TZOFFSETTO")) ?? [];
    if (onset === undefined || sign === undefined) return [];
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
    const rule = textFor(part, "RRULE");
    const dtstart = new Date(recent(onset));
    return [
      { onset, offset, rule: rule === "" ? null : new rrule.RRule(ruleOf(rule, dtstart, (clock) => clock)) },
    ];
  });
}

/** A rule is followed from its start, which may lie centuries ago. */
const recent = (onset: number) =>
  new Date(onset).setUTCFullYear(Math.max(new Date(onset).getUTCFullYear(), RULES_FROM_YEAR));

/**
 * Tells whether a zone of IANA has each of these offsets a day after its onset, and one that stands alone in the other
 * season too.
 */
function areOf(iana: string, observances: readonly Observance[]): boolean {
  const days = observances.length === 1 ? [1, 183] : [1];
  return observances.every(({ onset, offset, rule }) => {
    const since = rule?.after(new Date(recent(onset)), true)?.getTime() ?? recent(onset);
    return days.every((day) => offsetMs(since - offset + day * DAY_MS, iana) === offset);
  });
}

/** Makes a zone by the rules of a VTIMEZONE. */
function definedZone(observances: readonly Observance[], shownIn: string): Zone {
  const offsetAt = (clock: number): number => {
    const past = observances
      .map(({ onset, offset, rule }) => ({
        offset,
        since: rule?.before(new Date(clock), true)?.getTime() ?? onset,
      }))
      .filter(({ since }) => since <= clock)
      .sort((a, b) => a.since - b.since);
    return past.at(-1)?.offset ?? observances[0]?.offset ?? 0;
  };
  return {
    shownIn,
    momentOf: (clock) => clock - offsetAt(clock),
    clockOf: (moment) => moment + offsetAt(moment + offsetAt(moment)),
  };
}

const RULES_FROM_YEAR = 2020;

const CITIES = new Map(
  Intl.supportedValuesOf("timeZone").map((zone) => [zone.slice(zone.lastIndexOf("/") + 1), zone]),
);

/**
 * Finds the IANA name of a zone. It may be given by that name, with a vendor's path before it, by Outlook's name, or by
 * what Windows shows for it. Null for any other.
 */
function ianaNamed(name: string): string | null {
  const bare = name.replace(/^"|"$/g, "").trim();
  if (bare === "") return null;
  const spelt = zoneNamed(bare);
  if (spelt !== null) return spelt;
  const known = windowsZone(bare);
  if (known !== null) return known;
  const tail = bare.match(/[A-Z][A-Za-z_]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?$/)?.[0];
  if (tail !== undefined && zoneNamed(tail) !== null) return tail;
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
  // In names such as Etc/GMT+5 the sign is reversed: UTC is five hours ahead.
  const fixed = hours === null ? null : `Etc/GMT${hours[1] === "-" ? "+" : "-"}${hours[2]}`;
  return city ?? standard ?? fixed;
}

const windowsZone = (name: string): string | null =>
  findIana(name as Parameters<typeof findIana>[0])[0] ?? null;
