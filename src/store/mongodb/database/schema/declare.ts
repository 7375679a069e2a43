import { type Document, MongoServerError } from "mongodb";
import type { MongodbConnection } from "../connection.ts";
import { COLLECTIONS, type Collections } from "./collections.ts";
import { INDEXES } from "./indexes.ts";
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
      if (INDEXES[name].length > 0) await db.collection(name).createIndexes([...INDEXES[name]]);
    }),
  );
  if (connection.sharded) await shard(connection);
}

const NAMESPACE_EXISTS = 48;
const UNAUTHORIZED = 13;

/** The shard keys of what grows with each post and each match; everything else stays on one shard. */
export const SHARD_KEYS: Readonly<Partial<Record<keyof Collections, Record<string, "hashed">>>> = {
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
      .catch(unless(UNAUTHORIZED));
  }
}

/** Ignores a server error with one of these codes. */
function unless(...codes: number[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MongoServerError) || !codes.includes(Number(error.code))) throw error;
  };
}
