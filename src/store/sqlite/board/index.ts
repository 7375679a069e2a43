import type { LeaseStore, SettingStore } from "../../../ports/store/index.ts";
import type { SqliteContext } from "../database/connection.ts";

export function sqliteSettingStore({ connection }: SqliteContext): SettingStore {
  const { sql, read, write } = connection;
  const get = (name: string): string | null =>
    sql("SELECT value FROM setting WHERE name = ?").get(name)?.value ?? null;
  return {
    get: (name) => read(() => get(name)),
    async setOnce(name, value) {
      // It takes no lock where it is set already: a start must not wait for processes that write.
      const there = await read(() => get(name));
      if (there !== null) return there;
      return write(() => {
        sql("INSERT OR IGNORE INTO setting VALUES (?, ?)").run(name, value);
        return get(name) ?? value;
      });
    },
    async set(name, value) {
      await write(() =>
        sql("INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value").run(
          name,
          value,
        ),
      );
    },
  };
}

export function sqliteLeaseStore({ connection }: SqliteContext): LeaseStore {
  const { sql, write } = connection;
  return {
    acquire: (name, owner, ttlMs, now) =>
      write((): number | null => {
        const lease = sql(
          `INSERT INTO lease VALUES (?1, ?2, ?4 + ?3, 1) ON CONFLICT (name) DO UPDATE SET
            fence = fence + (owner <> excluded.owner), owner = excluded.owner, ends_at = excluded.ends_at
          WHERE owner = excluded.owner OR ends_at <= ?4 RETURNING fence`,
        ).get(name, owner, ttlMs, now);
        return lease?.fence ?? null;
      }),
    async release(name, owner) {
      // The row stays: its fence must keep growing.
      await write(() =>
        sql("UPDATE lease SET owner = '', ends_at = 0 WHERE name = ? AND owner = ?").run(name, owner),
      );
    },
  };
}
