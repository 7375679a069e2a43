import { MongoServerError, ObjectId } from "mongodb";
import type { MongodbConnection } from "./connection.ts";

/** MongoDB 7.0 has it. */
const WIRE_VERSION_MIN = 21;

export interface ServerFacts {
  version: string;
  wireVersion: number;
  /** Names the replica set, and is null behind mongos. */
  setName: string | null;
  /** Arbiters and hidden members do not count; behind mongos there are 0. */
  members: number;
}

/**
 * Checks that this server can hold a board: a replica set or a sharded cluster of MongoDB 7.0 or newer.
 * @throws Error with one line for the operator
 */
export async function checkServer({ client, run }: MongodbConnection): Promise<ServerFacts> {
  const admin = client.db("admin");
  const hello = await run(() => admin.command({ hello: 1 }));
  const { version } = await run(() => admin.command({ buildInfo: 1 }));
  const wireVersion = Number(hello["maxWireVersion"]);
  const setName: string | null = hello["setName"] ?? null;
  if (wireVersion < WIRE_VERSION_MIN) {
    throw new Error(`The database is version ${version}; a board needs MongoDB 7.0 or newer.`);
  }
  if (setName === null && hello["msg"] !== "isdbgrid") {
    throw new Error(
      "The database is neither a replica set nor mongos. Start mongod with --replSet rs0 and run rs.initiate() once; one " +
        "member is enough. Servers that only speak MongoDB's protocol cannot hold a board.",
    );
  }
  if (hello["logicalSessionTimeoutMinutes"] === undefined) {
    throw new Error("The database has no sessions, which transactions need. A board needs MongoDB itself.");
  }
  const members = [...(hello["hosts"] ?? []), ...(hello["passives"] ?? [])].length;
  return { version: String(version), wireVersion, setName, members };
}

/**
 * Tries what look-alikes promise without keeping it: a transaction that is aborted, and a change stream. Takes some
 * milliseconds and leaves nothing behind; `meta` must exist.
 * @throws Error with one line for the operator
 */
export async function tryServer({ client, db, run }: MongodbConnection): Promise<void> {
  const trials = db.collection("meta");
  const _id = new ObjectId();
  await run(async () => {
    await client.withSession(async (session) => {
      session.startTransaction();
      await trials.insertOne({ _id }, { session });
      await session.abortTransaction();
    });
    if ((await trials.findOne({ _id })) === null) return;
    await trials.deleteOne({ _id });
    throw new Error("The database does not take back a transaction. A board needs MongoDB itself.");
  });
  await run(async () => {
    const stream = trials.watch([], { maxAwaitTimeMS: 1 });
    try {
      await stream.tryNext();
    } catch (cause) {
      if (!(cause instanceof MongoServerError)) throw cause;
      throw new Error(`The database gives no stream of changes (error ${cause.code}).`, { cause });
    } finally {
      await stream.close();
    }
  });
}
