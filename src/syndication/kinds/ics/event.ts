import { DAY_MS } from "../../../platform/time.ts";
import { spanOfText } from "../../../schema/time/iso-8601.ts";
import { FeedError, type FeedItem } from "../../item.ts";
import { standingOf } from "../../standing.ts";
import { coordinate } from "../fields.ts";
import { type Component, type Property, propertyOf, textFor, unescaped, valuesOf } from "./lines.ts";
import { dayOfClock, type Length, lengthOf, utcShownIn, type Zone, type Zones } from "./zones.ts";

/** Holds a day or a moment, as the clocks of its zone show it. */
export interface Time {
  isDay: boolean;
  isUtc: boolean;
  zone: Zone;
  /** The clocks of the zone show this, in milliseconds as if that were UTC. */
  clock: number;
}

/** Holds an event as its calendar has it. */
export interface Event {
  component: Component;
  title: string;
  start: Time;
  length: Length;
  /** An exception replaces this occurrence of a series, and perhaps all later ones too. */
  stands: { for: Time; andLater: boolean } | null;
  /** Finds the later of two revisions, which has the greater sequence, or with an equal one the later modification. */
  revision: readonly [sequence: number, modified: number];
}

/** @throws FeedError */
export function readTime({ params, value }: Property, zones: Zones): Time {
  const span = spanOfText(value);
  if (span === null) throw new FeedError(`"${value.slice(0, 40)}" is no time.`);
  const isDay = params["VALUE"]?.toUpperCase() === "DATE" || span.to > span.from;
  if (isDay) return { isDay, isUtc: false, zone: zones.own, clock: dayOfClock(span.from) };
  if (!span.local) return { isDay, isUtc: true, zone: utcShownIn(zones.own.shownIn), clock: span.from };
  return { isDay, isUtc: false, zone: zones.named(params["TZID"]), clock: span.from };
}

/** Gives the day of a time; for a time in UTC, the day that the clocks of a zone show then. */
export const dayShown = ({ isUtc, clock }: Time, zone: Zone): number =>
  dayOfClock(isUtc ? zone.clockOf(clock) : clock);

/** @throws FeedError */
export function readEvent(component: Component, zones: Zones): Event {
  const first = propertyOf(component, "DTSTART");
  if (first === null) throw new FeedError("it has no start.");
  const start = readTime(first, zones);
  const replaced = propertyOf(component, "RECURRENCE-ID");
  return {
    component,
    title: textFor(component, "SUMMARY"),
    start,
    length: lengthBetween(component, start, zones),
    stands:
      replaced === null
        ? null
        : {
            for: readTime(replaced, zones),
            andLater: /^THISANDFUTURE$/i.test(replaced.params["RANGE"] ?? ""),
          },
    revision: [
      Number(textFor(component, "SEQUENCE")) || 0,
      spanOfText(textFor(component, "LAST-MODIFIED"))?.from ?? 0,
    ],
  };
}

function lengthBetween(component: Component, start: Time, zones: Zones): Length {
  const written = lengthOf(textFor(component, "DURATION"));
  const last = propertyOf(component, "DTEND");
  if (last === null) return written ?? { days: 0, ms: 0 };
  const end = readTime(last, zones);
  if (start.isDay) return { days: (dayShown(end, start.zone) - start.clock) / DAY_MS, ms: 0 };
  return { days: 0, ms: end.zone.momentOf(end.clock) - start.zone.momentOf(start.clock) };
}

/** Gives the moment of an end, or null for none after the start. A whole day ends at the next midnight. */
export function endOf({ isDay, zone, clock }: Time, { days, ms }: Length): number | null {
  const end = zone.momentOf(clock + days * DAY_MS) + ms;
  if (end > zone.momentOf(clock)) return end;
  return isDay ? zone.momentOf(clock + DAY_MS) : null;
}

export function itemOf(
  id: string,
  { component, title }: Event,
  at: { start: Time; length: Length },
): FeedItem {
  const [lat, lng] = (propertyOf(component, "GEO")?.value ?? "").split(/[;,]/).map(coordinate);
  const where = textFor(component, "LOCATION");
  const [meeting = null] = /https?:\/\/[^\s<>"]+/i.exec(where) ?? [];
  return {
    id,
    title,
    body: textFor(component, "DESCRIPTION"),
    isPlain: true,
    url:
      ["URL", "CONFERENCE", "X-GOOGLE-CONFERENCE"].map((name) => textFor(component, name)).find(Boolean) ??
      meeting,
    startsAt: at.start.zone.momentOf(at.start.clock),
    endsAt: endOf(at.start, at.length),
    allDay: at.start.isDay,
    timezone: at.start.zone.shownIn,
    place: where === "" && lat == null ? null : { name: where || null, lat: lat ?? null, lng: lng ?? null },
    tags: valuesOf(component, "CATEGORIES").map(({ value }) => unescaped(value)),
    ...standingOf({ status: textFor(component, "STATUS"), class: textFor(component, "CLASS") }),
  };
}
