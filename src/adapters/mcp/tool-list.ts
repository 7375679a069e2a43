import { z } from "zod";
import type { Operation } from "../../operation.ts";
import { jsonSchemaOf } from "../../schema/json-schema.ts";
import { allowsNull, conciseSchema, type JsonObject, propertiesOf, requiredOf } from "../reference/fields.ts";

/** A tool as it is served over MCP. */
export interface ServedTool {
  operation: Operation;
  /** What its answer looks like to a model. */
  shape: "posts" | "post" | "receipt" | "record";
  /** Its cursor is a watermark: it is good for the next look, even when there is nothing more now. */
  isWatermark: boolean;
  /** It takes `detail` in addition to the fields of the operation. */
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

/** The tools by name, prepared once for lists and calls. */
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

/** What every answer has. More is allowed than named: clients check answers against it. */
function outputSchemaOf({ output }: Operation, shape: ServedTool["shape"]): ListedTool["outputSchema"] {
  if (shape === "posts") return { type: "object", required: ["posts"] };
  if (shape !== "record") return { type: "object", required: ["id", "url", "title", "body"] };
  const schema = jsonSchemaOf(output, "output");
  const fields = propertiesOf(schema);
  // Answers leave nulls out, so nothing that may be null is promised.
  return { type: "object", required: requiredOf(schema).filter((name) => !allowsNull(fields[name] ?? {})) };
}
