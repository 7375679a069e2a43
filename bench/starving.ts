/**
 * How long does everybody else wait while one address, with one free key, asks as much as the default limits let it?
 *
 *   npx tsx bench/starving.ts [--posts 20000] [--seconds 20] [--connections 40] [--sign-in]
 *
 * Forty connections ask for one kind of answer, then for all kinds in turn, as fast as they are answered; most of what is not
 * refused is asked in the first seconds. Every 50 ms somebody else asks for `/healthz`. Each row has an address and
 * a key of its own.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Agent, request } from "undici";
import { MODELS } from "../src/embed/models.ts";
import { openSqlite, sqliteIndex } from "../src/store/sqlite/index.ts";
import { BoardProcess } from "../test/support/boards/board-process.ts";
import { register } from "../test/support/boards/client.ts";
import { boardPosts } from "./board/posts.ts";
import { boardTexts, type Texts } from "./board/texts.ts";
import { type PostVectors, postVectors } from "./board/vectors.ts";
import type { Asked, Tally, Task } from "./starving/clients.ts";
import { fillBoard, postId } from "./support/board-fill.ts";
import { machine, ms, percentiles, table } from "./support/measure.ts";
import { DEFAULT_MAKER } from "./support/model.ts";

/** A probe may wait this long, whatever one caller asks for. */
const GOAL_MS = 250;
const PROBE_EVERY_MS = 50;
const CLIENTS = join(import.meta.dirname, "starving/clients.ts");

export interface StarvingFigures {
  name: string;
  healthz: { p50: number; p95: number; max: number };
  tally: Tally;
}

export interface StarvingOptions {
  posts: number;
  seconds: number;
  connections: number;
  signIn?: boolean;
}

const rpc = (method: string, params: object, id = 1) => ({ jsonrpc: "2.0", id, method, params });
const mcp = (path: string, message: object, keyed = false): Asked => ({
  method: "POST",
  path,
  body: JSON.stringify(message),
  keyed,
});
const times = (n: number, make: (id: number) => object) => Array.from({ length: n }, (_, id) => make(id));
const get = (path: string): Asked[] => [
  { method: "GET", path },
  { method: "GET", path, keyed: true },
];

/** The kinds of answers, each as one who means harm would ask for it. */
export const MIXES: Record<string, readonly Asked[]> = {
  "calendar.ics": get("/calendar.ics"),
  "feeds of a hundred": ["xml", "atom", "json"].flatMap((format) => get(`/feed.${format}?limit=100`)),
  "front page": ["/", "/?near=Berlin", "/index.md"].flatMap(get),
  "pages of results": [
    "/search?q=work+from+home&limit=100",
    "/calendar",
    "/search?sort=soonest&limit=100",
  ].flatMap(get),
  "REST, a hundred at a time": [
    "/api/v1/search?limit=100&q=house+with+garden",
    "/api/v1/posts?limit=100",
  ].flatMap(get),
  texts: ["/llms-full.txt", "/openapi.json", "/docs", "/sitemap.xml", "/tags", "/stats"].flatMap(get),
  "resources over MCP": ["board://manual", "board://terms", "x:none"].flatMap((uri) =>
    [false, true].map((keyed) =>
      mcp(
        "/mcp",
        times(25, (id) => rpc("resources/read", { uri }, id)),
        keyed,
      ),
    ),
  ),
  "lists over MCP": [false, true].map((keyed) =>
    mcp(
      "/mcp/data",
      times(25, (id) => rpc("tools/list", {}, id)),
      keyed,
    ),
  ),
  "searches over MCP": [false, true].map((keyed) => {
    const params = { name: "search", arguments: { q: "a room in the city", limit: 50, detail: "full" } };
    return mcp(
      "/mcp/data",
      times(10, (id) => rpc("tools/call", params, id)),
      keyed,
    );
  }),
  "single posts": [0, 5, 10].flatMap((n) => get(`/p/${postId(n)}`)),
};

/** Fills a board, starts it with its default limits, and asks for each mix and for all in turn. */
export async function* measureStarving(
  { posts, seconds, connections, signIn = false }: StarvingOptions,
  texts: Texts,
  vectors: PostVectors,
): AsyncGenerator<StarvingFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), "starving-"));
  try {
    await fill(dataDir, posts, texts, vectors);
    const environment = {
      DATA_DIR: dataDir,
      RATE_LIMITS: "on",
      TRUST_PROXY: "1",
      ...(signIn ? { SIGN_IN: "on" } : {}),
    };
    const board = await BoardProcess.start(environment, undefined, 120_000);
    const clients = fork(CLIENTS, { execArgv: ["--import", import.meta.resolve("tsx")] });
    const ended = once(clients, "exit").then(([code]): never => {
      throw new Error(`The clients ended with ${code}.`);
    });
    // At the end they are killed, when nobody waits for them.
    ended.catch(() => {});
    try {
      const all = Object.values(MIXES).flat();
      const rows = [...Object.entries(MIXES), ["all in turn", all] as const];
      for (const [nth, [name, asked]] of rows.entries()) {
        const { key } = await register(board);
        const address = `203.0.113.${nth + 1}`;
        const task = { site: board.site, asked, connections, forMs: seconds * 1_000, address, key };
        yield { name, ...(await starve(clients, ended, task)) };
      }
    } finally {
      clients.kill();
      await board.kill("SIGINT");
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

async function fill(dataDir: string, count: number, texts: Texts, vectors: PostVectors): Promise<void> {
  const [{ dimension }] = MODELS;
  const now = Date.now();
  const index = sqliteIndex({ modelId: null, dimension });
  const store = await openSqlite(`sqlite:${join(dataDir, "board.db")}`, { index });
  const written = boardPosts({ count, texts, vectors, now });
  await fillBoard(store, { posts: count, now, written, maker: DEFAULT_MAKER });
  await store.close();
}

/** @param ended  rejects when the process of the clients has ended */
async function starve(
  clients: ChildProcess,
  ended: Promise<never>,
  task: Task,
): Promise<Omit<StarvingFigures, "name">> {
  const done = Promise.race([once(clients, "message") as Promise<[Tally]>, ended]);
  clients.send(task);
  // A probe goes out at its time whether or not the last one was answered.
  const agent = new Agent();
  const waited: number[] = [];
  const probe = async () => {
    const began = performance.now();
    const { body } = await request(`${task.site}/healthz`, { dispatcher: agent });
    await body.text();
    waited.push(performance.now() - began);
  };
  const probing = [probe()];
  const timer = setInterval(() => void probing.push(probe()), PROBE_EVERY_MS);
  const [tally] = await done.finally(() => clearInterval(timer));
  await Promise.all(probing);
  await agent.close();
  return { healthz: { ...percentiles(waited), max: Math.max(...waited) }, tally };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      posts: { type: "string", default: "20000" },
      seconds: { type: "string", default: "20" },
      connections: { type: "string", default: "40" },
      "sign-in": { type: "boolean", default: false },
    },
  });
  const texts = boardTexts();
  const vectors = await postVectors(texts);
  console.log(`${machine()}; ${texts.source}`);
  const options = {
    posts: Number(values.posts),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    signIn: values["sign-in"],
  };
  const rows: string[][] = [];
  for await (const { name, healthz, tally } of measureStarving(options, texts, vectors)) {
    const { p50, p95, max } = healthz;
    const missed = p95 > GOAL_MS ? ", missed" : "";
    const { 200: good = 0, ...others } = tally.answered;
    const refused = Object.entries(others).map(([status, count]) => `${count} × ${status}`);
    const row = [
      name,
      `${ms(p50)} / ${ms(p95)}${missed} / ${ms(max)}`,
      String(good),
      refused.join(", "),
      tally.megabytes.toFixed(1),
    ];
    rows.push(row);
    console.error(row.join(" | "));
  }
  console.log("");
  console.log(table(["asked", "`/healthz`, p50 / p95 / max ms", "answered 200", "others", "MB"], rows));
}

if (process.argv[1] === import.meta.filename) await main();
