import type { ClientSession, Collection, Document } from "mongodb";
import { MongoServerError } from "mongodb";
import { EVENTS } from "../../../ports/store/index.ts";
import {
  type BoardRows,
  type BoardSnapshot,
  ROW_KINDS,
  type RowKind,
  type RowPage,
  type TransferStore,
} from "../../../ports/store/transfer.ts";
import type { Collections, MongodbContext } from "../database/context.ts";
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
  while (true) {
    await finishDocumentErasures(context);
    const session = context.connection.client.startSession({ snapshot: true });
    try {
      const erasing = await countIn(context, session, "publishers", { erasing: true });
      const purging = await countIn(context, session, "removed_subscriptions", { purged: false });
      if (erasing + purging === 0) {
        const ofHosts = await subscriptionsOfHosts(context, session);
        const counts = await countsIn(context, session, ofHosts);
        return { counts, pages: () => pagesOf(context, session, ofHosts), close: () => session.endSession() };
      }
    } catch (error) {
      await session.endSession();
      throw error;
    }
    // An erasure has just begun.
    await session.endSession();
  }
}

/** Ids of what hosts subscribed to, which stays behind with all that belongs to it. */
async function subscriptionsOfHosts(
  { connection, collections }: MongodbContext,
  session: ClientSession,
): Promise<string[]> {
  const options = { session, ...SNAPSHOT, projection: { _id: 1 } };
  const find = () => collections.subscriptions.find({ event: { $in: [...EVENTS] } }, options).toArray();
  return (await connection.runLong(find)).map(({ _id }) => _id);
}

/** This is what of a source's rows moves. */
function filterOf({ collection, filter = {} }: Source<RowKind>, ofHosts: readonly string[]): Document {
  if (collection === "subscriptions") return { _id: { $nin: ofHosts } };
  const belongs = collection === "deliveries" || collection === "pushes" || collection === "inbox";
  return belongs && ofHosts.length > 0 ? { subscription_id: { $nin: ofHosts } } : filter;
}

async function countsIn(
  context: MongodbContext,
  session: ClientSession,
  ofHosts: readonly string[],
): Promise<Record<RowKind, number>> {
  const counts: Partial<Record<RowKind, number>> = {};
  for (const kind of ROW_KINDS) {
    let count = 0;
    for (const source of DOCUMENT_SOURCES[kind])
      count += await countIn(context, session, source.collection, filterOf(source, ofHosts));
    counts[kind] = count;
  }
  return counts as Record<RowKind, number>;
}

function countIn(
  { connection, collections }: MongodbContext,
  session: ClientSession,
  collection: keyof Collections,
  filter: Document,
): Promise<number> {
  const documents = collections[collection] as unknown as Collection;
  return connection.runLong(() => documents.countDocuments(filter, { session, ...SNAPSHOT }));
}

async function* pagesOf(
  context: MongodbContext,
  session: ClientSession,
  ofHosts: readonly string[],
): AsyncGenerator<RowPage> {
  const { connection, collections } = context;
  for (const kind of ROW_KINDS) {
    for (const source of DOCUMENT_SOURCES[kind]) {
      const { collection, order = { _id: 1 }, rowOf }: Source<RowKind> = source;
      const filter = filterOf(source, ofHosts);
      const cursor = (collections[collection] as unknown as Collection).find(filter, {
        session,
        ...SNAPSHOT,
        batchSize: ROWS_PER_PAGE,
        sort: order,
      });
      const next = () => connection.runLong(() => readSnapshot(() => cursor.next()));
      try {
        let rows: BoardRows[RowKind][] = [];
        for (let document = await next(); document !== null; document = await next()) {
          rows.push(rowOf(document));
          if (rows.length < ROWS_PER_PAGE) continue;
          yield { kind, rows } as RowPage;
          rows = [];
        }
        if (rows.length > 0) yield { kind, rows } as RowPage;
      } finally {
        await cursor.close();
      }
    }
  }
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
