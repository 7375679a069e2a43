/**
 * What does a board in MongoDB cost beside one in SQLite, in the same run and over HTTP? One post at a time, 32 publishers at
 * once, over one and two instances, pushes end to end to receivers that answer at once, and commands while nothing happens.
 *
 *   npx tsx bench/mongodb.ts [--posts 600] [--rounds 2] [mongodb://…/EMPTY_DATABASE]
 *
 * Each instance is a process; the stores take turns, and of the rounds the fastest counts. Without a URL a server is started.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { MongodbStore } from "../src/store/mongodb/index.ts";
import { startBoard } from "../test/support/boards/board.ts";
import { call, eventually, register } from "../test/support/boards/client.ts";
import { startWebhook, subscribeTo } from "../test/support/clients/webhooks.ts";
import { distinctText } from "../test/support/texts/texts.ts";
import { machine, ms, percentiles, table } from "./support/measure.ts";
import { dropDatabase, withDatabase } from "./support/mongodb.ts";

const AT_ONCE = 32;
/** With two places each they fill the fifty of an instance. */
const RECEIVERS = 25;
const WARM_UP = 50;
const QUIET_MS = 10_000;

interface Figures {
  /** A lone post takes this many milliseconds. */
  post: { p50: number; p95: number };
  /** Counts the posts a second of 32 publishers. */
  posts: number;
  /** Counts them over two instances, in turns. */
  postsOverTwo: number;
  /** Counts the pushes a second. */
  pushes: number;
}

type Api = { api: string };

/** Runs a board in this process, as a child of the bench. */
async function instance(environment: Record<string, string>, dataDir: string): Promise<void> {
  const board = await startBoard(
    { WEBHOOK_ALLOW: "127.0.0.1", LOG_LEVEL: "error", ...environment },
    { dataDir },
  );
  process.on("message", async () => {
    await board.stop();
    process.disconnect();
  });
  process.send?.({ api: board.api });
}

async function started(storeUrl: string, folder: string): Promise<Api & { stop(): Promise<void> }> {
  const child: ChildProcess = fork(import.meta.filename, ["--instance", storeUrl, folder], {
    execArgv: ["--import", "tsx"],
  });
  const [{ api }] = (await once(child, "message")) as [Api];
  return {
    api,
    async stop() {
      const gone = once(child, "exit");
      child.send("stop");
      await gone;
    },
  };
}

let written = 0;

async function post(board: Api, key: string, more: object = {}): Promise<void> {
  written += 1;
  const text = { kind: "announcement", ...distinctText(written), ...more };
  const { status } = await call(board, "POST /posts", text, { key });
  if (status !== 201) throw new Error(`a post was answered with ${status}`);
}

async function alone(board: Api, keys: readonly string[], posts: number): Promise<Figures["post"]> {
  const times: number[] = [];
  for (let n = 0; n < posts; n += 1) {
    const began = performance.now();
    await post(board, keys[n % keys.length] as string);
    times.push(performance.now() - began);
  }
  return percentiles(times.slice(WARM_UP));
}

async function together(boards: readonly Api[], keys: readonly string[], posts: number): Promise<number> {
  const began = performance.now();
  let next = 0;
  const one = async (key: string) => {
    for (next += 1; next <= posts; next += 1) await post(boards[next % boards.length] as Api, key);
  };
  await Promise.all(keys.map(one));
  return (posts / (performance.now() - began)) * 1_000;
}

/** From the posts' answers on until the last push has arrived. */
async function pushed(board: Api, posts: number): Promise<number> {
  let got = 0;
  const webhooks = await Promise.all(
    Array.from({ length: RECEIVERS }, () =>
      startWebhook(() => {
        got += 1;
        return {};
      }),
    ),
  );
  const { key } = await register(board, "Receiver");
  for (const webhook of webhooks) await subscribeTo(board, key, webhook, { tags: "pushed" });
  const writer = (await register(board, "Writer")).key;
  const began = performance.now();
  for (let n = 0; n < posts; n += 1) await post(board, writer, { tags: ["pushed"] });
  const all = posts * RECEIVERS;
  await eventually(
    async () => got,
    (n) => n >= all,
    120_000,
  );
  const perSecond = (got / (performance.now() - began)) * 1_000;
  await Promise.all(webhooks.map((webhook) => webhook.stop()));
  return perSecond;
}

async function measure(storeUrl: string, posts: number): Promise<Figures> {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), "bench-mongodb-")));
  const [own = "", other = ""] = folders;
  const url = storeUrl === "sqlite" ? `sqlite:${join(own, "board.db")}` : storeUrl;
  const first = await started(url, own);
  const second = await started(url, other);
  try {
    const keys: string[] = [];
    for (let n = 0; n < AT_ONCE; n += 1) keys.push((await register(first, `Writer ${n}`)).key);
    await together([first, second], keys, 3 * WARM_UP);
    return {
      post: await alone(first, keys, posts / 2 + WARM_UP),
      posts: await together([first], keys, 2 * posts),
      postsOverTwo: await together([first, second], keys, 2 * posts),
      pushes: await pushed(first, Math.ceil(posts / 5)),
    };
  } finally {
    await Promise.all([first.stop(), second.stop()]);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts the commands a second that an instance sends while nothing happens. */
async function idleCommands(url: string): Promise<number> {
  const monitored = Object.assign(new URL(url), { search: "?monitorCommands=true" });
  const board = await startBoard({ STORE_URL: monitored.href });
  let sent = 0;
  try {
    const { client } = (board.board.store as MongodbStore).connection;
    await sleep(QUIET_MS);
    client.on("commandStarted", () => {
      sent += 1;
    });
    await sleep(QUIET_MS);
    return sent / (QUIET_MS / 1_000);
  } finally {
    await board.stop();
  }
}

const better = (a: Figures | undefined, b: Figures): Figures =>
  a === undefined
    ? b
    : {
        post: a.post.p50 < b.post.p50 ? a.post : b.post,
        posts: Math.max(a.posts, b.posts),
        postsOverTwo: Math.max(a.postsOverTwo, b.postsOverTwo),
        pushes: Math.max(a.pushes, b.pushes),
      };

if (process.argv[2] === "--instance") {
  const [, , , storeUrl = "", folder = ""] = process.argv;
  await instance({ STORE_URL: storeUrl }, folder);
} else {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { posts: { type: "string", default: "600" }, rounds: { type: "string", default: "2" } },
  });
  await withDatabase(positionals[0], async (url) => {
    const best: Partial<Record<"MongoDB" | "SQLite", Figures>> = {};
    for (let round = 0; round < Number(values.rounds); round += 1) {
      await dropDatabase(url);
      best.MongoDB = better(best.MongoDB, await measure(url, Number(values.posts)));
      best.SQLite = better(best.SQLite, await measure("sqlite", Number(values.posts)));
    }
    await dropDatabase(url);
    const idle = await idleCommands(url);
    await dropDatabase(url);
    console.log(`${machine()}; load average at the end ${loadavg().map((n) => n.toFixed(1))}`);
    console.log(
      table(
        ["store", "a lone post, p50 / p95 ms", "posts a second", "over two instances", "pushes a second"],
        Object.entries(best).map(([store, { post: one, posts, postsOverTwo, pushes }]) => [
          store,
          `${ms(one.p50)} / ${ms(one.p95)}`,
          posts.toFixed(0),
          postsOverTwo.toFixed(0),
          pushes.toFixed(0),
        ]),
      ),
    );
    console.log(`${idle.toFixed(2)} commands a second while nothing happens`);
  });
}
