import { indexEntryOf } from "../../../ports/index-entry.ts";
import type { BoardRows, RowKind, RowPage } from "../../../ports/store/transfer.ts";
import type { SqliteConnection } from "../database/connection.ts";
import type { SqliteContext } from "../database/context.ts";
import { enqueueWorkRow } from "../database/work.ts";
import { writePostRow } from "../posts/changes.ts";
import { keepVector } from "../posts/vectors.ts";
import { insertPublisher } from "../publishers/index.ts";
import { moveWaitingRows } from "../pushes/claims.ts";
import { historyJson } from "../pushes/index.ts";
import { insertSubscription } from "../subscriptions/index.ts";

/** See `TransferStore.write`; runs inside a write. */
export function writePageRows(
  context: SqliteContext,
  pages: readonly RowPage[],
  mark: { name: string; from: string | null; to: string },
): void {
  moveMark(context.connection, mark);
  for (const { kind, rows } of pages) {
    const write = WRITERS[kind] as (context: SqliteContext, rows: readonly unknown[]) => void;
    write(context, rows);
  }
}

function moveMark(
  { sql }: SqliteConnection,
  { name, from, to }: { name: string; from: string | null; to: string },
): void {
  const moved =
    from === null
      ? sql("INSERT OR IGNORE INTO setting VALUES (?, ?)").run(name, to)
      : sql("UPDATE setting SET value = ? WHERE name = ? AND value = ?").run(to, name, from);
  if (moved.changes !== 1) throw new Error("Another import is writing to this board.");
}

const WRITERS: { readonly [K in RowKind]: (context: SqliteContext, rows: readonly BoardRows[K][]) => void } =
  {
    setting({ connection: { sql } }, rows) {
      const set = sql("INSERT OR REPLACE INTO setting VALUES (?, ?)");
      for (const { name, value } of rows) set.run(name, value);
    },

    publisher(context, rows) {
      const set = context.connection.sql("UPDATE publisher SET inbox_no = ? WHERE id = ?");
      for (const { inboxNo, ...publisher } of rows) {
        insertPublisher(context, publisher);
        set.run(inboxNo, publisher.id);
      }
    },

    post(context, rows) {
      for (const { removedAt, embedding, ...post } of rows) {
        if (post.parentId !== null) rowOfPost(context.connection, post.parentId);
        const seq = writePostRow(context, post, removedAt);
        if (post.state === "active") context.index.put(indexEntryOf(post));
        if (embedding !== null) keepVector(context, { ...post, seq }, embedding, embedding.vector);
      }
    },

    subscription({ connection }, rows) {
      const set = connection.sql("UPDATE subscription SET next_delivery = ? WHERE id = ?");
      for (const { nextDelivery, ...subscription } of rows) {
        insertSubscription(connection, subscription);
        set.run(nextDelivery, subscription.id);
      }
    },

    delivery({ connection }, rows) {
      const insert = connection.sql("INSERT INTO delivery VALUES (?, ?, ?, ?)");
      for (const { subscriptionId, postId, deliveryId, matchedAt } of rows) {
        insert.run(
          rowOfSubscription(connection, subscriptionId),
          rowOfPost(connection, postId),
          deliveryId,
          matchedAt,
        );
      }
    },

    push({ connection }, rows) {
      const insert = connection.sql(
        `INSERT INTO push (subscription, delivery_id, post_id, matched_at, state, due_at, attempts, history)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      const subscriptions = new Set<number>();
      for (const push of rows) {
        const subscription = rowOfSubscription(connection, push.subscriptionId);
        subscriptions.add(subscription);
        const { deliveryId, postId, matchedAt, state, dueAt, attempts, history } = push;
        insert.run(
          ...[subscription, deliveryId, postId, matchedAt, state, dueAt, attempts],
          historyJson(history),
        );
      }
      for (const subscription of subscriptions) moveWaitingRows(connection, subscription);
    },

    inbox({ connection }, rows) {
      const insert = connection.sql("INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?, ?)");
      for (const { publisherId, no, type, at, postId, subscriptionId, deliveryId } of rows) {
        insert.run(
          rowOf(connection, "SELECT seq FROM publisher WHERE id = ?", publisherId),
          ...[no, type, at, rowOfPost(connection, postId)],
          subscriptionId === null ? null : rowOfSubscription(connection, subscriptionId),
          deliveryId,
        );
      }
    },

    report({ connection }, rows) {
      const insert = connection.sql(
        "INSERT INTO report (id, post, reporter, addresses, reason, details, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      );
      for (const { id, postId, reporter, addresses, reason, details, createdAt } of rows) {
        insert.run(
          id,
          rowOfPost(connection, postId),
          reporter,
          JSON.stringify(addresses),
          reason,
          details,
          createdAt,
        );
      }
    },

    reported({ connection }, rows) {
      const insert = connection.sql("INSERT INTO reported_post VALUES (?, ?, ?)");
      for (const { postId, reporters, lastAt } of rows) {
        insert.run(rowOfPost(connection, postId), reporters, lastAt);
      }
    },

    moderation({ connection: { sql } }, rows) {
      const insert = sql(
        "INSERT INTO moderation (at, action, subject, actor, reason) VALUES (?, ?, ?, ?, ?)",
      );
      for (const { at, action, subject, actor, reason } of rows)
        insert.run(at, action, subject, actor, reason);
    },

    counter({ connection: { sql } }, rows) {
      const add = sql("INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n");
      for (const { day, name, n } of rows) add.run(day, name, n);
    },

    work({ connection }, rows) {
      for (const { kind, postId } of rows) {
        const post = rowOfPost(connection, postId);
        const { at } = connection.sql("SELECT updated_at AS at FROM post WHERE seq = ?").get(post);
        enqueueWorkRow(connection, kind, post, at);
      }
    },
  };

const rowOfPost = (connection: SqliteConnection, id: string) =>
  rowOf(connection, "SELECT seq FROM post WHERE id = ?", id);
const rowOfSubscription = (connection: SqliteConnection, id: string) =>
  rowOf(connection, "SELECT seq FROM subscription WHERE id = ?", id);

/** @throws Error when there is none */
function rowOf({ sql }: SqliteConnection, select: string, id: string): number {
  const row: { seq: number } | undefined = sql(select).get(id);
  if (row === undefined) throw new Error(`${id} is not there, but something that belongs to it is.`);
  return row.seq;
}
