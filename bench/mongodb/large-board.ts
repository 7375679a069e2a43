/**
 * What does a large board in MongoDB cost an instance? Its start, the first one and one with its replica there, and what
 * everyone asks of it.
 *
 *   npx tsx bench/mongodb/large-board.ts [--posts 1000000] [mongodb://…/EMPTY_DATABASE]
 *
 * Without a URL a server is started. The database is dropped before and afterwards. The board is a process of its own, with
 * the model, and answers from its replica; posts have random vectors of that model.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Document } from "mongodb";
import { request } from "undici";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { collectionsOf } from "../../src/store/mongodb/schema/collections.ts";
import { pushId } from "../../src/store/mongodb/schema/pushes.ts";
import { boardEnvironment, freePort } from "../../test/support/boards/board-process.ts";
import { fillBoard, postId, publisherId } from "../support/board-fill.ts";
import { folderBytes, machine, ms, percentiles, table } from "../support/measure.ts";
import { DEFAULT_MAKER, MODEL_FILES } from "../support/model.ts";
import { dropDatabase, withDatabase } from "../support/mongodb.ts";
import { OPERATIONS, type Place } from "./operations.ts";

export interface LargeBoard {
  /** Milliseconds from the start of the process until `/readyz` says yes. */
  starts: { first: number; again: number };
  /** Of the replica on the disk, for each post. */
  replicaBytes: number;
  rows: { what: string; times: Percentiles }[];
}

type Percentiles = ReturnType<typeof percentiles>;

const MAIN = resolve(import.meta.dirname, "../../src/main.ts");
/** A process that has just started is slow for some hundred calls. */
const WARM_UP = 500;
const CLAIMS = 40;
const POLL_MS = 20;
const PATIENCE_MS = 30 * 60_000;
/** What an instance asks of the store beside its searches. */
const OF_THE_STORE = new Set(["get", "counts", "overview", "deliver 1, with its push"]);
/** The last is what the product takes at most. */
const CLAIM_SIZES = [1, 10, 50];
const CLAIM = { perOrigin: 50, failing: 50, leaseMs: 3_600_000 };

const PATHS: Record<string, (n: number) => string> = {
  "GET /board": () => "/board",
  "GET /search, newest": () => "/search",
  "GET /search, newest of a kind": () => "/search?kind=offer",
  "GET /search, newest with a tag": () => "/search?tags=bike",
  "GET /search, newest of a publisher": (n) => `/search?publisher=${publisherId(n)}`,
  "GET /search, soonest": () => "/search?kind=event&sort=soonest",
  "GET /posts/{id}/replies": (n) => `/posts/${postId(n * ROOT_EVERY)}/replies`,
};
/** Every fifth post is the root of a thread of two. */
const ROOT_EVERY = 5;
const LIST = "/search?limit=100";
const PAGES_DOWN = 50;

/** @param url  of a database that may be dropped */
export async function measureLargeBoard(
  url: string,
  options: { posts: number; subscriptions: number; calls: number },
): Promise<LargeBoard> {
  const { posts, subscriptions, calls } = options;
  const folder = mkdtempSync(join(tmpdir(), "large-board-"));
  const now = Date.now();
  await dropDatabase(url);
  const store = await openMongodb(url);
  try {
    const size = { posts, subscriptions, deliveriesPerPost: 0, now, maker: DEFAULT_MAKER };
    await fillBoard(store, size);
    await keepCounts(store, now);
    const environment = { STORE_URL: url, DATA_DIR: folder };
    const first = await started(environment);
    await first.stop();
    const again = await started(environment);
    const rows: LargeBoard["rows"] = [];
    for (const [what, path] of Object.entries(PATHS)) {
      rows.push({ what, times: await timed(calls, (n) => answered(`${again.api}${path(n)}`)) });
    }
    rows.push({
      what: `GET /search, newest, ${PAGES_DOWN} pages down`,
      times: await pagesDown(again.api, calls),
    });
    await again.stop();
    // Calls read them no longer than half a minute.
    await keepCounts(store, now);
    const place = { store, index: { list: async () => [] }, posts, subscriptions, now };
    for (const { name, run, calls: most = calls, after } of OPERATIONS) {
      if (!OF_THE_STORE.has(name)) continue;
      rows.push({ what: name, times: await timed(Math.min(calls, most), (n) => run(place, n)) });
      await after?.(place);
    }
    for (const limit of CLAIM_SIZES) {
      const { claims, floor } = await timedClaims(store, limit, now);
      rows.push({ what: `push claim of ${limit}`, times: claims });
      rows.push({ what: "its floor: as many documents read and changed by two commands", times: floor });
    }
    const replicaBytes = folderBytes(folder) / posts;
    return { starts: { first: first.ms, again: again.ms }, replicaBytes, rows };
  } finally {
    await store.close();
    await dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Has all counts kept, for which an instance takes some seconds again and again on a board that was just filled. */
async function keepCounts({ statistics }: Place["store"], now: number): Promise<void> {
  for (let isBehind = true; isBehind; ) isBehind = (await statistics.kept?.count(now)) ?? false;
}

/** A board in a process of its own, once it is ready. */
async function started(environment: Record<string, string>) {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, ["--import", "tsx", MAIN], {
    env: boardEnvironment({
      ...environment,
      PORT: String(port),
      EMBEDDINGS: "required",
      MODEL_DIR: MODEL_FILES,
    }),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const site = `http://127.0.0.1:${port}`;
  const ready = () =>
    fetch(`${site}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await ready())) {
    if (child.exitCode !== null || performance.now() - began > PATIENCE_MS)
      throw new Error("it did not start");
    await sleep(POLL_MS);
  }
  const stop = async () => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    await ended;
  };
  return { api: `${site}/api/v1`, ms: performance.now() - began, stop };
}

async function answered(url: string): Promise<string> {
  const { statusCode, body } = await request(url);
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 200)}`);
  return text;
}

/** A page of the usual length, `PAGES_DOWN` pages of 100 down the list, or where a smaller board ends. */
async function pagesDown(api: string, calls: number): Promise<Percentiles> {
  let cursor = "";
  for (let down = 0; down < PAGES_DOWN; down += 1) {
    const page = JSON.parse(await answered(`${api}${LIST}${cursor}`)) as { next_cursor: string | null };
    if (page.next_cursor === null) break;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
  return timed(calls, () => answered(`${api}/search?limit=20${cursor}`));
}

async function timed(calls: number, run: (n: number) => Promise<unknown>): Promise<Percentiles> {
  const times: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    const began = performance.now();
    await run(n);
    times.push(performance.now() - began);
  }
  return percentiles(times.slice(Math.min(WARM_UP, calls / 2)));
}

/**
 * Claims of pushes; and in turn with them what two commands take of which one reads the places of those pushes and the other
 * changes both, by their ids and under no conditions. Then they are given back.
 */
async function timedClaims(store: MongodbStore, limit: number, now: number) {
  const { client, db } = store.connection;
  const { pushes, push_queue } = collectionsOf(db);
  const claims: number[] = [];
  const floor: number[] = [];
  for (let n = 0; n < 2 * CLAIMS; n += 1) {
    let began = performance.now();
    const claimed = await store.pushes.claim({ ...CLAIM, limit, now });
    claims.push(performance.now() - began);

    const ids = claimed.map(({ subscriptionId }) => subscriptionId);
    const pushIds = claimed.map(({ subscriptionId, deliveryId }) => pushId(subscriptionId, deliveryId));
    began = performance.now();
    await push_queue.find({ _id: { $in: ids } }).toArray();
    const among = (ids: string[]): Document => ({ _id: { $in: ids } });
    const change = {
      update: { $set: { due_at: new Date(now + CLAIM.leaseMs + n) } },
      name: "updateMany",
    } as const;
    await client.bulkWrite(
      [
        { ...change, namespace: pushes.namespace, filter: among(pushIds) },
        { ...change, namespace: push_queue.namespace, filter: among(ids) },
      ],
      { writeConcern: { w: 1 } },
    );
    floor.push(performance.now() - began);
    await store.pushes.giveBack(claimed);
  }
  return { claims: percentiles(claims.slice(CLAIMS)), floor: percentiles(floor.slice(CLAIMS)) };
}

function report({ starts, replicaBytes, rows }: LargeBoard): void {
  const seconds = (time: number) => (time / 1_000).toFixed(1);
  console.log(
    `${machine()}; ready after ${seconds(starts.first)} s at first, ${seconds(starts.again)} s again;`,
  );
  console.log(`replica: ${replicaBytes.toFixed(0)} bytes of file a post\n`);
  console.log(
    table(
      ["", "p50 / p95 ms"],
      rows.map(({ what, times }) => [what, `${ms(times.p50)} / ${ms(times.p95)}`]),
    ),
  );
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { posts: { type: "string", default: "1000000" } },
  });
  const options = { posts: Number(values.posts), subscriptions: 10_000, calls: 1_000 };
  await withDatabase(positionals[0], async (url) => report(await measureLargeBoard(url, options)));
}
