import { setTimeout as sleep } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { Connection } from "./connection.ts";

const EVERY_MS = 300;

/**
 * Keeps the shards' times close together until `signal` aborts. mongos tells of a change once every shard has passed its
 * time, and a shard without writes goes on only every 10 s; one that is asked for what is later than its time goes on at
 * once. Two reads each time, nothing on a replica set.
 */
export async function keepShardsTogether(
  { client, db, sharded, run }: Connection,
  signal: AbortSignal,
): Promise<void> {
  while (sharded && !signal.aborted) {
    const ask = (session: ClientSession) =>
      run(async () => {
        await db.command({ ping: 1 }, { session });
        await db.collection<{ _id: string }>("posts").findOne({ _id: "" }, { session });
      });
    // The stream itself meets what is wrong with the database, and says so.
    await client.withSession({ causalConsistency: true }, ask).catch(() => {});
    await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
