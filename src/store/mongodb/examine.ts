import { MongoError, MongoServerError } from "mongodb";
import { type Finding, passed, problem, warning } from "../../ports/finding.ts";
import { StoreUnavailable } from "../../ports/store/index.ts";
import { mongodbLeaseStore } from "./board/index.ts";
import { checkServer, tryServer } from "./database/check-server.ts";
import { connectMongodb, type MongodbConnection } from "./database/connection.ts";
import { COLLECTIONS, collectionsOf } from "./database/context.ts";
import { INDEXES } from "./database/schema/indexes.ts";
import { COPIES, SCHEMA_VERSION, schemaVersion } from "./database/schema/migrations.ts";
import { REFUSED } from "./database/unavailable.ts";

/** Leases and limits compare the clocks of instances. */
const CLOCK_OFF_MS = 2_000;
const WRITE_SLOW_MS = 100;

/** Looks at the database of `url`. Its only write is a lease that it gives back, and only to a board. */
export async function* examineMongodb(url: string, clock: () => number): AsyncIterable<Finding> {
  let connection: MongodbConnection;
  try {
    connection = await connectMongodb(url);
  } catch (error) {
    yield problem("database", reasonOf(error));
    return;
  }
  try {
    yield* examineServer(connection, clock);
    yield* examineBoard(connection, clock);
  } catch (error) {
    yield problem("database", reasonOf(error));
  } finally {
    await connection.close();
  }
}

async function* examineServer(connection: MongodbConnection, clock: () => number): AsyncIterable<Finding> {
  const { version, wireVersion, setName, members } = await checkServer(connection);
  const server = `MongoDB ${version} (wire version ${wireVersion})`;
  if (setName === null) yield passed("database", `${server}, sharded cluster`);
  else if (members > 1) yield passed("database", `${server}, replica set ${setName} of ${members} members`);
  else
    yield warning(
      "database",
      `${server}, replica set ${setName} of one member: when it fails, the board does`,
    );
  yield await clockOf(connection, clock);
}

/** Compares this machine's clock with the server's, corrected by half the round trip. */
async function clockOf({ client, run }: MongodbConnection, clock: () => number): Promise<Finding> {
  const asked = clock();
  const { localTime } = await run(() => client.db("admin").command({ hello: 1 }));
  const offMs = Math.round((asked + clock()) / 2 - (localTime as Date).getTime());
  return Math.abs(offMs) <= CLOCK_OFF_MS
    ? passed("clock", `${offMs} ms from the server's`)
    : problem(
        "clock",
        `${(offMs / 1000).toFixed(1)} s from the server's: keep all machines in time, as by NTP`,
      );
}

async function* examineBoard(connection: MongodbConnection, clock: () => number): AsyncIterable<Finding> {
  const version = await schemaVersion(connection);
  if (version === 0) {
    const found = await connection.run(() => connection.db.listCollections({}, { nameOnly: true }).toArray());
    yield found.length === 0
      ? passed("schema", "the database is empty; the first start makes a board of it")
      : problem(
          "schema",
          "the database is not empty and holds no board: name another one in STORE_URL's path",
        );
    return;
  }
  yield passed(
    "schema",
    version === SCHEMA_VERSION
      ? `version ${version}`
      : `version ${version}; the next start makes it ${SCHEMA_VERSION}, and keeps a copy of how it was`,
  );
  yield* await copiesIn(connection);
  await tryServer(connection);
  yield passed("transactions", "work, and changes can be followed");
  yield await indexesOf(connection);
  yield await writeTime(connection, clock);
}

/** What upgrades kept holds what was erased since. */
async function copiesIn({ db, run }: MongodbConnection): Promise<Finding[]> {
  const found = await run(() => db.listCollections({}, { nameOnly: true }).toArray());
  const begins = new Set(found.flatMap(({ name }) => COPIES.exec(name)?.[0] ?? []));
  return [...begins].map((begin) =>
    warning(
      "upgrade",
      `the collections ${begin}* keep how the board was before an upgrade, with what was erased since: remove them when all is well`,
    ),
  );
}

async function indexesOf({ db, run }: MongodbConnection): Promise<Finding> {
  const missing: string[] = [];
  for (const name of COLLECTIONS) {
    const found = await run(() => db.collection(name).listIndexes().toArray());
    for (const index of INDEXES[name]) {
      if (!found.some((there) => there["name"] === index.name)) missing.push(`${name}.${index.name}`);
    }
  }
  return missing.length === 0
    ? passed("indexes", "all there")
    : problem(
        "indexes",
        `missing: ${missing.join(", ")}; db.meta.updateOne({_id: "schema"}, {$set: {version: 0}}) lets the next start make them`,
      );
}

/** Takes the time until a majority has one small write. */
async function writeTime(connection: MongodbConnection, clock: () => number): Promise<Finding> {
  const leases = mongodbLeaseStore({ connection, collections: collectionsOf(connection.db) });
  const began = performance.now();
  await leases.acquire("doctor", "doctor", 1, clock());
  const tookMs = performance.now() - began;
  await leases.release("doctor", "doctor");
  const text = `${tookMs.toFixed(1)} ms until a majority has a write`;
  return tookMs <= WRITE_SLOW_MS
    ? passed("writes", text)
    : warning("writes", `${text}: look at its disks and network`);
}

/** Tells the operator of an error in words, without hosts and users that the driver may name. */
function reasonOf(error: unknown): string {
  if (error instanceof StoreUnavailable) return error.message;
  if (error instanceof MongoServerError) {
    return AUTHENTICATION.includes(Number(error.code))
      ? `it ${REFUSED}`
      : `it answers with error ${error.code} (${error.codeName})`;
  }
  // The error is our own, or from the DNS look-up of mongodb+srv://.
  if (error instanceof Error) return error instanceof MongoError ? error.name : error.message;
  return String(error);
}

/** These are Unauthorized and AuthenticationFailed. Atlas has a code of its own (see `unavailable`). */
const AUTHENTICATION = [13, 18];
