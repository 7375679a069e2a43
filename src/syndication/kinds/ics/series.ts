import rrule from "rrule";
import { DAY_MS, HOUR_MS } from "../../../platform/time.ts";
import type { FeedItem } from "../../item.ts";
import { isCalledOff } from "../../standing.ts";
import { dayShown, type Event, endOf, itemOf, readTime, type Time } from "./event.ts";
import { type Property, textFor, valuesOf } from "./lines.ts";
import { dayOfClock, type Length, lengthOf, ruleOf, type Zone, type Zones } from "./zones.ts";

/** A recurring event is expanded this far ahead, and into this many occurrences. */
const AHEAD_MS = 180 * DAY_MS;
const OCCURRENCES_MAX = 60;
/** This many occurrences of one rule are looked at, past ones included: a rule may have one each second. */
const STEPS_MAX = 20_000;

/** All events of a calendar share it. */
export interface Calendar {
  zones: Zones;
  now: number;
}

/** An occurrence takes place then, by the rule. */
interface Slot {
  start: Time;
  length: Length;
}

/**
 * Lists the next occurrences of a recurring event. An exception counts by its own time, also where the rule has no
 * occurrence that it could replace.
 */
export function occurrencesOf(
  id: string,
  master: Event,
  exceptions: readonly Event[],
  calendar: Calendar & { kept: readonly Property[] },
): FeedItem[] {
  const { component, start } = master;
  // An occurrence that an exception stands for is in both lists, and is left out of the slots only.
  const excluded = [...valuesOf(component, "EXDATE"), ...calendar.kept].map((value) =>
    readTime(value, calendar.zones),
  );
  const isOver = (slot: Slot) => (endOf(slot.start, slot.length) ?? momentOf(slot.start)) < calendar.now;
  const isPrivate = isCalledOff({ class: textFor(component, "CLASS") });
  const item = (slot: Time, event: Event, at: Slot) => {
    const found = itemOf(`${id} ${nameOf(slot, start)}`, event, at);
    return { ...found, cancelled: isPrivate || found.cancelled === true };
  };
  // Exceptions are in the order of their revisions: the last one of an occurrence counts.
  const moved = new Map(exceptions.map((event) => [nameOf(standsFor(event), start), event]));
  const later = exceptions.filter(({ stands }) => stands?.andLater === true).sort(bySlot);
  const items: FeedItem[] = [];
  for (const slot of slotsOf(master, calendar)) {
    if (items.length >= OCCURRENCES_MAX) break;
    if (excluded.some((time) => isSame(time, slot.start))) continue;
    if ([...moved.values()].some((event) => isSame(standsFor(event), slot.start))) continue;
    const inForce = later.findLast((event) => momentOf(standsFor(event)) <= momentOf(slot.start));
    const shift = inForce === undefined ? 0 : inForce.start.clock - standsFor(inForce).clock;
    const shown =
      inForce === undefined
        ? slot
        : { start: { ...inForce.start, clock: slot.start.clock + shift }, length: inForce.length };
    if (!isOver(shown) && momentOf(shown.start) <= calendar.now + AHEAD_MS)
      items.push(item(slot.start, inForce ?? master, shown));
  }
  for (const event of moved.values()) if (!isOver(event)) items.push(item(standsFor(event), event, event));
  return items.sort((a, b) => (a.startsAt ?? 0) - (b.startsAt ?? 0));
}

const momentOf = ({ zone, clock }: Time) => zone.momentOf(clock);
const standsFor = ({ stands, start }: Event): Time => stands?.for ?? start;
const bySlot = (a: Event, b: Event) => momentOf(standsFor(a)) - momentOf(standsFor(b));

/** Two moments are the same at one time, in any zones; two days, or a day and a moment, on one day. */
const isSame = (a: Time, b: Time): boolean =>
  a.isDay || b.isDay ? dayShown(a, b.zone) === dayShown(b, b.zone) : momentOf(a) === momentOf(b);

/** Names an occurrence by its start, as the clocks of its series show it. */
export function nameOf(time: Time, { isDay, isUtc, zone }: Time): string {
  if (isDay || time.isDay) return new Date(dayShown(time, zone)).toISOString().slice(0, 10);
  const clock = time.zone === zone ? time.clock : zone.clockOf(momentOf(time));
  return `${new Date(clock).toISOString().slice(0, 19)}${isUtc ? "Z" : ""}`;
}

/** Lists occurrences by the rules and dates of a series, earliest first. */
function slotsOf({ component, start, length }: Event, calendar: Calendar): Slot[] {
  const margin = (length.days + 2) * DAY_MS + length.ms;
  const clockOf = (moment: number) =>
    start.isDay ? lastDayAt(moment, calendar.zones.own) : start.zone.clockOf(moment);
  const clocksBy = (name: "RRULE" | "EXRULE"): Set<number> => {
    const clocks = new Set<number>();
    for (const { value } of component.properties.get(name) ?? []) {
      if (value.trim() === "") continue;
      let steps = 0;
      const rule = new rrule.RRule(ruleOf(value, new Date(start.clock), clockOf), true);
      rule.all((date) => {
        const clock = date.getTime();
        if (clock > calendar.now + AHEAD_MS + margin) return false;
        if (clock >= calendar.now - margin) clocks.add(clock);
        steps += 1;
        return steps < STEPS_MAX;
      });
    }
    return clocks;
  };
  const clocks = clocksBy("RRULE");
  const isRuled = component.properties.get("RRULE")?.some(({ value }) => value.trim() !== "") ?? false;
  if (!isRuled) clocks.add(start.clock);
  for (const clock of clocksBy("EXRULE")) clocks.delete(clock);
  const byRule = [...clocks].map((clock): Slot => ({ start: { ...start, clock }, length }));
  const added = valuesOf(component, "RDATE").map((value) => slotOf(value, length, calendar.zones));
  return [...byRule, ...added].sort((a, b) => momentOf(a.start) - momentOf(b.start));
}

/**
 * Finds the last day of a series of days that ends at a moment: the day that clocks of the zone show then. A moment that is
 * no midnight there is most often a midnight in Europe, written in UTC by a program that does not name its zone.
 */
function lastDayAt(moment: number, zone: Zone): number {
  const clock = zone.clockOf(moment);
  const isEurope = dayOfClock(clock) !== clock && moment % HOUR_MS === 0;
  return isEurope ? dayOfClock(moment + 2 * HOUR_MS) : dayOfClock(clock);
}

/** Reads a date with the usual length, or a period with its own. */
function slotOf({ params, value }: Property, usual: Length, zones: Zones): Slot {
  const [from = "", to] = value.split("/");
  const start = readTime({ params, value: from }, zones);
  if (to === undefined) return { start, length: usual };
  const end = lengthOf(to) ?? {
    days: 0,
    ms: momentOf(readTime({ params, value: to }, zones)) - momentOf(start),
  };
  return { start, length: end };
}
