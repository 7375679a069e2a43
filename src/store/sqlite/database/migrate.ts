import type { DatabaseSyncInstance } from "../../../sqlite.ts";
import type { SqliteConnection } from "./connection.ts";

/**
 * Brings one part of a database to its newest version, in one transaction: of several processes that start together, one
 * does the work and the others find it done. Takes no lock when there is nothing to do, so that a start need not wait for
 * processes that write.
 *
 * @param part  owner of the tables; each part counts its own versions
 * @param upgraded  called in the same transaction when there was something to do
 * @throws Error when a newer program wrote the file, or one of before 1.0, whose steps were others
 */
export async function migrateSqlite(
  { db, read, write }: SqliteConnection,
  part: "store" | "index" | "scratch",
  steps: readonly string[],
  file: string,
  upgraded: () => void = () => {},
): Promise<void> {
  if ((await read(() => versionOf(db, part))) === steps.length) return;
  await write(() => {
    db.exec(
      "CREATE TABLE IF NOT EXISTS agent_board_version (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT",
    );
    const found = versionOf(db, part);
    if (found > steps.length) {
      throw new Error(
        `${file} was written by another Agent Board (${part} version ${found}, this program knows ${steps.length}). ` +
          "Start that one: a newer to go on, one from before 1.0 to `export` the board and `import` it here.",
      );
    }
    for (const step of steps.slice(found)) db.exec(step);
    db.prepare(
      "INSERT INTO agent_board_version VALUES (?, ?) ON CONFLICT (part) DO UPDATE SET version = excluded.version",
    ).run(part, steps.length);
    if (found < steps.length) upgraded();
  });
}

/** The version of a part, 0 when it has none yet. */
function versionOf(db: DatabaseSyncInstance, part: string): number {
  const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'agent_board_version'").get();
  if (there === undefined) return 0;
  return db.prepare("SELECT version FROM agent_board_version WHERE part = ?").get(part)?.version ?? 0;
}
