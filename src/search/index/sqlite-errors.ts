/**
 * SQLite has these texts for codes that concern the file (`sqlite3ErrStr` in its main.c, which never changed them). The
 * binding leaves the code out when a statement fails on the way through its rows.
 */
const CODES: Readonly<Record<string, number>> = {
  "database is locked": 5,
  "attempt to write a readonly database": 8,
  "disk I/O error": 10,
  "database disk image is malformed": 11,
  "database or disk is full": 13,
  "unable to open database file": 14,
  "file is not a database": 26,
};

/** Finds the primary result code of an error of SQLite (https://sqlite.org/rescode.html); null for any other error. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode & 0xff;
  return "code" in error && error.code === "ERR_SQLITE_ERROR" ? (CODES[error.message] ?? null) : null;
}

/** Recognises SQLITE_BUSY: another connection holds the file. */
export const isBusy = (error: unknown): boolean => sqliteCode(error) === 5;

/** Recognises SQLITE_CORRUPT, after a loss of power or a change by hand, or SQLITE_NOTADB: the file was never a database. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}
