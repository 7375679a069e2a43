import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "../../../platform/sqlite.ts";
import { type Finding, passed, problem, warning } from "../../../ports/finding.ts";
import { isDamaged } from "../../../search/index/sqlite-errors.ts";
import { fileOf } from "./connection.ts";
import { STORE_MIGRATIONS } from "./migrations.ts";
import { copiesBeside, refusalOfNewer, versionOf } from "./upgrade.ts";

/** Looks at the file that `url` names, without writing to it. */
export async function* examineSqlite(url: string): AsyncIterable<Finding> {
  const file = fileOf(url);
  if (!existsSync(file)) {
    yield passed("database", `${file} is not there yet and will be made at the first start`);
    return;
  }
  yield* permissionsOf(file);
  if (statSync(file).size === 0) {
    yield problem(
      "database",
      `${file} is empty: the next start makes a new board in it. Was there one? Restore a backup`,
    );
    return;
  }
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
    try {
      yield* contentsOf(db, file);
    } finally {
      db.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const advice = isDamaged(error) ? "restore a backup" : "see to the file and its folder";
    yield problem("database", `${file} cannot be read (${reason}): ${advice}`);
  }
}

/** Reads a setting without writing to the file; null without the file, the table or the setting. */
export function settingInFile(file: string, name: string): string | null {
  if (!existsSync(file)) return null;
  const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'setting'").get();
    if (table === undefined) return null;
    return db.prepare("SELECT value FROM setting WHERE name = ?").get(name)?.value ?? null;
  } finally {
    db.close();
  }
}

function* permissionsOf(file: string): Iterable<Finding> {
  // SQLite creates the log and its index beside the file.
  const unwritable = [file, dirname(file)].find((path) => !isWritable(path));
  if (unwritable !== undefined) {
    yield problem("permissions", `this user may not write ${unwritable}`);
  } else if ((statSync(file).mode & 0o004) !== 0) {
    yield warning(
      "permissions",
      `every user of this machine may read ${file}: chmod 600 keeps its keys private`,
    );
  } else {
    yield passed("permissions", "only this board's user reads the file");
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function* contentsOf(db: DatabaseSyncInstance, file: string): Iterable<Finding> {
  const ours = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'agent_board_version'").get();
  if (ours === undefined) {
    yield problem("database", `${file} is a database of another program: point STORE_URL at another file`);
    return;
  }
  yield schemaOf(db, file);
  yield* keptCopies(file);
  // The check answers with the first problem found, or "ok".
  const { quick_check: found } = db.prepare("PRAGMA quick_check(1)").get();
  yield found === "ok"
    ? passed("integrity", "every page of the file is sound")
    : problem("integrity", `${file} is damaged (${found}): restore a backup`);
  const { journal_mode: mode } = db.prepare("PRAGMA journal_mode").get();
  yield mode === "wal"
    ? passed("journal", "write-ahead log")
    : warning("journal", `${mode}: the next start turns on the write-ahead log`);
}

function schemaOf(db: DatabaseSyncInstance, file: string): Finding {
  const refusal = refusalOfNewer(db, { name: "store", steps: STORE_MIGRATIONS }, file);
  if (refusal !== null) return problem("schema", refusal);
  const found = versionOf(db, "store");
  const known = STORE_MIGRATIONS.length;
  return passed(
    "schema",
    found === known
      ? `version ${found}`
      : `version ${found}; the next start makes it ${known}, and keeps a copy of how it was`,
  );
}

/** What upgrades kept holds what was erased since. */
function* keptCopies(file: string): Iterable<Finding> {
  const copies = copiesBeside(file);
  if (copies.length === 0) return;
  const text = `${copies.join(", ")} keep${copies.length === 1 ? "s" : ""} how the board was before an upgrade, with what was erased since`;
  yield warning("upgrade", `${text}: remove it when all is well`);
}
