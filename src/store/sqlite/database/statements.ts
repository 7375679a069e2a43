import type { SqliteConnection } from "./connection.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Inserts a row of named columns; returns its rowid. */
export function insertInto({ sql }: SqliteConnection, table: string, fields: Fields): number {
  const columns = Object.keys(fields);
  const values = `(${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  return Number(sql(`INSERT INTO ${table} ${values}`).run(...Object.values(fields)).lastInsertRowid);
}

/** Sets named columns of the row whose `key` has a value. */
export function updateIn(
  { sql }: SqliteConnection,
  table: string,
  fields: Fields,
  [key, value]: readonly [key: string, value: unknown],
): void {
  const columns = Object.keys(fields).map((column) => `${column} = ?`);
  sql(`UPDATE ${table} SET ${columns.join(", ")} WHERE ${key} = ?`).run(...Object.values(fields), value);
}
