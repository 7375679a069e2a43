import {
  type AnyClientBulkWriteModel,
  type ClientBulkWriteResult,
  type ClientSession,
  type Db,
  type Document,
  MongoClientBulkWriteError,
  MongoServerError,
  type WriteConcernSettings,
} from "mongodb";
import type { Documents } from "../schema/documents.ts";
import type { MongodbContext } from "./context.ts";
import { inSession } from "./reads.ts";

/** A document to insert, or a change of one document or of many, or the removal of one. */
export type Write = { to: keyof Documents } & (
  | { insert: Document }
  | { remove: Document }
  | {
      filter: Document;
      update: Document | Document[];
      upsert?: boolean;
      /** Changes all that pass the filter. Among several writes, one such makes the driver send none again by itself. */
      many?: boolean;
      /** Gives the error when no document passes the filter; without it, that is no error. */
      missed?: () => Error;
    }
);

/** Wire version of MongoDB 8.0, which writes to several collections by one command. */
const WIRE_VERSION_OF_BULKS = 25;

/**
 * Writes in this order, inside a transaction; by one command, or on servers before 8.0 by one for each write.
 * @throws the error of the first write that missed
 */
export async function writeAll(
  { connection: { client, db, wireVersion } }: MongodbContext,
  session: ClientSession,
  writes: readonly Write[],
): Promise<void> {
  const matched = wireVersion >= WIRE_VERSION_OF_BULKS ? await inOneCommand() : await oneAfterAnother();
  refuseMisses(matched);

  function refuseMisses(counts: readonly number[]): void {
    for (const [i, count] of counts.entries()) {
      const write = writes[i];
      if (write === undefined || !("update" in write) || write.missed === undefined) continue;
      if (count === 0) throw write.missed();
    }
  }

  async function inOneCommand(): Promise<number[]> {
    const models = writes.map((write) => modelOf(write, `${db.databaseName}.${write.to}`));
    const matchedIn = (result: ClientBulkWriteResult | undefined, end = writes.length) =>
      writes.slice(0, end).map((_, i) => result?.updateResults?.get(i)?.matchedCount ?? 0);
    try {
      return matchedIn(await client.bulkWrite(models, { session, verboseResults: true }));
    } catch (error) {
      if (error instanceof MongoClientBulkWriteError) {
        // A write that missed before may be why this one failed.
        const [failed = 0] = error.writeErrors.keys();
        refuseMisses(matchedIn(error.partialResult, failed));
      }
      throw error;
    }
  }

  async function oneAfterAnother(): Promise<number[]> {
    const counts: number[] = [];
    for (const write of writes) {
      counts.push(await writeOne(db, write, session));
      refuseMisses(counts);
    }
    return counts;
  }
}

/**
 * Makes each write by itself, in no order and outside of transactions; by one command, or on servers before 8.0 by one for
 * each, side by side.
 *
 * @returns for each, how many documents it found or inserted: none when it met an insert under the same id
 */
export async function writeEach(
  { connection: { client, db, wireVersion } }: MongodbContext,
  writes: readonly Write[],
  writeConcern?: WriteConcernSettings,
): Promise<number[]> {
  if (writes.length === 0) return [];
  const options = writeConcern === undefined ? {} : { writeConcern };
  if (wireVersion < WIRE_VERSION_OF_BULKS) {
    const alone = (write: Write) => writeOne(db, write, undefined, options).catch(noneIfDuplicate);
    return Promise.all(writes.map(alone));
  }
  const models = writes.map((write) => modelOf(write, `${db.databaseName}.${write.to}`));
  const result = await client
    .bulkWrite(models, { ...options, ordered: false, verboseResults: true })
    .catch((error: unknown) => {
      if (!(error instanceof MongoClientBulkWriteError) || error.cause !== undefined) throw error;
      const failures = [...error.writeErrors.values()];
      if (error.writeConcernErrors.length > 0 || failures.some(({ code }) => code !== DUPLICATE)) throw error;
      return error.partialResult;
    });
  return writes.map((_, i) => countOf(result, i));
}

/**
 * Makes each write after the one before, outside of transactions, until one fails on what another process wrote: an upsert
 * on its id, or an update on a conversion. By one command, or on servers before 8.0 by one for each.
 *
 * @returns for each write that was made, how many documents it found
 */
export async function writeInOrder(
  { connection: { client, db, wireVersion } }: MongodbContext,
  writes: readonly Write[],
  writeConcern: WriteConcernSettings,
): Promise<number[]> {
  if (writes.length === 0) return [];
  if (wireVersion < WIRE_VERSION_OF_BULKS) {
    const counts: number[] = [];
    for (const write of writes) {
      const count = await writeOne(db, write, undefined, { writeConcern }).catch((error: unknown) => {
        if (error instanceof MongoServerError && FAILURES.has(Number(error.code))) return null;
        throw error;
      });
      if (count === null) break;
      counts.push(count);
    }
    return counts;
  }
  const models = writes.map((write) => modelOf(write, `${db.databaseName}.${write.to}`));
  let made = writes.length;
  const result = await client
    .bulkWrite(models, { writeConcern, ordered: true, verboseResults: true })
    .catch((error: unknown) => {
      if (!(error instanceof MongoClientBulkWriteError) || error.cause !== undefined) throw error;
      const [failure] = error.writeErrors;
      if (failure === undefined || !FAILURES.has(failure[1].code)) throw error;
      made = failure[0];
      return error.partialResult;
    });
  return writes.slice(0, made).map((_, i) => countOf(result, i));
}

/** Of the result of a bulk: how many documents a write found, inserted by an upsert, or removed. */
function countOf(result: ClientBulkWriteResult | undefined, i: number): number {
  const updated = result?.updateResults?.get(i);
  const removed = result?.deleteResults?.get(i)?.deletedCount ?? 0;
  return updated?.didUpsert === true ? 1 : (updated?.matchedCount ?? removed);
}

const CONVERSION = 241;
const DUPLICATE = 11000;
const FAILURES: ReadonlySet<number> = new Set([DUPLICATE, CONVERSION]);

function noneIfDuplicate(error: unknown): number {
  if (error instanceof MongoServerError && error.code === DUPLICATE) return 0;
  throw error;
}

/** @returns how many documents it found, inserted by an upsert, or removed */
async function writeOne(
  db: Db,
  write: Write,
  session: ClientSession | undefined,
  more: { writeConcern?: WriteConcernSettings } = {},
): Promise<number> {
  const collection = db.collection(write.to);
  const options = { ...more, ...inSession(session) };
  if ("insert" in write) {
    await collection.insertOne(write.insert, options);
    return 0;
  }
  if ("remove" in write) return (await collection.deleteOne(write.remove, options)).deletedCount;
  const { filter, update, upsert = false, many = false } = write;
  const { matchedCount, upsertedCount } = many
    ? await collection.updateMany(filter, update, { ...options, upsert })
    : await collection.updateOne(filter, update, { ...options, upsert });
  return matchedCount + upsertedCount;
}

function modelOf(write: Write, namespace: string): AnyClientBulkWriteModel<Document> {
  if ("insert" in write) return { name: "insertOne", namespace, document: write.insert };
  if ("remove" in write) return { name: "deleteOne", namespace, filter: write.remove };
  const { filter, update, upsert = false, many = false } = write;
  return { name: many ? "updateMany" : "updateOne", namespace, filter, update, upsert };
}

/** Another write changed what this one had looked at before: look again. */
export class ChangedMeanwhile extends Error {
  constructor() {
    super("what a write had looked at has changed");
    this.name = "ChangedMeanwhile";
  }
}

export const changedMeanwhile = (): Error => new ChangedMeanwhile();
