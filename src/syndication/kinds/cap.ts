import { XMLParser } from "fast-xml-parser";
import { bareItem, FeedError, type FeedFormat, type FeedItem, readEach } from "../item.ts";
import { coordinate, endIn, type Fields, isFields, listOf, middleOf, type Point, textIn } from "./fields.ts";

/** Common Alerting Protocol 1.1 and 1.2: an alert, a list of alerts, or a feed whose entries carry the fields of one. */
export const cap: FeedFormat = {
  kind: "announcement",
  isComplete: true,
  parse(text, { timezone }) {
    const alerts = alertsOf(text);
    // A test or a draft warns of nothing.
    const actual = alerts.filter((alert) => (textIn(alert, "status") ?? "Actual") === "Actual");
    const replaced = new Set(actual.flatMap(replacedBy));
    return readEach(actual, (alert) => itemOf(alert, replaced, timezone));
  },
};

function alertsOf(text: string): Fields[] {
  const parser = new XMLParser({
    removeNSPrefix: true,
    ignoreAttributes: false,
    parseTagValue: false,
    // Entities that a document defines itself can grow without bound.
    processEntities: { enabled: true, maxExpansionDepth: 1 },
  });
  let parsed: unknown;
  try {
    parsed = parser.parse(text, true);
  } catch (cause) {
    throw new FeedError(`This is no XML: ${(cause as Error).message}`, { cause });
  }
  const root = isFields(parsed) ? parsed : {};
  const alerts = (holder: unknown) => (isFields(holder) ? listOf(holder["alert"]) : []);
  const channel = isFields(root["rss"]) ? root["rss"]["channel"] : null;
  const entries = [
    ...(isFields(root["feed"]) ? listOf(root["feed"]["entry"]) : []),
    ...(isFields(channel) ? listOf(channel["item"]) : []),
  ].map((entry) =>
    isFields(entry) && isFields(entry["content"]) && isFields(entry["content"]["alert"])
      ? entry["content"]["alert"]
      : entry,
  );
  const found = [...alerts(root), ...alerts(root["alerts"]), ...entries].filter(isFields);
  const known = ["alert", "alerts", "feed", "rss"].some((name) => name in root);
  if (!known) throw new FeedError("This is no CAP: it holds no alert.");
  return found;
}

/** Identifiers that an update or cancellation names: the middle of each `sender,identifier,sent`. */
function replacedBy(alert: Fields): string[] {
  if (!["Update", "Cancel"].includes(textIn(alert, "msgType") ?? "")) return [];
  return (textIn(alert, "references") ?? "").split(/\s+/).flatMap((one) => one.split(",")[1] ?? []);
}

/** @returns null for an alert that names nothing */
function itemOf(alert: Fields, replaced: ReadonlySet<string>, timezone: string): FeedItem | null {
  const [info] = listOf(alert["info"]).filter(isFields);
  // Feeds put the fields of the first `info` beside those of the entry.
  const fields = { ...alert, ...info };
  const title = textIn(fields, "headline", "event", "title");
  const id = textIn(alert, "identifier", "id", "guid");
  if (title === null || id === null) return null;
  const areas = listOf(fields["area"] ?? (textIn(fields, "areaDesc") === null ? null : fields)).filter(
    isFields,
  );
  const parts = [textIn(fields, "description", "summary"), textIn(fields, "instruction")].filter(
    (part) => part !== null,
  );
  const severity = textIn(fields, "severity");
  return {
    ...bareItem(id, title),
    body: parts.join("\n\n"),
    url: textIn(fields, "web", "link"),
    expiresAt: endIn(fields, timezone, "expires"),
    place: placeOf(areas),
    tags: [...listOf(fields["category"]).map(String), ...(severity === null ? [] : [severity])],
    cancelled: textIn(alert, "msgType") === "Cancel" || replaced.has(id),
  };
}

function placeOf(areas: readonly Fields[]): FeedItem["place"] {
  const name = areas
    .map((area) => textIn(area, "areaDesc"))
    .filter((one) => one !== null)
    .join("; ");
  const points = areas.flatMap((area) => [
    ...listOf(area["circle"]).flatMap((circle) => pointsIn(String(circle).split(" ")[0] ?? "")),
    ...listOf(area["polygon"]).flatMap((polygon) => pointsIn(String(polygon))),
  ]);
  const middle = middleOf(points);
  return name === "" && middle === null
    ? null
    : { name: name === "" ? null : name, lat: null, lng: null, ...middle };
}

/** `lat,lng lat,lng …`, as CAP writes polygons. */
function pointsIn(text: string): Point[] {
  return text
    .trim()
    .split(/\s+/)
    .flatMap((pair) => {
      const [lat, lng] = pair.split(",").map(coordinate);
      return typeof lat === "number" && typeof lng === "number" ? [{ lat, lng }] : [];
    });
}
