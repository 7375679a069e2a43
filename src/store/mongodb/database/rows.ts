import { Binary } from "mongodb";
import { type Kept, missing, type RowOf, type RowRecord } from "../../../records/record.ts";

/**
 * A document holds a row: fields in snake case, `id` as `_id`, times as dates, vectors as BSON vectors of int8, and an
 * object with keys of callers as JSON text.
 */
export type DocumentOf<Row> = { [Name in keyof Row & string as FieldOf<Name>]: Stored<Name, Row[Name]> };

type FieldOf<Name extends string> = Name extends "id" ? "_id" : Snake<Name>;
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";
/** A test holds names of times to this. */
type Moment = "at" | `${string}${"At" | "Since" | "Until"}`;
type Stored<Name, Value> = Name extends Moment
  ? Date | Exclude<Value, number>
  : Record<string, unknown> extends Value
    ? string
    : Value extends Int8Array
      ? Binary
      : Value;

/** Makes the fields of a document for those of a row that are given. What they hold stays as it is. */
export function documentOf<One extends RowRecord, Given extends Partial<RowOf<One>>>(
  { fields }: One,
  given: Given,
): DocumentOf<Given> {
  const document: Record<string, unknown> = {};
  const row: Readonly<Record<string, unknown>> = given;
  for (const { name, column, kept } of fields) {
    const value = row[name];
    if (value === undefined) continue;
    document[fieldOf(column)] = value === null ? null : (WRITE[kept]?.(value) ?? value);
  }
  return document as DocumentOf<Given>;
}

/** Gives the fields that a removal of the text changes, as they are then. */
export function wipedOf<One extends RowRecord>(record: One): Partial<DocumentOf<RowOf<One>>> {
  return documentOf(record as RowRecord, record.wiped) as Partial<DocumentOf<RowOf<One>>>;
}

/** Reads the row in a document. What an older document lacks is what rows had before there was the field. */
export function rowOf<One extends RowRecord>({ fields }: One, document: object): RowOf<One> {
  const row: Record<string, unknown> = {};
  const stored = document as Readonly<Record<string, unknown>>;
  for (const { name, column, kept, before, wiped } of fields) {
    const value = stored[fieldOf(column)];
    if (value !== undefined) row[name] = value === null ? null : (READ[kept]?.(value) ?? value);
    else if (before === undefined && wiped !== undefined) row[name] = wiped;
  }
  return Object.assign(row, missing(fields, row)) as RowOf<One>;
}

const fieldOf = (column: string) => (column === "id" ? "_id" : column);

// biome-ignore lint/suspicious/noExplicitAny: a value of the kind that the field is kept as
type Turn = (value: any) => unknown;
const WRITE: Readonly<Partial<Record<Kept, Turn>>> = {
  moment: (at) => new Date(at),
  free: (object) => JSON.stringify(object),
  vector: (vector) => Binary.fromInt8Array(vector),
};
const READ: Readonly<Partial<Record<Kept, Turn>>> = {
  moment: (date: Date) => date.getTime(),
  free: (json) => JSON.parse(json),
  vector: (binary: Binary) => binary.toInt8Array(),
};
