import { randomUUID } from "node:crypto";
import type { WorkItem, WorkKind, WorkStore } from "../../../ports/store/index.ts";
import type { Connection } from "./connection.ts";
import type { Parts } from "./context.ts";

export function workStore({ connection }: Parts): WorkStore {
  const { sql, read, write } = connection;
  return {
    claim: (kind, { limit, leaseMs, now }) =>
      write(() => {
        const due: { post: number; id: string; attempts: number }[] = sql(
          `SELECT w.post, p.id, w.attempts FROM work w JOIN post p ON p.seq = w.post
          WHERE w.kind = ? AND w.due_at <= ? ORDER BY w.due_at, w.post LIMIT ?`,
        ).all(kind, now, limit);
        const token = randomUUID();
        return due.map(({ post, id, attempts }): WorkItem => {
          sql(
            "UPDATE work SET token = ?, due_at = ?, attempts = attempts + 1 WHERE post = ? AND kind = ?",
          ).run(token, now + leaseMs, post, kind);
          return { kind, postId: id, token, attempts: attempts + 1 };
        });
      }),

    done: (items) => (items.length === 0 ? Promise.resolve() : write(() => settle(connection, items))),

    async giveBack(items, dueAt) {
      if (items.length === 0) return;
      await write(() => {
        for (const { kind, postId, token } of items) {
          sql(
            `UPDATE work SET token = NULL, due_at = ?
            WHERE post = (SELECT seq FROM post WHERE id = ?) AND kind = ? AND token = ?`,
          ).run(dueAt, postId, kind, token);
        }
      });
    },

    backlog: (kind) => read(() => sql("SELECT count(*) AS n FROM work WHERE kind = ?").get(kind).n),
  };
}

/** Enqueues anew: an item that is claimed just now loses its token, so that the claim cannot settle it. */
export function enqueue({ sql }: Connection, kind: WorkKind, post: number, dueAt: number): void {
  sql(
    `INSERT INTO work (post, kind, due_at, token, attempts) VALUES (?, ?, ?, NULL, 0)
    ON CONFLICT (post, kind) DO UPDATE SET due_at = excluded.due_at, token = NULL, attempts = 0`,
  ).run(post, kind, dueAt);
}

/** Enqueues anew what is enqueued or claimed: a vector worked out from the post before this edit will be passed over. */
export function renew({ sql }: Connection, kind: WorkKind, post: number, dueAt: number): void {
  sql("UPDATE work SET due_at = ?, token = NULL, attempts = 0 WHERE post = ? AND kind = ?").run(
    dueAt,
    post,
    kind,
  );
}

/** Deletes items whose claim is still theirs. */
export function settle({ sql }: Connection, items: readonly WorkItem[]): void {
  for (const { kind, postId, token } of items) {
    sql("DELETE FROM work WHERE post = (SELECT seq FROM post WHERE id = ?) AND kind = ? AND token = ?").run(
      postId,
      kind,
      token,
    );
  }
}
