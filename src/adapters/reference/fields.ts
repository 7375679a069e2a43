import { grouped } from "../text/markdown.ts";

/**
 * This module alone reads JSON Schema. The manual, `/docs`, the tool list and the examples of OpenAPI all learn here what a
 * schema says.
 */

export type JsonObject = Record<string, unknown>;

export interface Field {
  name: string;
  required: boolean;
  /** Tells type, bounds and choices in a few words, without null: that means the same as leaving the field out. */
  type: string;
  /** It may be empty. */
  description: string;
  /** A field without a default has undefined. */
  preset: unknown;
  /** True for a field that is named only to be refused. */
  refused: boolean;
}

interface Notation {
  constant(value: unknown): string;
  choice(of: readonly string[]): string;
  list(max: number | undefined, each: string): string;
  object(fields: readonly Field[]): string;
  text(max: number | undefined): string;
}

/** Lists the fields of an object's schema, in its order. */
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
  if (present["not"] !== undefined) return "refused";
  const bound = (name: string) => present[name] as number | undefined;
  if (only !== undefined) return notation.constant(only);
  if (Array.isArray(choices)) return notation.choice(choices);
  if (format === "date-time") return format;
  if (format === "uri") return "URL";
  if (items !== undefined) return notation.list(bound("maxItems"), typeOf(items as JsonObject, notation));
  if (properties !== undefined) return notation.object(fieldsOf(present, notation));
  if (minimum !== undefined)
    return maximum === undefined ? `${type} ≥${minimum}` : `${type} ${minimum}–${maximum}`;
  return type === "string" ? notation.text(bound("maxLength")) : String(type);
}

/** Gives the schema without null among its choices. */
export function withoutNull({ anyOf, ...rest }: JsonObject): JsonObject {
  const choices = ((anyOf ?? []) as JsonObject[]).filter((choice) => choice["type"] !== "null");
  const present = choices.length > 1 ? { ...rest, anyOf: choices } : { ...rest, ...choices[0] };
  const { type } = present as JsonObject;
  return Array.isArray(type) ? { ...present, type: type.find((name) => name !== "null") } : present;
}

/**
 * Lists the fields of an input for the manual, one per line: `- \`q\` ≤500: Words.` A star marks a required field; no type
 * means text. Fields that read alike share a line.
 *
 * @param known  fields explained elsewhere; an object of these alone is just `object`
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

/** Writes `integer 1–100, default 20`. */
const typeAndDefault = ({ type, preset }: Field) =>
  `${type}${preset === undefined ? "" : `, default ${JSON.stringify(preset)}`}`;

/** The manual has it, where every token costs: `list ≤20, each ≤40`. */
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

/** Larger inner objects are not listed field by field: a saved query takes the fields of `search`. */
const INNER_FIELDS_MAX = 5;

const upTo = (max: number | undefined) => (max === undefined ? "" : ` ≤ ${max.toLocaleString("en")}`);

/** People read it: `list ≤ 20 of text ≤ 40`. */
export const SPELLED_OUT: Notation = {
  constant: String,
  choice: (of) => of.join(", "),
  list: (max, each) => `list${upTo(max)} of ${each}`,
  object: (fields) =>
    fields.length > INNER_FIELDS_MAX ? "object" : `object: ${fields.map(({ name }) => name).join(", ")}`,
  text: (max) => `text${upTo(max)}`,
};
