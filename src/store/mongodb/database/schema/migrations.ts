import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Collection, type Document, type Filter, MongoServerError } from "mongodb";
import { VERSION } from "../../../../platform/version.ts";
import { mongodbLeaseStore } from "../../board/index.ts";
import { tryServer } from "../check-server.ts";
import { connectMongodb, type MongodbConnection, orAgain } from "../connection.ts";
import { COLLECTIONS, type Collections, collectionsOf } from "../context.ts";
import { INDEXES } from "./indexes.ts";

/** Collection `meta` has it as the document `schema`. */
interface SchemaDocument {
  _id: "schema";
  version: number;
  /** This release changed the database last; 0.1.0 did not say. */
  program?: string;
}

/** A step changes this in the documents of one collection. */
export interface Step {
  collection: keyof Collections;
  /** Finds documents that the step has not changed yet: it may be cut off and run again. */
  where: Filter<Document>;
  /** Lists stages of an update, such as `$set`. */
  update: Document[];
}

/**
 * These steps of documents are append-only: a released one is never edited, since databases of every release since 0.1.0
 * are brought up by those they lack.
 */
const STEPS: readonly (readonly Step[])[] = [
  // This adds the index of the hosts that are signed in as a publisher.
  [],
  // This adds the collection of series that subscriptions were told of.
  [],
  // This adds indexes of subscriptions that lapse, and of pushes that wait.
  [],
  // This adds indexes of what the operator looks through.
  [],
  // This adds the index of publishers by name.
  [],
  // This adds the index of subscriptions whose pushes fail.
  [],
  // This is for changes that are told: an older document has none.
  [],
];

/** 0.1.0 wrote this version. Databases of before have other indexes alone. */
const FIRST = 2;
export const SCHEMA_VERSION = FIRST + STEPS.length;

/** A process holds the lease of an upgrade, which it renews, for this long; the others look again after a second. */
const LEASE_MS = 60_000;

/**
 * Brings the database to the newest version. Costs one read when it is up to date. A board of an earlier release is first copied
 * within the database, the way back to that release, and every step is tried by reading before one is written.
 *
 * @param steps  for tests of later releases
 * @throws Error with one line for the operator when a newer or another program wrote the database, or a step fails
 */
export async function migrateMongodb(
  connection: MongodbConnection,
  url: string,
  log: (line: string) => void = () => {},
  steps: readonly (readonly Step[])[] = STEPS,
): Promise<void> {
  const newest = FIRST + steps.length;
  const from = await schemaVersion(connection, newest);
  if (from === newest) return;
  await connection.run(() => refuseForeign(connection));
  // Building an index over millions of posts takes longer than any other command.
  const patient = await connectMongodb(url, { answerMs: 0 });
  try {
    if (from > 0) return await upgrade(patient, steps, log);
    // It comes before any collection: who starts at the same moment sees that this is a board.
    await patient.run(() => setVersion(patient, { version: 0 }));
    await tryServer(patient);
    await patient.runLong(() => declareSchema(patient));
    await patient.run(() => setVersion(patient, { version: newest, program: VERSION }));
  } finally {
    await patient.close();
  }
}

/** Upgrades a database; of processes that start together, one does the work, and the others wait for it. */
async function upgrade(
  connection: MongodbConnection,
  steps: readonly (readonly Step[])[],
  log: (line: string) => void,
): Promise<void> {
  const leases = mongodbLeaseStore({ connection, collections: collectionsOf(connection.db) });
  const me = randomUUID();
  const hold = async () => {
    const { localTime } = await connection.run(() => connection.client.db("admin").command({ hello: 1 }));
    return leases.acquire("upgrade", me, LEASE_MS, (localTime as Date).getTime());
  };
  const newest = FIRST + steps.length;
  while ((await hold()) === null) await sleep(1_000);
  const renewing = setInterval(() => void hold().catch(() => {}), LEASE_MS / 3);
  try {
    const from = await schemaVersion(connection, newest);
    if (from === newest) return;
    log(`the database is of an earlier release (version ${from}): upgrading it to ${VERSION}`);
    const lacking = steps.slice(Math.max(0, from - FIRST)).flat();
    await connection.runLong(() => tryEach(connection, lacking));
    const copies = await connection.runLong(() => keepCopies(connection));
    await connection.runLong(() => declareSchema(connection));
    for (const { collection, where, update } of lacking) {
      await connection.runLong(() => connection.db.collection(collection).updateMany(where, update));
    }
    await connection.run(() => setVersion(connection, { version: newest, program: VERSION }));
    log(
      `the database is upgraded. How it was before is kept in the collections ${copies}*: remove them when all is well`,
    );
  } finally {
    clearInterval(renewing);
    await leases.release("upgrade", me);
  }
}

/** Computes what the steps would write, each by itself, without writing it. */
async function tryEach({ db }: MongodbConnection, steps: readonly Step[]): Promise<void> {
  // The server computes no field that nothing reads.
  const read = { $group: { _id: null, bytes: { $sum: { $bsonSize: "$$ROOT" } } } };
  for (const { collection, where, update } of steps) {
    try {
      await db
        .collection(collection)
        .aggregate([{ $match: where }, ...update, read])
        .toArray();
    } catch (cause) {
      throw new Error(
        `The database cannot be upgraded to ${VERSION} (${collection}: error ${(cause as MongoServerError).code}). Nothing in it was changed: go on with the release that wrote it.`,
        { cause },
      );
    }
  }
}

/** Copies that upgrades keep have names that begin so. */
export const COPIES = /^before_\d+_\d+_\d+_/;

/**
 * Copies what the board holds into collections `before_…`, unless an earlier attempt has copied it. The copy of `meta` is the
 * last. It says version 0, so that a start on the copies makes the indexes that copies lack.
 * @returns the begin of their names
 */
async function keepCopies({ db }: MongodbConnection): Promise<string> {
  const begin = `before_${VERSION.replaceAll(/\W/g, "_")}_`;
  const copied = db.collection<SchemaDocument>(`${begin}meta`);
  if ((await copied.findOne({ _id: "schema" })) !== null) return begin;
  for (const name of COLLECTIONS) {
    await db
      .collection(name)
      .aggregate([{ $out: begin + name }])
      .toArray();
  }
  await copied.insertOne({ _id: "schema", version: 0 });
  return begin;
}

const setVersion = (
  connection: MongodbConnection,
  { version, ...program }: Pick<SchemaDocument, "version" | "program">,
) =>
  orAgain(() =>
    schemaOf(connection).updateOne(
      { _id: "schema" },
      { $max: { version }, ...(version > 0 && { $set: program }) },
      { upsert: true },
    ),
  );

/** Reads the version of a database, 0 before it is a board. */
export async function schemaVersion(connection: MongodbConnection, newest = SCHEMA_VERSION): Promise<number> {
  const found = await connection.run(() => schemaOf(connection).findOne({ _id: "schema" }));
  const version = found?.version ?? 0;
  if (version <= newest) return version;
  const program = found?.program;
  const versions = `version ${version}, this program (${VERSION}) knows ${newest}`;
  throw new Error(
    program === undefined
      ? `The database was written by another Agent Board (${versions}). Install that version, or move the board by its \`export\` and this one's \`import\`.`
      : `The database was written by Agent Board ${program} (${versions}). Start that release; or, to lose what was written since, put the copies that its upgrade kept (collections before_*) back: see "Upgrades" in docs/mongodb.md.`,
  );
}

const schemaOf = ({ db }: MongodbConnection): Collection<SchemaDocument> => db.collection("meta");

/** Refuses a database that has collections and no version: it is another program's. */
async function refuseForeign(connection: MongodbConnection): Promise<void> {
  const collections = await connection.db.listCollections({}, { nameOnly: true }).toArray();
  if (collections.every(({ name }) => name === "meta" || name.startsWith("system."))) return;
  // The version is read after the list: of processes that start together, the first writes its document before any
  // collection.
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

/** These are the shard keys of what grows with each post and each match; everything else stays on one shard. */
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
