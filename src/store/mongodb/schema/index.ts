import { type Db, type Document, MongoServerError } from "mongodb";
import type { MongodbConnection } from "../server/connection.ts";
import { COLLECTIONS, type Collections } from "./collections.ts";
import { INDEXES } from "./indexes.ts";
import { SHARD_KEYS } from "./shards.ts";
import { VALIDATORS } from "./validators.ts";

/**
 * Creates collections, validators, indexes and shards as declared. Leaves what exists alone, so it may be interrupted and
 * run again. Behind mongos, a user without the right to shard collections gets a board on one shard.
 */
export async function declareSchema(connection: MongodbConnection): Promise<void> {
  const { db } = connection;
  const there = new Map<string, Document | undefined>();
  for await (const found of db.listCollections()) {
    there.set(found.name, "options" in found ? found.options?.["validator"] : undefined);
  }
  await Promise.all(
    COLLECTIONS.map(async (name) => {
      const validator = VALIDATORS[name] ?? {};
      if (!there.has(name)) await db.createCollection(name, { validator }).catch(unless(NAMESPACE_EXISTS));
      else if (JSON.stringify(there.get(name) ?? {}) !== JSON.stringify(validator)) {
        await db.command({ collMod: name, validator, validationLevel: "strict" });
      }
      if (there.has(name)) await setExpiry(db, name);
      if (INDEXES[name].length > 0) await db.collection(name).createIndexes([...INDEXES[name]]);
    }),
  );
  if (connection.sharded) await shard(connection);
}

/** Gives indexes that are there the time after which the server deletes: `createIndexes` refuses to change it. */
async function setExpiry(db: Db, collection: keyof Collections): Promise<void> {
  for (const { name, expireAfterSeconds } of INDEXES[collection]) {
    if (expireAfterSeconds === undefined) continue;
    await db
      .command({ collMod: collection, index: { name, expireAfterSeconds } })
      .catch(unless(INDEX_NOT_FOUND));
  }
}

const INDEX_NOT_FOUND = 27;
const NAMESPACE_EXISTS = 48;
const UNAUTHORIZED = 13;

async function shard({ client, db }: MongodbConnection): Promise<void> {
  for (const [name, key] of Object.entries(SHARD_KEYS)) {
    // A collection that is not empty must have the index of its shard key first.
    await db.collection(name).createIndex(key, { name: "shard" });
    await client
      .db("admin")
      .command({ shardCollection: `${db.databaseName}.${name}`, key })
      .catch(unless(UNAUTHORIZED));
  }
}

/** Ignores a server error with one of these codes. */
export function unless(...codes: number[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MongoServerError) || !codes.includes(Number(error.code))) throw error;
  };
}
