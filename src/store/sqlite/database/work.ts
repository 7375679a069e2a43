import { randomUUID } from "node:crypto";
import type { WorkItem, WorkKind, WorkStore } from "../../../ports/store/index.ts";
import { latestLease } from "../../rules/claims.ts";
import type { SqliteConnection, SqliteContext } from "./connection.ts";

export function sqliteWorkStore({ connection }: SqliteContext): WorkStore {
  const { sql, read, writeRelaxed } = connection;
  return {
    claim: (kind, { limit, leaseMs, now }) =>
      writeRelaxed(() => {
        const due: { post: number; id: string; attempts: number }[] = sql(
          `SELECT w.post, p.id, w.attempts FROM work w JOIN post p ON p.seq = w.post
          WHERE w.kind = ? AND (w.due_at <= ? OR w.due_at > ?) ORDER BY w.due_at, w.post LIMIT ?`,
        ).all(kind, now, latestLease({ now, leaseMs }), limit);
        const token = randomUUID();
        return due.map(({ post, id, attempts }): WorkItem => {
          sql(
            "UPDATE work SET token = ?, due_at = ?, attempts = attempts + 1 WHERE post = ? AND kind = ?",
          ).run(token, now + leaseMs, post, kind);
          return { kind, postId: id, token, attempts: attempts + 1 };
        });
      }),

    async giveBack(items, dueAt) {
      if (items.length === 0) return;
      await writeRelaxed(() => {
        for (const { kind, postId, token } of items) {
          sql(
            `UPDATE work SET token = NULL, due_at = ?
            WHERE post = (SELECT seq FROM post WHERE id = ?) AND kind = ? AND token = ?`,
          ).run(dueAt, postId, kind, token);
        }
      });
    },

    backlog: (kind) => read(() => sql("SELECT count(*) AS n FROM work WHERE kind = ?").get(kind).n),
    oldest: (kind) =>
      read(
        () =>
          sql(
            "SELECT updated_at AS at FROM work JOIN post ON seq = post WHERE work.kind = ? ORDER BY due_at LIMIT 1",
          ).get(kind)?.at ?? null,
      ),
  };
}

/**
 * Enqueues again from the start, due at once by any clock: a claimed item loses its token, so that its claim cannot settle
 * it.
 */
export function enqueueWorkRow({ sql }: SqliteConnection, kind: WorkKind, post: number): void {
  sql(
    `INSERT INTO work (post, kind, due_at, token, attempts) VALUES (?, ?, 0, NULL, 0)
    ON CONFLICT (post, kind) DO UPDATE SET due_at = excluded.due_at, token = NULL, attempts = 0`,
  ).run(post, kind);
}

/** Enqueues again what is enqueued or claimed: a vector of the post before this edit will be rejected. */
export function renewWorkRow({ sql }: SqliteConnection, kind: WorkKind, post: number): void {
  sql("UPDATE work SET due_at = 0, token = NULL, attempts = 0 WHERE post = ? AND kind = ?").run(post, kind);
}

/** Deletes items that are still claimed under their token; with `match` goes the change that it told of. */
export function settleWorkRows({ sql }: SqliteConnection, items: readonly WorkItem[]): void {
  for (const { kind, postId, token } of items) {
    const { changes } = sql(
      "DELETE FROM work WHERE post = (SELECT seq FROM post WHERE id = ?) AND kind = ? AND token = ?",
    ).run(postId, kind, token);
    if (kind === "match" && changes > 0)
      sql("UPDATE post SET change = NULL WHERE id = ? AND change IS NOT NULL").run(postId);
  }
}
