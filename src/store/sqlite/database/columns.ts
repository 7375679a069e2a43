/** A row as SQLite gives it. */
// biome-ignore lint/suspicious/noExplicitAny: the statement decides which columns a row has
export type SqliteRow = Record<string, any>;

/** How a field is kept: as it is, as JSON text, a boolean as 0 or 1, a vector as its bytes. */
type Kept = "plain" | "json" | "flag" | "vector";

/** How a table keeps the fields of a row: in columns of their names in snake case. */
export class Columns<Row extends object> {
  /** Names of the columns. */
  readonly names: readonly string[];
  readonly #columns: readonly (readonly [field: keyof Row & string, column: string, kept: Kept])[];

  /**
   * @param fields  names of all fields, in the order of an export, separated by white space
   * @param kept  names of those that are not kept as they are
   */
  constructor(fields: string, kept: Partial<Record<Exclude<Kept, "plain">, string>> = {}) {
    const keptAs = (field: string): Kept =>
      (["json", "flag", "vector"] as const).find((one) => kept[one]?.split(" ").includes(field)) ?? "plain";
    this.#columns = fields
      .split(/\s+/)
      .map((field) => [field as keyof Row & string, columnName(field), keptAs(field)]);
    this.names = this.#columns.map(([, column]) => column);
  }

  /** The fields that columns hold. */
  read(row: SqliteRow): Row {
    const fields: SqliteRow = {};
    for (const [field, column, kept] of this.#columns) {
      const value = row[column];
      if (kept === "plain" || value === null) fields[field] = value;
      else
        fields[field] =
          kept === "flag" ? value === 1 : kept === "json" ? JSON.parse(value) : vectorOfBlob(value);
    }
    return fields as Row;
  }

  /** The columns of those of the fields that are given. */
  write(fields: Partial<Row>): SqliteRow {
    const columns: SqliteRow = {};
    for (const [field, column, kept] of this.#columns) {
      const value: unknown = fields[field];
      if (value === undefined) continue;
      if (kept === "plain" || value === null) columns[column] = value;
      else if (kept === "flag") columns[column] = Number(value);
      else columns[column] = kept === "json" ? JSON.stringify(value) : blobOf(value as Int8Array);
    }
    return columns;
  }
}

export const columnName = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function vectorOfBlob(blob: Uint8Array): Int8Array {
  return new Int8Array(blob.buffer, blob.byteOffset, blob.byteLength);
}

export function blobOf(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
