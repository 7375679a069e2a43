import { bareItem, FeedError, type FeedFormat, type FeedItem, readEach } from "../item.ts";
import { endIn, type Fields, isFields, listOf, middleOf, type Point, textIn, timesIn } from "./fields.ts";

/** GeoJSON (RFC 7946): a feature is an entry, its geometry a place. */
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
  const title = textIn(fields, "title", "name", "headline", "event", "label");
  if (title === null) return null;
  const centre = middleOf(pointsOf(feature["geometry"]));
  const placeName = textIn(fields, "place", "location", "venue", "address", "area");
  return {
    ...bareItem(textIn(feature, "id") ?? textIn(fields, "id", "code", "uid") ?? title, title),
    body: textIn(fields, "description", "summary", "body", "text") ?? "",
    url: textIn(fields, "url", "link", "web", "website"),
    ...timesIn(fields, timezone),
    expiresAt: endIn(fields, timezone, "expires", "expires_at"),
    place:
      centre === null && placeName === null ? null : { name: placeName, lat: null, lng: null, ...centre },
    tags: listOf(fields["tags"] ?? fields["category"] ?? fields["type"]).map(String),
  };
}

function pointsOf(geometry: unknown): Point[] {
  if (!isFields(geometry)) return [];
  const found: Point[] = [];
  // A queue: nested arrays from outside may be deeper than the call stack.
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
