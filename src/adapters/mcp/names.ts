import { KINDS } from "../../schema/post.ts";
import { fieldsNamed, PLACE_FIELDS, PLACE_NAMES } from "../calls/field-names.ts";

/** Boxes that models put all arguments in. */
const BOXES: ReadonlySet<string> = new Set(["arguments", "args", "input", "params", "parameters"]);

type Fields = Record<string, unknown>;

/** The fields under their own names, and what is written otherwise in the form they take. Each change of a name is noted. */
export function renamed(sent: Fields, known: ReadonlySet<string>, notes: string[]): Fields {
  const given = { ...sent };
  for (const name of Object.keys(sent)) {
    const fields = fieldsNamed(name, known);
    if (fields.length === 0 || fields.some((field) => field in given)) continue;
    for (const field of fields) given[field] = given[name];
    delete given[name];
    notes.push(`\`${name}\` was read as ${fields.map((field) => `\`${field}\``).join(" and ")}.`);
  }
  const wanted = known.has("near") ? "near" : known.has("location") ? "location" : null;
  if (wanted !== null) placed(given, wanted, known, notes);
  for (const [field, form] of Object.entries(FORMS)) {
    const { [field]: value } = given;
    if (!known.has(field)) continue;
    if (typeof value === "string") given[field] = form(value);
    else if (Array.isArray(value))
      given[field] = value.map((one) => (typeof one === "string" ? form(one) : one));
  }
  return given;
}

/** Puts a place together that was sent in parts, or as an object of another form. */
function placed(
  given: Fields,
  wanted: "near" | "location",
  known: ReadonlySet<string>,
  notes: string[],
): void {
  const sent = typeof given[wanted] === "string" ? (parsed(given[wanted]) ?? given[wanted]) : given[wanted];
  const strays = Object.keys(given).filter((name) => PLACE_FIELDS.has(name) && !known.has(name));
  if (isFields(sent)) {
    const place = placeOf(sent);
    if (place !== null && strays.length === 0) given[wanted] = wanted === "near" ? nearOf(place) : place;
    return;
  }
  if (strays.length === 0) return;
  const beside = typeof sent === "string" ? { name: sent } : {};
  const place = placeOf({ ...Object.fromEntries(strays.map((name) => [name, given[name]])), ...beside });
  if (place === null) return;
  for (const name of strays) delete given[name];
  given[wanted] = wanted === "near" ? nearOf(place) : place;
  notes.push(
    `${strays.map((name) => `\`${name}\``).join(", ")} ${strays.length === 1 ? "was" : "were"} read as \`${wanted}\`.`,
  );
}

type Place = { name?: string; lat?: unknown; lng?: unknown };

const nearOf = ({ name, lat, lng }: Place) => (lat === undefined ? name : `${lat},${lng}`);

/** The place that some fields tell; null when a field among them says something else. */
function placeOf(sent: Fields): Place | null {
  if (Object.keys(sent).some((name) => !PLACE_FIELDS.has(name))) return null;
  const point = [sent, sent["geo"]].find((each) => isFields(each) && each["type"] === "Point");
  const [east, north] = isFields(point) && Array.isArray(point["coordinates"]) ? point["coordinates"] : [];
  if (point === undefined && ("coordinates" in sent || "geo" in sent || "type" in sent)) return null;
  const lat = sent["lat"] ?? sent["latitude"] ?? north;
  const lng = sent["lng"] ?? sent["lon"] ?? sent["long"] ?? sent["longitude"] ?? east;
  const names = PLACE_NAMES.map((name) => sent[name]).filter(
    (name) => typeof name === "string" && name !== "",
  );
  return {
    ...(names.length === 0 ? {} : { name: [...new Set(names)].join(", ") }),
    ...(lat === undefined ? {} : { lat }),
    ...(lng === undefined ? {} : { lng }),
  };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The arguments inside the only box that was sent. */
export function unboxed(sent: Fields, known: ReadonlySet<string>): Fields {
  const [name = "", ...others] = Object.keys(sent).filter((key) => key !== "api_key");
  if (others.length > 0 || !BOXES.has(name) || known.has(name)) return sent;
  const { [name]: box, ...rest } = sent;
  const inner = typeof box === "string" ? parsed(box) : box;
  return isFields(inner) ? { ...rest, ...inner } : sent;
}

/** What values may look like beside the form that a field takes. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  // "Events", "event, offers"
  kind: (text) => text.split(",").map(kindIn).join(","),
  // "#bikes, #repair"
  tags: (text) => (text.trimStart().startsWith("[") ? text : text.replace(/(^|,)\s*#/g, "$1")),
  reason: (text) => text.trim().toLowerCase(),
  sort: (text) => text.trim().toLowerCase(),
  // "10 km"
  radius_km: (text) => text.replace(/^\s*([\d.]+)\s*km\s*$/i, "$1"),
};

function kindIn(text: string): string {
  const word = text.trim().toLowerCase();
  return KINDS.find((kind) => word === kind || word === `${kind}s`) ?? text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
