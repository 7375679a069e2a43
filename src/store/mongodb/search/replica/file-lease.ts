import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";

/** Processes that may have a replica each in one folder. */
const SLOTS_MAX = 64;
/** A file that no process opened for so long is deleted. */
const UNUSED_MS = 7 * 86_400_000;

/** The right to one file of a folder, for as long as this process lives. */
export interface Slot {
  file: string;
  /** Deletes the file and what SQLite keeps beside it. */
  clear(): void;
  release(): void;
}

/**
 * Takes the first file of `folder` that no other process has: `replica-1.db`, `replica-2.db`, … A process that starts
 * again finds its file, or another that was left, and reads only what changed since. Files that nobody used for a week are
 * deleted.
 *
 * The lock is one of SQLite's on an empty file beside it (`replica-1.lock`), so that it ends with the process however that
 * ends, and holds while the damaged file beside it is replaced.
 *
 * @param now  epoch milliseconds
 * @throws Error when the folder cannot be written, or all files are taken
 */
export function takeSlot(folder: string, now: number): Slot {
  // For its owner's eyes only: the words of hidden posts are in it.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let number = 1; number <= SLOTS_MAX; number += 1) {
    const slot = tryToTake(folder, number);
    if (slot === null) continue;
    clearUnused(folder, now, slot);
    return slot;
  }
  throw new Error(`${folder} has no place for another search index; ${SLOTS_MAX} processes use it.`);
}

function tryToTake(folder: string, number: number): Slot | null {
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

function clearUnused(folder: string, now: number, own: Slot): void {
  for (const name of readdirSync(folder)) {
    const number = /^replica-(\d+)\.db$/.exec(name)?.[1];
    const file = join(folder, name);
    if (number === undefined || file === own.file || now - lastUse(file) < UNUSED_MS) continue;
    const slot = tryToTake(folder, Number(number));
    slot?.clear();
    slot?.release();
  }
}

function lastUse(file: string): number {
  return Math.max(
    ...[file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}

function clear(file: string): void {
  for (const path of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) {
    if (existsSync(path)) rmSync(path);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
