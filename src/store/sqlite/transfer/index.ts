import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type BoardSnapshot,
  ROW_KINDS,
  type RowKind,
  type RowPage,
  type TransferStore,
} from "../../../ports/store/transfer.ts";
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "../../../sqlite.ts";
import type { SqliteContext } from "../database/connection.ts";
import { finishRowErasures } from "../posts/erasure.ts";
import { ROW_SOURCES, type RowSource } from "./rows.ts";
import { writePageRows } from "./writes.ts";

const ROWS_PER_PAGE = 500;

export function sqliteTransferStore(context: SqliteContext, file: string): TransferStore {
  return {
    snapshot: () => openSnapshot(context, file),
    write: (pages, mark) => context.connection.write(() => writePageRows(context, pages, mark)),
  };
}

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
  return Object.fromEntries(
    ROW_KINDS.map((kind) => [
      kind,
      db.prepare(`SELECT count(*) AS n FROM ${ROW_SOURCES[kind].from}`).get().n,
    ]),
  ) as Record<RowKind, number>;
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

async function* pagesOf(read: (text: string) => Iterable<unknown>): AsyncGenerator<RowPage> {
  for (const kind of ROW_KINDS) {
    const { columns, from, order, rowOf = (row) => ({ ...row }) }: RowSource<RowKind> = ROW_SOURCES[kind];
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
