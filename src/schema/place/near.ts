import { z } from "zod";
import { type GazetteerPlace, resolvePlace } from "../../gazetteer/index.ts";
import { type Point, pointOfText, pointWithin } from "./point.ts";

/** The centre of a search. */
export interface NearPoint extends Point {
  /** The place that its name was read as; missing where coordinates were sent. */
  place?: NamedPlace;
}

interface NamedPlace {
  /** `Springfield, Illinois`. */
  label: string;
  /** Labels of the other places of this name, largest first. */
  others: readonly string[];
}

const FORMS =
  "Must be the name of a place, such as Berlin or Portland, OR, or `lat,lng`, such as 52.52,13.40.";

/** Coordinates under any of their usual names. */
const PointObject = z
  .object({ lat: z.number(), lng: z.number() })
  .or(z.object({ lat: z.number(), lon: z.number() }))
  .or(z.object({ latitude: z.number(), longitude: z.number() }))
  .or(z.tuple([z.number(), z.number()]));

/** The centre of a search: the name of a place, or its coordinates. */
export const Near = z
  .union([z.string(), PointObject], { error: FORMS })
  .transform((sent, context): NearPoint => {
    const read = typeof sent === "string" ? nearOfText(sent) : (pointWithin(...degreesOf(sent)) ?? REVERSED);
    if ("lat" in read) return read;
    context.addIssue({ code: "custom", params: { code: read.code }, input: sent, message: read.message });
    return z.NEVER;
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
  if ("place" in found) {
    const { label, lat, lng } = found.place;
    return { lat, lng, place: { label, others: found.others.map((other) => other.label) } };
  }
  if ("oneOf" in found)
    return {
      code: "ambiguous_place",
      message: `Several places bear this name. Send one of ${quotedLabels(found.oneOf)}, or its \`lat,lng\`.`,
    };
  if ("region" in found) {
    const towns =
      found.namesakes.length === 0 ? "name one" : `name one (of this name: ${quotedLabels(found.namesakes)})`;
    return {
      code: "not_a_place",
      message: `This is a country or region, and \`near\` takes a town or district: ${towns}, with \`radius_km\` up to 500, or put the region into \`q\`.`,
    };
  }
  const like = found.unknown.length === 0 ? "" : ` Did you mean ${quotedLabels(found.unknown)}?`;
  return {
    code: "unknown_place",
    message: `No town or district of this name is known.${like} Otherwise name a larger place beside it, or send \`lat,lng\`.`,
  };
}

const OR = new Intl.ListFormat("en", { type: "disjunction" });
const quotedLabels = (places: readonly GazetteerPlace[]) =>
  OR.format(places.map(({ label }) => `"${label}"`));

/** A sentence on the place that a name was read as; null where coordinates were sent. */
export function placeInWords({ lat, lng, place }: NearPoint): string | null {
  if (place === undefined) return null;
  const others = place.others.length === 0 ? "" : `; others of this name: ${place.others.join("; ")}`;
  return `\`near\` was read as ${place.label} (${lat},${lng})${others}.`;
}
