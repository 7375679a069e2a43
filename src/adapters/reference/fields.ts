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
  /** Type, bounds and choices in a few words; null goes without saying, it means the same as leaving the field out. */
  type: string;
  /** May be empty. */
  description: string;
  /** Undefined without a default. */
  preset: unknown;
  /** The operation names the field only to refuse it. */
  refused: boolean;
}

/** How types are spelled. */
interface Notation {
  constant(value: unknown): string;
  choice(of: readonly string[]): string;
  list(max: number | undefined, each: string): string;
  object(fields: readonly Field[]): string;
  text(max: number | undefined): string;
}

/** The fields of an object's schema, in its order. */
export function fieldsOf(schema: JsonObject, notation: Notation): Field[] {
  return Object.entries(propertiesOf(schema)).map(([name, field]) => ({
    name,
    required: requiredOf(schema).includes(name),
    type: typeOf(field, notation),
    description: String(field["description"] ?? ""),
    preset: field["default"],
    refused: field["not"] !== undefined,
  }));
}

export const propertiesOf = (schema: JsonObject) =>
  (schema["properties"] ?? {}) as Record<string, JsonObject>;

export const requiredOf = (schema: JsonObject) => (schema["required"] ?? []) as string[];

function typeOf(schema: JsonObject, notation: Notation): string {
  const present = withoutNull(schema);
  const { type, format, items, properties, const: only, enum: choices, minimum, maximum } = present;
  const bound = (name: string) => present[name] as number | undefined;
  if (only !== undefined) return notation.constant(only);
  if (Array.isArray(choices)) return notation.choice(choices);
  if (format === "date-time") return format;
  if (format === "uri") return "URL";
  if (items !== undefined) return notation.list(bound("maxItems"), typeOf(items as JsonObject, notation));
  if (properties !== undefined) return notation.object(fieldsOf(present, notation));
  if (minimum !== undefined) return `${type} ${minimum}–${maximum}`;
  return type === "string" ? notation.text(bound("maxLength")) : String(type);
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
  const byText = grouped(fieldsOf(schema, terse(known)), (field) => {
    const type = typeAndDefault(field);
    return `${type === "" ? "" : ` ${type}`}${field.description === "" ? "" : `: ${field.description}`}`;
  });
  return [...byText].map(([text, alike]) => {
    const names = alike.map(({ name, required }) => `\`${name}\`${required ? "*" : ""}`);
    return `- ${names.join(", ")}${text}`;
  });
}

/** `integer 1–100, default 20`. */
const typeAndDefault = ({ type, preset }: Field) =>
  `${type}${preset === undefined ? "" : `, default ${JSON.stringify(preset)}`}`;

/** For the manual, where each token has its price: `list ≤20, each ≤40`. */
const terse = (known: ReadonlySet<string>): Notation => ({
  constant: (value) => JSON.stringify(value),
  choice: (of) => of.join("|"),
  list: (max, each) => `list ${max === undefined ? "" : `≤${max}`}, each ${each}`,
  object: (fields) =>
    fields.every(({ name }) => known.has(name))
      ? "object"
      : `{${fields.map((field) => `${field.name} ${typeAndDefault(field)}`).join(", ")}}`,
  text: (max) => (max === undefined ? "" : `≤${max}`),
});

/** An inner object with more fields than this is not taken apart: a saved query is `search`, explained there. */
const INNER_FIELDS_MAX = 5;

const upTo = (max: number | undefined) => (max === undefined ? "" : ` ≤ ${max.toLocaleString("en")}`);

/** For a reader: `list ≤ 20 of text ≤ 40`. */
export const SPELLED_OUT: Notation = {
  constant: String,
  choice: (of) => of.join(", "),
  list: (max, each) => `list${upTo(max)} of ${each}`,
  object: (fields) =>
    fields.length > INNER_FIELDS_MAX ? "object" : `object: ${fields.map(({ name }) => name).join(", ")}`,
  text: (max) => `text${upTo(max)}`,
};

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
