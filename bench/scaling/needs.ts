import { DEFAULT_LIFETIME_MS } from "../../src/domain/posts/expiry.ts";
import { KEPT_DAYS } from "../../src/jobs/housekeeping.ts";
import { INBOX_KEPT_DAYS, PARTS } from "../../src/ports/store/index.ts";
import type { Inputs } from "./inputs.ts";

export interface Size {
  posts: number;
  savedQueries: number;
  /** At the peak. */
  searchesPerSecond: number;
}

const DAY_S = 86_400;
/** From a post's creation until it is erased. */
export const POST_DAYS = DEFAULT_LIFETIME_MS / 1_000 / DAY_S + KEPT_DAYS.expired;

/** What a board of a size needs. "Cores" are busy ones at the peak; the formulae are those of docs/scaling.md. */
export function needsOf({ posts, savedQueries, searchesPerSecond }: Size, inputs: Inputs) {
  const postsPerSecond = (inputs.peak * posts) / POST_DAYS / DAY_S;
  const pushesPerSecond = (inputs.peak * savedQueries * inputs.answersPerDay * inputs.withWebhook) / DAY_S;

  const { data, indexes, memory, unsharded } = bytesOf({ posts, savedQueries }, inputs);
  const shards = Math.ceil(
    Math.max(
      memory / inputs.shardCacheBytes,
      (data + indexes) / inputs.shardDiskBytes,
      postsPerSecond / (inputs.load * inputs.insertsPerSecond),
    ),
  );

  const { hasReplica, indexMs, replicaBytes } = replicaOf(posts, inputs);
  const [indexMsAt10k = 0] = inputs.indexMs;
  const searchMs = inputs.searchMs - indexMsAt10k + (hasReplica ? indexMs : inputs.vectorsMs);
  const searchCores = (searchesPerSecond * searchMs) / 1_000;
  const writingCores = (postsPerSecond * inputs.writingMs) / 1_000;
  // By words at once, by meaning when the post has its vector.
  const matchingCores = (postsPerSecond * 2 * matchingMs(savedQueries, inputs)) / 1_000;
  const embeddingCores = (postsPerSecond * 2) / inputs.embeddedPerSecond;
  const instances = Math.max(2, Math.ceil((searchCores + matchingCores) / inputs.load));
  const queriesBytes = savedQueries * inputs.queryBytes;

  return {
    postsPerSecond,
    pushesPerSecond,
    data,
    indexes,
    memory,
    unsharded,
    shards,
    oplogBytesPerDay: (inputs.oplogBytes * posts) / POST_DAYS,
    hasReplica,
    queriesBytes,
    instanceBytes:
      inputs.instanceBytes + queriesBytes / Math.min(instances, PARTS) + (hasReplica ? replicaBytes : 0),
    firstStartMs: (inputs.firstStartMs * posts) / 100_000,
    searchCores,
    writingCores,
    matchingCores,
    embeddingCores,
    instances,
    // Inserted, then embedded.
    changesPerSecond: postsPerSecond * 2,
    countsMs: (inputs.countsMs * posts) / 100_000,
  };
}

/** Bytes of all documents: compressed on the disks, of their indexes, in MongoDB's memory, and there of what is not sharded. */
export function bytesOf({ posts, savedQueries }: Omit<Size, "searchesPerSecond">, inputs: Inputs) {
  const answers = savedQueries * inputs.answersPerDay;
  const documents = {
    posts,
    subscriptions: savedQueries,
    // A pair of post and query stays known until the post is erased.
    deliveries: answers * POST_DAYS,
    inbox: answers * INBOX_KEPT_DAYS,
  };
  const { collections, cachedDocuments } = inputs;
  const sumOf = (names: readonly (keyof typeof documents)[], bytes: (size: Bytes) => number) =>
    names.reduce((sum, name) => sum + documents[name] * bytes(collections[name]), 0);
  const all = ["posts", "subscriptions", "deliveries", "inbox"] as const;
  const inMemory = ({ bson, indexes }: Bytes) => indexes + cachedDocuments * bson;
  return {
    data: sumOf(all, ({ stored }) => stored),
    indexes: sumOf(all, ({ indexes }) => indexes),
    memory: sumOf(all, inMemory),
    unsharded: sumOf(["subscriptions", "inbox"], inMemory),
  };
}
type Bytes = Inputs["collections"]["posts"];

/** Whether an instance's replica answers searches, and what that costs. */
function replicaOf(posts: number, inputs: Inputs) {
  const [, indexMsAt100k = 0] = inputs.indexMs;
  const replicaBytes = posts * inputs.indexBytes;
  const hasReplica =
    posts * inputs.indexMsAtMillion <= inputs.searchMsMax * 1e6 &&
    inputs.instanceBytes + replicaBytes <= inputs.instanceBytesMax;
  return { hasReplica, replicaBytes, indexMs: (posts * indexMsAt100k) / 100_000 };
}

/** CPU of matching one post; in proportion above a million saved queries. */
function matchingMs(savedQueries: number, { matchingMs: [few = 0, some = 0, many = 0] }: Inputs): number {
  if (savedQueries <= 10_000) return few;
  return savedQueries <= 100_000 ? some : many * Math.max(1, savedQueries / 1e6);
}
