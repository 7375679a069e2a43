import { KINDS } from "../../schema/post.ts";

/** Names that can only mean one field, where the call has it and none of this name. */
const ALIASES: readonly (readonly [alias: string, ...fields: string[]])[] = [
  ["query", "q"],
  ["keywords", "q"],
  ["keyword", "q"],
  ["text", "q"],
  ["search", "q"],
  ["location", "near"],
  ["place", "near"],
  ["city", "near"],
  ["type", "kind"],
  ["category", "kind"],
  ["from", "after"],
  ["since", "after"],
  ["start_date", "after"],
  ["to", "before"],
  ["until", "before"],
  ["end_date", "before"],
  // One day is both.
  ["date", "after", "before"],
  ["wait", "wait_s"],
  ["subscription_id", "id"],
  ["post_id", "id"],
  ["id", "post_id"],
  ["link", "url"],
];

/** Names of a coordinate, where a place to search near is wanted. */
const COORDINATES = [
  ["lat", "lng"],
  ["lat", "lon"],
  ["latitude", "longitude"],
] as const;

/** Boxes that models put all arguments in. */
const BOXES: ReadonlySet<string> = new Set(["arguments", "args", "input", "params", "parameters"]);

type Fields = Record<string, unknown>;

/** The fields under their own names, and what is written otherwise in the form they take. Each change of a name is noted. */
export function renamed(sent: Fields, known: ReadonlySet<string>, notes: string[]): Fields {
  const given = { ...sent };
  for (const [alias, ...fields] of ALIASES) {
    if (!(alias in given) || known.has(alias)) continue;
    if (!fields.every((field) => known.has(field) && !(field in given))) continue;
    for (const field of fields) given[field] = given[alias];
    delete given[alias];
    notes.push(`\`${alias}\` was read as ${fields.map((field) => `\`${field}\``).join(" and ")}.`);
  }
  for (const [lat, lng] of COORDINATES) {
    if (!known.has("near") || "near" in given || known.has(lat) || !(lat in given && lng in given)) continue;
    given["near"] = `${given[lat]},${given[lng]}`;
    delete given[lat];
    delete given[lng];
    notes.push(`\`${lat}\` and \`${lng}\` were read as \`near\`.`);
  }
  for (const [field, form] of Object.entries(FORMS)) {
    const { [field]: value } = given;
    if (!known.has(field)) continue;
    if (typeof value === "string") given[field] = form(value);
    else if (Array.isArray(value))
      given[field] = value.map((one) => (typeof one === "string" ? form(one) : one));
  }
  return given;
}

/** The arguments inside the only box that was sent. */
export function unboxed(sent: Fields, known: ReadonlySet<string>): Fields {
  const [name = "", ...others] = Object.keys(sent).filter((key) => key !== "api_key");
  if (others.length > 0 || !BOXES.has(name) || known.has(name)) return sent;
  const { [name]: box, ...rest } = sent;
  const inner = typeof box === "string" ? parsed(box) : box;
  const isFields = typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return isFields ? { ...rest, ...inner } : sent;
}

/** What values may look like beside the form that a field takes. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  // "Events", "event, offers"
  kind: (text) => text.split(",").map(kindIn).join(","),
  // "#bikes, #repair"
  tags: (text) => (text.trimStart().startsWith("[") ? text : text.replace(/(^|,)\s*#/g, "$1")),
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
