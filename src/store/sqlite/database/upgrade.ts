import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makePrivateFile } from "../../../platform/folders.ts";
import { DatabaseSync, type DatabaseSyncInstance } from "../../../platform/sqlite.ts";
import { VERSION } from "../../../platform/version.ts";
import type { SqliteConnection } from "./connection.ts";

/** An owner has these tables, and counts their versions by itself. */
export interface Part {
  name: "store" | "index" | "scratch";
  /** Steps are SQL, oldest first. */
  steps: readonly string[];
  /** The transaction of the steps calls this when there were some. */
  upgraded?: () => void;
}

/** This setting names the release that changed the board's tables last. It is of this file alone and moves nowhere. */
export const PROGRAM = "program";

/**
 * Brings the parts of a file to their newest versions, all in one transaction: it is kept whole, or nothing changes. Of several
 * processes that start together, one does the work and the others find it done. Takes no lock when there is nothing to do, so
 * that a start need not wait for processes that write. A board of an earlier release is first copied to a file beside it, the
 * way back to that release.
 *
 * @throws Error with one line for the operator when a newer program wrote the file, or a step or the copy fails
 */
export async function migrateSqlite(
  { db, read, write }: SqliteConnection,
  file: string,
  parts: readonly Part[],
  log: (line: string) => void = () => {},
): Promise<void> {
  const behind = () => parts.filter(({ name, steps }) => versionOf(db, name) !== steps.length);
  if ((await read(behind)).length === 0) return;
  let copy: string | null = null;
  const upgrade = () => {
    db.exec(
      "CREATE TABLE IF NOT EXISTS agent_board_version (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT",
    );
    const late = behind();
    for (const part of late) refuseNewer(db, part, file);
    const from = versionOf(db, "store");
    if (from > 0 && late.length > 0) {
      log(`${file} is of an earlier release: upgrading it to ${VERSION}`);
      copy = copyOf(file);
    }
    for (const { name, steps, upgraded } of late) {
      for (const step of steps.slice(versionOf(db, name))) db.exec(step);
      db.prepare("INSERT OR REPLACE INTO agent_board_version VALUES (?, ?)").run(name, steps.length);
      if (name === "store") db.prepare("INSERT OR REPLACE INTO setting VALUES (?, ?)").run(PROGRAM, VERSION);
      upgraded?.();
    }
  };
  try {
    await write(upgrade);
  } catch (error) {
    if (copy === null) throw error;
    rmSync(copy, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${file} cannot be upgraded to ${VERSION} (${reason}). Nothing in it was changed: go on with the release that wrote it.`,
      { cause: error },
    );
  }
  if (copy !== null)
    log(`${file} is upgraded. How it was before is kept in ${copy}: remove that when all is well`);
}

/** Reads the version of a part, 0 when it has none yet. */
export function versionOf(db: DatabaseSyncInstance, part: Part["name"]): number {
  const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'agent_board_version'").get();
  if (there === undefined) return 0;
  return db.prepare("SELECT version FROM agent_board_version WHERE part = ?").get(part)?.version ?? 0;
}

/** @throws Error that names the way back, when a newer program wrote the file, or one of before 0.1.0, whose steps were others */
function refuseNewer(db: DatabaseSyncInstance, { name, steps }: Part, file: string): void {
  const refusal = refusalOfNewer(db, { name, steps }, file);
  if (refusal !== null) throw new Error(refusal);
}

/** Tells why this program does not open the part, and what to do; null where it is not newer. */
export function refusalOfNewer(
  db: DatabaseSyncInstance,
  { name, steps }: Pick<Part, "name" | "steps">,
  file: string,
): string | null {
  const found = versionOf(db, name);
  if (found <= steps.length) return null;
  const program: string | undefined =
    name === "scratch"
      ? undefined
      : db.prepare("SELECT value FROM setting WHERE name = ?").get(PROGRAM)?.value;
  const versions = `${name} version ${found}, this program (${VERSION}) knows ${steps.length}`;
  if (program === undefined)
    return `${file} was written by another Agent Board (${versions}). Start that one: a newer to go on, one from before 0.1.0 to \`export\` the board and \`import\` it here.`;
  const copies = copiesBeside(file);
  const back =
    copies.length === 0
      ? "restore a backup that this release made"
      : `put the copy that the upgrade kept (${copies.join(", ")}) in place of ${file}, without its -wal and -shm`;
  return `${file} was written by Agent Board ${program} (${versions}). Start that release; or, to lose what was written since, ${back}.`;
}

/** Lists the copies that upgrades kept beside a file, oldest first. */
export function copiesBeside(file: string): string[] {
  const begin = `${basename(file)}.before-`;
  // This leaves out the log and other files beside a copy that somebody opened.
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(begin) && /^[\d.]+(-\d+)?$/.test(name.slice(begin.length)))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((name) => join(dirname(file), name));
}

/**
 * Copies the file as it was before the transaction under way, which other connections do not see. Waits until the disk has it.
 * @returns the name of the copy
 */
function copyOf(file: string): string {
  const name = `${file}.before-${VERSION}`;
  let copy = name;
  for (let n = 2; existsSync(copy); n += 1) copy = `${name}-${n}`;
  makePrivateFile(copy);
  try {
    const before = new DatabaseSync(file, { readOnly: true });
    try {
      before.prepare("VACUUM INTO ?").run(copy);
    } finally {
      before.close();
    }
    const written = openSync(copy, "r+");
    fsyncSync(written);
    closeSync(written);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
  return copy;
}
