import type { DatabaseSync as DatabaseSyncClass } from "@photostructure/sqlite";

export type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";

/**
 * SQLite is Node's own `node:sqlite` where that is no experiment and has full-text search, else the package with the same
 * API. Node before 24.15 warns of it on stderr at each start, and one built against another SQLite may lack FTS5.
 */
export const DatabaseSync: typeof DatabaseSyncClass =
  builtIn() ?? (await import("@photostructure/sqlite")).DatabaseSync;

function builtIn(): typeof DatabaseSyncClass | null {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 24 || (major === 24 && minor < 15) || (major === 25 && minor < 7)) return null;
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite") as unknown as {
    DatabaseSync: typeof DatabaseSyncClass;
  };
  const memory = new DatabaseSync(":memory:");
  try {
    return memory.prepare("SELECT sqlite_compileoption_used('ENABLE_FTS5') AS fts5").get().fts5 === 1
      ? DatabaseSync
      : null;
  } finally {
    memory.close();
  }
}
