import tzLookup from "@photostructure/tz-lookup";
import { LRUCache } from "lru-cache";
import { SMALL_KM } from "../../gazetteer/areas.ts";
import { resolvePlace } from "../../gazetteer/index.ts";
import { DAY_MS } from "../../platform/time.ts";
import { fromJsonText } from "../scalars.ts";
import { isOverADay, spanOfText, type TimeSpan } from "./iso-8601.ts";
import { zoneNamed, zonesMeant } from "./zones.ts";

/** These zones are farthest ahead of UTC and behind it: a day begins first in the one and ends last in the other. */
const AHEAD_MS = 14 * 3_600_000;
const BEHIND_MS = 12 * 3_600_000;

/**
 * Gives the first moment that a text covers: of a local time, in the zone, or else the first at which clocks anywhere show
 * it.
 */
export function firstMoment(span: TimeSpan, zone: string | null): number {
  if (!span.local) return span.from;
  const known = span.zone ?? zone;
  return known === null ? span.from - AHEAD_MS : (momentOfClock(span.from, known) ?? span.from);
}

/** Gives the last moment that a text covers, likewise. */
export function lastMoment(span: TimeSpan, zone: string | null): number {
  if (!span.local) return span.to;
  const known = span.zone ?? zone;
  return known === null ? span.to + BEHIND_MS : (momentOfClock(span.to, known) ?? span.to);
}

/** Tells whether a time of a post came without an offset. */
export const hasLocalTimes = (sent: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(sent).some(
    ([name, value]) => name.endsWith("_at") && typeof value === "string" && spanOfText(value)?.local === true,
  );

/**
 * Turns local times of a post into moments, where `timezone` or the place tells the zone. A date begins with its first
 * moment and ends with its last. Other texts stay as they are.
 *
 * @param own  the zone of the post that is edited, where nothing that was sent tells one
 * @returns `note` names a zone that the caller did not send
 */
export function withMoments(
  sent: Record<string, unknown>,
  own: string | null = null,
): {
  fields: Record<string, unknown>;
  note: string | null;
} {
  const local = Object.entries(sent).flatMap(([name, value]): [string, TimeSpan][] => {
    if (!name.endsWith("_at") || typeof value !== "string") return [];
    const span = spanOfText(value);
    // What begins on some day of a month is asked for that day, by the schema.
    return span?.local === true && !(name === "starts_at" && isOverADay(span)) ? [[name, span]] : [];
  });
  const named = typeof sent["timezone"] === "string" ? sent["timezone"] : "";
  const isShort = zonesMeant(named).length > 0;
  if (local.length === 0 && !isShort) return { fields: sent, note: null };
  const ofPlace = zoneOfPlace(fromJsonText(sent["location"])) ?? own;
  const said = isShort ? zoneMeantAt(named, ofPlace) : zoneNamed(named);
  const zone = said ?? (isShort ? null : ofPlace);
  const moments = local.flatMap(([name, span]): [string, string][] => {
    const known = span.zone ?? zone;
    const moment = known === null ? null : momentOfClock(name === "starts_at" ? span.from : span.to, known);
    return moment === null ? [] : [[name, new Date(moment).toISOString()]];
  });
  const isGuessed = said === null && zone !== null && local.some(([, span]) => span.zone === undefined);
  const isMeant = isShort && said !== null;
  return {
    fields: { ...sent, ...Object.fromEntries(moments), ...(isMeant ? { timezone: said } : {}) },
    note: isGuessed
      ? `Times without an offset were read in ${zone}, the zone of the ${zone === own ? "post" : "place"}.`
      : isMeant
        ? `The abbreviation in \`timezone\` was read as ${said}, the zone of the place.`
        : null,
  };
}

/**
 * Finds the zone at a place, where it is one of those that an abbreviation may mean, or keeps the same time as one of them:
 * CEST is Europe/Vienna in Vienna.
 */
export function zoneMeantAt(abbreviation: string, zone: string | null): string | null {
  const isSame = (other: string) => SEASONS.every((at) => offsetMs(at, other) === offsetMs(at, zone ?? ""));
  return zone !== null && zonesMeant(abbreviation).some(isSame) ? zone : null;
}

/** Two zones that agree at midwinter and midsummer count as one. */
const SEASONS = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/**
 * Gives the last moment of a post that says when it starts and not when it ends: the start itself, or, where that is a
 * midnight, the end of that day, since people write a date as its midnight.
 * @param startsAt  epoch milliseconds
 */
export function endOfStart(startsAt: number, post: Whereabouts): number {
  if (startsAt % CLOCK_STEP_MS !== 0) return startsAt;
  const zone = zoneOf(post);
  const clock = startsAt + offsetMs(startsAt, zone);
  return clock % DAY_MS === 0 ? (momentOfClock(clock + DAY_MS, zone) ?? startsAt + DAY_MS) - 1 : startsAt;
}

/** Gives the zone in which a post's times are shown: its own, else that of its place, else UTC. */
export function zoneOf({ timezone, location }: Whereabouts): string {
  const { lat, lng } = location ?? {};
  return timezone ?? (lat == null || lng == null ? null : zoneAt({ lat, lng })) ?? "UTC";
}

/** These tell the zone of a post's times. */
interface Whereabouts {
  timezone: string | null;
  location: { lat?: number | null; lng?: number | null } | null;
}

/** Every clock of the world differs from UTC by a multiple of this. */
const CLOCK_STEP_MS = 900_000;

/**
 * Finds the zone at the coordinates of a post, or else at the place, island or small region that its name means without
 * doubt.
 */
export function zoneOfPlace(location: unknown): string | null {
  const { lat, lng, name } =
    typeof location === "string" ? { name: location } : ((location ?? {}) as Record<string, unknown>);
  if (typeof lat === "number" && typeof lng === "number") return zoneAt({ lat, lng });
  if (typeof name !== "string") return null;
  const found = resolvePlace(name);
  const area =
    "region" in found && found.area !== null && found.area.radiusKm <= SMALL_KM ? found.area : null;
  return "place" in found ? zoneAt(found.place) : area && zoneAt(area);
}

/** Finds the IANA zone at a place; null beyond the poles. */
export function zoneAt({ lat, lng }: { lat: number; lng: number }): string | null {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? tzLookup(lat, lng) : null;
}

/**
 * Gives the moment at which clocks of a zone show a time, given as if it stood in UTC. Of an hour that occurs twice, the
 * first; null for an unknown zone, about which its own field complains.
 */
export function momentOfClock(asUtc: number, zone: string): number | null {
  try {
    const earlier = asUtc - offsetMs(asUtc - DAY_MS, zone);
    const later = asUtc - offsetMs(asUtc + DAY_MS, zone);
    const fits = [earlier, later].filter((moment) => moment + offsetMs(moment, zone) === asUtc);
    return fits.length === 0 ? earlier : Math.min(...fits);
  } catch {
    return null;
  }
}

/** Tells how far the clock of a zone is ahead of UTC at a moment. */
export function offsetMs(moment: number, zone: string): number {
  const part = Object.fromEntries(
    CLOCKS.memo(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/** Clocks are kept by zone: making one costs as much as twenty readings. */
const CLOCKS = new LRUCache<string, Intl.DateTimeFormat>({
  max: 50,
  memoMethod: (zone) =>
    new Intl.DateTimeFormat("en", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    }),
});
