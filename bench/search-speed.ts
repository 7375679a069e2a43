/**
 * How long does a search over REST take with the model, N posts and one client, and where does the time go?
 *
 *   npx tsx bench/search-speed.ts [posts = 10000] [rounds = 10]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { filterOf } from "../src/domain/search/query.ts";
import { SearchQuery } from "../src/schema/query.ts";
import { parseQueryText } from "../src/search/query-text.ts";
import { quantize } from "../src/search/vectors.ts";
import { startBoard } from "../test/support/boards/board.ts";
import { notices, QUERIES } from "./support/corpus.ts";
import { machine, ms, percentiles } from "./support/measure.ts";
import { newPublisher, writePosts } from "./support/writing.ts";

const posts = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 10);
let asked = 0;

const EMBEDDINGS = process.env["EMBEDDINGS"] ?? "auto";
const { board, api, stop } = await startBoard({ EMBEDDINGS, LOG_LEVEL: "warn" });
const { embedder, index, store } = board;
try {
  const model = await embedder.settled();
  await fill();
  console.log(`search over REST, ${posts} posts, one client, model ${model}; ${machine()}`);
  await measure("hybrid+rerank", "");
  await measure("hybrid", "&rerank=false");
  const filters = `&kind=event,offer&near=52.37,4.9&radius_km=50&before=${inDays(30)}`;
  await measure("hybrid+rerank, kind + 50 km + 30 days", filters);
} finally {
  await stop();
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

async function fill(): Promise<void> {
  const publisher = await newPublisher(board);
  const began = performance.now();
  const perSecond = () => ((posts / (performance.now() - began)) * 1000).toFixed(0);
  await writePosts(board, publisher, notices(posts, Date.now()));
  const written = perSecond();
  while (embedder.state() === "ready" && (await store.work.backlog("embed")) > 0) await sleep(200);
  console.log(`written ${written} posts/s; written and embedded ${perSecond()} posts/s`);
}

/** Times each part at the ports, where it is called, and the whole at the client. */
async function measure(label: string, filters: string): Promise<void> {
  const spent = { embedding: 0, index: 0, rows: 0 };
  const restore = [
    timed(embedder, ["embed"], (time) => (spent.embedding += time)),
    timed(index, ["match", "vectors", "cosines"], (time) => (spent.index += time)),
    timed(store.posts, ["many"], (time) => (spent.rows += time)),
    timed(store.publishers, ["many"], (time) => (spent.rows += time)),
  ];
  const all: { total: number; embedding: number; index: number; rows: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const query of QUERIES) {
      Object.assign(spent, { embedding: 0, index: 0, rows: 0 });
      // The number makes each query new to the cache of vectors, and means nothing.
      asked += 1;
      const q = encodeURIComponent(`${query} ${asked}`);
      const began = performance.now();
      const response = await fetch(`${api}/search?q=${q}${filters}`);
      await response.json();
      if (round > 0) all.push({ total: performance.now() - began, ...spent });
    }
  }
  for (const undo of restore) undo();
  const part = (of: (sample: (typeof all)[number]) => number) => {
    const { p50, p95 } = percentiles(all.map(of));
    return `${ms(p50)} / ${ms(p95)}`;
  };
  console.log(`${label}: p50 / p95 ms`);
  console.log(`  total        ${part((s) => s.total)}`);
  console.log(`  embedding    ${part((s) => s.embedding)}`);
  console.log(
    `  index        ${part((s) => s.index)}   words alone ${await alone(filters, "words")}, meaning alone ${await alone(filters, "meaning")}`,
  );
  console.log(`  rows         ${part((s) => s.rows)}`);
  console.log(`  HTTP, rest   ${part((s) => s.total - s.embedding - s.index - s.rows)}`);
  console.log(`  engine's own share (index + rows)   ${part((s) => s.index + s.rows)}`);
}

/** One arm of the index asked alone, under the same filters. */
async function alone(filters: string, arm: "words" | "meaning"): Promise<string> {
  const filter = filterOf(SearchQuery.parse(Object.fromEntries(new URLSearchParams(filters))), Date.now());
  const times: number[] = [];
  for (const query of [...QUERIES, ...QUERIES]) {
    const words = parseQueryText(query);
    const [vector] = embedder.state() === "ready" ? await embedder.embed([query], "query") : [];
    const began = performance.now();
    await index.match(
      {
        filter,
        words: arm === "words" ? words : null,
        vector: arm === "meaning" && vector !== undefined ? quantize(vector) : null,
        minCosine: embedder.minCosine,
      },
      { limit: 1_000, except: new Set() },
    );
    times.push(performance.now() - began);
  }
  return ms(percentiles(times.slice(QUERIES.length)).p50);
}

/** Reports the time spent in methods of an object; returns a function that undoes it. */
function timed<T extends object>(
  target: T,
  names: readonly (keyof T & string)[],
  add: (ms: number) => void,
): () => void {
  const object = target as Record<string, unknown>;
  const own = names.map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
  for (const name of names) {
    const method = (object[name] as (...input: unknown[]) => Promise<unknown>).bind(target);
    object[name] = async (...input: unknown[]) => {
      const began = performance.now();
      try {
        return await method(...input);
      } finally {
        add(performance.now() - began);
      }
    };
  }
  return () => {
    for (const [name, descriptor] of own) {
      if (descriptor === undefined) delete object[name];
      else Object.defineProperty(target, name, descriptor);
    }
  };
}
