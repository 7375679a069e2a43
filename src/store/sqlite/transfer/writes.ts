import { indexEntryOf } from "../../../ports/index-entry.ts";
import { type BoardRows, OF_HOSTS, type RowKind, type RowPage } from "../../../ports/store/transfer.ts";
import { columnName } from "../../../records/record.ts";
import { insertInto, type SqliteConnection, type SqliteContext, updateIn } from "../database/connection.ts";
import type { SqliteRow } from "../database/rows.ts";
import { enqueueWorkRow } from "../database/work.ts";
import { writePostRow } from "../posts/changes.ts";
import { keepVector } from "../posts/vectors.ts";
import { insertPublisher } from "../publishers/index.ts";
import { moveWaitingRows } from "../pushes/claims.ts";
import { raiseChangeNo } from "../subscriptions/changes.ts";
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

type Writer<Kind extends RowKind> = (context: SqliteContext, rows: readonly BoardRows[Kind][]) => void;

/** Rows whose columns have the names of their fields, but for the rows that they name by id. */
const into =
  (table: string) =>
  ({ connection }: SqliteContext, rows: readonly object[]): void => {
    for (const row of rows) {
      const columns: SqliteRow = {};
      for (const [field, value] of Object.entries(row)) {
        const named = NAMED[field];
        if (named === undefined || (table === "push" && named === "post"))
          columns[columnName(field)] = Array.isArray(value) ? JSON.stringify(value) : value;
        else columns[named] = value === null ? null : rowOf(connection, named, value);
      }
      insertInto(connection, table, columns);
    }
  };
const NAMED: Readonly<Record<string, string>> = {
  publisherId: "publisher",
  postId: "post",
  subscriptionId: "subscription",
};

const WRITERS: { readonly [Kind in RowKind]: Writer<Kind> } = {
  setting({ connection: { sql } }, rows) {
    const set = sql("INSERT OR REPLACE INTO setting VALUES (?, ?)");
    for (const { name, value } of rows) set.run(name, value);
  },

  publisher(context, rows) {
    for (const { inboxNo, ...publisher } of rows) {
      insertPublisher(context, publisher);
      updateIn(context.connection, "publisher", { inbox_no: inboxNo }, ["id", publisher.id]);
    }
  },

  post(context, rows) {
    for (const { removedAt, embedding, ...post } of rows) {
      if (post.parentId !== null) rowOf(context.connection, "post", post.parentId);
      const seq = writePostRow(context, post, removedAt);
      if (post.state === "active") context.index.put(indexEntryOf(post));
      if (embedding !== null) keepVector(context, { ...post, seq }, embedding, embedding.vector);
    }
  },

  subscription({ connection }, rows) {
    for (const { nextDelivery, ...subscription } of rows) {
      insertSubscription(connection, { ...subscription, ...OF_HOSTS });
      const kept = { next_delivery: nextDelivery, saved_no: subscription.savedNo };
      updateIn(connection, "subscription", kept, ["id", subscription.id]);
    }
    raiseChangeNo(connection, Math.max(...rows.map(({ savedNo }) => savedNo)));
  },

  delivery: into("delivery"),

  push(context, rows) {
    into("push")(context, rows);
    for (const id of new Set(rows.map(({ subscriptionId }) => subscriptionId)))
      moveWaitingRows(context.connection, rowOf(context.connection, "subscription", id));
  },

  inbox: into("inbox"),
  report: into("report"),
  moderation: into("moderation"),

  counter({ connection: { sql } }, rows) {
    const add = sql("INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n");
    for (const { day, name, n } of rows) add.run(day, name, n);
  },

  work({ connection }, rows) {
    for (const { kind, postId } of rows) {
      enqueueWorkRow(connection, kind, rowOf(connection, "post", postId));
    }
  },
};

/** @throws Error when there is none */
function rowOf({ sql }: SqliteConnection, table: string, id: string): number {
  const row: { seq: number } | undefined = sql(`SELECT seq FROM ${table} WHERE id = ?`).get(id);
  if (row === undefined) throw new Error(`${id} is not there, but something that belongs to it is.`);
  return row.seq;
}
