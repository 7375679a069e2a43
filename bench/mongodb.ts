/**
 * What do the board's questions cost in MongoDB, beside SQLite on the same posts in the same run? How large is a post?
 *
 *   npx tsx bench/mongodb.ts [--posts 100000] [--rounds 5] [mongodb://…/EMPTY_DATABASE]
 *
 * Without a URL a server is started. The database is dropped before and afterwards. Lists are measured as the product makes
 * them: the index gives ids (the replica, beside MongoDB), the store reads the posts.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { EmbeddedIndex } from "../src/search-index/index.ts";
import { type MongodbStore, openMongodb } from "../src/store/mongodb/index.ts";
import { CollectionQueries } from "../src/store/mongodb/search/collection/index.ts";
import { ListIndexes } from "../src/store/mongodb/search/collection/indexes.ts";
import { openReplica } from "../src/store/mongodb/search/replica/index.ts";
import { openSqlite } from "../src/store/sqlite/index.ts";
import { LISTS, newPost, OPERATIONS, type Operation, type Place } from "./mongodb/operations.ts";
import { type CollectionSize, changeRates, collectionSizes, oplogBytes } from "./mongodb/sizes.ts";
import { DIMENSION, fillBoard, MODEL } from "./support/board-fill.ts";
import { machine, ms, percentiles } from "./support/measure.ts";
import { dropDatabase, withDatabase } from "./support/mongodb.ts";

export interface Timing {
  name: string;
  /** Milliseconds, of the round with the smallest p50. */
  mongodb: Percentiles;
  sqlite: Percentiles;
  /** Of a list beside mongot: from the collection, by its own indexes. */
  collection: Percentiles | null;
}

type Percentiles = ReturnType<typeof percentiles>;

export interface Figures {
  timings: Timing[];
  /** Posts a second, of 32 publishers that insert at the same time. */
  insertsPerSecond: number;
  collections: CollectionSize[];
  oplog: { post: number; reply: number };
  /** Changes a second. */
  changes: { streamed: number; takenIn: number };
  /** Bytes of a replica's file for each post. */
  replicaFile: number;
}

const WARM_UP = 20;
const AT_ONCE = 32;
const UNMEASURED: Percentiles = { p50: Number.POSITIVE_INFINITY, p95: Number.POSITIVE_INFINITY };

/**
 * @param url  of a database that may be dropped
 * @param options.calls  of each operation in each round
 * @param options.settleMs  rest between two operations
 */
export async function measureMongodb(
  url: string,
  options: { posts: number; subscriptions: number; rounds: number; calls: number; settleMs: number },
): Promise<Figures> {
  const { posts, subscriptions, calls } = options;
  const folder = mkdtempSync(join(tmpdir(), "bench-mongodb-"));
  const now = Date.now();
  const size = { posts, subscriptions, deliveriesPerPost: 1, now };
  await dropDatabase(url);
  const embedded = new EmbeddedIndex({ modelId: MODEL, dimension: DIMENSION });
  const sqlite = await openSqlite(`sqlite:${join(folder, "board.db")}`, { index: embedded });
  const mongodb = await openMongodb(url);
  const log = { info() {}, warn: console.warn };
  const reopen = () =>
    openReplica({
      feed: mongodb.feed,
      folder,
      board: "bench",
      modelId: MODEL,
      dimension: DIMENSION,
      log,
      now,
    });
  try {
    await fillBoard(sqlite, size);
    await fillBoard(mongodb, size);
    const filled = await collectionSizes(mongodb);

    const replica = reopen();
    if (!(await replica.readyWithin(600_000))) throw new Error("the replica did not become ready");
    const places = {
      mongodb: { store: mongodb, index: replica, posts, subscriptions, now },
      sqlite: { store: sqlite, index: embedded, posts, subscriptions, now },
    };
    const measured = await inTurns(places, OPERATIONS, options);
    // A board in use has collections that a filled one lacks.
    const used = await collectionSizes(mongodb);
    const collections = [...filled, ...used.filter(({ name }) => !filled.some((one) => one.name === name))];
    const insertsPerSecond = await insertsAtOnce(places.mongodb, calls * 10);
    const oplog = await oplogBytes(mongodb, places.mongodb);
    await replica.close();
    const replicaFile = statSync(join(folder, "replica-1.db")).size / posts;
    const changes = await changeRates(mongodb, Math.min(posts, 20_000), reopen);
    // Last: their indexes slow down writes.
    const collection = { ...places.mongodb, index: await listsOf(mongodb) };
    const lists = (await inTurns({ collection }, LISTS, options)).collection;
    const timings = OPERATIONS.map(({ name }, i) => ({
      name,
      mongodb: measured.mongodb[i] ?? UNMEASURED,
      sqlite: measured.sqlite[i] ?? UNMEASURED,
      collection: lists[LISTS.findIndex((list) => list.name === name)] ?? null,
    }));
    return { timings, insertsPerSecond, collections, oplog, changes, replicaFile };
  } finally {
    await mongodb.close();
    await sqlite.close();
    await dropDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What answers lists by filters alone beside mongot. */
async function listsOf({
  collections: { posts },
  connection: { run, runLong },
}: MongodbStore): Promise<Place["index"]> {
  await new ListIndexes({ posts, log: { info() {}, warn: console.warn } }).ensure(true);
  const lists = new CollectionQueries({ posts, run, runLong });
  return { list: ({ filter }, page) => lists.list(filter, page) };
}

/** Every operation in every place, in turns and rounds, so that other load on the machine hits all alike. */
export async function inTurns<Kind extends string>(
  places: Record<Kind, Place>,
  operations: readonly Operation[],
  { rounds, calls, settleMs }: { rounds: number; calls: number; settleMs: number },
): Promise<Record<Kind, Percentiles[]>> {
  const kinds = Object.keys(places) as Kind[];
  const best = Object.fromEntries(kinds.map((kind) => [kind, operations.map(() => UNMEASURED)])) as Record<
    Kind,
    Percentiles[]
  >;
  let n = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, operation] of operations.entries()) {
      for (const kind of kinds) {
        const times: number[] = [];
        for (let call = 0; call < Math.min(calls, operation.calls ?? calls); call += 1) {
          n += 1;
          const began = performance.now();
          await operation.run(places[kind], n);
          times.push(performance.now() - began);
        }
        const measured = percentiles(times.slice(Math.min(WARM_UP, times.length / 5)));
        await operation.after?.(places[kind]);
        if (measured.p50 < (best[kind][i] ?? UNMEASURED).p50) best[kind][i] = measured;
        // The replica takes in the writes, and receives them once more from the database.
        await sleep(settleMs);
      }
    }
  }
  return best;
}

async function insertsAtOnce({ store, now }: Place, posts: number): Promise<number> {
  const began = performance.now();
  let next = 0;
  const one = async () => {
    for (next += 1; next <= posts; next += 1) await store.posts.insert(newPost(5_000_000 + next, null, now));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return (posts / (performance.now() - began)) * 1_000;
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      posts: { type: "string", default: "100000" },
      rounds: { type: "string", default: "5" },
    },
  });
  const options = {
    posts: Number(values.posts),
    subscriptions: 10_000,
    rounds: Number(values.rounds),
    calls: 200,
    settleMs: 200,
  };
  await withDatabase(positionals[0], async (url) => report(await measureMongodb(url, options)));
}

function report({ timings, insertsPerSecond, collections, oplog, changes, replicaFile }: Figures): void {
  const load = loadavg().map((n) => n.toFixed(1));
  console.log(`${machine()}; load average at the end ${load.join(" ")}`);
  const both = ({ p50, p95 }: { p50: number; p95: number }) => `${ms(p50)} / ${ms(p95)}`;
  console.log("| p50 / p95 ms | MongoDB | from the collection | SQLite |\n|---|---|---|---|");
  for (const { name, mongodb, collection, sqlite } of timings) {
    console.log(
      `| ${name} | ${both(mongodb)} | ${collection === null ? "" : both(collection)} | ${both(sqlite)} |`,
    );
  }
  console.log(`${insertsPerSecond.toFixed(0)} posts a second of ${AT_ONCE} publishers at a time`);
  console.log("| collection | documents | BSON bytes each | stored | indexes |\n|---|---|---|---|---|");
  const whole = (bytes: number) => bytes.toFixed(0);
  for (const { name, documents, bson, stored, indexes } of collections) {
    console.log(`| ${name} | ${documents} | ${whole(bson)} | ${whole(stored)} | ${whole(indexes)} |`);
  }
  console.log(`oplog: ${whole(oplog.post)} bytes a post, ${whole(oplog.reply)} a reply`);
  console.log(
    `changes a second: ${whole(changes.streamed)} streamed, ${whole(changes.takenIn)} taken in by a replica`,
  );
  console.log(`replica: ${whole(replicaFile)} bytes of file a post`);
}
