import { closeSync, existsSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import { createWriter } from "./writer.ts";

/** One open database file. Reads and writes share the connection: a transaction never spans a turn of the event loop. */
export interface Connection {
  readonly db: DatabaseSyncInstance;
  /** A prepared statement, kept for the next call with the same text. */
  sql(text: string): StatementSyncInstance;
  /** Texts of all statements prepared so far; what the tests of query plans look at. */
  statements(): string[];
  /** Runs `ask` at once, and again for up to 10 s while another process holds the file (recovery, closing). */
  read<T>(ask: () => T): Promise<T>;
  /**
   * Runs `job` inside a transaction, alone in its savepoint, and resolves once it is committed. Rejects with what it
   * threw, and then nothing of it is kept.
   */
  write<T>(job: () => T): Promise<T>;
  /** Moves the log into the file and empties it; false when a reader elsewhere kept it for 10 s. */
  emptyLog(): Promise<boolean>;
  /** Waits for queued writes, then closes. */
  close(): Promise<void>;
}

/** How long a blocked statement may hold the event loop, in milliseconds. Longer waits are asynchronous. */
const BUSY_TIMEOUT_MS = 10;
/** How long asynchronous retries go on, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * Opens a file, creating it when it is missing.
 *
 * @throws Error when the file is a database of another program
 * @param durability  `full`: a commit survives a loss of power; `crash`: only a kill of the process
 * @param committed  called after each commit
 */
export async function connect(
  file: string,
  durability: "full" | "crash",
  committed: () => void = () => {},
): Promise<Connection> {
  // For its owner's eyes only: secrets are in it. The log and other files beside it get its permissions.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    await retryBusy(() => {
      // What is no database, or somebody else's, is noticed before anything is changed in it.
      const { tables, ours } = db
        .prepare(
          "SELECT count(*) AS tables, count(CASE WHEN name = 'agent_board_version' THEN 1 END) AS ours FROM sqlite_schema",
        )
        .get();
      if (tables > 0 && ours === 0) {
        throw new Error(`${file} is a database of another program. Point STORE_URL at another file.`);
      }
      db.exec("PRAGMA journal_mode = WAL");
      db.exec(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "OFF"}`);
      // Deleted text is overwritten with zeros, and never spilled into a temporary file.
      db.exec("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON");
      db.exec("PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 16777216");
    });
  } catch (error) {
    db.close();
    throw error;
  }

  const cache = new Map<string, StatementSyncInstance>();
  const writer = createWriter(db, retryBusy, committed);
  return {
    db,
    sql(text) {
      let statement = cache.get(text);
      if (statement === undefined) {
        statement = db.prepare(text);
        cache.set(text, statement);
      }
      return statement;
    },
    statements: () => [...cache.keys()],
    read: (ask) => retryBusy(ask).catch(rethrow),
    write: (job) => writer.write(job).catch(rethrow),
    async emptyLog() {
      const deadline = performance.now() + PATIENCE_MS;
      while (true) {
        // Reports a busy reader in its row, and a busy writer as an error.
        const row = await retryBusy(() => db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get());
        if (row.busy === 0) return true;
        if (performance.now() > deadline) return false;
        await sleep(10 + Math.random() * 40);
      }
    },
    async close() {
      await writer.close();
      cache.clear();
      if (!db.isOpen) return;
      try {
        // The file is whole without its log then, also while statements that are not collected yet keep the log's file.
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch {
        // Another process writes; it empties the log when it closes.
      }
      db.close();
    },
  };
}

/** SQLite's primary result codes that say something of the machine and nothing of the statement. */
const UNAVAILABLE: Readonly<Record<number, string>> = {
  5: "another process has held the database for too long",
  8: "the database file is read-only",
  10: "the disk failed",
  13: "the disk is full",
  14: "the database file cannot be opened",
};

function rethrow(error: unknown): never {
  const reason = UNAVAILABLE[sqliteCode(error) ?? 0];
  throw reason === undefined ? error : new StoreUnavailable(reason, { cause: error });
}

/** Calls `ask` until the file is not busy; throws its error when that takes longer than 10 s, or at once when it is another. */
async function retryBusy<T>(ask: () => T): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return ask();
    } catch (error) {
      if (sqliteCode(error) !== BUSY || performance.now() > deadline) throw error;
      // Jitter, so that several processes do not wake together; short at first, since most locks last one commit.
      await sleep(Math.random() * Math.min(5 * tries, 50));
    }
  }
}

const BUSY = 5;

/** The primary result code of SQLite (https://sqlite.org/rescode.html), or null for any other error. */
export function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

/** True when a loss of power or a hand tore the file (SQLITE_CORRUPT), or it was never a database (SQLITE_NOTADB). */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}
