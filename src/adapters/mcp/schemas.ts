import { z } from "zod";
import type { Operation } from "../../operation.ts";
import { successOf } from "../../schema/envelope.ts";
import { openSchemaOf } from "../../schema/json-schema.ts";
import { type JsonObject, propertiesOf, withoutNull } from "../reference/fields.ts";

/**
 * The schema of a tool's arguments, as every provider of models takes it: a type on every property, choices of strings
 * only, no constants, no alternatives, no references, no free-form objects (these are sent as JSON in a string). Bounds and
 * defaults stand in the descriptions.
 */
export function argumentsSchema(
  properties: Record<string, JsonObject>,
  required: readonly string[],
): JsonObject & { type: "object" } {
  return {
    type: "object",
    properties: mapped(omitted(properties, UNLISTED.top), (field) => portable(field)),
    ...(required.length === 0 ? {} : { required }),
    // OpenAI's strict mode takes an object without fields only if it says that it has none.
    ...(Object.keys(properties).length === 0 ? { additionalProperties: false } : {}),
  };
}

/**
 * Accepted, but not worth their tokens in a list that every conversation carries: what only programs that relay feeds
 * send, and what is rarely wanted in a saved query.
 */
const UNLISTED = {
  top: ["rerank", "source_url", "syndicated", "metadata"],
  inner: ["rerank", "timezone", "include_expired", "include_replies", "include_syndicated"],
};
function portable(sent: JsonObject): JsonObject {
  const { type, description, items, enum: choices } = withoutNull(sent);
  const fields = propertiesOf(withoutNull(sent));
  const isFreeForm = type === "object" && Object.keys(fields).length === 0;
  return {
    type: isFreeForm ? "string" : type,
    ...(description === undefined ? {} : { description }),
    ...(Array.isArray(choices) ? { enum: choices } : {}),
    ...(items === undefined ? {} : { items: portable(items as JsonObject) }),
    ...(Object.keys(fields).length === 0
      ? {}
      : { properties: mapped(omitted(fields, UNLISTED.inner), (field) => portable(field)) }),
  };
}

function omitted(fields: Record<string, JsonObject>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** The schema of a tool's data, which is the envelope of REST: `data` is that of any of its operations. */
export function answerSchema(operations: readonly Operation[]): JsonObject & { type: "object" } {
  const [output, ...others] = [...new Set(operations.map((operation) => operation.output))];
  const data =
    output === undefined || others.length > 0
      ? z.union([...(output === undefined ? [] : [output]), ...others])
      : output;
  const isList = operations.every(({ list }) => list === true);
  return { ...openSchemaOf(successOf(data, isList), "output"), type: "object" };
}

const mapped = (
  fields: Record<string, JsonObject>,
  change: (field: JsonObject, name: string) => JsonObject,
): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)]));
