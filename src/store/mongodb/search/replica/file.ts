import { EmbeddedIndex } from "../../../../search-index/index.ts";
import { DatabaseSync, type DatabaseSyncInstance } from "../../../../sqlite.ts";
import type { FileLease } from "./file-lease.ts";

/** An embedded index in a file of its own, and the place in the feed up to which they are complete. */
export interface ReplicaFile {
  readonly index: EmbeddedIndex;
  /** Null until a first scan has ended. */
  place(): string | null;
  /** Runs in the transaction of the changes that lead up to the place. */
  savePlace(place: string): void;
  begin(): void;
  commit(): void;
  rollback(): void;
  /** Moves the log into the file: deleted text is overwritten there, but stays in the log until that is emptied. */
  emptyLog(): void;
  /** Makes the first scan fast and unsafe: after a crash the file is discarded anyway, and nobody searches meanwhile. */
  beginFilling(): void;
  /** Saves the place of the first scan, and loads what is searched. */
  endFilling(place: string): Promise<void>;
  /** Leaves a snapshot for the next start, and closes the file. */
  close(): Promise<void>;
}

/** Raised when the contents change their meaning although the index's tables stay the same. */
const VERSION = 3;
/**
 * Opens a leased file. It is replaced when it is damaged, never completely filled, or of another board or version; the
 * next scan fills the new one.
 *
 * @param board  tells boards apart
 */
export function openReplicaFile(
  lease: FileLease,
  board: string,
  { modelId, dimension }: { modelId: string | null; dimension: number },
): ReplicaFile {
  const index = new EmbeddedIndex({ modelId, dimension });
  const identity = JSON.stringify([VERSION, index.migrations.length, board]);
  const database = openFilled(lease, identity, index) ?? openNew(lease, identity, index);
  const read = database.prepare("SELECT value FROM replica WHERE name = 'place'");
  const write = database.prepare(
    "INSERT INTO replica VALUES ('place', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const emptyLog = () => database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return {
    index,
    place: () => (read.get() as { value: string } | undefined)?.value ?? null,
    savePlace: (place) => void write.run(place),
    begin: () => database.exec("BEGIN IMMEDIATE"),
    commit() {
      database.exec("COMMIT");
      index.committed();
    },
    rollback() {
      if (database.isTransaction) database.exec("ROLLBACK");
    },
    emptyLog,
    beginFilling: () => database.exec("PRAGMA synchronous = OFF"),
    async endFilling(place) {
      database.exec("PRAGMA synchronous = NORMAL");
      // The file must be on the disk before the place that calls it complete.
      emptyLog();
      write.run(place);
      await index.open();
    },
    async close() {
      await index.close();
      try {
        // The file is then complete without its log, even while statements not yet collected keep the log open.
        emptyLog();
      } catch {
        // A damaged file needs no log.
      }
      if (database.isOpen) database.close();
    },
  };
}

/** Null when the file cannot be used. */
function openFilled(lease: FileLease, identity: string, index: EmbeddedIndex): DatabaseSyncInstance | null {
  const database = connect(lease.file);
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
    // Whatever is wrong with it, a new file replaces it.
  }
  database.close();
  return null;
}

function openNew(lease: FileLease, identity: string, index: EmbeddedIndex): DatabaseSyncInstance {
  lease.clear();
  const database = connect(lease.file);
  setUp(database);
  for (const statement of index.migrations) database.exec(statement);
  database.exec("CREATE TABLE replica (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID");
  database.prepare("INSERT INTO replica VALUES ('identity', ?)").run(identity);
  index.attach(database);
  return database;
}

const connect = (file: string) => new DatabaseSync(file, { timeout: 1_000 });

function setUp(database: DatabaseSyncInstance): void {
  // A loss of power may undo the last commits, places and changes together, but never one without the other.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
  database.exec("PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 16777216");
}
