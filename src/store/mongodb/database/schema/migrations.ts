import { type Collection, MongoServerError } from "mongodb";
import { tryServer } from "../check-server.ts";
import { connectMongodb, type MongodbConnection, orAgain } from "../connection.ts";
import { COLLECTIONS, type Collections } from "../context.ts";
import { INDEXES } from "./indexes.ts";

/** The document `schema` of collection `meta`. */
interface SchemaDocument {
  _id: "schema";
  version: number;
}

/** Raised by each release that changes what `indexes.ts` declares. */
export const SCHEMA_VERSION = 2;

/**
 * Brings the database to the newest version. Costs one read when it is up to date.
 * @throws Error with one line for the operator when a newer or another program wrote the database
 */
export async function migrateMongodb(connection: MongodbConnection, url: string): Promise<void> {
  const from = await schemaVersion(connection);
  if (from === SCHEMA_VERSION) return;
  await connection.run(() => refuseForeign(connection));
  // Building an index over millions of posts takes longer than any other command.
  const patient = await connectMongodb(url, { answerMs: 0 });
  try {
    // Before any collection: who starts at the same moment sees that this is a board.
    await patient.run(() => setVersion(patient, from));
    if (from === 0) await tryServer(patient);
    await patient.runLong(() => declareSchema(patient));
    await patient.run(() => setVersion(patient, SCHEMA_VERSION));
  } finally {
    await patient.close();
  }
}

const setVersion = (connection: MongodbConnection, version: number) =>
  orAgain(() => schemaOf(connection).updateOne({ _id: "schema" }, { $max: { version } }, { upsert: true }));

/**
 * The version of a database, 0 before it is a board.
 * @throws Error when a newer program wrote it
 */
export async function schemaVersion(connection: MongodbConnection): Promise<number> {
  const found = await connection.run(() => schemaOf(connection).findOne({ _id: "schema" }));
  const version = found?.version ?? 0;
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The database was written by another Agent Board (version ${version}, this program knows ${SCHEMA_VERSION}). ` +
        "Install that version, or move the board by its `export` and this one's `import`.",
    );
  }
  return version;
}

const schemaOf = ({ db }: MongodbConnection): Collection<SchemaDocument> => db.collection("meta");

/** Refuses a database that has collections and no version: it is another program's. */
async function refuseForeign(connection: MongodbConnection): Promise<void> {
  const collections = await connection.db.listCollections({}, { nameOnly: true }).toArray();
  if (collections.every(({ name }) => name === "meta" || name.startsWith("system."))) return;
  // Read after the list: of processes that start together, the first writes its document before any collection.
  if ((await schemaOf(connection).findOne({ _id: "schema" })) !== null) return;
  throw new Error("The database is not empty and holds no board. Name another one in the path of STORE_URL.");
}

/**
 * Creates collections, indexes and shards as declared. Leaves what exists alone, so it may be interrupted, run again, and run
 * by several processes at once. Behind mongos, a user without the right to shard collections gets a board on one shard.
 */
async function declareSchema(connection: MongodbConnection): Promise<void> {
  const { db } = connection;
  await Promise.all(
    COLLECTIONS.map(async (name) => {
      await db.createCollection(name).catch(unless(NAMESPACE_EXISTS));
      if (INDEXES[name].length > 0) await db.collection(name).createIndexes([...INDEXES[name]]);
    }),
  );
  if (connection.sharded) await shard(connection);
}

const NAMESPACE_EXISTS = 48;
const UNAUTHORIZED = 13;
/** Another process shards it just now. */
const IN_PROGRESS = 117;

/** The shard keys of what grows with each post and each match; everything else stays on one shard. */
const SHARD_KEYS: Readonly<Partial<Record<keyof Collections, Record<string, "hashed">>>> = {
  posts: { root: "hashed" },
  deliveries: { subscription_id: "hashed" },
};

async function shard({ client, db }: MongodbConnection): Promise<void> {
  for (const [name, key] of Object.entries(SHARD_KEYS)) {
    // A collection that is not empty must have the index of its shard key first.
    await db.collection(name).createIndex(key, { name: "shard" });
    await client
      .db("admin")
      .command({ shardCollection: `${db.databaseName}.${name}`, key })
      .catch(unless(UNAUTHORIZED, IN_PROGRESS));
  }
}

/** Ignores a server error with one of these codes. */
function unless(...codes: number[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MongoServerError) || !codes.includes(Number(error.code))) throw error;
  };
}
