import { KINDS } from "../../schema/post.ts";
import { fromJsonText } from "../../schema/scalars.ts";
import { fieldsNamed, PLACE_FIELDS, PLACE_NAMES } from "../calls/field-names.ts";
import { objectBehind } from "../calls/input.ts";
import { propertiesOf } from "../reference/fields.ts";
import { isTrue, operationAsked, type ServedOperation, type ServedTool } from "./tool-list.ts";

type Fields = Record<string, unknown>;

/** Holds arguments as the board understands them. */
export interface Understood {
  served: ServedOperation;
  /** Arguments stand under the names of the operation. */
  input: Fields;
  /** It comes from the argument `api_key`; null without one. */
  apiKey: string | null;
  detail: unknown;
  /** Says what was read differently from how it was sent. */
  notes: string[];
  /** True when the host's person was asked to accept the terms, and did not. */
  isDeclined?: boolean;
}

/**
 * Reads arguments as models send them: null and "" for fields that they do not want, other names of fields, fields of an inner
 * object beside it, and all arguments inside of one called `arguments` or the like.
 */
export function understoodArguments(tool: ServedTool, sent: Readonly<Fields>): Understood {
  const { api_key: apiKey, detail, ...given } = withTexts(tool, withoutNothing(unboxed(sent, tool.fields)));
  const notes: string[] = [];
  const named = renamed(given, tool.fields, notes);
  const served = operationAsked(tool, named);
  const { delete: deletes, ...others } = named;
  // `delete` only chooses the operation. Without an id there is nothing that it could mean.
  const choosing = tool.fields.has("delete") && ("id" in named || !isTrue(deletes));
  const input = gathered(served, choosing ? others : named, notes);
  const [, root, reply] = /^(?:.*\/p\/)?(\w{10})(-\w{6})?(?:\.\w+)?$/.exec(String(input["parent_id"])) ?? [];
  if (root !== undefined && reply !== undefined && tool.fields.has("parent_id")) {
    input["parent_id"] = root;
    notes.push(`\`parent_id\` is itself a reply, so this is an answer in its thread, to ${root}.`);
  }
  return { served, input, apiKey: typeof apiKey === "string" ? apiKey : null, detail, notes };
}

/** Makes the arguments of a message of the protocol an object: the SDK refuses any other before a tool is found. */
export function withArguments<Message>(message: Message): Message {
  if (!isObject(message) || message["method"] !== "tools/call" || !isObject(message["params"]))
    return message;
  const { params } = message;
  const sent = fromJsonText(params["arguments"]);
  const isNone = sent === null || sent === "" || (Array.isArray(sent) && sent.length === 0);
  if (!isNone && !isObject(sent)) return message;
  return { ...message, params: { ...params, arguments: isNone ? {} : sent } };
}

/** Writes numbers as texts where the tool takes text, as in a title `2026`. */
function withTexts({ listed }: ServedTool, sent: Fields): Fields {
  const wanted = propertiesOf(listed().inputSchema);
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      typeof value === "number" && wanted[name]?.["type"] === "string" ? String(value) : value,
    ]),
  );
}

/** These texts stand for no value, except in fields of free text. */
const NOTHING = /^\s*(null|none|n\/a|undefined)?\s*$/i;
const OWN_TEXTS: ReadonlySet<string> = new Set("q title body name description details label".split(" "));

const isNothing = (name: string, value: unknown) =>
  value === null ||
  value === "" ||
  (typeof value === "string" && !OWN_TEXTS.has(name) && NOTHING.test(value));

/** Models that must send every argument fill in null or "" for those they do not want, inside objects too. */
function withoutNothing(sent: Fields): Fields {
  const given = Object.entries(sent).filter(([name, value]) => !isNothing(name, value));
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      isObject(value) && name !== "metadata" ? withoutNothing(value) : value,
    ]),
  );
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Puts fields of an inner object, such as `query` or `location`, into it when it was not sent itself. */
function gathered({ operation: { input: schema } }: ServedOperation, given: Fields, notes: string[]): Fields {
  const fields: Fields = schema.shape;
  const strays = Object.keys(given).filter((key) => !Object.hasOwn(fields, key));
  for (const [name, field] of Object.entries(fields)) {
    const inner = objectBehind(field);
    if (inner === null) continue;
    const known = new Set(Object.keys(inner.shape));
    if (name in given) {
      const { [name]: box } = given;
      if (isObject(box)) return { ...given, [name]: renamed(box, known, notes) };
      if (typeof box !== "string" || !known.has("q") || /^\s*[{[]/.test(box)) continue;
      notes.push(`\`${name}\` was read as \`${name}.q\`.`);
      return { ...given, [name]: { q: box } };
    }
    const called = known.has("q") ? renamed(pick(given, strays), known, notes) : pick(given, strays);
    const own = Object.keys(called).filter((key) => known.has(key));
    if (own.length === 0) continue;
    notes.push(`Read as fields of \`${name}\`: ${own.map((key) => `\`${key}\``).join(", ")}.`);
    const others = Object.keys(called).filter((key) => !own.includes(key));
    const rest = Object.keys(given).filter((key) => !strays.includes(key));
    return { ...pick(given, rest), ...pick(called, others), [name]: pick(called, own) };
  }
  return given;
}

const pick = (from: Fields, names: readonly string[]) =>
  Object.fromEntries(names.map((key) => [key, from[key]]));

/** Models wrap all arguments in an object of such a name. */
const BOXES: ReadonlySet<string> = new Set(["arguments", "args", "input", "params", "parameters"]);

/** Gives the fields under their own names, with their values in the form that each takes. */
function renamed(sent: Fields, known: ReadonlySet<string>, notes: string[]): Fields {
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
  const sent = fromJsonText(given[wanted]);
  const strays = Object.keys(given).filter((name) => PLACE_FIELDS.has(name) && !known.has(name));
  if (isObject(sent)) {
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

/** Finds the place that some fields tell; null when one of them tells something else. */
function placeOf(sent: Fields): Place | null {
  if (Object.keys(sent).some((name) => !PLACE_FIELDS.has(name))) return null;
  const point = [sent, sent["geo"]].find((each) => isObject(each) && each["type"] === "Point");
  const [east, north] = isObject(point) && Array.isArray(point["coordinates"]) ? point["coordinates"] : [];
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

/** Takes the arguments out of the object that alone was sent. */
function unboxed(sent: Fields, known: ReadonlySet<string>): Fields {
  const [name = "", ...others] = Object.keys(sent).filter((key) => key !== "api_key");
  if (others.length > 0 || !BOXES.has(name) || known.has(name)) return sent;
  const { [name]: box, ...rest } = sent;
  const inner = fromJsonText(box);
  return isObject(inner) ? { ...rest, ...inner } : sent;
}

/** Brings other forms of a value into the one that the field takes. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  // It reads "Events" and "event, offers".
  kind: (text) => text.split(",").map(kindIn).join(","),
  // It reads "#bikes, #repair".
  tags: (text) => (text.trimStart().startsWith("[") ? text : text.replace(/(^|,)\s*#/g, "$1")),
  // It reads "10 km".
  radius_km: (text) => text.replace(/^\s*([\d.]+)\s*km\s*$/i, "$1"),
};

function kindIn(text: string): string {
  const word = text.trim().toLowerCase();
  return KINDS.find((kind) => word === kind || word === `${kind}s`) ?? text;
}
