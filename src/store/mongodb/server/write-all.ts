import {
  type AnyClientBulkWriteModel,
  type ClientBulkWriteResult,
  type ClientSession,
  type Document,
  MongoClientBulkWriteError,
  MongoError,
} from "mongodb";
import type { Documents } from "../schema/documents.ts";
import type { MongodbContext } from "./context.ts";

/** A document to insert, or a change of one document. */
export type Write = { to: keyof Documents } & (
  | { insert: Document }
  | {
      filter: Document;
      update: Document | Document[];
      upsert?: boolean;
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
      if (write === undefined || "insert" in write || write.missed === undefined) continue;
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
      counts.push(await alone(write));
      refuseMisses(counts);
    }
    return counts;
  }

  async function alone(write: Write): Promise<number> {
    const collection = db.collection(write.to);
    if ("insert" in write) {
      await collection.insertOne(write.insert, { session });
      return 0;
    }
    const { filter, update, upsert = false } = write;
    return (await collection.updateOne(filter, update, { session, upsert })).matchedCount;
  }
}

function modelOf(write: Write, namespace: string): AnyClientBulkWriteModel<Document> {
  if ("insert" in write) return { name: "insertOne", namespace, document: write.insert };
  const { filter, update, upsert = false } = write;
  return { name: "updateOne", namespace, filter, update, upsert };
}

/** Makes the transaction start again: another one changed what this one had looked at before. */
export function changedMeanwhile(): Error {
  const error = new MongoError("what a transaction looked at has changed");
  error.addErrorLabel("TransientTransactionError");
  return error;
}
