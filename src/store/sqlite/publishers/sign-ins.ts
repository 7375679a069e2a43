import type { SignInRow, SignInStore } from "../../../ports/store/index.ts";
import { insertInto, type SqliteContext } from "../database/connection.ts";
import { Columns, columnName } from "../database/rows.ts";

const SIGN_IN = new Columns<SignInRow>("id grantId publisherId payload consumedAt expiresAt");

export function sqliteSignInStore({ connection }: SqliteContext): SignInStore {
  const { sql, read, write } = connection;
  const live = "expires_at > ? ORDER BY expires_at, id";
  return {
    async put(row) {
      const { id, ...others } = SIGN_IN.write(row);
      await write(() => {
        sql("DELETE FROM sign_in WHERE id = ?").run(id);
        insertInto(connection, "sign_in", { id, ...others });
      });
    },
    get: (id, now) =>
      read(() => {
        const row = sql(`SELECT * FROM sign_in WHERE id = ? AND ${live}`).get(id, now);
        return row === undefined ? null : SIGN_IN.read(row);
      }),
    consume: (id, now) =>
      write(() => {
        const used = sql("UPDATE sign_in SET consumed_at = ? WHERE id = ? AND consumed_at IS NULL");
        return used.run(now, id).changes === 1;
      }),
    async remove(by, value) {
      await write(() => sql(`DELETE FROM sign_in WHERE ${columnName(by)} = ?`).run(value));
    },
    ofPublisher: (id, now) =>
      read(() =>
        sql(`SELECT * FROM sign_in WHERE publisher_id = ? AND ${live}`)
          .all(id, now)
          .map((row) => SIGN_IN.read(row)),
      ),
  };
}
