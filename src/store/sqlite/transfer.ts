import { setImmediate as nextTurn } from "node:timers/promises";
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from "../../platform/sqlite.ts";
import { preparationIn } from "../../ports/store/index.ts";
import type { BoardSnapshot, RowPage, TransferStore } from "../../ports/store/transfer.ts";
import { type BoardRows, MOVED, OF_HOSTS, ROW_KINDS, type RowKind } from "../../records/index.ts";
import type { Field } from "../../records/record.ts";
import { unclaimedPush } from "../rules/settling.ts";
import { insertInto, type SqliteConnection, type SqliteContext, updateIn } from "./database/connection.ts";
import { LOG_MARK } from "./database/erased-log.ts";
import { indexPost } from "./database/index-rows.ts";
import { FILLED } from "./database/reindex.ts";
import {
  Columns,
  POST_COLUMNS,
  POST_TABLES,
  type PostRow,
  type SqliteRow,
  storedPostOfRow,
  vectorOfBlob,
} from "./database/rows.ts";
import { PROGRAM } from "./database/upgrade.ts";
import { enqueueWorkRow } from "./database/work.ts";
import { writePostRow } from "./posts/changes.ts";
import { finishRowErasures } from "./posts/erasure.ts";
import { keepVector } from "./posts/vectors.ts";
import { insertPublisher } from "./publishers/index.ts";
import { DESTINATION_COLUMNS, destinationOfRow } from "./pushes/claims.ts";
import { raiseChangeNo } from "./subscriptions/changes.ts";
import { insertSubscription } from "./subscriptions/index.ts";

const ROWS_PER_PAGE = 500;

export function sqliteTransferStore(context: SqliteContext, file: string): TransferStore {
  return {
    snapshot: () => openSnapshot(context, file),
    write: (pages, mark) =>
      context.connection.write(() => {
        moveMark(context.connection, mark);
        for (const { kind, rows } of pages)
          for (const row of rows) (WRITERS[kind] as Writer<RowKind>)(context, row);
      }),
  };
}

/** Rows of a kind are read there in the order of an index. */
interface Source {
  columns: string;
  from: string;
  order: string;
}

/** Finds rows that subscriptions by hosts, and removed ones whose remains are being deleted, leave behind. */
const OWN_SUBSCRIPTION =
  "WHERE t.subscription IS NULL OR (subscription.seq IS NOT NULL AND subscription.event IS NULL)";

/** Reads a table whose rows name others by the numbers of their rows. `LEFT JOIN` keeps the order of the table. */
function numbered(kind: RowKind, order: string): Source {
  const named = namedBy(kind);
  const columns = MOVED[kind].fields.map(({ names, column }) =>
    names === undefined ? `t.${column}` : `${names}.id AS ${column}`,
  );
  const joins = named.map(({ names }) => `LEFT JOIN ${names} ON ${names}.seq = t.${names}`);
  const where = named.some(({ names }) => names === "subscription") ? OWN_SUBSCRIPTION : "";
  const more = kind === "push" ? ", t.token, t.again_at" : "";
  return { columns: columns.join(", ") + more, from: `${kind} t ${joins.join(" ")} ${where}`, order };
}

const namedBy = (kind: RowKind) => MOVED[kind].fields.filter(isNaming);
const isNaming = (field: Field): field is Field & { names: string } => field.names !== undefined;

const ROW_SOURCES: { readonly [K in RowKind]: Source } = {
  setting: {
    columns: "*",
    from: `setting WHERE name NOT IN ('${FILLED}', '${LOG_MARK}', '${PROGRAM}')`,
    order: "name",
  },
  publisher: { columns: "*", from: "publisher", order: "seq" },
  post: {
    columns: `${POST_COLUMNS}, p.removed_at, p.vector_model AS maker, v.model, v.vector`,
    from: `${POST_TABLES} LEFT JOIN post_vector v ON v.post = p.seq`,
    order: "p.seq",
  },
  subscription: { columns: "*", from: "subscription WHERE event IS NULL", order: "seq" },
  delivery: numbered("delivery", "t.subscription, t.post"),
  told_series: numbered("told_series", "t.subscription, t.series"),
  push: numbered("push", "t.subscription, t.delivery_id"),
  inbox: numbered("inbox", "t.publisher, t.no"),
  report: numbered("report", "t.seq"),
  moderation: numbered("moderation", "t.seq"),
  counter: numbered("counter", "t.day, t.name"),
  work: numbered("work", "t.post, t.kind"),
};

const COLUMNS = Object.fromEntries(ROW_KINDS.map((kind) => [kind, new Columns(MOVED[kind])])) as unknown as {
  readonly [K in RowKind]: Pick<Columns<(typeof MOVED)[K]>, "read" | "write">;
};

/** These read the rows that are more than their columns. */
const READERS: { readonly [K in RowKind]?: (row: SqliteRow) => BoardRows[K] } = {
  post: ({ maker, model, vector, ...row }) => ({
    ...storedPostOfRow(row as PostRow),
    removedAt: row["removed_at"],
    embedding:
      model === null ? null : { model, ...preparationIn(maker, model), vector: vectorOfBlob(vector) },
  }),
  push(row) {
    const record = COLUMNS.push.read(row);
    const claimed = row["token"] !== null;
    return claimed ? { ...record, ...unclaimedPush({ ...record, againAt: row["again_at"] }) } : record;
  },
};

/**
 * A read transaction on its own connection sees the file as it was at its start. It blocks no one, but while it lasts the
 * log cannot be emptied: the log grows, and keeps older pages with erased text until the end.
 */
async function openSnapshot(context: SqliteContext, file: string): Promise<BoardSnapshot> {
  while (true) {
    await finishRowErasures(context);
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      db.exec("BEGIN");
      const { read } = context.connection;
      const counts = await read(() => countsIn(db));
      const { n } = db.prepare("SELECT count(*) AS n FROM publisher WHERE erasing = 1").get();
      if (n === 0) return snapshotOf(db, counts);
    } catch (error) {
      db.close();
      throw error;
    }
    // An erasure has just begun.
    db.close();
  }
}

function countsIn(db: DatabaseSyncInstance): Record<RowKind, number> {
  const countOf = (kind: RowKind): number =>
    db.prepare(`SELECT count(*) AS n FROM ${ROW_SOURCES[kind].from}`).get().n;
  return Object.fromEntries(ROW_KINDS.map((kind) => [kind, countOf(kind)])) as Record<RowKind, number>;
}

function snapshotOf(db: DatabaseSyncInstance, counts: Record<RowKind, number>): BoardSnapshot {
  // The process crashes when a statement is garbage-collected while its rows are read.
  const statements: StatementSyncInstance[] = [];
  const read = (text: string) => {
    const statement = db.prepare(text);
    statements.push(statement);
    return statement.iterate();
  };
  return {
    counts,
    pages: () => pagesOf(read),
    async close() {
      statements.length = 0;
      db.close();
    },
  };
}

async function* pagesOf(read: (text: string) => Iterable<SqliteRow>): AsyncGenerator<RowPage> {
  for (const kind of ROW_KINDS) {
    const { columns, from, order } = ROW_SOURCES[kind];
    const rowOf = READERS[kind] ?? ((row: SqliteRow) => COLUMNS[kind].read(row));
    let rows: unknown[] = [];
    for (const row of read(`SELECT ${columns} FROM ${from} ORDER BY ${order}`)) {
      rows.push(rowOf(row));
      if (rows.length < ROWS_PER_PAGE) continue;
      yield { kind, rows } as RowPage;
      rows = [];
      await nextTurn();
    }
    if (rows.length > 0) yield { kind, rows } as RowPage;
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

type Writer<K extends RowKind> = (context: SqliteContext, row: BoardRows[K]) => void;

/** Writes rows as they are, with the numbers of the rows that they name. */
const into =
  <K extends RowKind>(
    kind: K,
    more: (connection: SqliteConnection, row: BoardRows[K]) => SqliteRow = () => ({}),
  ): Writer<K> =>
  ({ connection }, row) => {
    const columns = { ...COLUMNS[kind].write(row), ...more(connection, row) };
    for (const { names, column } of namedBy(kind)) {
      columns[names] = columns[column] === null ? null : numberOf(connection, names, columns[column]);
      delete columns[column];
    }
    insertInto(connection, kind, columns);
  };

const WRITERS: { readonly [K in RowKind]: Writer<K> } = {
  setting: ({ connection: { sql } }, { name, value }) => {
    sql("INSERT OR REPLACE INTO setting VALUES (?, ?)").run(name, value);
  },
  publisher(context, { inboxNo, ...publisher }) {
    insertPublisher(context, publisher);
    updateIn(context.connection, "publisher", { inbox_no: inboxNo }, ["id", publisher.id]);
  },
  post(context, { removedAt, embedding, ...post }) {
    if (post.parentId !== null) numberOf(context.connection, "post", post.parentId);
    const seq = writePostRow(context, post, removedAt);
    if (post.state === "active") indexPost(context, seq, null, post);
    if (embedding !== null) keepVector(context, { ...post, seq }, embedding, embedding.vector);
  },
  subscription({ connection }, { nextDelivery, ...subscription }) {
    insertSubscription(connection, { ...subscription, ...OF_HOSTS });
    const kept = { next_delivery: nextDelivery, saved_no: subscription.savedNo };
    updateIn(connection, "subscription", kept, ["id", subscription.id]);
    raiseChangeNo(connection, subscription.savedNo);
  },
  delivery: into("delivery"),
  told_series: into("told_series"),
  push: into("push", ({ sql }, { state, subscriptionId }) => {
    const receiver = sql(`SELECT ${DESTINATION_COLUMNS} FROM subscription s WHERE s.id = ?`).get(
      subscriptionId,
    );
    return state === "waiting" && receiver !== undefined ? destinationOfRow(receiver) : {};
  }),
  inbox: into("inbox"),
  report: into("report"),
  moderation: into("moderation"),
  counter: ({ connection: { sql } }, { day, name, n }) => {
    const add = "INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n";
    sql(add).run(day, name, n);
  },
  work: ({ connection }, { kind, postId }) =>
    enqueueWorkRow(connection, kind, numberOf(connection, "post", postId)),
};

/** @throws Error when there is none */
function numberOf({ sql }: SqliteConnection, table: string, id: string): number {
  const row: { seq: number } | undefined = sql(`SELECT seq FROM ${table} WHERE id = ?`).get(id);
  if (row === undefined) throw new Error(`${id} is not there, but something that belongs to it is.`);
  return row.seq;
}
