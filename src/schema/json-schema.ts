import { z } from "zod";

type JsonObject = Record<string, unknown>;

/**
 * The JSON Schema (2020-12) of one side of a zod schema, as the manual, OpenAPI and `tools/list` print it.
 *
 * zod's own output is trimmed of what costs a reader tokens and says nothing: `$schema`, the regex behind date-times,
 * the ±2^53 bounds of integers. `meta({ override })` replaces the form of a schema whose parsing is wider than what
 * callers should send.
 *
 * @param io  `input` is what a caller sends, `output` what the board answers
 */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const form = jsonSchema as JsonObject;
      // zod omits the default of anything it transforms, though here the default has the form callers send.
      const { def } = zodSchema._zod;
      if (def.type === "default") form["default"] = def.defaultValue;
      const override = form["override"];
      if (override !== undefined) {
        const { description, default: preset } = form;
        for (const key of Object.keys(form)) delete form[key];
        Object.assign(form, override);
        if (description !== undefined) form["description"] = description;
        if (preset !== undefined) form["default"] = preset;
      }
      if (form["format"] === "date-time") delete form["pattern"];
      if (form["maximum"] === Number.MAX_SAFE_INTEGER) delete form["maximum"];
      if (form["minimum"] === Number.MIN_SAFE_INTEGER) delete form["minimum"];
    },
  }) as JsonObject;
  delete json["$schema"];
  return json;
}
