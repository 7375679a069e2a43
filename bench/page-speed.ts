/**
 * What a page costs beside the same question over REST: p50 of both, asked in turns by one client, in one run. The CPU
 * time of server and client together is told as well: it does not depend on what else the machine is doing.
 *
 *   npx tsx bench/page-speed.ts [posts = 2000] [rounds = 300]
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

const posts = Number(process.argv[2] ?? 2_000);
const rounds = Number(process.argv[3] ?? 300);
/** Unmeasured rounds before, for the compiler and the caches. */
const WARM_UP = 50;

const dataDir = await mkdtemp(join(tmpdir(), "board-bench-"));
// Without the model: its part of a search is the same on both sides, and would hide what the page adds.
const config = readConfig({ DATA_DIR: dataDir, RATE_LIMITS: "off", EMBEDDINGS: "off", LOG_LEVEL: "silent" });
const board = await openBoard(config, { logger: pino({ level: "silent" }) });
const server = createServer(buildApp(board));
try {
  const id = await fill(board);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(`pages beside REST, ${posts} posts, model off, ${rounds} rounds, one client; ${machine()}`);
  console.log("page                    page p50   REST p50  ratio   CPU: page      REST  ratio");
  await compare("home", root, ["/"], ["/api/v1/board", "/api/v1/search?sort=newest&limit=20"]);
  await compare("post", root, [`/p/${id}`], [`/api/v1/posts/${id}`]);
  const words = (i: number) => encodeURIComponent(QUERIES[i % QUERIES.length] ?? "");
  await compare(
    "search",
    root,
    (i) => [`/search?q=${words(i)}`],
    (i) => [`/api/v1/search?q=${words(i)}`],
  );
  await compare("search, filters only", root, ["/search?kind=event"], ["/api/v1/search?kind=event"]);
} finally {
  await new Promise((resolve) => server.close(resolve).closeAllConnections());
  await board.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Resolves to the id of a post with twenty replies. */
async function fill({ services, store }: OpenBoard): Promise<string> {
  const now = Date.now();
  const registered = await services.publishers.register({ name: "Bench", accept_terms: true }, now);
  const publisher = await store.publishers.get(registered.id);
  if (publisher === null) throw new Error("the bench's publisher is gone");
  const texts = notices(posts + 20, now);
  const write = (sent: object) =>
    services.writing.create(
      parseInput(createPost, { ...sent }, "body").input as PostInput,
      publisher,
      Date.now(),
      { relayed: true },
    );
  for (let i = 0; i < posts; i += 64) await Promise.all(texts.slice(i, Math.min(i + 64, posts)).map(write));
  const root = await write({ kind: "thread", title: "A talk of twenty", body: "Everybody says something." });
  for (const text of texts.slice(posts)) await write({ ...text, parent_id: root.data.id });
  return root.data.id;
}

type Paths = readonly string[] | ((round: number) => readonly string[]);

/** Both sides in turns, so that whatever else the machine does meets both. */
async function compare(name: string, root: string, page: Paths, rest: Paths): Promise<void> {
  const times: { page: number[]; rest: number[] } = { page: [], rest: [] };
  const cpu = { page: 0, rest: 0 };
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [side, paths] of [
      ["page", page],
      ["rest", rest],
    ] as const) {
      const began = performance.now();
      const before = process.cpuUsage();
      for (const path of typeof paths === "function" ? paths(round + WARM_UP) : paths) {
        await (await fetch(root + path)).text();
      }
      if (round < 0) continue;
      const { user, system } = process.cpuUsage(before);
      times[side].push(performance.now() - began);
      cpu[side] += (user + system) / 1000 / rounds;
    }
  }
  const [onPage, overRest] = [percentiles(times.page).p50, percentiles(times.rest).p50];
  const pair = (a: number, b: number) =>
    `${ms(a).padStart(7)} ms ${ms(b).padStart(7)} ms  ${(a / b).toFixed(2).padStart(5)}`;
  console.log(`${name.padEnd(22)} ${pair(onPage, overRest)}  ${pair(cpu.page, cpu.rest)}`);
}
