import { grouped } from "../text/markdown.ts";

/**
 * The one place that reads JSON Schema: the manual, `/docs`, the tool list and the examples of OpenAPI all ask here
 * what a schema means.
 */

export type JsonObject = Record<string, unknown>;

/** One field of an object. */
export interface Field {
  name: string;
  required: boolean;
  /** May be empty. */
  description: string;
  /** Undefined without a default. */
  preset: unknown;
  /** The operation names the field only to refuse it. */
  refused: boolean;
  type: FieldType;
}

/** What a value may be, null aside: for a field, null means the same as leaving it out. */
export type FieldType =
  | { is: "constant"; value: unknown }
  | { is: "choice"; of: readonly string[] }
  | { is: "list"; max: number | undefined; each: FieldType }
  | { is: "object"; fields: readonly Field[] }
  | { is: "range"; type: string; from: number; to: number | undefined }
  | { is: "text"; max: number | undefined }
  | { is: "other"; name: string };

/** The fields of an object's schema, in its order. */
export function fieldsOf(schema: JsonObject): Field[] {
  return Object.entries(propertiesOf(schema)).map(([name, field]) => ({
    name,
    required: requiredOf(schema).includes(name),
    description: String(field["description"] ?? ""),
    preset: field["default"],
    refused: field["not"] !== undefined,
    type: typeOf(field),
  }));
}

export const propertiesOf = (schema: JsonObject) =>
  (schema["properties"] ?? {}) as Record<string, JsonObject>;

export const requiredOf = (schema: JsonObject) => (schema["required"] ?? []) as string[];

function typeOf(schema: JsonObject): FieldType {
  const present = withoutNull(schema);
  const { type, format, items, properties, const: only, enum: choices } = present;
  const bound = (name: string) => present[name] as number | undefined;
  if (only !== undefined) return { is: "constant", value: only };
  if (Array.isArray(choices)) return { is: "choice", of: choices };
  if (format === "date-time") return { is: "other", name: "date-time" };
  if (format === "uri") return { is: "other", name: "URL" };
  if (items !== undefined) return { is: "list", max: bound("maxItems"), each: typeOf(items as JsonObject) };
  if (properties !== undefined) return { is: "object", fields: fieldsOf(present) };
  const from = bound("minimum");
  if (from !== undefined) return { is: "range", type: String(type), from, to: bound("maximum") };
  return type === "string" ? { is: "text", max: bound("maxLength") } : { is: "other", name: String(type) };
}

/** The schema of a value that is not null. */
function withoutNull({ anyOf, ...rest }: JsonObject): JsonObject {
  const choices = ((anyOf ?? []) as JsonObject[]).filter((choice) => choice["type"] !== "null");
  const present = choices.length > 1 ? { ...rest, anyOf: choices } : { ...rest, ...choices[0] };
  const { type } = present as JsonObject;
  return Array.isArray(type) ? { ...present, type: type.find((name) => name !== "null") } : present;
}

export const allowsNull = ({ type, anyOf }: JsonObject): boolean =>
  [type].flat().includes("null") ||
  ((anyOf ?? []) as JsonObject[]).some((choice) => choice["type"] === "null");

/**
 * The fields of an input in the manual, one line each: - `q` ≤500: Words. A star marks what must be sent; no type means
 * text. Fields that read alike share a line.
 *
 * @param known  fields explained elsewhere: an object of nothing else is not taken apart again
 */
export function fieldLines(schema: JsonObject, known: ReadonlySet<string>): string[] {
  const byText = grouped(fieldsOf(schema), (field) => {
    const type = terse(field, known);
    return `${type === "" ? "" : ` ${type}`}${field.description === "" ? "" : `: ${field.description}`}`;
  });
  return [...byText].map(([text, alike]) => {
    const names = alike.map(({ name, required }) => `\`${name}\`${required ? "*" : ""}`);
    return `- ${names.join(", ")}${text}`;
  });
}

/** Type, bounds and default of a field in few characters: `integer 1–100, default 20`. */
function terse({ type, preset }: Field, known: ReadonlySet<string>): string {
  return `${terseType(type, known)}${preset === undefined ? "" : `, default ${JSON.stringify(preset)}`}`;
}

function terseType(type: FieldType, known: ReadonlySet<string>): string {
  const upTo = (max: number | undefined) => (max === undefined ? "" : `≤${max}`);
  switch (type.is) {
    case "constant":
      return JSON.stringify(type.value);
    case "choice":
      return type.of.join("|");
    case "list":
      return `list ${upTo(type.max)}, each ${terseType(type.each, known)}`;
    case "object":
      if (type.fields.every(({ name }) => known.has(name))) return "object";
      return `{${type.fields.map((field) => `${field.name} ${terse(field, known)}`).join(", ")}}`;
    case "range":
      return `${type.type} ${type.from}–${type.to}`;
    case "text":
      return upTo(type.max);
    case "other":
      return type.name;
  }
}

/** An inner object with more fields than this is not taken apart: a saved query is `search`, explained there. */
const INNER_FIELDS_MAX = 5;

/** A type in the table of `/docs`: `list ≤ 20 of text ≤ 40`. */
export function typeInWords(type: FieldType): string {
  const upTo = (max: number | undefined) => (max === undefined ? "" : ` ≤ ${max.toLocaleString("en")}`);
  switch (type.is) {
    case "constant":
      return String(type.value);
    case "choice":
      return type.of.join(", ");
    case "list":
      return `list${upTo(type.max)} of ${typeInWords(type.each)}`;
    case "object": {
      const names = type.fields.map(({ name }) => name);
      return names.length > INNER_FIELDS_MAX ? "object" : `object: ${names.join(", ")}`;
    }
    case "text":
      return `text${upTo(type.max)}`;
    default:
      return terseType(type, new Set());
  }
}

/** The board explains these bounds when one is crossed. */
const BOUNDS = ["minLength", "maxLength", "maxItems", "minimum", "maximum"];

/** A schema with only what a model needs in order to call: without null, bounds, and the fields of large inner objects. */
export function conciseSchema(schema: JsonObject, depth = 0): JsonObject {
  const kept = withoutNull(schema);
  for (const key of BOUNDS) delete kept[key];
  if (kept["format"] === "uri") delete kept["format"];
  const fields = Object.entries(propertiesOf(kept));
  if (depth > 0 && fields.length > INNER_FIELDS_MAX) delete kept["properties"];
  else if (fields.length > 0)
    kept["properties"] = Object.fromEntries(
      fields.map(([name, field]) => [name, conciseSchema(field, depth + 1)]),
    );
  if (kept["items"] !== undefined) kept["items"] = conciseSchema(kept["items"] as JsonObject, depth + 1);
  return kept;
}
