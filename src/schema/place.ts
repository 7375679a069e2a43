import { z } from "zod";
import { type GazetteerPlace, resolvePlace, suggestPlaces } from "../gazetteer/index.ts";
import { fromJsonText, refuseValue } from "./scalars.ts";

export interface NearPoint extends Point {
  /** Its name was read as this place; missing where coordinates were sent. */
  place?: NamedPlace;
  /** The named country, region or island reaches so far around this point. */
  radiusKm?: number;
  /** These places bear the name, largest first, where none is meant more than the others. This point is that of the first. */
  oneOf?: readonly NearPoint[];
  /** No other place of this name has posts. */
  isOnlyWithPosts?: true;
}

interface NamedPlace {
  /** It reads like `Springfield, Illinois`. */
  label: string;
  /** Holds labels of the other places of this name, largest first. */
  others: readonly string[];
}

const FORMS =
  "Must be the name of a place, such as Berlin or Portland, OR, or `lat,lng`, such as 52.52,13.40.";

/** These are coordinates under any of their usual names. */
const PointObject = z
  .object({ lat: z.number(), lng: z.number() })
  .or(z.object({ lat: z.number(), lon: z.number() }))
  .or(z.object({ latitude: z.number(), longitude: z.number() }))
  .or(z.tuple([z.number(), z.number()]));

/**
 * Writes `location` as `name`, `lat` and `lng`, where it came as GeoJSON (a point, or a feature of one), under other names
 * of coordinates, or as a text of two numbers. Any other place without these stays, and is refused.
 */
export function withPlainPlace(sent: Record<string, unknown>): Record<string, unknown> {
  const location = fromJsonText(sent["location"]);
  if (typeof location === "string") {
    const point = pointOfText(location);
    return point === null ? sent : { ...sent, location: point };
  }
  if (typeof location !== "object" || location === null || Array.isArray(location)) return sent;
  const place = location as Record<string, unknown>;
  const { lat = null, lng = null } = place;
  if (lat !== null && lng !== null) return sent;
  // Half a point of its own is not completed by another one.
  const inner = lat === null && lng === null ? INNER.map((name) => place[name]) : [];
  const point = [place, ...inner].map(pointOfObject).find((one) => one !== null);
  if (point === undefined) return sent;
  const { name } = (place["properties"] ?? {}) as { name?: unknown };
  const others = Object.entries(place).filter(([field]) => !SHAPES.has(field) && !INNER.includes(field));
  return {
    ...sent,
    location: { ...(name == null ? {} : { name }), ...Object.fromEntries(others), ...point },
  };
}

/** These members of a place may hold its point, and the others are read with it. */
const INNER = ["geometry", "geo", "point", "position", "coordinates", "coords"];
const SHAPES: ReadonlySet<string> = new Set("type properties bbox latitude longitude lon long".split(" "));

/** Reads a point of GeoJSON, longitude first, or coordinates by name. */
function pointOfObject(sent: unknown): Point | null {
  const of = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value);
  if (typeof sent !== "object" || sent === null) return null;
  const { coordinates, type, lat, latitude, lng, lon, long, longitude } = sent as Record<string, unknown>;
  const named = [lat ?? latitude, lng ?? lon ?? long ?? longitude];
  const isPoint = (type ?? "Point") === "Point";
  // As above, half a point by name is not completed by the list beside it.
  const isListed = isPoint && Array.isArray(coordinates) && named.every((value) => value == null);
  const [south, west] = (isListed ? [coordinates[1], coordinates[0]] : named).map(of);
  return typeof south === "number" && typeof west === "number" ? { lat: south, lng: west } : null;
}

/** A search has its centre at the name of a place, or at its coordinates. */
export const Near = z
  .union([z.string(), PointObject], { error: FORMS })
  .transform((sent, context): NearPoint => {
    const read = typeof sent === "string" ? nearOfText(sent) : (pointWithin(...degreesOf(sent)) ?? REVERSED);
    return "lat" in read ? read : refuseValue(context, sent, read.message, { code: read.code });
  })
  .meta({ override: { type: "string" } });

function degreesOf(sent: z.output<typeof PointObject>): [lat: number, lng: number] {
  if (Array.isArray(sent)) return sent;
  if ("latitude" in sent) return [sent.latitude, sent.longitude];
  return [sent.lat, "lng" in sent ? sent.lng : sent.lon];
}

interface Misread {
  code: string;
  message: string;
}

const REVERSED: Misread = {
  code: "invalid_format",
  message: "Must be `lat,lng` in degrees, latitude (-90 to 90) first, such as 52.52,13.40.",
};

function nearOfText(sent: string): NearPoint | Misread {
  const point = pointOfText(sent);
  if (point !== null) return point;
  if (!/\p{L}/u.test(sent.replace(/\d+(?:\.\d+)?e[+-]?\d+/gi, ""))) return REVERSED;
  const found = resolvePlace(sent);
  if ("place" in found) return nearPlace(found.place, found.others);
  if ("oneOf" in found) {
    const oneOf = found.oneOf.map((place) => nearPlace(place, found.oneOf));
    const [{ lat, lng } = { lat: 0, lng: 0 }] = oneOf;
    return { lat, lng, oneOf };
  }
  if ("region" in found && found.area !== null) {
    const { label, lat, lng, radiusKm } = found.area;
    return { lat, lng, radiusKm, place: { label, others: found.namesakes.map((other) => other.label) } };
  }
  if ("region" in found) {
    const towns =
      found.namesakes.length === 0
        ? "name one"
        : `name one (of this name: ${quotedLabels(found.namesakes.map(({ label }) => label))})`;
    return {
      code: "not_a_place",
      message: `This is a country or region that one search does not cover: ${towns} in it, with \`radius_km\` up to 500, or put the region into \`q\`.`,
    };
  }
  const like =
    found.unknown.length === 0
      ? ""
      : ` Did you mean ${quotedLabels(found.unknown.map(({ label }) => label))}?`;
  return {
    code: "unknown_place",
    message: `No town or district of this name is known.${like} Otherwise name a larger place beside it, or send \`lat,lng\`.`,
  };
}

const OR = new Intl.ListFormat("en", { type: "disjunction" });
/** Writes `"Valencia, Spain" or "Valencia, Venezuela"`. */
export const quotedLabels = (labels: readonly string[]) => OR.format(labels.map((label) => `"${label}"`));

const nearPlace = ({ label, lat, lng }: GazetteerPlace, others: readonly GazetteerPlace[]): NearPoint => ({
  lat,
  lng,
  place: { label, others: others.map((other) => other.label).filter((other) => other !== label) },
});

/** Says in a sentence as which place a name was read; null where coordinates were sent. */
export function placeInWords(near: NearPoint, radiusKm?: number): string | null {
  const { lat, lng, place } = near;
  if (place === undefined) return null;
  const others = place.others.length === 0 ? "" : `; others of this name: ${place.others.join("; ")}`;
  const only = near.isOnlyWithPosts === true ? ", the only place of this name with posts" : "";
  const read = `\`near\` was read as ${place.label} (${lat},${lng})${only}`;
  if (near.radiusKm === undefined || radiusKm !== undefined) return `${read}${others}.`;
  return `${read}, a country, region or island: within ${near.radiusKm} km of its middle, which may be more than it is (\`radius_km\` sets it)${others}.`;
}

/** Names a place on the map, in degrees. */
export interface Point {
  lat: number;
  lng: number;
}

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?`;
const DECIMALS = new RegExp(String.raw`^(${NUMBER})°?\s*(?:[,;]\s*|\s+)(${NUMBER})°?$`, "i");
/** Matches decimal commas, as in `52,52; 13,40`. */
const COMMAS = /^([+-]?\d{1,3},\d+)(?:\s*;\s*|\s+)([+-]?\d{1,3},\d+)$/;
/** Matches one half of `52°31'12"N 13°24'36"E`, or of `52.52 N, 13.40 E`. */
const HALF = String.raw`(\d{1,3}(?:\.\d+)?)\s*°?\s*(?:(\d{1,2}(?:\.\d+)?)\s*['′’]\s*(?:(\d{1,2}(?:\.\d+)?)\s*["″”]\s*)?)?`;
const HEMISPHERES = new RegExp(String.raw`^${HALF}([NS])[\s,;]*${HALF}([EW])$`, "i");

/**
 * Reads coordinates as people write them: `52.52,13.40`, `52.52 13.40`, `(52.52; 13.40)`, `geo:52.52,13.40`, `lat=52.52,
 * lng=13.40`, `52.52°N 13.40°E`, `52°31'12"N, 13°24'36"E`.
 *
 * @returns null for a text that holds no two numbers in this order, or numbers beyond the poles and the antimeridian
 */
function pointOfText(sent: string): Point | null {
  const text = sent
    .trim()
    .replace(/^geo:([^;?]*).*$/i, "$1")
    .replace(/^[([{]\s*(.*?)\s*[)\]}]$/, "$1")
    .replace(/"?\b(?:lat|latitude|lng|lon|long|longitude)\b"?\s*[=:]\s*/gi, "")
    .replaceAll("−", "-");
  const [, south, west] = DECIMALS.exec(text) ?? COMMAS.exec(text) ?? [];
  if (south !== undefined && west !== undefined)
    return pointWithin(Number(south.replace(",", ".")), Number(west.replace(",", ".")));
  const parts = HEMISPHERES.exec(text);
  if (parts === null) return null;
  const half = (at: number) =>
    Number(parts[at]) + Number(parts[at + 1] ?? 0) / 60 + Number(parts[at + 2] ?? 0) / 3600;
  const sign = (at: number) => (/[SW]/i.test(parts[at] ?? "") ? -1 : 1);
  return pointWithin(rounded(half(1) * sign(4)), rounded(half(5) * sign(8)));
}

/** Gives the point, or null when it is beyond the poles or the antimeridian. */
function pointWithin(lat: number, lng: number): Point | null {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}

/** Six decimals make a decimetre. */
const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6;

/** Longer beginnings of a name suggest nothing. */
export const BEGUN_CHARS = 100;

/** Suggests at most eight places whose names begin so, in any language and script, the largest first. `near` takes each label. */
export const placeSuggestions = (begun: string) =>
  suggestPlaces(begun.normalize("NFC").trim()).map(({ label, country, lat, lng }) => {
    return { label, country, lat, lng };
  });
