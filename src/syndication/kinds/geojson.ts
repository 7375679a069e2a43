import { bareItem, FeedError, type FeedFormat, type FeedItem } from "../item.ts";
import { dateIn, endIn, type Fields, isFields, listOf, textIn } from "./fields.ts";

/** GeoJSON (RFC 7946): a feature is an entry, its geometry a place. */
export const geojson: FeedFormat = {
  kind: "announcement",
  isComplete: true,
  parse(text, { timezone }) {
    const features = featuresOf(text);
    const items = features.map((feature) => itemOf(feature, timezone)).filter((item) => item !== null);
    return { items, unread: features.length - items.length };
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
  const centre = centreOf(feature["geometry"]);
  const placeName = textIn(fields, "place", "location", "venue", "address", "area");
  return {
    ...bareItem(textIn(feature, "id") ?? textIn(fields, "id", "code", "uid") ?? title, title),
    body: textIn(fields, "description", "summary", "body", "text") ?? "",
    url: textIn(fields, "url", "link", "web", "website"),
    startsAt: dateIn(
      fields,
      timezone,
      "starts_at",
      "start",
      "start_time",
      "startDate",
      "start_date",
      "onset",
    ),
    endsAt: endIn(fields, timezone, "ends_at", "end", "end_time", "endDate", "end_date", "ends"),
    expiresAt: endIn(fields, timezone, "expires", "expires_at"),
    place:
      centre === null && placeName === null ? null : { name: placeName, lat: null, lng: null, ...centre },
    tags: listOf(fields["tags"] ?? fields["category"] ?? fields["type"]).map(String),
  };
}

/** The point of a geometry, or the middle of the box around it. */
function centreOf(geometry: unknown): { lat: number; lng: number } | null {
  const positions = positionsOf(geometry);
  if (positions.length === 0) return null;
  const middle = (axis: 0 | 1) => {
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const position of positions) {
      least = Math.min(least, position[axis]);
      most = Math.max(most, position[axis]);
    }
    return (least + most) / 2;
  };
  return { lat: middle(1), lng: middle(0) };
}

type Position = readonly [lng: number, lat: number];

function positionsOf(geometry: unknown): Position[] {
  if (!isFields(geometry)) return [];
  const found: Position[] = [];
  // A queue: nested arrays from outside may be deeper than the call stack.
  const queue: unknown[] = [geometry["coordinates"], ...listOf(geometry["geometries"]).map(coordinatesOf)];
  for (let next = queue.pop(); queue.length > 0 || next !== undefined; next = queue.pop()) {
    if (!Array.isArray(next)) continue;
    const [lng, lat] = next as unknown[];
    if (typeof lng === "number" && typeof lat === "number") found.push([lng, lat]);
    else queue.push(...next.slice(0, POSITIONS_MAX));
    if (found.length >= POSITIONS_MAX) break;
  }
  return found;
}

const POSITIONS_MAX = 10_000;
const coordinatesOf = (geometry: unknown) =>
  isFields(geometry) ? (geometry as Fields)["coordinates"] : null;
