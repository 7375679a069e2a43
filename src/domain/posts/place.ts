import type { Advice } from "../../board/failures.ts";
import { SMALL_KM } from "../../gazetteer/areas.ts";
import { type GazetteerPlace, placeNamed, type Resolved, resolvePlace } from "../../gazetteer/index.ts";
import type { StoredPost } from "../../ports/store/index.ts";
import { offsetMs, zoneAt } from "../../schema/time/local-time.ts";
import { distanceKm } from "../../search/ranking/distance.ts";
import { adviceToEdit } from "./advice.ts";

type Location = StoredPost["location"];

/** A village may be called Home or Earth: a smaller place is meant only with its region beside it. */
const POPULATION_MIN = 15_000;

/** `at` is the time at which clocks are compared. */
interface ByClock {
  timezone: string | null;
  at: number;
}

/**
 * Finds a place with coordinates: the publisher's own, or else those of the town or district that its name means without
 * doubt, marked as approximate.
 */
export function placedByName(location: Location, post: ByClock): Location {
  if (location === null || location.name === null || location.lat !== null) return location;
  const place = meantBy(location.name, post);
  if (place === null) return location;
  return { ...location, lat: place.lat, lng: place.lng, approximate: true };
}

function meantBy(name: string, post: ByClock): { label: string; lat: number; lng: number } | null {
  const fits = (place: { lat: number; lng: number }) => sharesClock(place, post);
  const place = placeMeant(name) ?? (post.timezone === null ? null : placeNamed(name, fits));
  if (place !== null) return fits(place) ? place : null;
  const found = resolvePlace(name);
  const area = "region" in found ? found.area : null;
  return area !== null && area.radiusKm <= SMALL_KM && fits(area) ? area : null;
}

/** Tells the writer where a post was put by its place's name, or why it was not put anywhere. */
export function noteOnPlace({ id, location, timezone, startsAt, createdAt }: StoredPost): Advice[] {
  if (location === null || location.name === null) return [];
  const { name, lat, lng, approximate = false } = location;
  const label = approximate ? meantBy(name, { timezone, at: startsAt ?? createdAt })?.label : undefined;
  if (label !== undefined) {
    const found = `\`near\` finds this post at ${label} (${lat},${lng}), by the name of its place`;
    return [
      adviceToEdit(id, (call) => `${found}; if another place is meant, send \`lat\` and \`lng\`: ${call}.`),
    ];
  }
  if (NOWHERE.test(name)) return [];
  if (lat !== null && lng !== null) return noteOnFarPlace(id, name, { lat, lng });
  const several = resolvePlace(name);
  if (!("oneOf" in several) || several.oneOf.length < 2) {
    const isRegion = "region" in several;
    const why = isRegion ? "is that of a country or region" : `is not known${nearest(several)}`;
    const unknown = `\`near\` does not find this post, since the name of its place ${why}`;
    return [
      adviceToEdit(
        id,
        (call) => `${unknown}; send the town too (as in "Oost, Amsterdam"), or \`lat\` and \`lng\`: ${call}.`,
      ),
    ];
  }
  const unclear = `\`near\` does not find this post, since several places bear this name`;
  return [adviceToEdit(id, (call) => `${unclear}; send its region too, or \`lat\` and \`lng\`: ${call}.`)];
}

/** Coordinates further than this from each place of the name are mistaken: a sign is missing, or the two are exchanged. */
const FAR_KM = 1_000;

/** Tells the writer where the coordinates of a post lie far from every place that its name may mean. */
function noteOnFarPlace(id: string, name: string, point: { lat: number; lng: number }): Advice[] {
  const place = placeMeant(name);
  const away = place === null ? 0 : distanceKm(place, point);
  if (place === null || away <= FAR_KM) return [];
  const close = resolvePlace(name, (other) => distanceKm(other, point) <= FAR_KM);
  if ("place" in close || "oneOf" in close) return [];
  const isExchanged = distanceKm(place, { lat: point.lng, lng: point.lat }) <= FAR_KM;
  const why = isExchanged ? ", as if `lat` and `lng` were exchanged" : "";
  const far = `\`near\` finds this post at ${point.lat},${point.lng}, ${Math.round(away)} km from ${place.label}, which its place names${why}`;
  return [adviceToEdit(id, (call) => `${far}; if that is not meant, correct them: ${call}.`)];
}

/** What is nowhere needs no place. */
const NOWHERE = /\b(?:online|remote|virtual|anywhere|worldwide|everywhere|zoom|internet|web|video call)\b/iu;

const OR = new Intl.ListFormat("en", { type: "disjunction" });
const nearest = (found: Resolved) =>
  "unknown" in found && found.unknown.length > 0
    ? ` (perhaps ${OR.format(found.unknown.map(({ label }) => label))})`
    : "";

/**
 * Finds the place of the whole name, or of what follows a venue: the longest end that stands apart and means a place
 * ("Kino, Leipzig", "Kino (Leipzig)", "the cinema in Leipzig"). Where what stands before it is a town itself, the end is
 * not meant: an unknown region bears the name of a town elsewhere. Last comes the town that is followed by a part of it:
 * "London SE15", "Zürich HB". Any other name of a venue is no town, whatever it begins with: "Nice café", "Essen und
 * Trinken".
 */
function placeMeant(name: string): GazetteerPlace | null {
  const parts = name
    .split(APART)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const bare = parts.map((part) => (HALL.test(part) ? "" : withoutNumbers(part)));
  for (const [from, part] of parts.entries()) {
    if (from < parts.length - 1 && VENUE.test(part)) continue;
    const end = from === 0 ? parts : bare.slice(from);
    const place = placeNamed(end.join(", "));
    if (place !== null && (end.length > 1 || place.population >= POPULATION_MIN)) return place;
    if (end.length > 1 && isTown(part)) return null;
  }
  if (parts.length > 1) return null;
  const [, town = ""] = BEHIND_IN.exec(name) ?? [];
  const place = town === "" ? null : placeNamed(withoutNumbers(town));
  return place !== null && place.population >= POPULATION_MIN ? place : townBeginning(name);
}

/** One of these sets a town apart from a venue. */
const APART = /[,，、;|·()（）]|\s[-–—]\s/u;
const BEHIND_IN = /\s(?:in|near|bei|nahe|à|em|te|i)\s+(?:the\s+)?(\p{Lu}.*)$/u;
/** A part may have such a name, and so has a town somewhere: "Bar, Lisbon" is not in Montenegro. */
const VENUE =
  /^(?:bar|pub|inn|temple|beach|church|chapel|park|hall|mill|mall|lounge|college|school|garden|gardens|museum|library|market|square|station|theatre|theater|arena|club|gym|hospital|museo|plaza|rynek|saal|halle|bahnhof|kirche|schloss)$/iu;
/** Halle 7 is a hall of a fair, and no town. */
const HALL = /^halle\s+[\p{N}A-Z]{1,2}$/iu;

/** Drops house numbers and postal codes: "10967 Berlin", "Paris 11e". */
const withoutNumbers = (part: string) =>
  part
    .split(/\s+/u)
    .filter((word) => !/\d/.test(word))
    .join(" ");

/** Tells whether a name is that of a town, wherever it lies. */
function isTown(name: string): boolean {
  const found = resolvePlace(name);
  const [largest] = "place" in found ? [found.place] : "oneOf" in found ? found.oneOf : [];
  return largest?.name.toLowerCase() === name.toLowerCase() && largest.population >= POPULATION_MIN;
}

/** A longer text may begin with a town of this many people. */
const CITY_POPULATION = 100_000;
/** Short names of towns in other languages are words too: "Room 101" is not in Rome. */
const SHORT_NAME = 4;
/** A code, a station or a direction only says where in the town. */
const PART_OF_TOWN =
  /^(?:\p{Lu}{1,3}|Hbf|Bhf|Nord|Süd|Ost|West|North|South|East|Mitte|Altstadt|Zentrum|Innenstadt|Centre|Center|City|Downtown|Central|Centrum|Centro)$/u;

/** Finds the district of a large town ("Berlin Kreuzberg"), or the town that is said first. */
function townBeginning(text: string): GazetteerPlace | null {
  const words = withoutNumbers(text).split(/\s+/u);
  // Two names side by side are two places: "Lisbon / Porto".
  if (words.length > 5 || HALL.test(text) || /\s[/&+]\s/u.test(text)) return null;
  for (let end = words.length; end > 0; end -= 1) {
    const [town, part] = [words.slice(0, end).join(" "), words.slice(end).join(" ")];
    const place = placeNamed(town);
    if (place === null || place.population < CITY_POPULATION) continue;
    const isOwn = town.length > SHORT_NAME || place.name.toLowerCase() === town.toLowerCase();
    const district = isOwn && part !== "" ? placeNamed(`${part}, ${town}`) : null;
    if (district !== null || (isOwn && (part === "" || PART_OF_TOWN.test(part)))) return district ?? place;
  }
  return null;
}

function sharesClock(place: { lat: number; lng: number }, { timezone, at }: ByClock): boolean {
  const zone = zoneAt(place);
  return timezone === null || zone === null || offsetMs(at, timezone) === offsetMs(at, zone);
}
