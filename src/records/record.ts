import { z } from "zod";

/**
 * Tells how a field is kept where a database has few types: as it is; a time in epoch milliseconds; a boolean; JSON; an
 * object whose keys callers choose, so that they are data and no fields; a vector of int8.
 */
export type Kept = "plain" | "moment" | "flag" | "json" | "free" | "vector";

type Fields = Readonly<Record<string, unknown>>;

/** A store must know these of a field, beside its type. */
interface Facts {
  /** Needed where the type does not tell it. */
  kept?: Kept;
  /** The field becomes this when the text of its row is removed, at once and before the row goes. */
  wiped?: unknown;
  /** A post's publisher wrote it: it lies apart from what the board decides and counts. */
  written?: true;
  /** Works the field out of the others for a row that was written before there was this one. */
  before?: (row: Fields) => unknown;
  /** Holds the id of such a row. */
  names?: "publisher" | "post" | "subscription";
}

export interface Field extends Facts {
  name: string;
  /** A database has its name in snake case. */
  column: string;
  kept: Kept;
}

/** One sort of rows: types, columns, documents and the check of an export are read off it. */
export interface RowRecord<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly shape: Shape;
  readonly fields: readonly Field[];
  /** No two rows have the same values in such fields; with null in one of them they say nothing. */
  readonly unique: readonly (readonly string[])[];
  /** Checks a row of an export, where vectors are base64, and completes one of an earlier board. */
  readonly schema: z.ZodType<z.output<z.ZodObject<Shape>>>;
  /** This is left in place of a removed text. */
  readonly wiped: Partial<z.output<z.ZodObject<Shape>>>;
}

export type RowOf<One extends RowRecord> = z.output<z.ZodObject<One["shape"]>>;

export function record<Shape extends z.ZodRawShape>(
  shape: Shape,
  unique: readonly (readonly (keyof Shape & string)[])[] = [],
): RowRecord<Shape> {
  const fields = Object.entries(shape).map(
    ([name, schema]): Field => ({
      name,
      column: columnName(name),
      kept: keptAs(schema as z.ZodType),
      ...FACTS.get(schema as z.ZodType),
    }),
  );
  const wiped = Object.fromEntries(
    fields.filter((field) => "wiped" in field).map((field) => [field.name, field.wiped]),
  );
  const complete = (row: unknown) =>
    typeof row === "object" && row !== null ? { ...row, ...missing(fields, row as Fields) } : row;
  return {
    shape,
    fields,
    unique,
    schema: z.preprocess(complete, z.strictObject(shape)) as RowRecord<Shape>["schema"],
    wiped: wiped as RowRecord<Shape>["wiped"],
  };
}

export const columnName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Finds the fields that a row lacks because it is older than they are. */
export function missing(fields: readonly Field[], row: Fields): Fields {
  const late = fields.filter(({ name, before }) => before !== undefined && row[name] === undefined);
  return Object.fromEntries(late.map(({ name, before }) => [name, before?.(row)]));
}

const FACTS = z.registry<Facts>();

function having<Schema extends z.ZodType>(schema: Schema, facts: Facts): Schema {
  const own = schema.clone() as Schema;
  FACTS.add(own, { ...FACTS.get(schema), ...facts });
  return own;
}

/** Rows of before lack this field, and have something in its place. */
export const since = <Schema extends z.ZodType>(schema: Schema, before: (row: Fields) => unknown): Schema =>
  having(schema, { before });

/** A removal of the row's text sets this field to `empty`. */
export const wipedTo = <Schema extends z.ZodType>(empty: z.output<Schema>, schema: Schema): Schema =>
  having(schema, { wiped: empty });

/** The publisher of a post writes this field. */
export const written = <Schema extends z.ZodType>(empty: z.output<Schema>, schema: Schema): Schema =>
  having(schema, { wiped: empty, written: true });

/** The field names another row, which must be there. */
export const idOf = <Schema extends z.ZodType>(names: NonNullable<Facts["names"]>, schema: Schema): Schema =>
  having(schema, { names });

/** Tells how a type is kept; a null or nothing is kept as such. */
function keptAs(schema: z.ZodType): Kept {
  const kept = FACTS.get(schema)?.kept;
  if (kept !== undefined) return kept;
  const { def } = schema as z.ZodType & { def: { type: string; innerType?: z.ZodType } };
  if (def.innerType !== undefined) return keptAs(def.innerType);
  if (def.type === "boolean") return "flag";
  return def.type === "array" || def.type === "object" ? "json" : "plain";
}

export const id = z.string().min(1);
export const text = z.string();
export const count = z.int().min(0);
/** Counts epoch milliseconds, as far as a Date goes: lists and pages write them as ISO strings. */
export const moment = having(z.int().min(-8.64e15).max(8.64e15), { kept: "moment" });
/** Any keys may stand in the object; a zod record would drop `__proto__`. */
export const free = having(
  z.custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be an object",
  ),
  { kept: "free" },
);
export const vector = having(
  z.base64().transform((base64): Int8Array => {
    const bytes = Buffer.from(base64, "base64");
    return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }),
  { kept: "vector" },
);
