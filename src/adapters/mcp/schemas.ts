import { z } from "zod";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { allowsNull, type JsonObject, propertiesOf, requiredOf, withoutNull } from "../reference/fields.ts";

/** What the schema of an answer depends on. */
interface Answering {
  operation: { output: z.ZodType };
  shape: "posts" | "post" | "receipt" | "record";
}

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

/**
 * The schema of a tool's data. Nulls and empty fields are left out of answers, so nothing that may be null or empty is
 * promised; more may come than is named.
 */
export function answerSchema(operations: readonly Answering[]): JsonObject & { type: "object" } {
  const schemas = operations.map(dataSchema);
  const [first = {}, ...others] = schemas;
  const required = requiredOf(first).filter((name) =>
    others.every((each) => requiredOf(each).includes(name)),
  );
  return { type: "object", properties: Object.assign({}, ...schemas.map(propertiesOf)), required };
}

const TEXT = { type: "string" };

function dataSchema({ operation: { output }, shape }: Answering): JsonObject {
  const note = { ...TEXT, description: "Read it whenever it is there." };
  if (shape === "record") {
    const record = present(jsonSchemaOf(output, "output"));
    return { ...record, properties: { note, ...propertiesOf(record) } };
  }
  const notices = { note, content_notice: TEXT };
  if (shape !== "posts") {
    return { properties: { ...notices, ...propertiesOf(shownPost(output)) }, required: ALWAYS };
  }
  const item = output instanceof z.ZodArray ? shownItem(output.element as z.ZodObject) : {};
  const posts = { type: "array", items: item };
  return { properties: { ...notices, posts, next_cursor: TEXT }, required: ["posts"] };
}

/** An item of an inbox is shown as its post, and beside it what concerns the caller. */
function shownItem(element: z.ZodObject): JsonObject {
  const { post, subscription_id: _one, ...news } = element.shape as Record<string, z.ZodType>;
  if (post === undefined) return shownPost(element);
  const ids = { subscription_ids: { type: "array", items: TEXT } };
  const item = shownPost(post);
  const beside = propertiesOf(present(jsonSchemaOf(z.object(news), "output")));
  return { ...item, properties: { ...propertiesOf(item), ...beside, ...ids } };
}

/** What even the briefest form of a post has. */
const ALWAYS = ["id", "url", "title", "body", "publisher"];

/** The schema of a post as `data.ts` gives it: brief, whole, or only mentioned. */
function shownPost(post: z.ZodType): JsonObject {
  const schema = present(jsonSchemaOf(post, "output"));
  const fields = propertiesOf(schema);
  const least: Record<string, readonly string[]> = {
    publisher: ["id", "name", "verified"],
    related: [],
    replies: [],
  };
  const properties = mapped(fields, (field, name) => {
    const { items } = field as { items?: JsonObject };
    const required = least[name];
    if (required === undefined) return field;
    return items === undefined ? { ...field, required } : { ...field, items: mentioned(items) };
  });
  return { ...schema, properties, required: ALWAYS };
}

/** A post within a post: programs that want its fields read it by itself. */
function mentioned(post: JsonObject): JsonObject {
  const { id = {}, url = {}, kind = {}, title = {}, body = {} } = propertiesOf(post);
  return {
    type: "object",
    properties: { id, url, kind, title, body },
    required: ["id", "url", "kind", "title"],
  };
}

/** The schema of a value without its nulls. */
function present(sent: JsonObject): JsonObject {
  const { additionalProperties: _closed, ...schema } = withoutNull(sent);
  const fields = propertiesOf(schema);
  if (Object.keys(fields).length === 0) return schema;
  return {
    ...schema,
    properties: mapped(fields, present),
    required: requiredOf(schema).filter((name) => !allowsNull(fields[name] ?? {})),
  };
}

const mapped = (
  fields: Record<string, JsonObject>,
  change: (field: JsonObject, name: string) => JsonObject,
): Record<string, JsonObject> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)]));
