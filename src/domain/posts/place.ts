import type { Advice } from "../../failures.ts";
import { type GazetteerPlace, placeNamed, resolvePlace } from "../../gazetteer/index.ts";
import type { StoredPost } from "../../ports/store/index.ts";
import { offsetMs, zoneAt } from "../../schema/time/local-time.ts";
import { adviceToEdit } from "./advice.ts";

type Location = StoredPost["location"];

/** A village may be called Home or Earth: a smaller place is meant only with its region beside it. */
const POPULATION_MIN = 15_000;

/**
 * A place with coordinates: the publisher's own, or else those of the town or district that its name means without doubt,
 * marked as approximate. Of "Café Kino, Leipzig" that is Leipzig. A place whose clock differs from the post's is not meant.
 *
 * @param post  `at` is the time at which the clocks are compared
 */
export function placedByName(location: Location, post: { timezone: string | null; at: number }): Location {
  if (location === null || location.name === null || location.lat !== null) return location;
  const place = placeMeant(location.name);
  if (place === null || !sharesClock(place, post)) return location;
  return { ...location, lat: place.lat, lng: place.lng, approximate: true };
}

/** To the writer: where a post was put by its place's name, or why it was not put anywhere. */
export function noteOnPlace({ id, location }: StoredPost): Advice[] {
  if (location === null || location.name === null) return [];
  const { name, lat, lng, approximate = false } = location;
  const label = approximate ? placeMeant(name)?.label : undefined;
  if (label !== undefined) {
    const found = `\`near\` finds this post at ${label} (${lat},${lng}), by the name of its place`;
    return [
      adviceToEdit(id, (call) => `${found}; if another place is meant, send \`lat\` and \`lng\`: ${call}.`),
    ];
  }
  if (lat !== null) return [];
  const several = resolvePlace(name);
  if (!("oneOf" in several) || several.oneOf.length < 2) {
    const unknown = "`near` does not find this post, since the name of its place is not known";
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

/** The place of the whole name, or of what follows a venue: the longest end, after a comma, that means a place. */
function placeMeant(name: string): GazetteerPlace | null {
  const parts = name.split(/[,，、]/u).map((part) => part.trim());
  for (let from = 0; from < parts.length; from += 1) {
    const end = parts.slice(from);
    const place = placeNamed(end.join(", "));
    if (place !== null && (end.length > 1 || place.population >= POPULATION_MIN)) return place;
  }
  return null;
}

function sharesClock(
  place: GazetteerPlace,
  { timezone, at }: { timezone: string | null; at: number },
): boolean {
  const zone = zoneAt(place);
  return timezone === null || zone === null || offsetMs(at, timezone) === offsetMs(at, zone);
}
