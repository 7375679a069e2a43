import { XMLParser } from "fast-xml-parser";
import { FeedError, type FeedItem, type Parse, type Reading, readEach } from "../item.ts";
import { isCalledOff, replacedBy } from "../standing.ts";
import { type Fields, factsIn, isFields, listOf, middleOf, type Point, textIn } from "./fields.ts";

/** Reads Common Alerting Protocol 1.1 and 1.2: an alert, a list of alerts, or a feed whose entries have the fields of alerts. */
export const cap: Parse = (text, reading) => {
  const alerts = alertsOf(text);
  const replaced = replacedBy(alerts);
  return readEach(alerts, (alert) => itemOf(alert, replaced, reading), idOf);
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

/** Finds the alerts below an element, or the entries that have the fields of alerts. */
function alertsIn(element: unknown): Fields[] {
  if (!isFields(element)) return [];
  const found = ["alert", "entry", "item"].flatMap((name) => listOf(element[name]).filter(isFields));
  const inner = found.map((one) => ({ one, alerts: alertsIn(one["content"]) }));
  if (found.length > 0) return inner.flatMap(({ one, alerts }) => (alerts.length > 0 ? alerts : [one]));
  return Object.values(element).flatMap(alertsIn);
}

const idOf = (alert: Fields) => textIn(alert, "identifier", "id", "guid");

/** @returns null for an alert without a title or identifier */
function itemOf(alert: Fields, replaced: ReadonlySet<string>, { timezone, now }: Reading): FeedItem | null {
  const infos = infosOf(alert).map((fields) => ({ fields, facts: factsIn(fields, timezone) }));
  // An alert may consist of several warnings, the first of which is over.
  const held = infos.filter(({ facts }) => (facts?.expiresAt ?? now) >= now);
  const [first, ...others] = held.length > 0 ? held : infos;
  const id = idOf(alert);
  if (first?.facts == null || id === null) return null;
  const all = [first, ...others];
  const severities = all.map(({ fields }) => textIn(fields, "severity")).filter((one) => one !== null);
  const ends = all.map(({ facts }) => facts?.expiresAt ?? null);
  return {
    ...first.facts,
    id,
    url: first.facts.url ?? linkIn(alert),
    body: [first.facts.body, ...others.flatMap(({ facts }) => [facts?.title, facts?.body])]
      .filter((part) => part != null)
      .join("\n\n"),
    place: placeOf(
      all.flatMap(({ fields }) => areasOf(fields)),
      // Blocks in another language may have the shapes.
      [...all.map(({ fields }) => fields), ...listOf(alert["info"]).filter(isFields)].flatMap(areasOf),
    ),
    tags: [...new Set([...(first.facts.tags ?? []), ...severities])],
    expiresAt: ends.includes(null) ? null : Math.max(...ends.map(Number)),
    cancelled: isCalledOff(alert) || replaced.has(id),
  };
}

function linkIn(entry: Fields): string | null {
  const links = listOf(entry["link"]).filter(isFields);
  const page = links.find((link) => (link["@_rel"] ?? "alternate") === "alternate") ?? links[0];
  return textIn(page ?? {}, "@_href");
}

/** Picks the warnings of an alert in one language: English where it has that, as the board has, or else the first one's. */
function infosOf(alert: Fields): Fields[] {
  const infos = listOf(alert["info"]).filter(isFields);
  // Feeds put the fields of `info` into the entry itself.
  if (infos.length === 0) return [alert];
  const languageOf = (info: Fields) => (textIn(info, "language") ?? "en").toLowerCase().split(/[-_]/)[0];
  const language = infos.some((info) => languageOf(info) === "en") ? "en" : languageOf(infos[0] as Fields);
  return infos.filter((info) => languageOf(info) === language).map((info) => ({ ...alert, ...info }));
}

const areasOf = (fields: Fields): Fields[] =>
  listOf(fields["area"] ?? (textIn(fields, "areaDesc") === null ? null : fields)).filter(isFields);

function placeOf(areas: readonly Fields[], shapes: readonly Fields[]): FeedItem["place"] {
  const names = areas.map((area) => textIn(area, "areaDesc")).filter((one) => one !== null);
  const name = [...new Set(names)].join("; ");
  const points = shapes.flatMap(({ circle, polygon }) =>
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
