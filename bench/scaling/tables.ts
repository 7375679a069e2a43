import { AT_ONCE } from "../../src/jobs/deliver-webhooks.ts";
import { table } from "../support/measure.ts";
import type { Inputs } from "./inputs.ts";
import { type Limit, limitsByPosts, limitsBySavedQueries, queriesInHeap } from "./limits.ts";
import { needsOf, type Size } from "./needs.ts";
import { shardTimes } from "./shards.ts";

/** The tables that docs/scaling.md and docs/operating.md compute, by the names of their marks. */
export function computedTables(inputs: Inputs): Record<string, string> {
  return {
    sizes: sizesTable(inputs),
    "limits by posts": limitsTable("posts", limitsByPosts(inputs)),
    "limits by saved queries": limitsTable("saved queries", limitsBySavedQueries(inputs)),
    "times of shards": shardsTable(inputs),
    "one after another": oneAfterAnother(inputs),
    "heap of saved queries": heapTable(inputs),
  };
}

type Needs = Size & ReturnType<typeof needsOf>;

const SIZE_ROWS: Record<string, (needs: Needs) => string> = {
  "posts a second at the peak": (of) => number(of.postsPerSecond),
  "searches a second at the peak": (of) => number(of.searchesPerSecond),
  "saved queries": (of) => number(of.savedQueries),
  "data on the disks, compressed": (of) => bytes(of.data),
  indexes: (of) => bytes(of.indexes),
  "MongoDB's memory, together": (of) => bytes(of.memory),
  "of it for what is not sharded": (of) => bytes(of.unsharded),
  shards: (of) => (of.shards === 1 ? "1 (replica set)" : number(of.shards)),
  "oplog a day": (of) => bytes(of.oplogBytesPerDay),
  "searches answered by": (of) => (of.hasReplica ? "each instance's replica" : "mongot"),
  instances: (of) => number(of.instances),
  "memory of an instance": (of) => bytes(of.instanceBytes),
  "memory of all saved queries, over the instances": (of) => bytes(of.queriesBytes),
  "first start of an instance": (of) => (of.hasReplica ? time(of.firstStartMs) : "–"),
  "cores busy: searches, without mongot's own": (of) => cores(of.searchCores),
  "cores busy: writing posts": (of) => cores(of.writingCores),
  "cores busy: matching": (of) => cores(of.matchingCores),
  "cores busy: embedding posts": (of) => cores(of.embeddingCores),
  "changes a second that each instance reads": (of) => number(of.changesPerSecond),
  "pushes a second": (of) => number(of.pushesPerSecond),
  "one count of all posts": (of) => time(of.countsMs),
};

function sizesTable(inputs: Inputs): string {
  const boards = inputs.posts.map((posts, at): Needs => {
    const [savedQueries = 0, searchesPerSecond = 0] = [inputs.savedQueries[at], inputs.searchesPerSecond[at]];
    const size = { posts, savedQueries, searchesPerSecond };
    return { ...size, ...needsOf(size, inputs) };
  });
  return table(
    ["", ...boards.map(({ posts }) => `${inWords(posts)} posts`)],
    Object.entries(SIZE_ROWS).map(([what, show]) => [what, ...boards.map(show)]),
  );
}

const limitsTable = (of: string, limits: readonly Limit[]) =>
  table(
    [`at ${of}`, "what", "then"],
    limits.map(({ at, what, remedy }) => [number(at), what, remedy]),
  );

function shardsTable({ pageMs }: Inputs): string {
  const times = (all: readonly number[]) => all.map((one) => one.toFixed(1)).join(" / ");
  return table(
    ["shards", "twenty posts by id: p50 / p95 / p99 ms", "a question to all shards"],
    shardTimes(pageMs).map(({ shards, page, all }) => [`${shards}`, times(page), times(all)]),
  );
}

function oneAfterAnother({ savingMs, insertionMs, deliveryMs, receiverMs }: Inputs): string {
  const perSecond = (ms: number) => number(1_000 / ms);
  return table(
    ["what", "a second", "why"],
    [
      [
        "saving, changing, removing saved queries",
        perSecond(savingMs),
        "one sequence, so that every instance sees them in order",
      ],
      ["posts of one publisher, replies in one thread", perSecond(insertionMs), "they raise its counter"],
      ["matches of one saved query", perSecond(deliveryMs), "the ids of its deliveries have no gaps"],
      [
        `pushes of one instance, to receivers that answer after ${receiverMs} ms`,
        perSecond(receiverMs / AT_ONCE.total),
        `${AT_ONCE.total} attempts under way at most`,
      ],
    ],
  );
}

/** Values of `--max-old-space-size`, in MiB. */
const HEAPS = [8_192, 16_384, 32_768];

function heapTable(inputs: Inputs): string {
  const row = (option: string, limit: number) => [option, number(queriesInHeap(limit, inputs))];
  return table(
    ["`NODE_OPTIONS`", "saved queries of one process"],
    [
      row(`none: ${bytes(inputs.heapBytesMax)} on a machine of 24 GB`, inputs.heapBytesMax),
      ...HEAPS.map((mib) => row(`\`--max-old-space-size=${mib}\``, mib * 2 ** 20)),
    ],
  );
}

/** Two digits that count. */
const number = (value: number) =>
  Number(value.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 6 });
const cores = (value: number) => (value < 0.01 ? "< 0.01" : number(value));
const time = (ms: number) => (ms < 1_000 ? `${number(ms)} ms` : `${number(ms / 1_000)} s`);
const inWords = (posts: number) =>
  posts < 1e6 ? `${posts / 1e3} thousand` : posts < 1e9 ? `${posts / 1e6} million` : `${posts / 1e9} billion`;

function bytes(value: number): string {
  const rounded = Number(value.toPrecision(2));
  const [unit, size] = rounded < 1e9 ? (["MB", 1e6] as const) : rounded < 1e12 ? ["GB", 1e9] : ["TB", 1e12];
  return `${number(rounded / Number(size))} ${unit}`;
}
