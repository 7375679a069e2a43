import { FeedError, type FeedItem, type Parse, type Reading, readEach } from "../item.ts";
import { replacedBy } from "../standing.ts";
import { entryIn } from "./entry.ts";
import { type Fields, idIn, isFields, listOf, middleOf, type Point, textIn } from "./fields.ts";

/** Reads GeoJSON (RFC 7946). A feature is an entry, and its geometry gives the place. */
export const geojson: Parse = (text, reading) => {
  const features = featuresOf(text);
  const replaced = replacedBy(features.map(propertiesOf));
  return readEach(
    features,
    (feature) => itemOf(feature, replaced, reading),
    (feature) => idOf(feature),
  );
};

const propertiesOf = (feature: unknown): Fields =>
  isFields(feature) && isFields(feature["properties"]) ? feature["properties"] : {};
const idOf = (feature: unknown) =>
  (isFields(feature) ? textIn(feature, "id") : null) ?? idIn(propertiesOf(feature));

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
function itemOf(feature: unknown, replaced: ReadonlySet<string>, reading: Reading): FeedItem | null {
  const item = entryIn(propertiesOf(feature), reading);
  if (item === null || !isFields(feature)) return null;
  const centre = middleOf(pointsOf(feature["geometry"]));
  const id = idOf(feature) ?? item.id;
  return {
    ...item,
    id,
    place: centre === null ? item.place : { name: item.place?.name ?? null, ...centre },
    cancelled: item.cancelled === true || replaced.has(id) || replaced.has(item.id),
  };
}

function pointsOf(geometry: unknown): Point[] {
  if (!isFields(geometry)) return [];
  const found: Point[] = [];
  // A list takes the place of recursion: arrays from outside may be nested deeper than the call stack.
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
