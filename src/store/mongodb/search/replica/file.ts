import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../../platform/folders.ts";
import { DatabaseSync } from "../../../../platform/sqlite.ts";
import { snapshotFiles } from "../../../../search/index/snapshot/index.ts";
import { isBusy } from "../../../../search/index/sqlite-errors.ts";
import { StandaloneIndex } from "../../../../search/index/standalone.ts";
import type { IndexRows } from "../feed/index.ts";
import type { FeedChange } from "../feed/stream.ts";

/** Keeps an embedded index in a file that goes with its process. */
export interface ReplicaFile {
  readonly index: StandaloneIndex;
  /** Writes rows, and takes out what is gone, in one transaction. */
  write(rows: IndexRows, gone?: FeedChange): void;
  /** Deletes it. */
  close(): Promise<void>;
}

/** This many processes may have a replica in one folder. */
const FILES_MAX = 64;

/**
 * Makes a new file in `folder`, under a number that no other process of this machine holds.
 * @throws Error when the folder cannot be written, or no number is free
 */
export function openReplicaFile(
  folder: string,
  { modelId, dimension }: { modelId: string | null; dimension: number },
): ReplicaFile {
  const lease = leaseFile(folder);
  const index = new StandaloneIndex({ modelId, dimension });
  const database = new DatabaseSync(lease.file, { timeout: 1_000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY");
  database.exec("PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 16777216");
  for (const statement of index.migrations) database.exec(statement);
  index.attach(database);
  return {
    index,
    write({ posts, publishers }, gone = { posts: [], publishers: [] }) {
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const { id, ...status } of publishers) index.putPublisher(id, status);
        for (const { entry, vector } of posts) {
          index.put(entry);
          index.putVector(entry.id, vector?.model ?? null, vector?.vector ?? null);
        }
        for (const id of gone.posts) index.remove(id);
        for (const id of gone.publishers) index.removePublisher(id);
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
      index.committed();
      // No byte of an erased text may stay: it is overwritten in the file, but the log holds it until that is emptied.
      if (gone.posts.length + gone.publishers.length > 0) database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    },
    async close() {
      await index.close().catch(() => {});
      if (database.isOpen) database.close();
      clear(lease.file);
      lease.release();
    },
  };
}

/**
 * Leases the first free file of `folder`: `replica-1.db`, `replica-2.db`, … What processes left there that died is deleted.
 * The lock is SQLite's, on an empty file beside it (`replica-1.lock`), and ends with the process, even after a crash.
 */
function leaseFile(folder: string): { file: string; release(): void } {
  // The folder is private to its owner, since it holds the words of posts.
  makeFolder(folder, 0o700);
  let own: { file: string; release(): void } | null = null;
  for (let number = 1; number <= FILES_MAX; number += 1) {
    const file = join(folder, `replica-${number}.db`);
    if (own !== null && !existsSync(file)) continue;
    const release = lockBeside(file);
    if (release === null) continue;
    clear(file);
    if (own === null) own = { file, release };
    else release();
  }
  if (own !== null) return own;
  throw new Error(`${folder} has no place for another search index; ${FILES_MAX} processes use it.`);
}

/** Takes the lock and gives what ends it; null when another process holds it. */
function lockBeside(file: string): (() => void) | null {
  const lock = new DatabaseSync(file.replace(/db$/, "lock"), { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch (error) {
    lock.close();
    if (isBusy(error)) return null;
    throw new Error(`${file} cannot be locked. Check that its folder can be written.`, { cause: error });
  }
}

function clear(file: string): void {
  const parts = ["", "-wal", "-shm", "-journal"].map((suffix) => file + suffix);
  for (const path of [...parts, ...snapshotFiles(file)]) rmSync(path, { force: true });
}
