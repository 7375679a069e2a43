import { type Document, MongoServerError } from "mongodb";
import type { Connection } from "../server/connection.ts";
import { COLLECTIONS, type Collections } from "./documents.ts";
import { INDEXES } from "./indexes.ts";
import { VALIDATORS } from "./validators.ts";

/** How posts and deliveries are spread over the shards of a cluster; everything else stays on one. */
export const SHARD_KEYS: Readonly<Partial<Record<keyof Collections, Record<string, "hashed">>>> = {
  posts: { root: "hashed" },
  deliveries: { subscription_id: "hashed" },
};

/**
 * Makes collections, validators, indexes and shards as they are declared. What is there already is left alone, so that it
 * may be cut off and run again. Behind mongos, a user who may not shard collections gets a board on one shard.
 */
export async function declareSchema(connection: Connection): Promise<void> {
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

async function shard({ client, db }: Connection): Promise<void> {
  for (const [name, key] of Object.entries(SHARD_KEYS)) {
    // A collection that is not empty wants the index of its shard key beforehand.
    await db.collection(name).createIndex(key, { name: "shard" });
    await client
      .db("admin")
      .command({ shardCollection: `${db.databaseName}.${name}`, key })
      .catch(unless(UNAUTHORIZED));
  }
}

/** Passes over an error of the server with this code. */
function unless(code: number): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MongoServerError) || error.code !== code) throw error;
  };
}
