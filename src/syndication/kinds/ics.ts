import ICAL from "ical.js";
import { findIana } from "windows-iana";
import { TimeZone } from "../../schema/scalars.ts";
import { momentOfClock, offsetMs } from "../../schema/time/local-time.ts";
import { bareItem, FeedError, type FeedFormat, type FeedItem, type Reading } from "../item.ts";

/** How far ahead recurring events are expanded, and into how many. */
const AHEAD_MS = 180 * 86_400_000;
const OCCURRENCES_MAX = 60;
/** Steps of one recurrence and of all in a calendar, past ones included: a rule of each second must not hold up the board. */
const STEPS_MAX = 5_000;
const STEPS_OF_ALL_MAX = 20_000;
const DAY_MS = 86_400_000;

/** iCalendar (RFC 5545): events, with recurring ones expanded. */
export const ics: FeedFormat = {
  kind: "event",
  isComplete: true,
  parse(text, reading) {
    const calendars = calendarsOf(text);
    const found = calendars.map((calendar) => readCalendar(calendar, reading));
    return {
      items: found.flatMap(({ items }) => items),
      unread: found.reduce((sum, { unread }) => sum + unread, 0),
    };
  },
};

function calendarsOf(text: string): ICAL.Component[] {
  let parsed: unknown[];
  try {
    // One calendar gives an array of its parts, several give an array of such arrays.
    parsed = ICAL.parse(text.replace(/^\uFEFF/, "")) as unknown[];
  } catch (cause) {
    throw new FeedError(`This is no iCalendar file: ${(cause as Error).message}.`, { cause });
  }
  const all = typeof parsed[0] === "string" ? [parsed] : parsed;
  const calendars = all
    .map((one) => new ICAL.Component(one as string))
    .filter(({ name }) => name === "vcalendar");
  if (calendars.length === 0) throw new FeedError("This is no iCalendar file: it holds no VCALENDAR.");
  return calendars;
}

/** Turns a calendar's times into epoch milliseconds. */
interface Clock {
  /** Of times without a zone. */
  timezone: string;
  /** Zones that the calendar itself defines. */
  defined: ReadonlyMap<string, ICAL.Timezone>;
  /** Steps of recurrences that are left. */
  steps: number;
}

function readCalendar(calendar: ICAL.Component, reading: Reading): { items: FeedItem[]; unread: number } {
  const named = String(calendar.getFirstPropertyValue("x-wr-timezone") ?? "");
  const defined = new Map<string, ICAL.Timezone>();
  for (const component of calendar.getAllSubcomponents("vtimezone")) {
    const id = String(component.getFirstPropertyValue("tzid") ?? "");
    defined.set(id, new ICAL.Timezone({ component, tzid: id }));
  }
  const clock: Clock = { timezone: zoneNamed(named) ?? reading.timezone, defined, steps: STEPS_OF_ALL_MAX };
  const withdrawn = String(calendar.getFirstPropertyValue("method") ?? "").toUpperCase() === "CANCEL";
  const events = calendar.getAllSubcomponents("vevent").map((component) => new ICAL.Event(component));
  const byId = groupById(events);
  const items: FeedItem[] = [];
  let unread = 0;
  for (const [id, all] of byId) {
    try {
      items.push(...occurrencesOf(id, all, clock, reading.now, withdrawn));
    } catch {
      unread += 1;
    }
  }
  return { items, unread };
}

function groupById(events: readonly ICAL.Event[]): Map<string, ICAL.Event[]> {
  const groups = new Map<string, ICAL.Event[]>();
  for (const event of events) groups.set(eventId(event), [...(groups.get(eventId(event)) ?? []), event]);
  return groups;
}

/** Calendars without UIDs name an event by what and when. */
const eventId = (event: ICAL.Event): string =>
  event.uid || `${event.summary ?? ""} ${event.startDate?.toString() ?? ""}`;

/** The occurrences of one UID: a single event, or a recurring one with its exceptions. */
function occurrencesOf(
  id: string,
  events: readonly ICAL.Event[],
  clock: Clock,
  now: number,
  withdrawn: boolean,
): FeedItem[] {
  // A later revision stands for an earlier one of the same event.
  const latest = (a: ICAL.Event, b: ICAL.Event) => (a.sequence ?? 0) - (b.sequence ?? 0);
  const masters = events.filter((event) => !event.isRecurrenceException()).sort(latest);
  const exceptions = events.filter((event) => event.isRecurrenceException()).sort(latest);
  const master = masters.at(-1);
  const rivals = masters.filter((event) => (event.sequence ?? 0) === (master?.sequence ?? 0));
  const starts = new Set(rivals.map((event) => event.startDate.toString()));
  // Some exports give all their events one UID.
  if (starts.size > 1 && starts.size === rivals.length) {
    return rivals.flatMap((event) =>
      occurrencesOf(`${id} ${event.startDate.toString()}`, [event], clock, now, withdrawn),
    );
  }
  const item = (event: ICAL.Event, start: ICAL.Time, end: ICAL.Time, occurrence: ICAL.Time | null) =>
    itemOf(event, {
      start,
      end,
      clock,
      withdrawn,
      id: occurrence === null ? id : `${id} ${occurrence.toString()}`,
    });
  if (master === undefined) {
    return exceptions.map((one) => item(one, one.startDate, one.endDate, one.recurrenceId));
  }
  if (!master.isRecurring()) return [item(master, master.startDate, master.endDate, null)];
  for (const event of [master, ...exceptions]) alignWith(master, event.component, clock);
  for (const exception of exceptions) master.relateException(exception);
  const items: FeedItem[] = [];
  const iterator = master.iterator();
  for (let step = 0; step < STEPS_MAX && clock.steps > 0 && items.length < OCCURRENCES_MAX; step += 1) {
    clock.steps -= 1;
    const next = iterator.next();
    if (next == null) break;
    const { item: event, startDate, endDate, recurrenceId } = master.getOccurrenceDetails(next);
    const startsAt = epochOf(startDate, event.component, clock);
    if (startsAt > now + AHEAD_MS) break;
    if (epochOf(endDate, event.component, clock) < now) continue;
    items.push(item(event, startDate, endDate, recurrenceId));
  }
  return items;
}

/**
 * Ends, exceptions and additions in UTC, on the clock of the recurrence they belong to. ical.js compares them with times of
 * a zone that the calendar does not define as if both were of one zone.
 */
function alignWith(master: ICAL.Event, component: ICAL.Component, clock: Clock): void {
  const { startDate } = master;
  if (startDate.isDate || (startDate.zone?.tzid ?? "floating") !== "floating") return;
  const zone = zoneOfTime(startDate, master.component, clock);
  const aligned = (value: unknown) =>
    value instanceof ICAL.Time && isUtc(value) ? onClockOf(value, zone) : value;
  for (const property of component.getAllProperties("rrule")) {
    const rule = property.getFirstValue() as ICAL.Recur;
    rule.until = aligned(rule.until) as typeof rule.until;
  }
  for (const name of ["exdate", "rdate", "recurrence-id"]) {
    for (const property of component.getAllProperties(name)) {
      const values = property.getValues().map(aligned) as ICAL.Time[];
      if (property.isMultiValue) property.setValues(values);
      else if (values[0] !== undefined) property.setValue(values[0]);
    }
  }
}

function onClockOf(time: ICAL.Time, zone: string): ICAL.Time {
  const at = time.toJSDate().getTime();
  const shown = ICAL.Time.fromJSDate(new Date(at + offsetMs(at, zone)), true);
  shown.zone = ICAL.Timezone.localTimezone;
  return shown;
}

function itemOf(
  event: ICAL.Event,
  at: { start: ICAL.Time; end: ICAL.Time; clock: Clock; withdrawn: boolean; id: string },
): FeedItem {
  const { component } = event;
  const value = (name: string) => {
    const found = component.getFirstPropertyValue(name);
    return found === null ? null : String(found);
  };
  const startsAt = epochOf(at.start, component, at.clock);
  const endsAt = epochOf(at.end, component, at.clock);
  const allDay = at.start.isDate;
  const categories = component.getAllProperties("categories").flatMap((one) => one.getValues().map(String));
  const where = event.location ?? "";
  const geo = component.getFirstPropertyValue("geo") as unknown;
  const [lat, lng] = Array.isArray(geo) ? (geo as number[]) : [];
  return {
    ...bareItem(at.id, event.summary ?? ""),
    body: event.description ?? "",
    url: value("url"),
    startsAt,
    // The end of whole days is the midnight behind the last one, and an event without an end takes no time.
    endsAt: endsAt > startsAt ? endsAt : allDay ? startsAt + DAY_MS : null,
    allDay,
    timezone: zoneOfTime(at.start, component, at.clock),
    place:
      where.trim() === "" && lat === undefined
        ? null
        : { name: where.trim() === "" ? null : where, lat: lat ?? null, lng: lng ?? null },
    tags: categories,
    cancelled: at.withdrawn || value("status")?.toUpperCase() === "CANCELLED",
  };
}

/** Name of a time's zone as the file gives it; ical.js calls times of unknown zones floating. */
function tzidOf(time: ICAL.Time, component: ICAL.Component): string {
  const own = time.zone?.tzid ?? "floating";
  if (own !== "floating") return own;
  const tzid = component.getFirstProperty("dtstart")?.getFirstParameter("tzid");
  return tzid === undefined ? "floating" : String(tzid);
}

const isUtc = ({ zone }: ICAL.Time): boolean => zone?.tzid === "UTC" || zone?.tzid === "Z";

/** IANA name of the zone of a time, or that of the calendar. */
function zoneOfTime(time: ICAL.Time, component: ICAL.Component, { timezone }: Clock): string {
  const tzid = tzidOf(time, component);
  if (tzid === "UTC" || tzid === "Z") return timezone;
  return zoneNamed(tzid) ?? timezone;
}

function epochOf(time: ICAL.Time, component: ICAL.Component, clock: Clock): number {
  const tzid = tzidOf(time, component);
  if (tzid === "UTC" || tzid === "Z") return time.toJSDate().getTime();
  const zone = zoneNamed(tzid);
  if (zone === null) {
    // Only the file knows this zone.
    const defined = clock.defined.get(tzid);
    if (defined !== undefined && !time.isDate) return time.convertToZone(defined).toUnixTime() * 1000;
  }
  const { year, month, day, hour, minute, second } = time;
  const moment = momentOfClock(Date.UTC(year, month - 1, day, hour, minute, second), zone ?? clock.timezone);
  if (moment === null || Number.isNaN(moment)) throw new RangeError(`${time.toString()} is no time`);
  return moment;
}

const isZone = (name: string) => TimeZone.safeParse(name).success;

/** IANA name of a zone by that name, by Outlook's, or by one with a path of the vendor before it; null for others. */
function zoneNamed(name: string): string | null {
  const bare = name.replace(/^"|"$/g, "").trim();
  if (bare === "" || bare === "floating") return null;
  if (isZone(bare)) return bare;
  const [windows] = findIana(bare as Parameters<typeof findIana>[0]);
  if (windows !== undefined) return windows;
  const tail = bare.match(/[A-Z][A-Za-z_]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?$/)?.[0];
  return tail !== undefined && isZone(tail) ? tail : null;
}
