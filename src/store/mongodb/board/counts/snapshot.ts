import { type ClientSession, MongoServerError, ReadConcern } from "mongodb";
import { type Collections, collectionsOf } from "../../schema/collections.ts";
import type { MongodbConnection } from "../../server/connection.ts";
import { NO_SNAPSHOT } from "../../server/unavailable.ts";

/**
 * What `read` reads is of one moment, that of its first read, on shards too.
 * @returns null when there is no snapshot just now
 */
export async function withSnapshot<T>(
  { client, db }: MongodbConnection,
  read: (collections: Collections, session: ClientSession) => Promise<T>,
): Promise<T | null> {
  // The driver (7.8) writes the snapshot's time into the read concern of the database it is given, so this has its own.
  const own = collectionsOf(client.db(db.databaseName, { readConcern: new ReadConcern("snapshot") }));
  const session = client.startSession({ snapshot: true });
  try {
    return await read(own, session);
  } catch (error) {
    if (error instanceof MongoServerError && NO_SNAPSHOT.has(error.code)) return null;
    throw error;
  } finally {
    await session.endSession();
  }
}
