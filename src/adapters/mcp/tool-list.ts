import { z } from "zod";
import type { Operation } from "../../operation.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { allowsNull, conciseSchema, type JsonObject, propertiesOf, requiredOf } from "../reference/fields.ts";

/** A tool as it is served over MCP. */
export interface ServedTool {
  operation: Operation;
  /** What its answer looks like to a model. */
  shape: "posts" | "post" | "receipt" | "record";
  /** Its cursor is a watermark: good for the next look, also when there is nothing more now. */
  isWatermark: boolean;
  /** It takes `detail`, beside what the operation takes. */
  takesDetail: boolean;
  /** Its entry of `tools/list`. */
  listed: ListedTool;
}

interface ListedTool {
  name: string;
  title: string;
  description: string;
  annotations: Record<string, boolean>;
  inputSchema: JsonObject & { type: "object" };
  outputSchema: JsonObject & { type: "object" };
}

export const DETAILS = ["compact", "full"] as const;

/** The tools by name, with everything a list or a call needs, computed once. */
export function servedTools(operations: readonly Operation[]): ReadonlyMap<string, ServedTool> {
  return new Map(operations.map((operation) => [operation.name, servedTool(operation)]));
}

function servedTool(operation: Operation): ServedTool {
  const shape = shapeOf(operation);
  const item = operation.output instanceof z.ZodArray ? operation.output.element : undefined;
  const isWatermark = item instanceof z.ZodObject && "delivery_id" in item.shape;
  const takesDetail = shape === "posts" && !isWatermark;
  return {
    operation,
    shape,
    isWatermark,
    takesDetail,
    listed: {
      name: operation.name,
      title: operation.title,
      description: operation.when,
      annotations: annotationsOf(operation),
      inputSchema: inputSchemaOf(operation, takesDetail),
      outputSchema: outputSchemaOf(operation, shape),
    },
  };
}

function shapeOf({ output, carriesPosts, effect }: Operation): ServedTool["shape"] {
  if (carriesPosts !== true) return "record";
  if (output instanceof z.ZodArray) return "posts";
  return effect === "reads" ? "post" : "receipt";
}

/**
 * Hosts ask before a tool that may destroy, which they take every writing one for unless it says otherwise. Whether it
 * destroys or may be repeated means nothing for a reading one, and `idempotentHint: false` is the default. Posts are
 * foreign text, so every tool is open-world.
 */
function annotationsOf({ effect }: Operation): Record<string, boolean> {
  return {
    readOnlyHint: effect === "reads",
    ...(effect === "reads" ? {} : { destructiveHint: effect === "erases" }),
    openWorldHint: true,
  };
}

/** The operation's input, the key for hosts that cannot set headers, and the detail of a search. */
function inputSchemaOf(operation: Operation, takesDetail: boolean): ListedTool["inputSchema"] {
  const { properties, required } = conciseSchema(jsonSchemaOf(operation.input, "input")) as {
    properties: JsonObject;
    required?: string[];
  };
  return {
    type: "object",
    properties: {
      ...properties,
      ...(takesDetail ? { detail: { enum: DETAILS, description: "full: whole posts" } } : {}),
      ...(operation.auth === "key"
        ? { api_key: { type: "string", description: "If no header can be set." } }
        : {}),
    },
    ...(required === undefined ? {} : { required }),
  };
}

/** What an answer has in any case. It allows more than it names, since clients check answers against it. */
function outputSchemaOf({ output }: Operation, shape: ServedTool["shape"]): ListedTool["outputSchema"] {
  if (shape === "posts") return { type: "object", required: ["posts"] };
  if (shape !== "record") return { type: "object", required: ["id", "url", "title", "body"] };
  const schema = jsonSchemaOf(output, "output");
  const fields = propertiesOf(schema);
  // Nulls are left out of an answer, so what may be null is not promised.
  return { type: "object", required: requiredOf(schema).filter((name) => !allowsNull(fields[name] ?? {})) };
}
