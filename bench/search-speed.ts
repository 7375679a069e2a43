/**
 * How long a search over REST takes with the model at N posts, one client, and where the time goes.
 *
 *   npx tsx bench/search-speed.ts [posts = 10000] [rounds = 10]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { parseInput } from "../src/adapters/calls/input.ts";
import { buildApp } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { type OpenBoard, openBoard } from "../src/open-board.ts";
import type { PostInput } from "../src/schema/post.ts";
import createPost from "../tools/create_post.ts";
import { notices, QUERIES } from "./support/corpus.ts";
import { machine, ms, percentiles } from "./support/measure.ts";

const posts = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 10);
let asked = 0;

const dataDir = await mkdtemp(join(tmpdir(), "board-bench-"));
const config = readConfig({ ...process.env, DATA_DIR: dataDir, RATE_LIMITS: "off", LOG_LEVEL: "warn" });
const board = await openBoard(config, { logger: pino({ level: "warn" }) });
try {
  const model = await board.embedder.settled();
  await fill(board);
  console.log(`search over REST, ${posts} posts, one client, model ${model}; ${machine()}`);
  await measure(board, "hybrid+rerank", "");
  await measure(board, "hybrid", "&rerank=false");
  await measure(
    board,
    "hybrid+rerank, kind + 50 km + 30 days",
    `&kind=event,offer&near=52.37,4.9&radius_km=50&before=${inDays(30)}`,
  );
} finally {
  await board.close();
  await rm(dataDir, { recursive: true, force: true });
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

async function fill({ services, store, start }: OpenBoard): Promise<void> {
  start();
  const { id } = await services.publishers.register({ name: "Bench", accept_terms: true }, Date.now());
  const publisher = await store.publishers.get(id);
  if (publisher === null) throw new Error("the bench's publisher is gone");
  const inputs = notices(posts, Date.now()).map(
    (sent) => parseInput(createPost, sent, "body").input as PostInput,
  );
  const began = performance.now();
  for (let i = 0; i < inputs.length; i += 64) {
    const batch = inputs.slice(i, i + 64);
    await Promise.all(
      batch.map((input) => services.writing.create(input, publisher, Date.now(), { relayed: true })),
    );
  }
  const written = performance.now() - began;
  while (board.embedder.state() === "ready" && (await store.work.backlog("embed")) > 0) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const embedded = performance.now() - began;
  console.log(
    `written ${(posts / (written / 1000)).toFixed(0)} posts/s; written and embedded ${(posts / (embedded / 1000)).toFixed(0)} posts/s`,
  );
}

/** Times each part at the ports, where it is called, and the whole at the client. */
async function measure(open: OpenBoard, label: string, filters: string): Promise<void> {
  const server = createServer(buildApp(open));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const spent = { embedding: 0, index: 0, rows: 0 };
  const restore = [
    timed(open.embedder, ["embed"], (time) => (spent.embedding += time)),
    timed(open.index, ["match", "vectors", "cosines"], (time) => (spent.index += time)),
    timed(open.store.posts, ["many"], (time) => (spent.rows += time)),
    timed(open.store.publishers, ["many"], (time) => (spent.rows += time)),
  ];
  const all: { total: number; embedding: number; index: number; rows: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const query of QUERIES) {
      Object.assign(spent, { embedding: 0, index: 0, rows: 0 });
      // A number makes each query new to the cache of query vectors, and says nothing.
      asked += 1;
      const q = encodeURIComponent(`${query} ${asked}`);
      const began = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/search?q=${q}${filters}`);
      await response.json();
      if (round > 0) all.push({ total: performance.now() - began, ...spent });
    }
  }
  for (const undo of restore) undo();
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  const part = (of: (sample: (typeof all)[number]) => number) => {
    const { p50, p95 } = percentiles(all.map(of));
    return `${ms(p50)} / ${ms(p95)}`;
  };
  console.log(`${label}: p50 / p95 ms`);
  console.log(`  total        ${part((s) => s.total)}`);
  console.log(`  embedding    ${part((s) => s.embedding)}`);
  console.log(
    `  index        ${part((s) => s.index)}   words alone ${await alone(open, filters, "words")}, meaning alone ${await alone(open, filters, "meaning")}`,
  );
  console.log(`  rows         ${part((s) => s.rows)}`);
  console.log(`  HTTP, rest   ${part((s) => s.total - s.embedding - s.index - s.rows)}`);
  console.log(`  engine's own share (index + rows)   ${part((s) => s.index + s.rows)}`);
}

/** One arm of the index asked alone, under the same filters. */
async function alone(open: OpenBoard, filters: string, arm: "words" | "meaning"): Promise<string> {
  const { parseQueryText } = await import("../src/search/query-text.ts");
  const { quantize } = await import("../src/search/quantize.ts");
  const { filterOf } = await import("../src/domain/search/query.ts");
  const { SearchQuery } = await import("../src/schema/query.ts");
  const filter = filterOf(SearchQuery.parse(Object.fromEntries(new URLSearchParams(filters))), Date.now());
  const times: number[] = [];
  for (const query of [...QUERIES, ...QUERIES]) {
    const words = parseQueryText(query);
    const [vector] = open.embedder.state() === "ready" ? await open.embedder.embed([query], "query") : [];
    const began = performance.now();
    await open.index.match(
      {
        filter,
        words: arm === "words" ? words : null,
        vector: arm === "meaning" && vector !== undefined ? quantize(vector) : null,
        minCosine: open.embedder.minCosine,
      },
      { limit: 1_000, except: new Set() },
    );
    times.push(performance.now() - began);
  }
  return ms(percentiles(times.slice(QUERIES.length)).p50);
}

/** Adds up the time spent in methods of an object; gives back what undoes it. */
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
