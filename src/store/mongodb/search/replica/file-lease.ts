import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../../folders.ts";
import { snapshotFiles } from "../../../../search-index/snapshot/index.ts";
import { isBusy } from "../../../../search-index/sqlite-errors.ts";
import { DatabaseSync } from "../../../../sqlite.ts";

/** Processes with a replica in one folder. */
const FILES_MAX = 64;
/** A file is deleted when no process opened it for this long. */
const UNUSED_MS = 7 * 86_400_000;

/** The exclusive right to one file of a folder, at most for the life of this process. */
export interface FileLease {
  file: string;
  /** Deletes the file and what SQLite keeps beside it. */
  clear(): void;
  release(): void;
}

/**
 * Leases the first file of `folder` that no other process holds: `replica-1.db`, `replica-2.db`, … A process that starts
 * again finds its own file or another free one, and reads only what changed since. Files unused for a week are deleted.
 *
 * The lock is SQLite's, on an empty file beside it (`replica-1.lock`): it ends with the process, even after a crash, and
 * holds while a damaged file is replaced.
 *
 * @param now  epoch milliseconds
 * @throws Error when the folder cannot be written, or no file is free
 */
export function leaseFile(folder: string, now: number): FileLease {
  // Private to its owner: it holds the words of hidden posts.
  makeFolder(folder, 0o700);
  for (let number = 1; number <= FILES_MAX; number += 1) {
    const lease = tryToLease(folder, number);
    if (lease === null) continue;
    clearUnused(folder, now, lease);
    return lease;
  }
  throw new Error(`${folder} has no place for another search index; ${FILES_MAX} processes use it.`);
}

function tryToLease(folder: string, number: number): FileLease | null {
  const file = join(folder, `replica-${number}.db`);
  const lock = new DatabaseSync(join(folder, `replica-${number}.lock`), { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (isBusy(error)) return null;
    throw new Error(`${file} cannot be locked. Check that its folder can be written.`, { cause: error });
  }
  return { file, clear: () => clear(file), release: () => lock.close() };
}

function clearUnused(folder: string, now: number, own: FileLease): void {
  for (const name of readdirSync(folder)) {
    const number = /^replica-(\d+)\.db$/.exec(name)?.[1];
    const file = join(folder, name);
    if (number === undefined || file === own.file || now - lastUse(file) < UNUSED_MS) continue;
    const lease = tryToLease(folder, Number(number));
    lease?.clear();
    lease?.release();
  }
}

function lastUse(file: string): number {
  return Math.max(
    ...[file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

function clear(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`, ...snapshotFiles(file)]) {
    if (existsSync(path)) rmSync(path);
  }
}
