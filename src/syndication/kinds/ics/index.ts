import {
  ENTRIES_MAX,
  type FeedItem,
  type Parse,
  type Parsed,
  type Reading,
  type Unread,
} from "../../item.ts";
import { type Event, itemOf, readEvent } from "./event.ts";
import { type Component, calendarsIn, type Property, textFor } from "./lines.ts";
import { type Calendar, nameOf, occurrencesOf } from "./series.ts";
import { zonesOf } from "./zones.ts";

/** Reads iCalendar (RFC 5545): its events, recurring ones expanded. */
export const ics: Parse = (text, reading) => {
  const read = calendarsIn(text).map((calendar) => readCalendar(calendar, reading));
  return {
    items: read.flatMap(({ items }) => items),
    unread: read.flatMap(({ unread }) => unread),
    beyond: read.reduce((sum, { beyond }) => sum + beyond, 0),
  };
};

function readCalendar(component: Component, { now, timezone }: Reading): Parsed {
  const calendar: Calendar = { zones: zonesOf(component, timezone), now };
  const withdrawn = /^CANCEL$/i.test(textFor(component, "METHOD"));
  const items: FeedItem[] = [];
  const unread: Unread[] = [];
  /** An error costs only the event where it happens. */
  const attempt = (name: string, id: string, act: () => void) => {
    try {
      act();
    } catch (error) {
      unread.push({ why: `${name}: ${(error as Error).message}`, id: id || null });
    }
  };
  const all = component.parts.filter(({ name }) => name === "VEVENT");
  const groups = new Map<string, Event[]>();
  for (const one of all.slice(0, ENTRIES_MAX)) {
    const title = textFor(one, "SUMMARY");
    const uid = textFor(one, "UID");
    attempt(title || uid || "An event", uid || title, () => {
      const event = readEvent(one, calendar.zones);
      // An event without a UID is known by its title and start.
      const id = uid || `${title} ${nameOf(event.start, event.start)}`;
      groups.set(id, [...(groups.get(id) ?? []), event]);
    });
  }
  const broken = new Set(unread.map(({ id }) => id));
  for (const [id, events] of groups) {
    const unreadable = broken.has(id) ? all.filter((one) => textFor(one, "UID") === id) : [];
    const kept = unreadable.flatMap(({ properties }) => properties.get("RECURRENCE-ID") ?? []);
    attempt(events[0]?.title || id, id, () => items.push(...itemsOf(id, events, kept, calendar)));
  }
  return {
    items: withdrawn ? items.map((item) => ({ ...item, cancelled: true })) : items,
    unread,
    beyond: Math.max(0, all.length - ENTRIES_MAX),
  };
}

/** Reads the events of one UID: an event, a series with its exceptions, or, in some exports, all events of the calendar. */
function itemsOf(
  id: string,
  events: readonly Event[],
  kept: readonly Property[],
  calendar: Calendar,
): FeedItem[] {
  const sorted = [...events].sort((a, b) => byRevision(a, b));
  const masters = sorted.filter(({ stands }) => stands === null);
  const exceptions = sorted.filter(({ stands }) => stands !== null);
  const newest = masters.at(-1);
  if (newest === undefined) {
    return exceptions.map((event) =>
      itemOf(`${id} ${nameOf(event.stands?.for ?? event.start, event.start)}`, event, event),
    );
  }
  const distinct = new Map(
    masters
      .filter((event) => byRevision(event, newest) === 0)
      .map((event) => [`${nameOf(event.start, event.start)} ${event.title}`, event]),
  );
  return [...distinct].flatMap(([name, event], at) => {
    const own = distinct.size === 1 ? id : `${id} ${name}`;
    const { properties } = event.component;
    if (!properties.has("RRULE") && !properties.has("RDATE")) return [itemOf(own, event, event)];
    return occurrencesOf(own, event, at === 0 ? exceptions : [], { ...calendar, kept });
  });
}

const byRevision = ({ revision: [a, modified] }: Event, { revision: [b, later] }: Event): number =>
  a - b || modified - later;
