import { type Db, MongoClient } from "mongodb";

/** The server's defaults: a move takes five minutes at least, and looks for the first time after 30 s how far it is. */
const DEFAULTS = {
  reshardingMinimumOperationDurationMillis: 300_000,
  reshardingDelayBeforeRemainingOperationTimeQueryMillis: 30_000,
};
const AT_ONCE = {
  reshardingMinimumOperationDurationMillis: 0,
  reshardingDelayBeforeRemainingOperationTimeQueryMillis: 0,
};

/** Has `moveCollection` on this cluster take only the time it needs, until `restore`. */
export async function withoutWait(db: Db): Promise<{ restore: () => Promise<void> }> {
  const { map } = await db.admin().command({ getShardMap: 1 });
  const [, hosts] = String(map.config).split("/");
  const set = async (parameters: typeof DEFAULTS) => {
    const client = new MongoClient(`mongodb://${hosts}/?directConnection=true`);
    await client.db("admin").command({ setParameter: 1, ...parameters });
    await client.close();
  };
  await set(AT_ONCE);
  return { restore: () => set(DEFAULTS) };
}

/** Ids of the cluster's shards, in order. */
export async function shardsOf(db: Db): Promise<string[]> {
  const { shards } = await db.admin().command({ listShards: 1 });
  return shards.map(({ _id }: { _id: string }) => _id).sort();
}
