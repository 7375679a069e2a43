import { randomUUID } from "node:crypto";
import { type Db, MongoClient } from "mongodb";
import { inject } from "vitest";
import { type ServerKind, startServer } from "./mongod.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where this run's servers are; `global-setup.ts` stops them. */
    mongodFolder: string;
  }
}

/** An empty database for tests. */
export interface TestDatabase {
  /** With the database's name in its path. */
  url: string;
  db: Db;
  /** Every document, as text. */
  contents(): Promise<string>;
  /** Deletes every document but the schema's version, which is faster than creating the collections again. */
  empty(): Promise<void>;
  /** Deletes its collections too. */
  wipe(): Promise<void>;
  /** Deletes the database, and closes the connection of `db`. */
  drop(): Promise<void>;
}

/** Part of this file's database names. A process id would not do: systems reuse it, and databases may be left over. */
const OWN = `${process.pid}_${randomUUID().slice(0, 8)}`;

/**
 * A new database on this run's server of that kind. The first test that needs one starts it. `TEST_MONGODB_URI` and
 * `TEST_MONGODB_CLUSTER_URI` name other servers to use instead, 8.0 or newer, with `ttlMonitorEnabled=false`: tests make up
 * times.
 *
 * @returns null on a machine that cannot run mongod, after one line that says so; in CI that is an error instead
 */
export async function mongodbFor(kind: ServerKind, name: string): Promise<TestDatabase | null> {
  const uri = await serverOf(kind);
  if (uri === null) return null;
  const url = new URL(uri);
  url.pathname = `test_${OWN}_${name}`;
  const client = new MongoClient(uri);
  const db = client.db(url.pathname.slice(1));
  return {
    url: url.href,
    db,
    async wipe() {
      await db.dropDatabase();
    },
    async contents() {
      const collections = await db.listCollections({}, { nameOnly: true }).toArray();
      const documents = await Promise.all(
        collections.map(({ name }) => db.collection(name).find({}, { readConcern: "majority" }).toArray()),
      );
      return JSON.stringify(documents);
    },
    async empty() {
      const collections = await db.listCollections({}, { nameOnly: true }).toArray();
      const deletions = collections
        .filter(({ name }) => name !== "meta" && !name.startsWith("system."))
        .map(({ name }) => ({
          name: "deleteMany" as const,
          namespace: `${db.databaseName}.${name}`,
          filter: {},
        }));
      // The driver refuses a list without an entry.
      if (deletions.length === 0) return;
      // One command for all. By a majority: the store's reads see only such writes.
      await client.bulkWrite(deletions, { ordered: false, writeConcern: { w: "majority" } });
    },
    async drop() {
      await db.dropDatabase();
      await client.close();
    },
  };
}

/** Databases of this file's boards: emptied ones that wait, and those in use, by the data folder of their boards. */
const waiting: TestDatabase[] = [];
const inUse = new Map<string, TestDatabase>();
let made = 0;

/** A database for a board's data folder, empty at first; boards that share the folder share the database. */
export async function borrowDatabase(
  dataDir: string,
): Promise<Pick<TestDatabase, "url" | "contents"> & { giveBack: () => Promise<void> }> {
  const database = inUse.get(dataDir) ?? waiting.pop() ?? (await newDatabase());
  inUse.set(dataDir, database);
  return {
    url: database.url,
    contents: database.contents,
    async giveBack() {
      inUse.delete(dataDir);
      await database.empty();
      waiting.push(database);
    },
  };
}

async function newDatabase(): Promise<TestDatabase> {
  made += 1;
  const database = await mongodbFor("replicaSet", `board_${made}`);
  if (database === null) throw new Error("no mongod can be had here");
  return database;
}

const OWN_SERVERS = { replicaSet: "TEST_MONGODB_URI", cluster: "TEST_MONGODB_CLUSTER_URI", standalone: "" };

/** URI of a server of that kind, without a database. */
async function serverOf(kind: ServerKind): Promise<string | null> {
  const own = process.env[OWN_SERVERS[kind]];
  if (own !== undefined && own !== "") return own;
  const server = await startServer(kind, inject("mongodFolder"));
  if ("uri" in server) return server.uri;
  const reason = `Tests of MongoDB (${kind}) need a mongod: ${server.missing}`;
  if (process.env["CI"]) throw new Error(reason);
  process.stderr.write(`SKIPPED: ${reason}\n`);
  return null;
}
