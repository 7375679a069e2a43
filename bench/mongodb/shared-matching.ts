/**
 * How long does a match take, and who holds which saved queries, when three boards share a MongoDB? A writer posts to one
 * board after another while a receiver notes when each match is pushed; then one board is killed, and the time of the posts
 * written within ten seconds of it counts. At first, the commands of the three idle processes are counted by mongod.
 *
 *   npx tsx bench/mongodb/shared-matching.ts [saved queries = 6000]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { openMongodb } from "../../src/store/mongodb/index.ts";
import { BoardProcess, freePort } from "../../test/support/boards/board-process.ts";
import { call, eventually, register } from "../../test/support/boards/client.ts";
import { mongodCommand } from "../../test/support/mongodb/mongod.ts";
import { ReplicaSet } from "../../test/support/mongodb/replica-set.ts";
import { aSubscription } from "../../test/support/search/rows.ts";
import { prose } from "../../test/support/texts/prose.ts";
import { machine, table } from "../support/measure.ts";

const BOARDS = 3;
/** Saved queries that each post matches; the time until the last of them counts. */
const MATCHED = 12;
const POSTS = 60;
const PAUSE_MS = 150;
/** Six times the longest pause between looks; jobs by the clock fall into it once. */
const IDLE_MS = 48_000;
/** Longer than the longest pause between looks, so that they are idle. */
const LULL_MS = 20_000;
const TOPICS = 997;
/** Commands that only boards send while nobody asks anything; `getMore` keeps their change streams open. */
const OF_BOARDS = ["aggregate", "bulkWrite", "count", "delete", "find", "findAndModify", "insert", "update"];

const queries = Number(process.argv[2] ?? 6_000);
const mongod = await mongodCommand();
if (mongod === null) throw new Error("there is no mongod");
const set = await ReplicaSet.start(mongod, 3);
const folder = mkdtempSync(join(tmpdir(), "board-shared-"));
const url = set.url("shared");
const boards: { board: BoardProcess; admin: number }[] = [];
const client = new MongoClient(url);

try {
  const store = await openMongodb(url);
  for (let n = 0; n < BOARDS; n += 1) {
    const admin = await freePort();
    const more = { ADMIN_PORT: String(admin), SECRET_KEY: "the same for all processes of the board" };
    const board = await BoardProcess.start({ DATA_DIR: join(folder, String(n)), STORE_URL: url, ...more });
    boards.push({ board, admin });
  }
  const first = boardAt(0);
  const { id: publisherId, key } = await register(first);
  const alone = await register(first, "Other");
  for (let n = 0; n < MATCHED; n += 1) {
    const over = { publisherId, query: { tags: ["watched"] }, active: true, createdAt: Date.now() - 60_000 };
    await store.subscriptions.insert(aSubscription(`sub_watched_${n}`, over), 1e9);
  }
  await Promise.all(
    Array.from({ length: 16 }, async (_, at) => {
      for (let n = at; n < queries; n += 16) {
        const query = { q: `${prose().slice(0, 40)} topic${n % TOPICS}` };
        const over = { publisherId: alone.id, query, active: true };
        await store.subscriptions.insert(aSubscription(`sub_${n.toString(36)}`, over), 1e9);
      }
    }),
  );
  await write(0);
  await eventually(
    async () => sum(await gauges("board_saved_queries_held", [0, 1, 2])),
    (held) => held === queries + MATCHED,
    60_000,
  );
  const rows = boards.map(({ board }, n) => [String(n + 1), String(Math.round(rssMb(board)))]);
  const parts = await gauges("board_parts_owned", [0, 1, 2]);
  const held = await gauges("board_saved_queries_held", [0, 1, 2]);

  await sleep(LULL_MS);
  const before = await commandsOf();
  await sleep(IDLE_MS);
  const idle = (await commandsOf()) - before;

  const calm = await timed(POSTS, [0, 1, 2]);
  const killed = boardAt(2).kill();
  const after = await timed(POSTS, [0, 1]);
  await killed;
  const left = await gauges("board_saved_queries_held", [0, 1]);

  console.log(`${machine()}\n${queries + MATCHED} saved queries, ${BOARDS} boards, a replica set of three`);
  console.log(
    table(
      ["board", "memory, MB", "parts", "saved queries held"],
      rows.map((row, n) => [...row, String(parts[n]), String(held[n])]),
    ),
  );
  console.log(`commands a second of an idle process: ${(idle / BOARDS / (IDLE_MS / 1_000)).toFixed(2)}`);
  console.log(
    table(
      [
        "posts",
        "written",
        "pairs missed",
        "match of a post with all its queries: p50, s",
        "p95, s",
        "max, s",
      ],
      [lineOf("three boards", calm), lineOf("one killed at the first", after)],
    ),
  );
  console.log(`held afterwards: ${left.join(" and ")}`);
  process.exitCode =
    calm.missed + after.missed > 0 || p(calm.times, 0.95) > 1_000 || p(after.times, 0.95) > 10_000 ? 1 : 0;
  await store.close();

  /** Writes posts, each to the next of these boards, and reads the inbox's log until each has all its matches. */
  async function timed(
    posts: number,
    alive: readonly number[],
  ): Promise<{ times: number[]; missed: number }> {
    const deliveries = client.db().collection<{ post_id: string; subscription_id: string }>("deliveries");
    const times: number[] = [];
    let missed = 0;
    const waiting: Promise<void>[] = [];
    for (let n = 0; n < posts; n += 1) {
      const id = await write(alive[n % alive.length] ?? 0);
      const began = performance.now();
      waiting.push(
        eventually(
          () => deliveries.countDocuments({ post_id: id }, { readPreference: "primary" }),
          (count) => count >= MATCHED,
          60_000,
        ).then((count) => {
          times.push(performance.now() - began);
          missed += Math.abs(MATCHED - count);
        }),
      );
      await sleep(PAUSE_MS);
    }
    await Promise.all(waiting);
    return { times, missed };
  }

  async function write(n: number): Promise<string> {
    const post = { kind: "thread", title: prose(), body: prose(), tags: ["watched"] };
    const { status, body } = await call(boardAt(n), "POST /posts", post, { key });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.data.id;
  }
} finally {
  await Promise.all(boards.map(({ board }) => board.kill()));
  await client.close();
  await set.stop();
  rmSync(folder, { recursive: true, force: true });
}

function boardAt(n: number): BoardProcess {
  return (boards[n] as (typeof boards)[number]).board;
}

function lineOf(name: string, { times, missed }: { times: number[]; missed: number }): string[] {
  return [
    name,
    String(times.length),
    String(missed),
    ...[p(times, 0.5), p(times, 0.95), p(times, 1)].map((t) => (t / 1_000).toFixed(2)),
  ];
}

function p(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

function gauges(name: string, of: readonly number[]): Promise<number[]> {
  return Promise.all(
    of.map(async (n) => {
      const text = await (await fetch(`http://127.0.0.1:${boards[n]?.admin}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
    }),
  );
}

function rssMb({ pid }: BoardProcess): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1_024;
}

/** Commands of `OF_BOARDS` that the primary has counted. */
async function commandsOf(): Promise<number> {
  const { metrics } = await client.db("admin").command({ serverStatus: 1 });
  return OF_BOARDS.reduce((total, name) => total + Number(metrics.commands[name]?.total ?? 0), 0);
}
