import { randomUUID } from "node:crypto";
import type { SqliteConnection } from "./connection.ts";

/** This setting is there while the log may hold erased text. */
export const LOG_MARK = "log_holds_erased";

/** Remembers, across restarts, that the log holds text being erased; runs inside the write that erases it. */
export function markLog({ sql }: SqliteConnection): void {
  sql("INSERT OR REPLACE INTO setting VALUES (?, ?)").run(LOG_MARK, randomUUID());
}

/** This long lies between two tries to empty a log that a reader held. */
const RETRY_MS = 2_000;
const retried = new WeakSet<SqliteConnection>();

/**
 * Empties the log if it holds erased text. A read transaction of another connection prevents that for as long as it lasts.
 *
 * @param patienceMs  how long to wait for such readers; then it is tried again until they have ended
 * @returns false when there still is erased text in the log
 */
export async function emptyMarkedLog(connection: SqliteConnection, patienceMs: number): Promise<boolean> {
  const isEmpty = await tryToEmpty(connection, patienceMs);
  if (!isEmpty && !retried.has(connection)) {
    retried.add(connection);
    retryLater(connection);
  }
  return isEmpty;
}

function retryLater(connection: SqliteConnection): void {
  const retry = async () => {
    if (!connection.db.isOpen) return;
    if (await tryToEmpty(connection, 0).catch(() => false)) retried.delete(connection);
    else retryLater(connection);
  };
  setTimeout(() => void retry(), RETRY_MS).unref();
}

async function tryToEmpty(connection: SqliteConnection, patienceMs: number): Promise<boolean> {
  const { sql, read, write } = connection;
  const mark = await read(() => sql("SELECT value FROM setting WHERE name = ?").get(LOG_MARK)?.value);
  if (mark === undefined) return true;
  if (!(await connection.emptyLog(patienceMs))) return false;
  // An erasure since then has set a mark of its own.
  await write(() => sql("DELETE FROM setting WHERE name = ? AND value = ?").run(LOG_MARK, mark));
  return true;
}
