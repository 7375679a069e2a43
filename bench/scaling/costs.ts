/**
 * What was measured, on two cores of a shared machine, and where: sections of `bench/RESULTS.md`. Times are milliseconds,
 * where there are two of them p50 and p95; sizes are bytes.
 */
export const COSTS = {
  /** mongodb: compressed on the disk, as BSON, and the indexes. */
  post: { stored: 703, bson: 1_384, indexes: 386 },
  subscription: { stored: 463, bson: 845, indexes: 118 },
  delivery: { stored: 35, bson: 148, indexes: 180 },
  inboxEntry: { stored: 33, bson: 188, indexes: 296 },
  /** mongodb: bytes of the oplog for a post, from its insertion to the end of its matching. */
  oplogPerPost: 3_437,
  /** mongodb: twenty posts by id; a thousand vectors by id, as a search by mongot reads them. */
  read20: { p50: 0.89, p95: 3.21 },
  read1000: 10.4,
  /** mongodb: transactions that wait for each other where they write one document in common. */
  insert: 7.9,
  deliver: 3.7,
  saveQuery: 2.4,
  pushClaim: { p50: 10.7, p95: 21.8 },
  /** mongodb: for each push of a claim but the first. */
  furtherPush: 1.1,
  pushSettle: { p50: 3.8, p95: 5.3 },
  /** mongodb: the counts of every `meta.board`, and the overview of `GET /board`, for each post. */
  countsPerPost: 11.1 / 100_000,
  overviewPerPost: 288 / 100_000,
  /** mongodb: posts a second of 32 publishers at a time. */
  insertsPerSecond: 461,
  /** replica-start: seconds of a first start, and the index's part of a search, both for 100,000 posts. */
  replicaStart: 6.5,
  indexSearch: 9.3,
  /** docs/operating.md: memory of an instance with the model and no post, and for each post of its index. */
  instanceMemory: 260e6,
  replicaMemory: 1_250,
  /** search-speed: a search without the index's part, and in it the query's embedding. */
  searchBesideIndex: 4.6,
  embedQuery: 1.2,
  /** search-speed: two cores' share of 279 posts a second that were written and embedded. */
  embedPost: 7.2,
  /** matching-speed, at the rule's own floors: CPU for one post. */
  matching: [
    { queries: 10_000, cpu: 0.34 },
    { queries: 100_000, cpu: 0.47 },
    { queries: 1_000_000, cpu: 4.3 },
  ],
  /** matching-speed: memory for each saved query. */
  savedQueryMemory: 790,
} as const;

/** What was not measured: settings of the program, and what is taken for granted. */
export const ASSUMED = {
  /** A post lives for 30 days, and is kept for 90 more; so is the knowledge to whom it was delivered. */
  postDays: 120,
  inboxDays: 30,
  /** Posts that the hourly job erases at most, milliseconds that an answer of the database may take. */
  erasedPerHour: 100_000,
  answerMs: 30_000,
  /** Attempts that a board has under way, over all instances. */
  pushesAtOnce: 50,
  /** A machine of a shard has 64 GB, of which MongoDB takes half of what is above 1 GB as its cache. */
  cachePerShard: 31.5e9,
  /** Of documents, how much is asked for again and again; of indexes, all. */
  hotShare: 0.1,
  diskPerShard: 2e12,
  /** Of what it can do at most, how much a machine is given. */
  utilisation: 0.5,
  /** How often one saved query is answered. */
  answersPerDay: 1,
  /** Of saved queries, how many have a webhook. */
  pushed: 0.1,
  /** A peak is so much higher than the mean. */
  peak: 2.5,
  /** From a claimed push to the receiver's answer, over the internet. */
  attempt: { p50: 150, p95: 1_000 },
  /** How long a search of the replica may hold its process. */
  indexSearchMax: 100,
  /** Memory that one instance may have. */
  instanceMemoryMax: 16e9,
} as const;
