import { MongoServerError } from "mongodb";
import type { MongodbConnection } from "../connection.ts";
import { COLLECTIONS, type Collections } from "./collections.ts";
import { INDEXES } from "./indexes.ts";

/**
 * Creates collections, indexes and shards as declared. Leaves what exists alone, so it may be interrupted, run again, and run
 * by several processes at once. Behind mongos, a user without the right to shard collections gets a board on one shard.
 */
export async function declareSchema(connection: MongodbConnection): Promise<void> {
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
      .catch(unless(UNAUTHORIZED, IN_PROGRESS));
  }
}

/** Ignores a server error with one of these codes. */
function unless(...codes: number[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof MongoServerError) || !codes.includes(Number(error.code))) throw error;
  };
}
