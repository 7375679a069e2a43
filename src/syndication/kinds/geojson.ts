import { FeedError, type FeedFormat, type FeedItem, readEach } from "../item.ts";
import { type Fields, factsIn, isFields, listOf, middleOf, type Point, textIn, timesIn } from "./fields.ts";

/** GeoJSON (RFC 7946). A feature is an entry, and its geometry gives the place. */
export const geojson: FeedFormat = {
  kind: "announcement",
  isComplete: true,
  parse(text, { timezone }) {
    return readEach(featuresOf(text), (feature) => itemOf(feature, timezone));
  },
};

function featuresOf(text: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new FeedError("This is no GeoJSON: it is not JSON.", { cause });
  }
  if (isFields(parsed) && parsed["type"] === "Feature") return [parsed];
  if (isFields(parsed) && Array.isArray(parsed["features"])) return parsed["features"];
  throw new FeedError("This is no GeoJSON: it holds no features.");
}

/** @returns null for a feature without a name */
function itemOf(feature: unknown, timezone: string): FeedItem | null {
  if (!isFields(feature)) return null;
  const fields = isFields(feature["properties"]) ? feature["properties"] : {};
  const facts = factsIn(fields, timezone);
  if (facts === null) return null;
  const centre = middleOf(pointsOf(feature["geometry"]));
  const name = textIn(fields, "place", "location", "venue", "address", "area");
  return {
    ...facts,
    id: textIn(feature, "id") ?? facts.id,
    ...timesIn(fields, timezone),
    place: centre === null && name === null ? null : { name, lat: null, lng: null, ...centre },
  };
}

function pointsOf(geometry: unknown): Point[] {
  if (!isFields(geometry)) return [];
  const found: Point[] = [];
  // A list instead of recursion: arrays from outside may be nested deeper than the call stack.
  const queue: unknown[] = [geometry["coordinates"], ...listOf(geometry["geometries"]).map(coordinatesOf)];
  for (let next = queue.pop(); queue.length > 0 || next !== undefined; next = queue.pop()) {
    if (!Array.isArray(next)) continue;
    const [lng, lat] = next as unknown[];
    if (typeof lng === "number" && typeof lat === "number") found.push({ lat, lng });
    else queue.push(...next.slice(0, POINTS_MAX));
    if (found.length >= POINTS_MAX) break;
  }
  return found;
}

const POINTS_MAX = 10_000;
const coordinatesOf = (geometry: unknown) =>
  isFields(geometry) ? (geometry as Fields)["coordinates"] : null;
