import type { SignInRow, SignInStore } from "../../../ports/store/index.ts";
import { pruneExpired } from "../board/scratch.ts";
import type { SqliteContext } from "../database/context.ts";

const COLUMNS = { id: "id", grantId: "grant_id", publisherId: "publisher_id" } as const;

export function sqliteSignInStore({ connection }: SqliteContext): SignInStore {
  const { sql, read, write } = connection;
  const live = "expires_at > ? ORDER BY expires_at, id";
  return {
    async put({ id, grantId, publisherId, payload, consumedAt, expiresAt }) {
      const values = [id, grantId, publisherId, payload, consumedAt, expiresAt];
      await write(() => sql("INSERT OR REPLACE INTO sign_in VALUES (?, ?, ?, ?, ?, ?)").run(...values));
    },
    get: (id, now) =>
      read(() => {
        const row = sql(`SELECT * FROM sign_in WHERE id = ? AND ${live}`).get(id, now);
        return row === undefined ? null : rowOf(row);
      }),
    consume: (id, now) =>
      write(() => {
        const used = sql("UPDATE sign_in SET consumed_at = ? WHERE id = ? AND consumed_at IS NULL");
        return used.run(now, id).changes === 1;
      }),
    async remove(by, value) {
      await write(() => sql(`DELETE FROM sign_in WHERE ${COLUMNS[by]} = ?`).run(value));
    },
    ofPublisher: (id, now) =>
      read(() => sql(`SELECT * FROM sign_in WHERE publisher_id = ? AND ${live}`).all(id, now).map(rowOf)),
    prune: (now) => pruneExpired(connection, "sign_in", "id", "expires_at", now),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a row of the table
const rowOf = ({ grant_id, publisher_id, consumed_at, expires_at, id, payload }: any): SignInRow => ({
  id,
  grantId: grant_id,
  publisherId: publisher_id,
  payload,
  consumedAt: consumed_at,
  expiresAt: expires_at,
});
