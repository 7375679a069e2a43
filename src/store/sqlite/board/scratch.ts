import { rmSync } from "node:fs";
import type { FrozenRanking, LimitStore, RankingStore } from "../../../ports/store/index.ts";
import { isDamaged } from "../../../search/index/sqlite-errors.ts";
import { connectSqlite, type SqliteConnection } from "../database/connection.ts";
import { migrateSqlite } from "../database/upgrade.ts";

/** The scratch file has tables for data that need not survive a loss of power: ids and numbers only. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE window (key TEXT PRIMARY KEY, points INTEGER NOT NULL, ends_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX window_end ON window (ends_at);
  CREATE TABLE ranking (
    id TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ranking_end ON ranking (expires_at);
  `,
];

/** Opens the file for data that need not survive; a damaged one is replaced. */
export async function openScratch(file: string): Promise<SqliteConnection> {
  try {
    return await openOnce(file);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    return openOnce(file);
  }
}

async function openOnce(file: string): Promise<SqliteConnection> {
  const connection = await connectSqlite(file, "crash");
  try {
    await migrateSqlite(connection, file, [{ name: "scratch", steps: MIGRATIONS }]);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

export function sqliteLimitStore(connection: SqliteConnection): LimitStore {
  const { sql, write } = connection;
  return {
    add: (key, points, windowMs, now) =>
      write(() => ({
        ...sql(
          `INSERT INTO window VALUES (?1, ?2, ?4 + ?3) ON CONFLICT (key) DO UPDATE SET
            points = CASE WHEN ends_at <= ?4 THEN excluded.points ELSE points + excluded.points END,
            ends_at = CASE WHEN ends_at <= ?4 THEN excluded.ends_at ELSE min(ends_at, excluded.ends_at) END
          RETURNING points, ends_at AS endsAt`,
        ).get(key, points, windowMs, now),
      })),
  };
}

export function sqliteRankingStore(connection: SqliteConnection): RankingStore {
  const { sql, read, write } = connection;
  return {
    async save(ranking) {
      const { id, expiresAt } = ranking;
      const save = "INSERT OR REPLACE INTO ranking VALUES (?, ?, ?)";
      await write(() => sql(save).run(id, JSON.stringify(ranking), expiresAt));
    },
    get: (id, now) =>
      read((): FrozenRanking | null => {
        const row = sql("SELECT value FROM ranking WHERE id = ? AND expires_at > ?").get(id, now);
        return row === undefined ? null : JSON.parse(row.value);
      }),
  };
}
