/**
 * How long does matching one new post against N saved queries take, beside a look at each of them? What does saving cost?
 *
 *   npx tsx bench/matching-speed.ts [saved queries = 10000 100000 1000000] [--posts 200]
 *     [--floor 0.32]    cosine from which meaning finds a query; 0: what the calibrated rule needs for it
 *     [--own]           texts: the queries and notices of `bench/standing-rule/own-pairs.txt`
 *
 * Saved queries: 45 % by 2–4 words, 40 % by meaning, the rest by filters alone; 70 % one kind, 50 % a circle of 25–200 km,
 * 30 % a tag, 20 % a window, 10 % verified publishers only, 10 % first-hand posts only. Vectors are mixtures of two real ones
 * plus noise: a million texts are too many to embed. Embedding and the rule that decides about candidates are not measured.
 */
import { parseArgs } from "node:util";
import { Percolator } from "../src/search/percolator/index.ts";
import { LinearScan } from "./matching-speed/linear-scan.ts";
import { embedTexts, type Texts } from "./matching-speed/texts.ts";
import { newPost, savedQuery } from "./matching-speed/workload.ts";
import { machine, percentiles } from "./support/measure.ts";
import { seeded } from "./support/random.ts";

const WARM_UP_POSTS = 500;

export interface SpeedResult {
  queries: number;
  p50Ms: number;
  p95Ms: number;
  /** Of this process, garbage collection included; a busy machine changes it little. */
  cpuMs: number;
  linearP50Ms: number;
  matchesPerPost: number;
  /** Matches of the linear look that the percolator misses, and its own that are wrong. */
  overlooked: number;
  wrong: number;
  checked: number;
  addP50Ms: number;
  addMaxMs: number;
  heapMb: number;
  vectorMb: number;
}

/** Saves queries, matches posts against them both ways, and compares. */
export function measureSpeed(
  texts: Texts,
  options: { queries: number; posts: number; floor: number },
): SpeedResult {
  const random = seeded(options.queries);
  const before = memory();
  const percolator = new Percolator<null>(384);
  let addMs: number[] = [];
  for (let n = 0; n < options.queries; n += 1) {
    const query = savedQuery(texts, random, options.floor);
    const began = performance.now();
    percolator.add(`sub_${n}`, query, null);
    addMs.push(performance.now() - began);
  }
  // The last tenth: what saving costs beside that many.
  addMs = addMs.slice(-Math.max(1, Math.floor(options.queries / 10)));
  const after = memory();
  // The same queries again, after the memory is measured.
  const linear = new LinearScan();
  const again = seeded(options.queries);
  for (let n = 0; n < options.queries; n += 1) linear.add(savedQuery(texts, again, options.floor));

  const times: number[] = [];
  const linearTimes: number[] = [];
  let cpuUs = 0;
  const sums = { matches: 0, overlooked: 0, wrong: 0 };
  const checked = Math.min(options.posts, Math.max(5, Math.ceil(5_000_000 / options.queries)));
  const postRandom = seeded(77);
  // As on a board that has run for a minute: the engine has compiled the hot paths.
  for (let n = 0; n < WARM_UP_POSTS; n += 1) percolator.candidates(newPost(texts, postRandom));
  for (let n = 0; n < options.posts; n += 1) {
    const post = newPost(texts, postRandom);
    const cpuBegan = process.cpuUsage();
    const began = performance.now();
    const candidates = percolator.candidates(post);
    const took = performance.now() - began;
    const cpu = process.cpuUsage(cpuBegan);
    times.push(took);
    cpuUs += cpu.user + cpu.system;
    sums.matches += candidates.length;
    if (n >= checked) continue;
    const linearBegan = performance.now();
    const expected = linear.matches(post);
    linearTimes.push(performance.now() - linearBegan);
    const found = new Set(candidates.map(({ id }) => Number(id.slice(4))));
    for (const id of expected) if (!found.has(id)) sums.overlooked += 1;
    const right = new Set(expected);
    for (const id of found) if (!right.has(id)) sums.wrong += 1;
  }
  const { p50, p95 } = percentiles(times);
  return {
    queries: options.queries,
    p50Ms: p50,
    p95Ms: p95,
    cpuMs: cpuUs / 1_000 / options.posts,
    linearP50Ms: percentiles(linearTimes).p50,
    matchesPerPost: sums.matches / options.posts,
    overlooked: sums.overlooked,
    wrong: sums.wrong,
    checked,
    addP50Ms: percentiles(addMs).p50,
    addMaxMs: addMs.reduce((a, b) => Math.max(a, b), 0),
    heapMb: (after.heap - before.heap) / 1e6,
    vectorMb: percolator.bytes / 1e6,
  };
}

function memory(): { heap: number } {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed + arrayBuffers };
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      floor: { type: "string", default: "0.32" },
      posts: { type: "string", default: "200" },
      own: { type: "boolean", default: false },
    },
  });
  const texts = await embedTexts(values.own ? 0 : 1_000);
  console.log(`matching, floor ${values.floor}; ${machine()}`);
  for (const queries of positionals.length > 0 ? positionals.map(Number) : [10_000, 100_000, 1_000_000]) {
    report(measureSpeed(texts, { queries, posts: Number(values.posts), floor: Number(values.floor) }));
  }
}

function report(result: SpeedResult): void {
  const { queries, p50Ms, p95Ms, linearP50Ms } = result;
  console.log(
    `${queries} saved: ${p50Ms.toFixed(3)} / ${p95Ms.toFixed(3)} ms p50 / p95 a post (CPU ${result.cpuMs.toFixed(3)}), linear ${linearP50Ms.toFixed(2)} ms (${(linearP50Ms / p50Ms).toFixed(0)} x); ` +
      `${result.matchesPerPost.toFixed(1)} matches a post; of ${result.checked} posts compared ${result.overlooked} matches overlooked, ${result.wrong} wrong; ` +
      `saving one ${result.addP50Ms.toFixed(3)} ms p50, ${result.addMaxMs.toFixed(2)} max; heap ${result.heapMb.toFixed(0)} MB + vectors ${result.vectorMb.toFixed(0)} MB`,
  );
}
