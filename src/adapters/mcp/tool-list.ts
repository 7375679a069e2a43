import { z } from "zod";
import type { Catalog, Operation, Tool } from "../../board/operation.ts";
import { once } from "../../platform/once.ts";
import { successOf } from "../../schema/envelope.ts";
import { jsonSchemaOf, openSchemaOf } from "../../schema/json-schema.ts";
import { type JsonObject, propertiesOf, requiredOf, withoutNull } from "../reference/fields.ts";

/** Describes a tool as it is served over MCP. */
export interface ServedTool {
  name: string;
  /** Calls of it ask for these; the second has its own argument. See `Tool.also`. */
  operations: readonly [ServedOperation, ...ServedOperation[]];
  /** These are names of the arguments, without `api_key` and `detail`. */
  fields: ReadonlySet<string>;
  /** Gives its entry in `tools/list`. */
  listed(): ListedTool;
  /** Gives the schema of what it answers, for callers who read answers as data. */
  outputSchema(): ObjectSchema;
}

/** Describes an operation as a tool answers it. */
export interface ServedOperation {
  operation: Operation;
  /** Decides how its answer is written for a model. */
  shape: "posts" | "post" | "receipt" | "record";
  /** Its cursor is a watermark: it is good for the next look, even when there is nothing more now. */
  isWatermark: boolean;
  /** Its items are posts with word of how they came to the caller. */
  isInbox: boolean;
  /** With `always` its posts are shown whole as far as they fit; with `asked` by the argument `detail`. */
  whole: "always" | "asked" | "never";
}

interface ListedTool {
  name: string;
  title: string;
  description: string;
  annotations: Record<string, boolean>;
  inputSchema: ObjectSchema;
}

type ObjectSchema = JsonObject & { type: "object" };

export const DETAILS = ["compact", "full"] as const;

/** Keeps the tools by name; what lists say of them is made for the first that asks. */
export function servedTools({ tools, operations }: Catalog): ReadonlyMap<string, ServedTool> {
  return new Map(tools.map((tool) => [tool.name, servedTool(tool, operations)]));
}

/** Finds the operation that a call with these arguments asks for. */
export function operationAsked(
  { operations: [first, second, third] }: ServedTool,
  input: Readonly<Record<string, unknown>>,
): ServedOperation {
  if (second === undefined) return first;
  const { also } = first.operation as Tool;
  if (also?.given === undefined)
    return also?.missing !== undefined && !(also.missing in input) ? second : first;
  if (!(also.given in input)) return first;
  return third !== undefined && isTrue(input["delete"]) ? third : second;
}

/** Tells whether a flag was sent as true, in any of the forms that models send. */
export const isTrue = (sent: unknown) => /^(?:true|1|yes)$/i.test(String(sent));

function servedTool(tool: Tool, all: readonly Operation[]): ServedTool {
  const first = servedOperation(tool);
  const others = [tool.also?.operation, tool.also?.delete].flatMap((named) => {
    const other = named === undefined ? undefined : all.find(({ name }) => name === named);
    return other === undefined ? [] : [servedOperation(other, first)];
  });
  const operations = [first, ...others] as const;
  return {
    name: tool.name,
    operations,
    fields: new Set([
      ...operations.flatMap(({ operation }) => Object.keys(operation.input.shape)),
      ...(tool.also?.delete === undefined ? [] : ["delete"]),
    ]),
    listed: once(() => ({
      name: tool.name,
      title: tool.title,
      description: tool.when,
      annotations: annotationsOf(operations),
      inputSchema: inputSchemaOf(tool, operations),
    })),
    outputSchema: once(() => answerSchema(operations)),
  };
}

/** @param first  the tool's first operation, when this is its second: what continues one post is shown like it */
function servedOperation(operation: Operation, first?: ServedOperation): ServedOperation {
  const shape = shapeOf(operation);
  const element = operation.output instanceof z.ZodArray ? operation.output.element : undefined;
  // In place of a post that is gone there is a shorter item.
  const item = element instanceof z.ZodUnion ? element.options[0] : element;
  const isWatermark = item instanceof z.ZodObject && "delivery_id" in item.shape;
  const isInbox = isWatermark && "post" in item.shape;
  const whole = shape !== "posts" ? "never" : first?.shape === "post" ? "always" : "asked";
  return { operation, shape, isWatermark, isInbox, whole };
}

function shapeOf({ output, carriesPosts, effect }: Operation): ServedOperation["shape"] {
  if (carriesPosts !== true) return "record";
  if (output instanceof z.ZodArray) return "posts";
  return effect === "reads" ? "post" : "receipt";
}

/**
 * Hosts ask before a tool that may destroy, and assume that every writing tool may unless it says otherwise. For a
 * reading tool neither that hint nor `idempotentHint` means anything, and false is the default of the latter. Posts are
 * foreign text, so every tool is open-world.
 */
function annotationsOf(operations: ServedTool["operations"]): Record<string, boolean> {
  const [first] = operations;
  const reads = first.operation.effect === "reads";
  const destroys = operations.some(({ operation: { effect } }) => effect === "erases");
  return {
    readOnlyHint: reads,
    ...(reads ? {} : { destructiveHint: destroys }),
    openWorldHint: true,
  };
}

/**
 * Makes the schema of a tool's arguments: the fields of all its operations, the key for hosts that cannot set headers, and
 * the detail of a search. Every provider of models takes it: a type on every property, choices of strings only, no
 * constants, no alternatives, no references, no free-form objects (these are sent as JSON in a string). Bounds and defaults
 * stand in the descriptions.
 */
function inputSchemaOf(tool: Tool, operations: ServedTool["operations"]): ObjectSchema {
  const [first = {}, second] = operations.map(({ operation }) => jsonSchemaOf(operation.input, "input"));
  const takesDetail = operations.some(({ whole }) => whole === "asked");
  // Hosts that can ask their person for the terms only do so when the model may leave them out.
  const required = requiredOf(first).filter(
    (name) => name !== "accept_terms" && requiredOf(second ?? first).includes(name),
  );
  const properties = {
    ...propertiesOf(first),
    ...(second === undefined ? {} : fieldsOfSecond(tool, second)),
    ...(takesDetail ? { detail: { type: "string", enum: DETAILS, description: detailOf(tool) } } : {}),
    ...(tool.auth === "key"
      ? { api_key: { type: "string", description: "Your key, where the server has none set." } }
      : {}),
  };
  return {
    type: "object",
    properties: portableFields(properties, UNLISTED.top),
    ...(required.length === 0 ? {} : { required }),
    // OpenAI's strict mode takes an object without fields only if it says that it has none.
    ...(Object.keys(properties).length === 0 ? { additionalProperties: false } : {}),
  };
}

const detailOf = ({ also }: Tool) =>
  also?.missing === undefined
    ? "full: whole posts. Default: compact."
    : "full: whole posts, and the list of your saved queries. Default: compact.";

/** Describes the fields that choose another operation than the first. */
const TOLD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  create_post: {
    id: 'Id of your own post, to change it; `expires_at` "now" ends it.',
    delete: "true with `id` takes the post down for good.",
  },
  subscribe: {
    id: "Id of a saved query of yours, to change it.",
    delete: "true with `id` ends it for good.",
  },
  get_post: { cursor: "For further replies: the cursor that the last answer gave." },
};

/** Lists the fields that choose another operation, and those that only the second has. All others are those of the first. */
function fieldsOfSecond({ name, also, input }: Tool, second: JsonObject): Record<string, JsonObject> {
  if (also?.given === undefined) return {};
  const told = TOLD[name] ?? {};
  const own = Object.entries(propertiesOf(second)).filter(
    ([field]) => field === also.given || (also.delete !== undefined && !Object.hasOwn(input.shape, field)),
  );
  return {
    ...Object.fromEntries(
      own.map(([field, schema]) => [field, { ...schema, ...(told[field] && { description: told[field] }) }]),
    ),
    ...(also.delete === undefined ? {} : { delete: { type: "boolean", description: told["delete"] } }),
  };
}

/**
 * These are accepted, but not worth their tokens in a list that every conversation carries: what only programs that relay
 * feeds send, what is rarely wanted in a saved query, and a code that few boards ask for, by a failure that names it.
 */
const UNLISTED = {
  top: ["rerank", "source_url", "syndicated", "metadata", "invite"],
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
    ...(Object.keys(fields).length === 0 ? {} : { properties: portableFields(fields, UNLISTED.inner) }),
  };
}

const portableFields = (fields: Record<string, JsonObject>, unlisted: readonly string[]) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !unlisted.includes(name))
      .map(([name, field]) => [name, portable(field)]),
  );

/** Makes the schema of a tool's data, which is the envelope of REST: `data` is that of any of its operations. */
function answerSchema(operations: ServedTool["operations"]): ObjectSchema {
  const outputs = [...new Set(operations.map(({ operation }) => operation.output))];
  const data = outputs.length === 1 ? operations[0].operation.output : z.union(outputs);
  const isList = operations.every(({ operation }) => operation.list === true);
  return { ...openSchemaOf(successOf(data, isList), "output"), type: "object" };
}
