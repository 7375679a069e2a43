import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { MongodbConnection } from "../../database/connection.ts";

const EVERY_MS = 300;

/**
 * Keeps the shards' times close together until `signal` aborts. mongos reports a change once every shard has passed its
 * time. A shard without writes advances only every 10 s, but at once when a read asks for a later time. Two reads each
 * round; does nothing on a replica set.
 */
export async function keepShardsTogether(
  { client, db, sharded, run }: MongodbConnection,
  signal: AbortSignal,
): Promise<void> {
  while (sharded && !signal.aborted) {
    const ask = (session: ClientSession) =>
      run(async () => {
        await db.command({ ping: 1 }, { session });
        await db.collection<{ _id: string }>("posts").findOne({ _id: "" }, { session });
      });
    // The stream itself meets and reports errors of the database.
    await client.withSession({ causalConsistency: true }, ask).catch(() => {});
    await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
