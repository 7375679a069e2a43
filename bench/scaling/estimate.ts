import { ASSUMED, COSTS } from "./costs.ts";

/** A board of a certain size, and what is asked of it in its busiest hour. */
export interface Scenario {
  name: string;
  posts: number;
  postsPerSecond: number;
  searchesPerSecond: number;
  savedQueries: number;
}

export interface Estimate {
  /** Bytes on the disks, indexes apart. */
  data: number;
  indexes: number;
  /** Bytes that MongoDB should have in memory, all shards together. */
  cache: number;
  /** Bytes of that which no shard key spreads. */
  cacheOfOneShard: number;
  shards: number;
  oplogPerDay: number;
  /** What answers searches. */
  search: "replica" | "mongot";
  instances: number;
  instanceMemory: number;
  /** Seconds, null without a replica. */
  replicaStart: number | null;
  /** Cores that are busy at the peak. */
  cores: { searching: number; matching: number; embedding: number };
  /** Milliseconds of the primary for counting posts once. */
  counts: number;
  changesPerSecond: number;
  pushesPerSecond: number;
}

/** What a board of this size needs: measured costs times how many there are, and nothing that was run at this size. */
export function estimate({ posts, postsPerSecond, searchesPerSecond, savedQueries }: Scenario): Estimate {
  const { post, subscription, delivery, inboxEntry } = COSTS;
  const answers = savedQueries * ASSUMED.answersPerDay;
  const deliveries = answers * ASSUMED.postDays;
  const entries = answers * ASSUMED.inboxDays;
  const total = (what: "stored" | "indexes") =>
    posts * post[what] +
    savedQueries * subscription[what] +
    deliveries * delivery[what] +
    entries * inboxEntry[what];
  const cacheOf = (documents: number, { bson, indexes }: { bson: number; indexes: number }) =>
    documents * (indexes + ASSUMED.hotShare * bson);
  const spread = cacheOf(posts, post) + cacheOf(deliveries, delivery);
  const cacheOfOneShard = cacheOf(savedQueries, subscription) + cacheOf(entries, inboxEntry);
  const indexes = total("indexes");
  const data = total("stored");
  const indexMs = (COSTS.indexSearch * posts) / 100_000;
  const replicaMemory = COSTS.replicaMemory * posts + savedQueryMemory(savedQueries);
  const search =
    indexMs <= ASSUMED.indexSearchMax && replicaMemory <= ASSUMED.instanceMemoryMax ? "replica" : "mongot";
  const instanceMemory =
    COSTS.instanceMemory +
    savedQueryMemory(savedQueries) +
    (search === "replica" ? COSTS.replicaMemory * posts : 0);
  const cores = {
    searching:
      (searchesPerSecond * (COSTS.searchBesideIndex + (search === "replica" ? indexMs : COSTS.read1000))) /
      1_000,
    // By its words at once, and again when it has its vector.
    matching: (postsPerSecond * 2 * matchingMs(savedQueries)) / 1_000,
    embedding: (postsPerSecond * COSTS.embedPost + searchesPerSecond * COSTS.embedQuery) / 1_000,
  };
  const onMainThread = cores.searching + cores.matching;
  return {
    data,
    indexes,
    cache: spread + cacheOfOneShard,
    cacheOfOneShard,
    shards: Math.ceil(
      Math.max(
        (spread + cacheOfOneShard) / ASSUMED.cachePerShard,
        (data + indexes) / ASSUMED.diskPerShard,
        postsPerSecond / (COSTS.insertsPerSecond * ASSUMED.utilisation),
      ),
    ),
    oplogPerDay: (postsPerSecond / ASSUMED.peak) * 86_400 * COSTS.oplogPerPost,
    search,
    // One thread of each searches and matches; with two, one may go away.
    instances: Math.max(2, Math.ceil(onMainThread / ASSUMED.utilisation)),
    instanceMemory,
    replicaStart: search === "replica" ? (COSTS.replicaStart * posts) / 100_000 : null,
    cores,
    counts: posts * COSTS.countsPerPost,
    // It is inserted, and gets its vector.
    changesPerSecond: postsPerSecond * 2,
    pushesPerSecond: (answers * ASSUMED.pushed * ASSUMED.peak) / 86_400,
  };
}

const savedQueryMemory = (queries: number) => queries * COSTS.savedQueryMemory;

/** CPU milliseconds for one post: between two measured sizes in proportion, above the largest as its own share. */
export function matchingMs(queries: number): number {
  const above = COSTS.matching.findIndex((measured) => measured.queries >= queries);
  const [low, high] = [COSTS.matching.at(above - 1), COSTS.matching.at(above)];
  if (low === undefined || high === undefined) return 0;
  if (above === 0) return high.cpu;
  if (above === -1) return (high.cpu * queries) / high.queries;
  const share = (queries - low.queries) / (high.queries - low.queries);
  return low.cpu + share * (high.cpu - low.cpu);
}
