import { z } from "zod";

type JsonObject = Record<string, unknown>;

/** A document holds the schemas of these names once and refers to them. */
type Names = ReadonlyMap<z.ZodType, string>;

/** Has zod's own descriptions, and beside them names that only one document gives. */
class NamingRegistry extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  readonly #names: Names;

  constructor(names: Names) {
    super();
    this.#names = names;
  }

  override get(schema: z.core.$ZodType) {
    const id = this.#names.get(schema as z.ZodType);
    const own = z.globalRegistry.get(schema);
    return id === undefined ? (own as never) : ({ ...own, id } as never);
  }
}

/** Makes the JSON Schema (2020-12) of one side of a zod schema, as the manual, OpenAPI and `tools/list` print it. */
export function jsonSchemaOf(
  schema: z.ZodType,
  io: "input" | "output",
  names: Names = new Map(),
): JsonObject {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    ...(names.size === 0 ? {} : { metadata: new NamingRegistry(names) }),
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

/**
 * Opens it to further fields: a later version of the board may add some, and programs made from the schema must not break
 * on them.
 */
export function openSchemaOf(schema: z.ZodType, io: "input" | "output", names?: Names): JsonObject {
  return JSON.parse(JSON.stringify(jsonSchemaOf(schema, io, names)), (_key, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const { additionalProperties, propertyNames, ...rest } = value as JsonObject;
    const keys = (propertyNames as JsonObject | undefined)?.["enum"];
    if (Array.isArray(keys)) {
      return { ...rest, properties: Object.fromEntries(keys.map((name) => [name, additionalProperties])) };
    }
    return additionalProperties === undefined || additionalProperties === false
      ? rest
      : { ...rest, additionalProperties };
  }) as JsonObject;
}
