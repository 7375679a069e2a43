import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makePrivateFile } from "../../../platform/folders.ts";
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from "../../../platform/sqlite.ts";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import type { EmbeddedIndex } from "../../../search/index/index.ts";
import { isBusy, isDamaged, sqliteCode } from "../../../search/index/sqlite-errors.ts";
import { inSteps } from "../../rules/rows.ts";
import { OwnFiles, unwritableReason } from "./own-files.ts";
import { createWriter } from "./writer.ts";

/** Holds one open database file. Reads and writes share it: a transaction never spans a turn of the event loop. */
export interface SqliteConnection {
  readonly db: DatabaseSyncInstance;
  /** Prepares a statement, cached by its text. */
  sql(text: string): StatementSyncInstance;
  /** Lists the texts of all statements prepared this far, for tests of query plans. */
  statements(): string[];
  /** Runs `ask` at once, then again for up to 10 s while another process holds the file (recovery, closing). */
  read<T>(ask: () => T): Promise<T>;
  /**
   * Runs `job` in a transaction, in a savepoint of its own, and resolves once it is committed. When `job` throws, nothing
   * of it is kept, and the promise rejects with its error.
   */
  write<T>(job: () => T): Promise<T>;
  /**
   * Writes as `write` does, without waiting for the disk: a loss of power may take the commit back, a kill of the process
   * does not.
   */
  writeRelaxed<T>(job: () => T): Promise<T>;
  /** Passes an error of the file on as `StoreUnavailable`, any other as it is, and remembers what `ping` must know. */
  reported(error: unknown): never;
  /**
   * Reads a row, looks whether the file is there and may be written, and writes a row after a write has failed. Resolves to why
   * nothing can be written, by which `write` rejects too; rejects while it cannot be read or is damaged.
   */
  ping(): Promise<{ unwritable: StoreUnavailable | null }>;
  /** Moves the log into the file and empties it; false when others held it for `patienceMs`. */
  emptyLog(patienceMs: number): Promise<boolean>;
  /** Waits for queued writes, then closes. */
  close(): Promise<void>;
}

/** Writes tell this part of the index of what they change. */
export type StoreIndex = Pick<
  EmbeddedIndex,
  | ("migrations" | "attach" | "committed" | "close")
  | ("replace" | "touch" | "touchPublisher" | "forgetPublisher" | "removeAllWords")
>;

/** All parts of this store share it. */
export interface SqliteContext {
  connection: SqliteConnection;
  index: StoreIndex;
}

/** A blocked statement may hold the event loop for this many milliseconds. Longer waits are asynchronous. */
const BUSY_TIMEOUT_MS = 10;
/** A test write has this size: more than a long post takes. */
const PROBE_BYTES = 65_536;
/** Asynchronous retries go on for this long. */
const PATIENCE_MS = 10_000;

/**
 * Opens a file, creating it when it is missing.
 *
 * @throws Error when the file is a database of another program
 * @param durability  `full`: a commit survives a loss of power; `crash`: only a kill of the process
 * @param committed  called after each commit
 */
export async function connectSqlite(
  file: string,
  durability: "full" | "crash",
  committed: () => void = () => {},
): Promise<SqliteConnection> {
  // The file is private to its owner, since it holds secrets.
  if (!existsSync(file)) makePrivateFile(file);
  // SQLite would open for reading alone what cannot be written, and stay at that when it can be.
  const unwritable = unwritableReason(file);
  if (unwritable !== null) throw new Error(`${file} cannot be opened: ${unwritable}.`);
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    await retryBusy(() => {
      // A file of another program is refused before anything in it changes.
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
  /** Damage stays until a backup is restored. */
  let damage: StoreUnavailable | null = null;
  /** The latest write failed so. */
  let failure: StoreUnavailable | null = null;
  const files = durability === "full" ? new OwnFiles(file) : null;
  const refusal = () => damage ?? files?.refusal() ?? null;
  let isSyncing = durability === "full";
  const setSyncing = (syncs: boolean) => {
    if (durability === "crash" || syncs === isSyncing) return;
    // The log is synced with the next commit that is, and before its pages go into the file.
    db.exec(`PRAGMA synchronous = ${syncs ? "FULL" : "NORMAL"}`);
    isSyncing = syncs;
  };
  const writer = createWriter(db, { setSyncing, retryBusy, committed, refusal });
  const sql = (text: string) => {
    let statement = cache.get(text);
    if (statement === undefined) {
      statement = db.prepare(text);
      cache.set(text, statement);
    }
    return statement;
  };
  const reported = (error: unknown): never => {
    const reason = UNAVAILABLE[sqliteCode(error) ?? 0];
    if (reason === undefined) throw error;
    const unavailable = new StoreUnavailable(reason, { cause: error });
    if (isDamaged(error)) damage = unavailable;
    else if (!isBusy(error)) failure = unavailable;
    throw unavailable;
  };
  const read = <T>(ask: () => T) => retryBusy(ask).catch(reported);
  const write = <T>(job: () => T) => writer.write(job).catch(reported);
  const writeRelaxed = <T>(job: () => T) => writer.write(job, false).catch(reported);
  return {
    db,
    sql,
    read,
    write,
    writeRelaxed,
    reported,
    async ping() {
      if (damage !== null) throw damage;
      await read(() => sql("SELECT version FROM agent_board_version LIMIT 1").get());
      const refused = refusal();
      if (refused !== null || failure === null) return { unwritable: refused };
      const probe = () => {
        const part = "x".repeat(PROBE_BYTES);
        sql("INSERT INTO agent_board_version VALUES (?, 0)").run(part);
        sql("DELETE FROM agent_board_version WHERE part = ?").run(part);
        failure = null;
      };
      return {
        unwritable: await write(probe).then(
          () => null,
          () => failure,
        ),
      };
    },
    statements: () => [...cache.keys()],
    async emptyLog(patienceMs) {
      const deadline = performance.now() + patienceMs;
      while (!logIsEmptied(db)) {
        if (performance.now() > deadline) return false;
        await sleep(10 + Math.random() * 40);
      }
      return true;
    },
    async close() {
      await writer.close();
      cache.clear();
      if (!db.isOpen) return;
      try {
        // The file is then complete without its log, even while statements not yet collected keep the log open.
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch {
        // Another process is writing; it empties the log when it closes.
      }
      db.close();
    },
  };
}

/** These primary result codes of SQLite concern the machine, not the statement. */
const UNAVAILABLE: Readonly<Record<number, string>> = {
  5: "another process has held the database for too long",
  8: "the database file is read-only",
  10: "the disk failed",
  11: "the database file is damaged: restore a backup",
  13: "the disk is full",
  14: "the database file cannot be opened",
  26: "the database file is no database any more: restore a backup",
};

function logIsEmptied(db: DatabaseSyncInstance): boolean {
  try {
    // Reports a busy reader in its row, and a busy writer as an error.
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get().busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Calls `ask` until the file is free; throws after 10 s, or at once for any other error. */
async function retryBusy<T>(ask: () => T): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return ask();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      // Jitter keeps processes from waking together; short at first, since most locks last one commit.
      await sleep(Math.random() * Math.min(5 * tries, 50));
    }
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Inserts a row of named columns; returns its rowid. */
export function insertInto({ sql }: SqliteConnection, table: string, fields: Fields): number {
  const columns = Object.keys(fields);
  const values = `(${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  return Number(sql(`INSERT INTO ${table} ${values}`).run(...Object.values(fields)).lastInsertRowid);
}

/** Sets named columns of the row whose column `key` has this value. */
export function updateIn(
  { sql }: SqliteConnection,
  table: string,
  fields: Fields,
  [key, value]: readonly [key: string, value: unknown],
): void {
  const columns = Object.keys(fields).map((column) => `${column} = ?`);
  sql(`UPDATE ${table} SET ${columns.join(", ")} WHERE ${key} = ?`).run(...Object.values(fields), value);
}

/** Gives the path in `sqlite:PATH`, absolute. */
export function fileOf(storeUrl: string): string {
  const url = new URL(storeUrl);
  if (url.host !== "" || url.pathname === "" || url.pathname.endsWith("/")) {
    throw new Error(
      "STORE_URL must be sqlite:FILE, such as sqlite:./data/board.db or sqlite:/var/lib/board.db.",
    );
  }
  // The URL parser escapes characters that file names may hold; a stray percent sign stands for itself.
  const sent = url.pathname + url.search + url.hash;
  return resolve(sent.replace(/(%[0-9a-f]{2})+/gi, unescaped));
}

function unescaped(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

/** One transaction prunes this many rows. */
const PRUNED_PER_WRITE = 1000;

/**
 * Deletes rows whose column `time` is before `before`, oldest first, at most `limit`; resolves to how many.
 * @param key  columns of the primary key, separated by commas
 */
export function pruneBefore(
  { sql, write }: SqliteConnection,
  table: string,
  [key, time]: readonly [key: string, time: string],
  before: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  const oldest = `SELECT ${key} FROM ${table} WHERE ${time} < ? ORDER BY ${time} LIMIT ?`;
  const prune = `DELETE FROM ${table} WHERE (${key}) IN (${oldest})`;
  return inSteps(limit, PRUNED_PER_WRITE, (most) =>
    write(() => sql(prune).run(before, most).changes as number),
  );
}
