/** The primary result code of an error of SQLite (https://sqlite.org/rescode.html), or null for any other error. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

/** SQLITE_BUSY: another connection holds the file. */
export const isBusy = (error: unknown): boolean => sqliteCode(error) === 5;

/** SQLITE_CORRUPT, after a loss of power or a change by hand, or SQLITE_NOTADB: the file was never a database. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}
