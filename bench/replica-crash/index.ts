/**
 * A process whose replica follows a changing database, and compacts its memory and saves snapshots all the time, killed
 * again and again. After each kill a replica that starts from what the dead process left must answer as one that is
 * filled anew.
 *
 *   MONGODB_URI=mongodb://… npx tsx bench/replica-crash/index.ts [kills = 50] [seed = 1]
 *
 * It writes into the database of the URI, which should be empty.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { allAnswers } from "../../test/support/search/all-answers.ts";
import { History } from "../../test/support/search/history.ts";
import { killAtWork } from "../support/killed.ts";
import { HistoryInMongodb } from "./history.ts";
import { openSmallReplica } from "./small-replica.ts";

const FOLLOWER = join(import.meta.dirname, "follower.ts");
/** Kills come at most this long after the process began to follow. */
const FOLLOWING_MS_MAX = 700;
/** Posts before the first start, and changes of each later batch. */
const FIRST = 400;
const CHANGES = 25;
/** One batch in so many removes most posts at once, which has the memory compacted. */
const THINNED_EVERY = 9;

export interface ReplicaCrashRun {
  kills: number;
  /** Batches of changes written while a process followed. */
  batches: number;
  /** Starts that went on from the file of the dead process; the others filled a new one. */
  fromFile: number;
  /** Starts that answered otherwise than a replica filled anew. */
  different: number;
  seconds: number;
}

export async function replicaCrashRun(options: {
  url: string;
  kills: number;
  seed: number;
}): Promise<ReplicaCrashRun> {
  const began = performance.now();
  const folder = await mkdtemp(join(tmpdir(), "replica-crash-"));
  const store = await openMongodb(options.url);
  const history = new History(options.seed);
  const database = new HistoryInMongodb(store.collections);
  const run: ReplicaCrashRun = { kills: 0, batches: 0, fromFile: 0, different: 0, seconds: 0 };
  const change = async (): Promise<void> => {
    run.batches += 1;
    if (run.batches % THINNED_EVERY === 0) {
      history.thin(database, 0.6);
      history.grow(database, FIRST / 2);
    } else history.go(database, CHANGES);
    await database.write();
  };
  try {
    history.grow(database, FIRST);
    await database.write();
    while (run.kills < options.kills) {
      // Moments spread over what a follower does.
      const afterMs = (run.kills * 149) % FOLLOWING_MS_MAX;
      await killAtWork(FOLLOWER, [options.url, folder], afterMs, async (signal) => {
        while (!signal.aborted) await change();
      });
      run.kills += 1;
      const found = await examine(store, folder);
      if (found.fromFile) run.fromFile += 1;
      if (!found.same) run.different += 1;
    }
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
  return { ...run, seconds: Math.round((performance.now() - began) / 1_000) };
}

/** Looks at a copy of what is there, so that the next process finds it as the last one left it. */
async function examine(store: MongodbStore, folder: string) {
  const copies = await mkdtemp(join(tmpdir(), "replica-crash-"));
  try {
    const left = join(copies, "left");
    await cp(folder, left, { recursive: true });
    let scans = 0;
    const scanPosts: typeof store.feed.scanPosts = (...asked) => {
      scans += 1;
      return store.feed.scanPosts(...asked);
    };
    const one = await openSmallReplica({ ...store.feed, scanPosts }, left);
    const other = await openSmallReplica(store.feed, join(copies, "filled"));
    const same = isDeepStrictEqual(rounded(await allAnswers(one)), rounded(await allAnswers(other)));
    await Promise.all([one.close(), other.close()]);
    return { fromFile: scans === 0, same };
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

/** Means of places are sums in the order of rows, which differs. */
const rounded = (answers: unknown): unknown =>
  JSON.parse(JSON.stringify(answers, (_key, value) => (isFraction(value) ? value.toFixed(9) : value)));

const isFraction = (value: unknown): value is number => typeof value === "number" && !Number.isInteger(value);

if (process.argv[1] === import.meta.filename) {
  const url = process.env["MONGODB_URI"] ?? "";
  const kills = Number(process.argv[2] ?? 50);
  const seed = Number(process.argv[3] ?? 1);
  console.log(JSON.stringify(await replicaCrashRun({ url, kills, seed }), null, 2));
}
