import { setImmediate as nextTurn } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite";
import {
  type BoardSnapshot,
  ROW_KINDS,
  type RowKind,
  type RowPage,
  type TransferStore,
} from "../../../ports/store/transfer.ts";
import type { Parts } from "../database/context.ts";
import { finishErasures } from "../posts/erasure.ts";
import { SOURCES } from "./rows.ts";
import { writePages } from "./writes.ts";

const ROWS_PER_PAGE = 500;

export function transferStore(parts: Parts, file: string): TransferStore {
  return {
    snapshot: () => openSnapshot(parts, file),
    write: (pages, mark) => parts.connection.write(() => writePages(parts, pages, mark)),
  };
}

/**
 * A read transaction of a connection of its own, which sees the file as it was when it began. It holds up nobody, but while
 * it lasts the log cannot be emptied: it grows, and older pages, erased text among them, stay in it until the end.
 */
async function openSnapshot(parts: Parts, file: string): Promise<BoardSnapshot> {
  while (true) {
    await finishErasures(parts);
    const db = new DatabaseSync(file, { readOnly: true });
    try {
      db.exec("BEGIN");
      const { read } = parts.connection;
      const counts = await read(() => countsIn(db));
      const { n } = db.prepare("SELECT count(*) AS n FROM publisher WHERE erasing = 1").get();
      if (n === 0) return snapshotOf(db, counts);
    } catch (error) {
      db.close();
      throw error;
    }
    // Somebody began an erasure just now.
    db.close();
  }
}

function countsIn(db: DatabaseSyncInstance): Record<RowKind, number> {
  return Object.fromEntries(
    ROW_KINDS.map((kind) => [kind, db.prepare(`SELECT count(*) AS n FROM ${SOURCES[kind].from}`).get().n]),
  ) as Record<RowKind, number>;
}

function snapshotOf(db: DatabaseSyncInstance, counts: Record<RowKind, number>): BoardSnapshot {
  // A statement that is collected while its rows are read takes the process with it.
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
    const { columns, from, order, rowOf } = SOURCES[kind];
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
