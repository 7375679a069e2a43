import { z } from "zod";
import type { Catalog, Operation, Tool } from "../../operation.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { type JsonObject, propertiesOf, requiredOf } from "../reference/fields.ts";
import { answerSchema, argumentsSchema } from "./schemas.ts";

/** A tool as it is served over MCP. */
export interface ServedTool {
  name: string;
  /** What calls of it ask for; the second has its own argument. See `Tool.also`. */
  operations: readonly [ServedOperation, ...ServedOperation[]];
  /** Names of the arguments, without `api_key` and `detail`. */
  fields: ReadonlySet<string>;
  /** Its entry of `tools/list`. */
  listed: ListedTool;
}

/** An operation as a tool answers it. */
export interface ServedOperation {
  operation: Operation;
  /** What its answer looks like to a model. */
  shape: "posts" | "post" | "receipt" | "record";
  /** Its cursor is a watermark: it is good for the next look, even when there is nothing more now. */
  isWatermark: boolean;
  /** Its items are posts with word of how they came to the caller. */
  isInbox: boolean;
  /** `always`: its posts are shown whole as far as they fit; `asked`: with the argument `detail`. */
  whole: "always" | "asked" | "never";
}

interface ListedTool {
  name: string;
  title: string;
  description: string;
  annotations: Record<string, boolean>;
  inputSchema: JsonObject & { type: "object" };
  /** Only where answers carry data besides their text. */
  outputSchema: JsonObject & { type: "object" };
}

export const DETAILS = ["compact", "full"] as const;

/** The tools by name, prepared once for lists and calls. */
export function servedTools({ tools, operations }: Catalog): ReadonlyMap<string, ServedTool> {
  return new Map(tools.map((tool) => [tool.name, servedTool(tool, operations)]));
}

/** The operation that a call with these arguments asks for. */
export function operationAsked({ operations: [first, second] }: ServedTool, input: object): ServedOperation {
  if (second === undefined) return first;
  const { also } = first.operation as Tool;
  const isSecond =
    also?.given !== undefined ? also.given in input : also?.missing !== undefined && !(also.missing in input);
  return isSecond ? second : first;
}

function servedTool(tool: Tool, all: readonly Operation[]): ServedTool {
  const second = tool.also === undefined ? undefined : all.find(({ name }) => name === tool.also?.operation);
  const first = servedOperation(tool);
  const operations = [first, ...(second === undefined ? [] : [servedOperation(second, first)])] as const;
  const inputs = operations.map(({ operation }) => jsonSchemaOf(operation.input, "input"));
  const takesDetail = operations.some(({ whole }) => whole === "asked");
  return {
    name: tool.name,
    operations,
    fields: new Set(inputs.flatMap((schema) => Object.keys(propertiesOf(schema)))),
    listed: {
      name: tool.name,
      title: tool.title,
      description: tool.when,
      annotations: annotationsOf(tool),
      inputSchema: inputSchemaOf(tool, inputs, takesDetail),
      outputSchema: answerSchema(operations.map(({ operation }) => operation)),
    },
  };
}

/** @param first  the tool's first operation, when this is its second: what continues one post is shown like it */
function servedOperation(operation: Operation, first?: ServedOperation): ServedOperation {
  const shape = shapeOf(operation);
  const item = operation.output instanceof z.ZodArray ? operation.output.element : undefined;
  const isWatermark = item instanceof z.ZodObject && "delivery_id" in item.shape;
  const isInbox = isWatermark && "post" in item.shape;
  const whole = shape !== "posts" || isWatermark ? "never" : first?.shape === "post" ? "always" : "asked";
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
function annotationsOf({ effect }: Operation): Record<string, boolean> {
  return {
    readOnlyHint: effect === "reads",
    ...(effect === "reads" ? {} : { destructiveHint: effect === "erases" }),
    openWorldHint: true,
  };
}

/** The fields of all its operations, the key for hosts that cannot set headers, and the detail of a search. */
function inputSchemaOf(
  tool: Tool,
  inputs: readonly JsonObject[],
  takesDetail: boolean,
): ListedTool["inputSchema"] {
  const [first = {}, second] = inputs;
  const needed =
    second === undefined
      ? requiredOf(first)
      : requiredOf(first).filter((name) => requiredOf(second).includes(name));
  return argumentsSchema(
    {
      ...propertiesOf(first),
      ...(tool.also === undefined || second === undefined ? {} : fieldsOfSecond(tool.also, second)),
      ...(takesDetail
        ? { detail: { type: "string", enum: DETAILS, description: "full: whole posts. Default: compact." } }
        : {}),
      ...(tool.auth === "key"
        ? { api_key: { type: "string", description: "Your key, where the server has none set." } }
        : {}),
    },
    needed,
  );
}

/** What such fields mean beside those of the first operation. */
const TOLD: Readonly<Record<string, string>> = {
  id: 'Id of your own post, to change it; `expires_at` "now" ends it.',
  cursor: "For further replies: the cursor that the last answer gave.",
};

/** Only the fields that tell the second operation: the others are those of the first. */
function fieldsOfSecond({ given, fields = [] }: NonNullable<Tool["also"]>, second: JsonObject) {
  const named = [...(given === undefined ? [] : [given]), ...fields];
  return Object.fromEntries(
    named.map((name) => [name, { ...propertiesOf(second)[name], description: TOLD[name] }]),
  );
}
