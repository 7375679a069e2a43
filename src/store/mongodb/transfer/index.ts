import type { ClientSession, Collection, FindCursor } from "mongodb";
import { MongoServerError } from "mongodb";
import {
  type BoardSnapshot,
  ROW_KINDS,
  type RowKind,
  type RowPage,
  type TransferStore,
} from "../../../ports/store/transfer.ts";
import { finishErasures } from "../posts/erasure.ts";
import type { Parts } from "../server/context.ts";
import { SOURCES, type Source } from "./rows.ts";
import { writePages } from "./writes.ts";

const ROWS_PER_PAGE = 500;
/** What every read of a snapshot asks for; the session gives them all the same moment. */
const SNAPSHOT = { readConcern: { level: "snapshot" } } as const;

export function transferStore(parts: Parts): TransferStore {
  return {
    snapshot: () => openSnapshot(parts),
    async write(pages, mark) {
      await parts.connection.write([`setting:${mark.name}`], (session) =>
        writePages(parts, session, pages, mark),
      );
      for (const { kind, rows } of pages) {
        if (kind === "post") parts.wrote({ posts: rows.map(({ id }) => id) });
        if (kind === "publisher") parts.wrote({ publishers: rows.map(({ id }) => id) });
      }
    },
  };
}

/** Reads at one moment of the database, which remembers it for some minutes. */
async function openSnapshot(parts: Parts): Promise<BoardSnapshot> {
  const { connection, collections } = parts;
  while (true) {
    await finishErasures(parts);
    const session = connection.client.startSession({ snapshot: true });
    try {
      const erasing = await connection.run(() =>
        collections.publishers.countDocuments({ erasing: true }, { session, ...SNAPSHOT }),
      );
      if (erasing === 0) {
        const counts = await countsIn(parts, session);
        return { counts, pages: () => pagesOf(parts, session), close: () => session.endSession() };
      }
    } catch (error) {
      await session.endSession();
      throw error;
    }
    // Somebody began an erasure just now.
    await session.endSession();
  }
}

async function countsIn(parts: Parts, session: ClientSession): Promise<Record<RowKind, number>> {
  const counts: Partial<Record<RowKind, number>> = {};
  for (const kind of ROW_KINDS) {
    const { collection } = SOURCES[kind];
    counts[kind] = await parts.connection.run(() =>
      parts.collections[collection].countDocuments({}, { session, ...SNAPSHOT }),
    );
  }
  return counts as Record<RowKind, number>;
}

async function* pagesOf(parts: Parts, session: ClientSession): AsyncGenerator<RowPage> {
  const { connection, collections } = parts;
  for (const kind of ROW_KINDS) {
    const source: Source<RowKind> = SOURCES[kind];
    const { collection, filters = [{}], order = { _id: 1 }, rowsOf } = source;
    for (const filter of filters) {
      const cursor = (collections[collection] as unknown as Collection)
        .find(filter, { session, ...SNAPSHOT, batchSize: ROWS_PER_PAGE })
        .sort(order);
      try {
        while (true) {
          const documents = await remembered(() => connection.run(() => pageOf(cursor)));
          if (documents.length === 0) break;
          const rows = await remembered(() =>
            connection.run(() => rowsOf(parts, documents, { session, ...SNAPSHOT })),
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

const SNAPSHOT_TOO_OLD = 239;
const SNAPSHOT_UNAVAILABLE = 246;

async function remembered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof MongoServerError ? Number(error.code) : 0;
    if (code !== SNAPSHOT_TOO_OLD && code !== SNAPSHOT_UNAVAILABLE) throw error;
    throw new Error(
      "The database no longer has the state that was being read. Raise its parameter minSnapshotHistoryWindowInSeconds (300 by default) and try again.",
      { cause: error },
    );
  }
}
