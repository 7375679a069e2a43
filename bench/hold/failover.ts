/**
 * What do callers notice while MongoDB's members stop, and is everything there afterwards? Writers post to a board in a
 * process of its own, each post again with its idempotency key until it is acknowledged, and others search, while members
 * of a replica set of three hang by SIGSTOP: the primary, then a majority, then all.
 *
 *   npx tsx bench/hold/failover.ts [seconds of each, 15,30,60]
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BoardProcess } from "../../test/support/boards/board-process.ts";
import { type Answer, call, eventually, register } from "../../test/support/boards/client.ts";
import { mongodCommand } from "../../test/support/mongodb/mongod.ts";
import { ReplicaSet } from "../../test/support/mongodb/replica-set.ts";
import { prose } from "../../test/support/texts/prose.ts";
import { machine, table } from "../support/measure.ts";

interface Outage {
  name: string;
  seconds: number;
  /** Posts acknowledged, and refused, from the stop until some seconds after the members go on. */
  written: number;
  refused: number;
  searched: number;
  /** Searches that were not answered. */
  unanswered: number;
  /** Answers of 5xx that are no 503, or a 503 without `Retry-After`. */
  wrong: number;
  slowestMs: number;
}

const WRITERS = 4;
const SEARCHERS = 4;
const PAUSE_MS = 50;
/** How long is looked on after the members go on. */
const AFTERWARDS_MS = 5_000;
const PATIENCE_MS = 120_000;

async function failoverRun(
  mongod: readonly string[],
  seconds: readonly number[],
): Promise<{ outages: Outage[]; acknowledged: number; lost: number; doubled: number }> {
  const folder = mkdtempSync(join(tmpdir(), "board-failover-"));
  const set = await ReplicaSet.start(mongod, 3);
  const board = await BoardProcess.start({ DATA_DIR: folder, STORE_URL: set.url("failover") });
  const acknowledged = new Set<string>();
  const publisher = await register(board);
  const stops: [string, () => void | Promise<void>][] = [
    ["the primary", () => set.pausePrimary()],
    ["a majority", () => set.pausePrimary(1)],
    ["all", () => set.pauseAll()],
  ];
  let now: Outage = outageOf("none", 0);
  let over = false;
  const watched = async (ask: () => Promise<Answer>): Promise<Answer> => {
    const outage = now;
    const began = performance.now();
    const answer = await ask();
    outage.slowestMs = Math.max(outage.slowestMs, performance.now() - began);
    const { status, headers } = answer;
    if (status >= 500 && (status !== 503 || headers.get("retry-after") === null)) outage.wrong += 1;
    return answer;
  };
  const writer = async () => {
    while (!over) {
      const post = { title: prose(), body: prose(), idempotency_key: randomUUID() };
      for (let isDone = false; !isDone; ) {
        const { status, body } = await watched(() => call(board, "POST /posts", post, publisher));
        isDone = status === 200 || status === 201;
        if (isDone) acknowledged.add(body.data.id);
        now[isDone ? "written" : "refused"] += 1;
        await sleep(PAUSE_MS);
      }
    }
  };
  const searcher = async () => {
    while (!over) {
      const { status } = await watched(() => call(board, "GET /search?q=the&limit=5", undefined, publisher));
      now[status === 200 ? "searched" : "unanswered"] += 1;
      await sleep(PAUSE_MS);
    }
  };
  try {
    const callers = [
      ...Array.from({ length: WRITERS }, writer),
      ...Array.from({ length: SEARCHERS }, searcher),
    ];
    const outages: Outage[] = [];
    for (const [i, [name, stop]] of stops.entries()) {
      await sleep(AFTERWARDS_MS);
      now = outageOf(name, seconds[i] ?? 0);
      outages.push(now);
      await stop();
      await sleep(now.seconds * 1_000);
      await set.resumeAll();
      await eventually(() => board.isReady(), Boolean, PATIENCE_MS);
      await sleep(AFTERWARDS_MS);
    }
    over = true;
    await Promise.all(callers);
    let lost = 0;
    for (const id of acknowledged) {
      const read = () => call(board, `GET /posts/${id}`);
      const { status } = await eventually(
        read,
        ({ status }) => status === 200 || status === 404,
        PATIENCE_MS,
      );
      if (status !== 200) lost += 1;
    }
    const { body } = await call(board, `GET /publishers/${publisher.id}`);
    return {
      outages,
      acknowledged: acknowledged.size,
      lost,
      doubled: body.data.post_count - acknowledged.size,
    };
  } finally {
    over = true;
    await board.kill();
    await set.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const outageOf = (name: string, seconds: number): Outage => ({
  ...{ name, seconds, written: 0, refused: 0, searched: 0, unanswered: 0, wrong: 0, slowestMs: 0 },
});

const mongod = await mongodCommand();
if (mongod === null) throw new Error("there is no mongod");
const seconds = (process.argv[2] ?? "15,30,60").split(",").map(Number);
const { outages, acknowledged, lost, doubled } = await failoverRun(mongod, seconds);
console.log(`${machine()}; load average at the end ${loadavg().map((n) => n.toFixed(1))}`);
console.log(
  table(
    ["stopped", "s", "posts written", "refused", "searches answered", "not", "wrong 5xx", "slowest call, s"],
    outages.map(({ name, seconds, written, refused, searched, unanswered, wrong, slowestMs }) => [
      name,
      String(seconds),
      ...[written, refused, searched, unanswered, wrong].map(String),
      (slowestMs / 1_000).toFixed(1),
    ]),
  ),
);
console.log(`${acknowledged} posts acknowledged, ${lost} lost, ${doubled} doubled`);
