import type { LeaseStore, SettingStore } from "../../ports/store.ts";
import type { Parts } from "./parts.ts";

export function settingStore({ connection }: Parts): SettingStore {
  const { sql, read, write } = connection;
  const get = (name: string): string | null =>
    sql("SELECT value FROM setting WHERE name = ?").get(name)?.value ?? null;
  return {
    get: (name) => read(() => get(name)),
    setOnce: (name, value) =>
      write(() => {
        sql("INSERT OR IGNORE INTO setting VALUES (?, ?)").run(name, value);
        return get(name) ?? value;
      }),
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

export function leaseStore({ connection }: Parts): LeaseStore {
  const { sql, write } = connection;
  return {
    acquire: (name, owner, ttlMs, now) =>
      write(
        () =>
          sql(
            `INSERT INTO lease VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE
            SET owner = excluded.owner, ends_at = excluded.ends_at WHERE owner = excluded.owner OR ends_at <= ?`,
          ).run(name, owner, now + ttlMs, now).changes === 1,
      ),
    async release(name, owner) {
      await write(() => sql("DELETE FROM lease WHERE name = ? AND owner = ?").run(name, owner));
    },
  };
}
