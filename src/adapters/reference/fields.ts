import type { Operation } from "../../operation.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";

type Json = Record<string, unknown>;

/** One parameter or field of an operation as a reader looks it up. */
export interface Field {
  name: string;
  place: "path" | "query" | "body";
  required: boolean;
  /** Type, bounds and choices in a few words, such as `integer 1–100`. */
  form: string;
  /** May be empty. */
  meaning: string;
}

/** What an operation can be sent, in the order of its schema. */
export function fieldsOf({ input, rest }: Operation): Field[] {
  const schema = jsonSchemaOf(input, "input");
  const required = (schema["required"] ?? []) as string[];
  return Object.entries((schema["properties"] ?? {}) as Record<string, Json>)
    .filter(([, field]) => field["not"] === undefined)
    .map(([name, field]) => {
      const { description, default: preset } = field;
      const inPath = rest.path.includes(`{${name}}`);
      return {
        name,
        place: inPath ? "path" : rest.method === "GET" ? "query" : "body",
        required: required.includes(name),
        form: formOf(field),
        meaning: [
          typeof description === "string" ? description : "",
          preset === undefined ? "" : `Default ${String(preset)}.`,
        ]
          .filter((text) => text !== "")
          .join(" "),
      };
    });
}

function formOf(sent: Json): string {
  const field = withoutNull(sent);
  const { type, format, items, properties, minimum, maximum, maxLength, maxItems } = field;
  const choices = field["enum"];
  if ("const" in field) return String(field["const"]);
  if (Array.isArray(choices)) return choices.join(", ");
  if (format === "date-time") return "date-time";
  if (format === "uri") return "URL";
  if (items !== undefined) return `list${upTo(maxItems)} of ${formOf(items as Json)}`;
  // The fields of a saved query are those of the search, told there.
  if (properties !== undefined) {
    const names = Object.keys(properties as Json);
    return names.length > 5 ? "object" : `object: ${names.join(", ")}`;
  }
  if (minimum !== undefined)
    return `${type} ${minimum}–${maximum === Number.MAX_SAFE_INTEGER ? "" : maximum}`;
  return type === "string" ? `text${upTo(maxLength)}` : String(type ?? "any");
}

const upTo = (count: unknown) => (count === undefined ? "" : ` ≤ ${Number(count).toLocaleString("en")}`);

function withoutNull({ type, anyOf, ...rest }: Json): Json {
  const forms = (Array.isArray(anyOf) ? anyOf : []) as Json[];
  if (forms.length > 0) return { ...rest, ...forms.find((one) => one["type"] !== "null") };
  return type === undefined ? rest : { ...rest, type: Array.isArray(type) ? type[0] : type };
}
