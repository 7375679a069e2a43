import { ERASED_PER_RUN } from "../../src/jobs/housekeeping.ts";
import { ANSWER_MS } from "../../src/store/mongodb/server/connection.ts";
import type { Inputs } from "./inputs.ts";
import { bytesOf, POST_DAYS } from "./needs.ts";

export interface Limit {
  /** Posts or saved queries. */
  at: number;
  what: string;
  remedy: string;
}

const ANSWER_S = ANSWER_MS / 1_000;
/** Saved queries for each post, where both grow together. */
const QUERIES_PER_POST = 0.1;

/** What ends at how many posts. A row per limit: its number, then its words. */
export function limitsByPosts(inputs: Inputs): Limit[] {
  const memoryOfPost = bytesOf({ posts: 1, savedQueries: QUERIES_PER_POST }, inputs).memory;
  return inOrder([
    {
      at: (inputs.searchMsMax / inputs.indexMsAtMillion) * 1e6,
      what: `a search of the replica takes ${inputs.searchMsMax} ms`,
      remedy: "`mongot`",
    },
    {
      at: (inputs.instanceBytesMax - inputs.instanceBytes) / inputs.indexBytes,
      what: `the replica fills an instance of ${inputs.instanceBytesMax / 1e9} GB`,
      remedy: "`mongot`, `LOCAL_INDEX=recent`",
    },
    {
      at: inputs.shardCacheBytes / memoryOfPost,
      what: `with ${1_000 * QUERIES_PER_POST} saved queries for each 1,000 posts, MongoDB's memory on a machine of ${inputs.shardMemoryGb} GB is full`,
      remedy: "shards",
    },
    {
      at: (ANSWER_MS / inputs.overviewMs) * 100_000,
      what: `counting the top tags of \`GET /board\` takes longer than a command may (${ANSWER_S} s), where no process keeps the figures`,
      remedy: "a process that does",
    },
    {
      at: (ANSWER_MS / inputs.countsMs) * 100_000,
      what: "counting all posts, where no process keeps the figures, takes longer than a command may",
      remedy: "a process that does",
    },
    {
      at: ERASED_PER_RUN * 24 * POST_DAYS,
      what: `more posts end than the hourly job erases (${ERASED_PER_RUN.toLocaleString("en")})`,
      remedy: "a larger bound in `jobs/housekeeping.ts`",
    },
  ]);
}

/** What ends at how many saved queries. */
export function limitsBySavedQueries(inputs: Inputs): Limit[] {
  const { unsharded } = bytesOf({ posts: 0, savedQueries: 1 }, inputs);
  return inOrder([
    {
      at: queriesInHeap(inputs.heapBytesMax, inputs),
      what: "those of one process fill the heap that V8 has by default",
      remedy: "`--max-old-space-size` ([operating.md](operating.md#memory-and-disk)), or more instances",
    },
    {
      at: inputs.shardCacheBytes / unsharded,
      what: "subscriptions and inboxes, which are not sharded, fill a shard's cache",
      remedy: "`moveCollection`, a larger first shard",
    },
    {
      at: (inputs.instanceBytesMax - inputs.instanceBytes) / inputs.queryBytes,
      what: `those of one process fill an instance of ${inputs.instanceBytesMax / 1e9} GB`,
      remedy: "more instances",
    },
  ]);
}

/** How many saved queries a process may keep under a limit of its heap, in bytes. */
export const queriesInHeap = (limit: number, { heapFilled, queryHeapBytes }: Inputs): number =>
  (limit * heapFilled) / queryHeapBytes;

const inOrder = (limits: readonly Limit[]) => [...limits].sort((a, b) => a.at - b.at);
