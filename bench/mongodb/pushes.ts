/**
 * How many pushes a second do one and two instances claim and settle, beside the code of another checkout in the same run?
 *
 *   npx tsx bench/mongodb/pushes.ts [--peer ../before] [--receivers 200] [--each 20] [--answer-ms 0] [--rounds 3] [mongodb://…/EMPTY_DATABASE]
 *
 * Every receiver has an origin of its own, and each push is answered after `answer-ms` without a network, by the delivery of
 * the side's own code. An instance is a process. Sides and numbers of instances take turns, each in a database of its own;
 * of the rounds the fastest counts. Without a URL a server is started.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { MongodbStore } from "../../src/store/mongodb/index.ts";
import { fillBoard, publisherId, subscriptionRow } from "../support/board-fill.ts";
import { machine, table } from "../support/measure.ts";
import { dropDatabase, withDatabase } from "../support/mongodb.ts";
import { newPost } from "./operations.ts";

interface PushLoad {
  receivers: number;
  /** Pushes of each receiver. */
  each: number;
  answerMs: number;
}

/** @returns pushes claimed and settled a second, by as many instances */
export async function measurePushes(
  url: string,
  checkout: string,
  instances: number,
  load: PushLoad,
): Promise<number> {
  await dropDatabase(url);
  const { openMongodb } = await import(join(checkout, "src/store/mongodb/index.ts"));
  const store: MongodbStore = await openMongodb(url);
  const children: ChildProcess[] = [];
  try {
    await fill(store, load);
    for (let n = 0; n < instances; n += 1) children.push(instance(checkout, url, load.answerMs));
    const outputs = children.map(({ stdout }) => {
      if (stdout === null) throw new Error("an instance has no output");
      return createInterface({ input: stdout })[Symbol.asyncIterator]();
    });
    // Each says that it is ready.
    for (const lines of outputs) await lines.next();
    const began = Date.now();
    for (const { stdin } of children) stdin?.end("go\n");
    const results = await Promise.all(
      outputs.map(async (lines) => JSON.parse((await lines.next()).value) as { n: number; last: number }),
    );
    const settled = results.reduce((sum, { n }) => sum + n, 0);
    if (settled !== load.receivers * load.each) throw new Error(`${settled} pushes were settled`);
    return (settled / (Math.max(...results.map(({ last }) => last)) - began)) * 1_000;
  } finally {
    for (const child of children) if (child.exitCode === null) child.kill();
    await store.close();
    await dropDatabase(url);
  }
}

async function fill(store: MongodbStore, { receivers, each }: PushLoad): Promise<void> {
  const now = Date.now();
  await fillBoard(store, { posts: 100, subscriptions: 0, deliveriesPerPost: 0, now });
  const ids: string[] = [];
  for (let n = 0; n < receivers; n += 1) {
    const row = { ...subscriptionRow(n, now), publisherId: publisherId(n), active: true };
    const webhookUrl = `https://receiver-${n}.example/hook`;
    await store.subscriptions.insert({ ...row, webhookUrl, webhookVerifiedAt: now }, 1_000_000);
    ids.push(row.id);
  }
  for (let n = 0; n < each; n += 1) {
    const post = newPost(n, null, now);
    await store.posts.insert(post);
    const matches = ids.map((subscriptionId) => ({ subscriptionId, postId: post.id, matchedAt: now }));
    while (matches.length > 0) await store.subscriptions.deliver(matches.splice(0, 100), []);
  }
}

function instance(checkout: string, url: string, answerMs: number): ChildProcess {
  const file = fileURLToPath(new URL("./push-instance.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, checkout, url, String(answerMs)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  void once(child, "exit");
  return child;
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      peer: { type: "string" },
      receivers: { type: "string", default: "200" },
      each: { type: "string", default: "20" },
      "answer-ms": { type: "string", default: "0" },
      rounds: { type: "string", default: "3" },
    },
  });
  const own = join(import.meta.dirname, "../..");
  const sides = values.peer === undefined ? [own] : [own, resolve(values.peer)];
  const load = {
    receivers: Number(values.receivers),
    each: Number(values.each),
    answerMs: Number(values["answer-ms"]),
  };
  await withDatabase(positionals[0], async (url) => {
    const best = sides.map(() => [0, 0]);
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const instances of [1, 2]) {
        for (const [side, checkout] of sides.entries()) {
          const perSecond = await measurePushes(url, checkout, instances, load);
          const row = best[side] ?? [];
          row[instances - 1] = Math.max(row[instances - 1] ?? 0, perSecond);
        }
      }
    }
    console.log(`${machine()}; load average at the end ${loadavg().map((n) => n.toFixed(1))}`);
    console.log(
      table(
        ["side", "pushes a second, 1 instance", "2 instances", "ratio"],
        best.map(([one = 0, two = 0], side) => [
          side === 0 ? "this checkout" : "the peer",
          one.toFixed(0),
          two.toFixed(0),
          (two / one).toFixed(2),
        ]),
      ),
    );
  });
}
