import type { SignInStore } from "../../../ports/store/index.ts";
import { SIGN_IN } from "../../../records/publisher.ts";
import { columnName } from "../../../records/record.ts";
import { insertInto, type SqliteContext } from "../database/connection.ts";
import { Columns } from "../database/rows.ts";

const COLUMNS = new Columns(SIGN_IN);

export function sqliteSignInStore({ connection }: SqliteContext): SignInStore {
  const { sql, read, write } = connection;
  return {
    async put(row) {
      const { id, ...others } = COLUMNS.write(row);
      await write(() => {
        sql("DELETE FROM sign_in WHERE id = ?").run(id);
        insertInto(connection, "sign_in", { id, ...others });
      });
    },
    get: (id, now) =>
      read(() => {
        const row = sql("SELECT * FROM sign_in WHERE id = ? AND expires_at > ?").get(id, now);
        return row === undefined ? null : COLUMNS.read(row);
      }),
    many: (ids, now) =>
      read(() => {
        const found = "SELECT * FROM sign_in WHERE id IN (SELECT value FROM json_each(?)) AND expires_at > ?";
        return sql(found)
          .all(JSON.stringify(ids), now)
          .map((row) => COLUMNS.read(row));
      }),
    consume: (id, now) =>
      write(() => {
        const used = sql("UPDATE sign_in SET consumed_at = ? WHERE id = ? AND consumed_at IS NULL");
        return used.run(now, id).changes === 1;
      }),
    async prolong(id, expiresAt) {
      const longer = "UPDATE sign_in SET expires_at = ? WHERE id = ? AND expires_at < ?";
      await write(() => sql(longer).run(expiresAt, id, expiresAt));
    },
    async remove(by, value) {
      await write(() => sql(`DELETE FROM sign_in WHERE ${columnName(by)} = ?`).run(value));
    },
    async removeOlder(grantId, kind, until, except) {
      // What follows a colon is a semicolon.
      const older =
        "DELETE FROM sign_in WHERE grant_id = ? AND id > ? AND id < ? AND expires_at <= ? AND id <> ?";
      await write(() => sql(older).run(grantId, `${kind}:`, `${kind};`, until, except));
    },
    renewable: (publisherId, now, limit) =>
      read(() =>
        // The condition has the words of the index `sign_in_host`.
        sql(
          `SELECT * FROM sign_in WHERE publisher_id = ? AND expires_at > ? AND consumed_at IS NULL
            AND id > 'RefreshToken:' AND id < 'RefreshToken;' ORDER BY expires_at DESC, id LIMIT ?`,
        )
          .all(publisherId, now, limit)
          .map((row) => COLUMNS.read(row)),
      ),
  };
}
