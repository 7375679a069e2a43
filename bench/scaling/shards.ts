import { seeded } from "../support/random.ts";

export interface ShardTimes {
  shards: number;
  /** p50, p95 and p99 in milliseconds: of a question to the shards that have twenty posts, and to all shards. */
  page: number[];
  all: number[];
}

const QUESTIONS = 20_000;
const PAGE = 20;
const SHARDS = [1, 4, 16, 64];
/** 95 % of a normal distribution lie below so many standard deviations. */
const Z95 = 1.645;

/**
 * Times of questions to several shards, sampled from those of one: log-normal through its p50 and p95, with a fixed seed. A
 * question takes the slowest of its shards' times; the posts of a page fall on shards at random.
 */
export function shardTimes(one: { p50: number; p95: number }): ShardTimes[] {
  const random = seeded(1);
  const deviation = Math.log(one.p95 / one.p50) / Z95;
  const timeMs = () => one.p50 * Math.exp(deviation * normal(random));
  const slowestOf = (shards: number) => {
    let slowest = 0;
    for (let shard = 0; shard < shards; shard += 1) slowest = Math.max(slowest, timeMs());
    return slowest;
  };
  const shardsOfPage = (shards: number) =>
    new Set(Array.from({ length: PAGE }, () => Math.floor(random() * shards))).size;
  return SHARDS.map((shards) => ({
    shards,
    page: percentilesOf(() => slowestOf(shardsOfPage(shards))),
    all: percentilesOf(() => slowestOf(shards)),
  }));
}

/** A number of the standard normal distribution, by Box and Muller. */
const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

function percentilesOf(draw: () => number): number[] {
  const sorted = Float64Array.from({ length: QUESTIONS }, draw).sort();
  return [0.5, 0.95, 0.99].map((share) => sorted[Math.floor(QUESTIONS * share)] ?? 0);
}
