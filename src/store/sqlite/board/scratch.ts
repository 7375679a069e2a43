import { rmSync } from "node:fs";
import type { FrozenRanking, LimitStore, RankingStore } from "../../../ports/store/index.ts";
import { type Connection, connect, isDamaged } from "../database/connection.ts";
import { migrate, SCRATCH_MIGRATIONS } from "../database/migrations.ts";

const PRUNED_PER_WRITE = 1000;

/** Opens the file of what need not survive. One that is damaged is thrown away. */
export async function openScratch(file: string): Promise<Connection> {
  try {
    return await openOnce(file);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    return openOnce(file);
  }
}

async function openOnce(file: string): Promise<Connection> {
  const connection = await connect(file, "crash");
  try {
    await migrate(connection, "scratch", SCRATCH_MIGRATIONS, file);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return connection;
}

export function limitStore({ sql, write }: Connection): LimitStore {
  return {
    add: (key, points, windowMs, now) =>
      write(() => ({
        ...sql(
          `INSERT INTO window VALUES (?1, ?2, ?4 + ?3) ON CONFLICT (key) DO UPDATE SET
            points = CASE WHEN ends_at <= ?4 THEN excluded.points ELSE points + excluded.points END,
            ends_at = CASE WHEN ends_at <= ?4 THEN excluded.ends_at ELSE ends_at END
          RETURNING points, ends_at AS endsAt`,
        ).get(key, points, windowMs, now),
      })),
    prune: (now) =>
      pruneAll(
        write,
        () =>
          sql("DELETE FROM window WHERE key IN (SELECT key FROM window WHERE ends_at <= ? LIMIT ?)").run(
            now,
            PRUNED_PER_WRITE,
          ).changes,
      ),
  };
}

export function rankingStore({ sql, read, write }: Connection): RankingStore {
  return {
    async save({ id, ids, relevance, previous, expiresAt }) {
      await write(() =>
        sql("INSERT OR REPLACE INTO ranking VALUES (?, ?, ?, ?, ?)").run(
          id,
          JSON.stringify(ids),
          JSON.stringify(relevance),
          previous,
          expiresAt,
        ),
      );
    },
    get: (id, now) =>
      read((): FrozenRanking | null => {
        const row = sql("SELECT * FROM ranking WHERE id = ? AND expires_at > ?").get(id, now);
        return row === undefined
          ? null
          : {
              id: row.id,
              ids: JSON.parse(row.ids),
              relevance: JSON.parse(row.relevance),
              previous: row.previous,
              expiresAt: row.expires_at,
            };
      }),
    prune: (now) =>
      pruneAll(
        write,
        () =>
          sql("DELETE FROM ranking WHERE id IN (SELECT id FROM ranking WHERE expires_at <= ? LIMIT ?)").run(
            now,
            PRUNED_PER_WRITE,
          ).changes,
      ),
  };
}

async function pruneAll(write: Connection["write"], prune: () => number): Promise<void> {
  while ((await write(prune)) === PRUNED_PER_WRITE);
}
