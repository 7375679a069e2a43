import { XMLParser } from "fast-xml-parser";
import { FeedError, type FeedFormat, type FeedItem, readEach } from "../item.ts";
import { type Fields, factsIn, isFields, listOf, middleOf, type Point, textIn } from "./fields.ts";

/** Common Alerting Protocol 1.1 and 1.2: an alert, a list of alerts, or a feed whose entries have the fields of alerts. */
export const cap: FeedFormat = {
  kind: "announcement",
  isComplete: true,
  parse(text, { timezone }) {
    const alerts = alertsOf(text);
    // Tests, exercises and drafts warn of nothing.
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
    // Entities that refer to entities can grow without bound.
    processEntities: { enabled: true, maxExpansionDepth: 1 },
  });
  let parsed: unknown;
  try {
    parsed = parser.parse(text, true);
  } catch (cause) {
    throw new FeedError(`This is no XML: ${(cause as Error).message}`, { cause });
  }
  const isKnown = isFields(parsed) && ["alert", "alerts", "feed", "rss"].some((name) => name in parsed);
  if (!isKnown) throw new FeedError("This is no CAP: it holds no alert.");
  return alertsIn(parsed);
}

/** The alerts below an element, or the entries that have the fields of alerts. */
function alertsIn(element: unknown): Fields[] {
  if (!isFields(element)) return [];
  const found = ["alert", "entry", "item"].flatMap((name) => listOf(element[name]).filter(isFields));
  const inner = found.map((one) => ({ one, alerts: alertsIn(one["content"]) }));
  if (found.length > 0) return inner.flatMap(({ one, alerts }) => (alerts.length > 0 ? alerts : [one]));
  return Object.values(element).flatMap(alertsIn);
}

/** Identifiers of the alerts that an update or cancellation replaces. A reference is `sender,identifier,sent`. */
function replacedBy(alert: Fields): string[] {
  if (!["Update", "Cancel"].includes(textIn(alert, "msgType") ?? "")) return [];
  return (textIn(alert, "references") ?? "").split(/\s+/).flatMap((one) => one.split(",")[1] ?? []);
}

/** @returns null for an alert without a title or identifier */
function itemOf(alert: Fields, replaced: ReadonlySet<string>, timezone: string): FeedItem | null {
  const [info] = listOf(alert["info"]).filter(isFields);
  // Feeds put the fields of `info` into the entry itself.
  const fields = { ...alert, ...info };
  const facts = factsIn(fields, timezone);
  const id = textIn(alert, "identifier", "id", "guid");
  if (facts === null || id === null) return null;
  const areas = listOf(fields["area"] ?? (textIn(fields, "areaDesc") === null ? null : fields)).filter(
    isFields,
  );
  const parts = [facts.body, textIn(fields, "instruction")].filter((part) => part != null);
  const severity = textIn(fields, "severity");
  return {
    ...facts,
    id,
    body: parts.join("\n\n"),
    place: placeOf(areas),
    tags: [...(facts.tags ?? []), ...(severity === null ? [] : [severity])],
    cancelled: textIn(alert, "msgType") === "Cancel" || replaced.has(id),
  };
}

function placeOf(areas: readonly Fields[]): FeedItem["place"] {
  const name = areas
    .map((area) => textIn(area, "areaDesc"))
    .filter((one) => one !== null)
    .join("; ");
  const points = areas.flatMap(({ circle, polygon }) =>
    [...listOf(circle), ...listOf(polygon)].flatMap(pointsIn),
  );
  const middle = middleOf(points);
  return name === "" && middle === null
    ? null
    : { name: name === "" ? null : name, lat: null, lng: null, ...middle };
}

/** Polygons are written `lat,lng lat,lng …`, circles `lat,lng radius`. */
const pointsIn = (text: unknown): Point[] =>
  [...String(text).matchAll(/(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)/g)].map(([, lat, lng]) => ({
    lat: Number(lat),
    lng: Number(lng),
  }));
