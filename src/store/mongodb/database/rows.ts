import { Binary } from "mongodb";

/** A row of a port as a document: fields in snake case, `id` as `_id`, times as dates, vectors as BSON vectors of int8. */
export type DocumentOf<Row> = { [Name in keyof Row & string as Field<Name>]: Stored<Name, Row[Name]> };

type Field<Name extends string> = Name extends "id" ? "_id" : Snake<Name>;
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : "";
type Time = "at" | `${string}${"At" | "Since" | "Until"}`;
type Stored<Name, Value> = Name extends Time
  ? Date | Exclude<Value, number>
  : Value extends Int8Array
    ? Binary
    : Value;

/** Fields kept as dates, which operators can read and search indexes can compare. */
const TIME = /^at$|(?:At|Since|Until)$/;

/** Only the row's own fields change; what they hold stays as it is. */
export function documentOf<Row extends object>(row: Row): DocumentOf<Row> {
  const fields = Object.entries(row).map(([name, value]) => {
    if (typeof value === "number" && TIME.test(name)) return [fieldOf(name), new Date(value)];
    return [fieldOf(name), value instanceof Int8Array ? Binary.fromInt8Array(value) : value];
  });
  return Object.fromEntries(fields) as DocumentOf<Row>;
}

/** @param others  fields of the document that are not the row's */
export function rowOf<Row extends object>(document: DocumentOf<Row>, others: readonly string[] = []): Row {
  const row: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(document)) {
    if (others.includes(field)) continue;
    row[nameOf(field)] =
      value instanceof Date ? value.getTime() : value instanceof Binary ? value.toInt8Array() : value;
  }
  return row as Row;
}

const FIELDS = new Map([["id", "_id"]]);
const NAMES = new Map([["_id", "id"]]);

const fieldOf = (name: string) =>
  kept(FIELDS, name, (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const nameOf = (field: string) =>
  kept(NAMES, field, (text) => text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));

/** Names are few, and each is made once. */
function kept(known: Map<string, string>, text: string, make: (text: string) => string): string {
  const made = known.get(text) ?? make(text);
  known.set(text, made);
  return made;
}
