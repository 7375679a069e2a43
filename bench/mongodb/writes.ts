/**
 * What does a new post cost in MongoDB, beside the code of another checkout in the same run?
 *
 *   npx tsx bench/mongodb/writes.ts [--peer ../before] [--posts 1000] [--rounds 5] [mongodb://…/EMPTY_DATABASE]
 *
 * 32 publishers insert at the same time, each post after a look for near-identical ones, as the product inserts. The sides
 * take turns, each in a database of its own, which is dropped before and afterwards; of the rounds the fastest counts. CPU
 * time is the server's and this process's. Without a URL a server is started.
 */
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { MongodbStore } from "../../src/store/mongodb/index.ts";
import { fillBoard } from "../support/board-fill.ts";
import { machine, table } from "../support/measure.ts";
import { dropDatabase, withDatabase } from "../support/mongodb.ts";
import { newPost } from "./operations.ts";
import { bytesOfOplog } from "./sizes.ts";

interface WriteFigures {
  perSecond: number;
  /** Milliseconds of the server and of this process, for each post. */
  cpuMs: number;
  /** Bytes of the oplog for each post, until it is acknowledged. */
  oplog: number;
}

const AT_ONCE = 32;
const HOUR_MS = 3_600_000;
/** What a process needs at first: connections, plans, compiled code. */
const WARM_UP_POSTS = 200;

/**
 * @param checkouts  root folders of the sides
 * @returns figures of each side, in their order
 */
export async function measureWrites(
  url: string,
  checkouts: readonly string[],
  { posts, rounds }: { posts: number; rounds: number },
): Promise<WriteFigures[]> {
  const now = Date.now();
  const stores: MongodbStore[] = [];
  const urls = checkouts.map(
    (_, side) => Object.assign(new URL(url), { pathname: `${new URL(url).pathname}_${side}` }).href,
  );
  try {
    for (const [side, checkout] of checkouts.entries()) {
      await dropDatabase(urls[side] ?? "");
      const { openMongodb } = await import(join(checkout, "src/store/mongodb/index.ts"));
      const store: MongodbStore = await openMongodb(urls[side] ?? "");
      stores.push(store);
      await fillBoard(store, { posts: 100, subscriptions: 0, deliveriesPerPost: 0, now });
      await insertsOf(store, WARM_UP_POSTS, now);
    }
    const best: WriteFigures[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const [side, store] of stores.entries()) {
        const figures = await insertsOf(store, posts, now);
        if (figures.perSecond > (best[side]?.perSecond ?? 0)) best[side] = figures;
      }
    }
    return best;
  } finally {
    for (const store of stores) await store.close();
    for (const each of urls) await dropDatabase(each);
  }
}

let made = 0;

async function insertsOf(store: MongodbStore, posts: number, now: number): Promise<WriteFigures> {
  const first = made;
  const cpuBefore = await cpuMsOf(store);
  const began = performance.now();
  const one = async () => {
    while (made - first < posts) {
      made += 1;
      const guard = { since: now - HOUR_MS, limit: 500, check() {} };
      await store.posts.insert(newPost(made, null, now), { guard });
    }
  };
  let tookMs = 0;
  const oplog = await bytesOfOplog(store, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    tookMs = performance.now() - began;
  });
  const cpuMs = (await cpuMsOf(store)) - cpuBefore;
  return { perSecond: (posts / tookMs) * 1_000, cpuMs: cpuMs / posts, oplog: oplog / posts };
}

async function cpuMsOf({ connection: { client } }: MongodbStore): Promise<number> {
  const { extra_info } = await client.db("admin").command({ serverStatus: 1 });
  const { user, system } = process.cpuUsage();
  return (Number(extra_info["user_time_us"]) + Number(extra_info["system_time_us"]) + user + system) / 1_000;
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      peer: { type: "string" },
      posts: { type: "string", default: "1000" },
      rounds: { type: "string", default: "5" },
    },
  });
  const own = join(import.meta.dirname, "../..");
  const checkouts = values.peer === undefined ? [own] : [own, resolve(values.peer)];
  const options = { posts: Number(values.posts), rounds: Number(values.rounds) };
  await withDatabase(positionals[0], async (url) => {
    const figures = await measureWrites(url, checkouts, options);
    console.log(
      `${machine()}; load average at the end ${loadavg()
        .map((n) => n.toFixed(1))
        .join(" ")}`,
    );
    console.log(
      table(
        ["side", `posts a second of ${AT_ONCE} publishers`, "ms of CPU a post", "bytes of oplog a post"],
        figures.map(({ perSecond, cpuMs, oplog }, side) => [
          side === 0 ? "this checkout" : "the peer",
          perSecond.toFixed(0),
          cpuMs.toFixed(2),
          oplog.toFixed(0),
        ]),
      ),
    );
  });
}
