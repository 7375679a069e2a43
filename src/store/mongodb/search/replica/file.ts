import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { EmbeddedIndex } from "../../../../search-index/index.ts";
import type { Slot } from "./file-lease.ts";

/** An embedded index in a file of its own, with the place in the feed up to which it is complete. */
export interface ReplicaFile {
  readonly index: EmbeddedIndex;
  /** Null until a first scan has ended. */
  place(): string | null;
  /** Inside a transaction, with the changes that lead up to the place. */
  savePlace(place: string): void;
  begin(): void;
  commit(): void;
  rollback(): void;
  /** Moves the log into the file: what was deleted is overwritten there, but stands in the log until it is emptied. */
  emptyLog(): void;
  /** Makes the first scan fast: what a crash leaves behind is thrown away anyhow, and nobody searches meanwhile. */
  beginFilling(): void;
  endFilling(): void;
  close(): void;
}

/** Raised when what the file holds means something else, although the index's own tables stay the same. */
const VERSION = 1;
/** Bytes of words that the full-text index gathers before it writes them. */
const FILLING_HASH_BYTES = 16 * 1024 * 1024;
const HASH_BYTES = 1024 * 1024;
const MERGE_SEGMENTS = 4;

/**
 * Opens the file of a slot. One that is damaged, of another board, of another version, or was never filled to its end is
 * thrown away; the next scan fills it again.
 *
 * @param board  tells boards apart
 */
export function openReplicaFile(
  slot: Slot,
  board: string,
  model: { modelId: string | null; dimension: number },
): ReplicaFile {
  const index = new EmbeddedIndex(model);
  const identity = JSON.stringify([VERSION, index.migrations.length, board]);
  const database = openFilled(slot, identity, index) ?? openNew(slot, identity, index);
  const read = database.prepare("SELECT value FROM replica WHERE name = 'place'");
  const write = database.prepare(
    "INSERT INTO replica VALUES ('place', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const words = (option: string, value: number) =>
    database.prepare("INSERT INTO index_words(index_words, rank) VALUES(?, ?)").run(option, value);
  const emptyLog = () => database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return {
    index,
    place: () => (read.get() as { value: string } | undefined)?.value ?? null,
    savePlace: (place) => void write.run(place),
    begin: () => database.exec("BEGIN IMMEDIATE"),
    commit() {
      database.exec("COMMIT");
      index.committed();
      index.follow();
    },
    rollback() {
      if (database.isTransaction) database.exec("ROLLBACK");
    },
    emptyLog,
    beginFilling() {
      database.exec("PRAGMA synchronous = OFF");
      words("automerge", 0);
      words("hashsize", FILLING_HASH_BYTES);
    },
    endFilling() {
      words("automerge", MERGE_SEGMENTS);
      words("hashsize", HASH_BYTES);
      database.exec("PRAGMA synchronous = NORMAL");
      // With this the file itself is on the disk, before the place that says so is.
      emptyLog();
    },
    close() {
      try {
        // The file is whole without its log then, also while statements that are not collected yet keep the log's file.
        emptyLog();
      } catch {
        // A damaged file has no use for it.
      }
      database.close();
    },
  };
}

/** Null for a file that is not to be used. */
function openFilled(slot: Slot, identity: string, index: EmbeddedIndex): DatabaseSyncInstance | null {
  const database = connect(slot.file);
  try {
    const rows = database.prepare("SELECT name, value FROM replica").all() as {
      name: string;
      value: string;
    }[];
    const kept = new Map(rows.map(({ name, value }) => [name, value]));
    if (kept.get("identity") === identity && kept.has("place")) {
      setUp(database);
      index.attach(database);
      return database;
    }
  } catch {
    // Whatever is wrong with it, a new one is the way on.
  }
  database.close();
  return null;
}

function openNew(slot: Slot, identity: string, index: EmbeddedIndex): DatabaseSyncInstance {
  slot.clear();
  const database = connect(slot.file);
  setUp(database);
  for (const statement of index.migrations) database.exec(statement);
  database.exec("CREATE TABLE replica (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID");
  database.prepare("INSERT INTO replica VALUES ('identity', ?)").run(identity);
  index.attach(database);
  return database;
}

const connect = (file: string) => new DatabaseSync(file, { timeout: 1_000 });

function setUp(database: DatabaseSyncInstance): void {
  // A loss of power may take back the last commits, place and changes together; it tears nothing apart.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
  database.exec("PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 16777216");
}

/** True for errors that say the file itself is broken. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  const code = error.errcode & 0xff;
  return code === CORRUPT || code === NOT_A_DATABASE;
}

const CORRUPT = 11;
const NOT_A_DATABASE = 26;
