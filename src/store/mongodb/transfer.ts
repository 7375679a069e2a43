import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Collection,
  type Document,
  type Filter,
  MongoServerError,
  type Sort,
} from "mongodb";
import { EVENTS } from "../../ports/store/index.ts";
import type { BoardSnapshot, RowPage, TransferStore } from "../../ports/store/transfer.ts";
import { type BoardRows, MOVED, ROW_KINDS, type RowKind } from "../../records/index.ts";
import type { RowRecord } from "../../records/record.ts";
import type { MongodbContext } from "./database/context.ts";
import { rowOf } from "./database/rows.ts";
import { NO_SNAPSHOT } from "./database/unavailable.ts";
import { MOVING, type Moving, type Owners, type Part, there } from "./moved-rows.ts";
import { finishDocumentErasures } from "./publishers/erasure.ts";
import { nextChange, raiseChanges } from "./subscriptions/changes.ts";

const ROWS_PER_PAGE = 500;
/** Every read has this read concern; the session gives all reads the same moment. */
const SNAPSHOT = { readConcern: { level: "snapshot" } } as const;

export function mongodbTransferStore(context: MongodbContext): TransferStore {
  return {
    snapshot: () => openSnapshot(context),
    async write(pages, mark) {
      await context.connection.write([`setting:${mark.name}`], (session) =>
        writePages(context, session, pages, mark),
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
  const { publishers, removed_subscriptions } = context.collections;
  while (true) {
    await finishDocumentErasures(context);
    const session = context.connection.client.startSession({ snapshot: true });
    try {
      const erasing = await countIn(context, session, publishers, { erasing: true });
      const purging = await countIn(context, session, removed_subscriptions, { purged: false });
      if (erasing + purging === 0) {
        const sources = sourcesOf(context, await subscriptionsOfHosts(context, session));
        const counts = await countsIn(context, session, sources);
        return { counts, pages: () => pagesOf(context, session, sources), close: () => session.endSession() };
      }
    } catch (error) {
      await session.endSession();
      throw error;
    }
    // An erasure has just begun.
    await session.endSession();
  }
}

/** Finds ids of what hosts subscribed to, which stays behind with all that belongs to it. */
async function subscriptionsOfHosts(
  { connection, collections }: MongodbContext,
  session: ClientSession,
): Promise<string[]> {
  const options = { session, ...SNAPSHOT, projection: { _id: 1 } };
  const find = () => collections.subscriptions.find({ event: { $in: [...EVENTS] } }, options).toArray();
  return (await connection.runLong(find)).map(({ _id }) => _id);
}

interface Source {
  kind: RowKind;
  documents: Collection;
  filter: Document;
  order: Sort;
  read(document: object): unknown;
}

/** Lists everything that moves, in the order of writing. */
function sourcesOf({ collections }: MongodbContext, ofHosts: readonly string[]): Source[] {
  const others = { $nin: [...ofHosts] };
  return ROW_KINDS.flatMap((kind) => {
    const record: RowRecord = MOVED[kind];
    const { collection, order = { _id: 1 }, parts }: Moving<BoardRows[RowKind]> = MOVING[kind];
    const belongs = ofHosts.length > 0 && record.fields.some(({ names }) => names === "subscription");
    const own = kind === "subscription" ? { _id: others } : belongs ? { subscription_id: others } : {};
    const documents = collections[collection] as unknown as Collection;
    const whole = { read: (document: object) => rowOf(record, document) };
    return (parts ?? [whole]).map(({ filter = own, read }: Part<unknown>) => ({
      kind,
      documents,
      filter,
      order,
      read,
    }));
  });
}

async function countsIn(
  context: MongodbContext,
  session: ClientSession,
  sources: readonly Source[],
): Promise<Record<RowKind, number>> {
  const counts = Object.fromEntries(ROW_KINDS.map((kind) => [kind, 0])) as Record<RowKind, number>;
  for (const { kind, documents, filter } of sources)
    counts[kind] += await countIn(context, session, documents, filter);
  return counts;
}

function countIn<Row extends Document>(
  { connection }: MongodbContext,
  session: ClientSession,
  documents: Collection<Row>,
  filter: Filter<Row>,
): Promise<number> {
  return connection.runLong(() => documents.countDocuments(filter, { session, ...SNAPSHOT }));
}

async function* pagesOf(
  { connection }: MongodbContext,
  session: ClientSession,
  sources: readonly Source[],
): AsyncGenerator<RowPage> {
  for (const { kind, documents, filter, order: sort, read } of sources) {
    const cursor = documents.find(filter, { session, ...SNAPSHOT, batchSize: ROWS_PER_PAGE, sort });
    const next = () => connection.runLong(() => readSnapshot(() => cursor.next()));
    try {
      let rows: unknown[] = [];
      for (let document = await next(); document !== null; document = await next()) {
        rows.push(read(document));
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

/** See `TransferStore.write`; runs inside a transaction. */
async function writePages(
  context: MongodbContext,
  session: ClientSession,
  pages: readonly RowPage[],
  mark: { name: string; from: string | null; to: string },
): Promise<void> {
  const saved = pages.flatMap(({ kind, rows }) => (kind === "subscription" ? rows : []));
  const changes = saved.length;
  // The sequence comes first in every transaction that raises it.
  let changeNo = changes === 0 ? 0 : (await nextChange(context, session, changes)) - changes;
  if (changes > 0) await raiseChanges(context, Math.max(...saved.map(({ savedNo }) => savedNo)), session);
  const nextNo = () => {
    changeNo += 1;
    return changeNo;
  };
  await moveMark(context, session, mark);
  for (const { kind, rows } of pages) {
    const owners = await ownersOf(context, session, kind, rows);
    const { collection, insert, update }: Moving<BoardRows[RowKind]> = MOVING[kind];
    const documents = context.collections[collection] as unknown as Collection;
    if (insert !== undefined)
      await documents.insertMany(
        rows.map((row) => insert(row, owners, nextNo)),
        { session },
      );
    if (update !== undefined) {
      const writes = rows.map((row) => ({ updateOne: update(row, owners) }));
      await documents.bulkWrite(writes as AnyBulkWriteOperation[], { session });
    }
  }
}

async function moveMark(
  { collections: { settings } }: MongodbContext,
  session: ClientSession,
  { name, from, to }: { name: string; from: string | null; to: string },
): Promise<void> {
  const found = await settings.findOne({ _id: name }, { session });
  if ((found?.value ?? null) !== from) throw new Error("Another import is writing to this board.");
  await settings.updateOne({ _id: name }, { $set: { value: to } }, { session, upsert: true });
}

/** @throws Error when one of them is neither there nor among the rows */
async function ownersOf(
  { collections }: MongodbContext,
  session: ClientSession,
  kind: RowKind,
  rows: readonly object[],
): Promise<Owners> {
  const among = new Set(kind === "post" ? rows.map((row) => (row as BoardRows["post"]).id) : []);
  const found = async <T extends { _id: string }>(owner: keyof Owners): Promise<ReadonlyMap<string, T>> => {
    const fields = MOVED[kind].fields.filter(({ names }) => names === owner);
    const values = rows.flatMap((row) => fields.map(({ name }) => (row as Record<string, unknown>)[name]));
    const ids = new Set(values.filter((id): id is string => typeof id === "string" && !among.has(id)));
    if (ids.size === 0) return new Map();
    const documents = collections[MOVING[owner].collection] as unknown as Collection<T>;
    const options = { session, projection: { query: 0, vector: 0, body: 0, vec: 0 } };
    const those = await documents.find({ _id: { $in: [...ids] } } as object, options).toArray();
    const byId = new Map(those.map((one) => [one._id as string, one as unknown as T]));
    for (const id of ids) there(byId, id);
    return byId;
  };
  return {
    publisher: await found("publisher"),
    subscription: await found("subscription"),
    post: await found("post"),
  };
}
