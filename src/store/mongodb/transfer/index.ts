import type { ClientSession, Collection, FindCursor } from "mongodb";
import { MongoServerError } from "mongodb";
import {
  type BoardSnapshot,
  ROW_KINDS,
  type RowKind,
  type RowPage,
  type TransferStore,
} from "../../../ports/store/transfer.ts";
import type { MongodbContext } from "../database/context.ts";
import { NO_SNAPSHOT } from "../database/unavailable.ts";
import { finishDocumentErasures } from "../publishers/erasure.ts";
import { DOCUMENT_SOURCES, type Source } from "./rows.ts";
import { writePageDocuments } from "./writes.ts";

const ROWS_PER_PAGE = 500;
/** Read concern of every read; the session gives all reads the same moment. */
const SNAPSHOT = { readConcern: { level: "snapshot" } } as const;

export function mongodbTransferStore(context: MongodbContext): TransferStore {
  return {
    snapshot: () => openSnapshot(context),
    async write(pages, mark) {
      await context.connection.write([`setting:${mark.name}`], (session) =>
        writePageDocuments(context, session, pages, mark),
      );
      for (const { kind, rows } of pages) {
        if (kind === "post") context.wrote({ posts: rows.map(({ id }) => id) });
        if (kind === "publisher") context.wrote({ publishers: rows.map(({ id }) => id) });
      }
    },
  };
}

/** Reads one moment of the database, which the server remembers for some minutes. */
async function openSnapshot(context: MongodbContext): Promise<BoardSnapshot> {
  const { connection, collections } = context;
  while (true) {
    await finishDocumentErasures(context);
    const session = connection.client.startSession({ snapshot: true });
    try {
      const erasing = await connection.runLong(() =>
        collections.publishers.countDocuments({ erasing: true }, { session, ...SNAPSHOT }),
      );
      if (erasing === 0) {
        const counts = await countsIn(context, session);
        return { counts, pages: () => pagesOf(context, session), close: () => session.endSession() };
      }
    } catch (error) {
      await session.endSession();
      throw error;
    }
    // An erasure has just begun.
    await session.endSession();
  }
}

async function countsIn(context: MongodbContext, session: ClientSession): Promise<Record<RowKind, number>> {
  const counts: Partial<Record<RowKind, number>> = {};
  for (const kind of ROW_KINDS) {
    const { collection, counted = [{}] }: Source<RowKind> = DOCUMENT_SOURCES[kind];
    let count = 0;
    for (const filter of counted) {
      const documents = context.collections[collection] as unknown as Collection;
      count += await context.connection.runLong(() =>
        documents.countDocuments(filter, { session, ...SNAPSHOT }),
      );
    }
    counts[kind] = count;
  }
  return counts as Record<RowKind, number>;
}

async function* pagesOf(context: MongodbContext, session: ClientSession): AsyncGenerator<RowPage> {
  const { connection, collections } = context;
  for (const kind of ROW_KINDS) {
    const source: Source<RowKind> = DOCUMENT_SOURCES[kind];
    const { collection, filters = [{}], order = { _id: 1 }, rowsOf } = source;
    for (const filter of filters) {
      const cursor = (collections[collection] as unknown as Collection).find(filter, {
        session,
        ...SNAPSHOT,
        batchSize: ROWS_PER_PAGE,
        sort: order,
      });
      try {
        for (let isLast = false; !isLast; ) {
          const rows = await connection.runLong(() =>
            readSnapshot(async () => {
              const documents = await pageOf(cursor);
              isLast = documents.length < ROWS_PER_PAGE;
              return rowsOf(context, documents, { session, ...SNAPSHOT });
            }),
          );
          if (rows.length > 0) yield { kind, rows } as RowPage;
        }
      } finally {
        await cursor.close();
      }
    }
  }
}

async function pageOf<T>(cursor: FindCursor<T>): Promise<T[]> {
  const documents: T[] = [];
  while (documents.length < ROWS_PER_PAGE) {
    const next = await cursor.next();
    if (next === null) break;
    documents.push(next);
  }
  return documents;
}

async function readSnapshot<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof MongoServerError) || !NO_SNAPSHOT.has(error.code)) throw error;
    throw new Error(
      "The database no longer has the state that was being read. Raise its parameter minSnapshotHistoryWindowInSeconds (300 by default) and try again.",
      { cause: error },
    );
  }
}
