/**
 * What does it cost on a sharded cluster that saved queries, pushes and inboxes lie on another shard than the rest?
 *
 *   npx tsx bench/mongodb/moved-queries.ts [--posts 5000] [--rounds 4] [mongodb://MONGOS/EMPTY_DATABASE]
 *
 * Two boards on one cluster, alike but for that, take turns at each operation; of the rounds the smallest p50 counts.
 * Without a URL a cluster of two shards is started. Both databases are dropped before and afterwards.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { MongoClient } from "mongodb";
import { openMongodb } from "../../src/store/mongodb/index.ts";
import { MOVED_TOGETHER } from "../../src/store/mongodb/schema/shards.ts";
import { shardsOf, withoutWait } from "../../test/support/mongodb/moves.ts";
import { inTurns } from "../mongodb.ts";
import { fillBoard } from "../support/board-fill.ts";
import { machine, ms, table } from "../support/measure.ts";
import { dropDatabase, withDatabase } from "../support/mongodb.ts";
import { OPERATIONS } from "./operations.ts";

const MEASURED: ReadonlySet<string> = new Set([
  "insert",
  "insert a reply",
  "work claim of 1, and done",
  "save a query",
  "deliver 10",
  "deliver 1, with its push",
  "push claim of 1",
  "push settle",
  "push claim of 10",
]);

interface Options {
  posts: number;
  subscriptions: number;
  rounds: number;
  calls: number;
  settleMs: number;
}

/** @returns of each operation the times with all on one shard, and with saved queries on another */
export async function measureMovedQueries(url: string, options: Options) {
  const client = new MongoClient(url);
  const [home = "", toShard] = await shardsOf(client.db());
  const moves = await withoutWait(client.db());
  const places = {
    together: await placeOn(client, home, `${url}_together`, options),
    apart: await placeOn(client, home, `${url}_apart`, options),
  };
  try {
    const { databaseName } = places.apart.store.connection.db;
    for (const name of MOVED_TOGETHER)
      await client.db("admin").command({ moveCollection: `${databaseName}.${name}`, toShard });
    const operations = OPERATIONS.filter(({ name }) => MEASURED.has(name));
    const { together, apart } = await inTurns(places, operations, options);
    return operations.map(({ name }, i) => ({ name, together: together[i], apart: apart[i] }));
  } finally {
    await moves.restore();
    for (const { store } of Object.values(places)) {
      await store.connection.db.dropDatabase();
      await store.close();
    }
    await client.close();
  }
}

/** A board whose unsharded collections are on that shard. */
async function placeOn(
  client: MongoClient,
  primaryShard: string,
  url: string,
  { posts, subscriptions }: Options,
) {
  const now = Date.now();
  await dropDatabase(url);
  await client.db("admin").command({ enableSharding: new URL(url).pathname.slice(1), primaryShard });
  const store = await openMongodb(url);
  await fillBoard(store, { posts, subscriptions, deliveriesPerPost: 1, now });
  return { store, index: { list: async () => [] }, posts, subscriptions, now };
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      posts: { type: "string", default: "5000" },
      rounds: { type: "string", default: "4" },
    },
  });
  const sizes = { posts: Number(values.posts), subscriptions: 1_000, rounds: Number(values.rounds) };
  const measure = async (url: string) => {
    const rows = await measureMovedQueries(url, { ...sizes, calls: 200, settleMs: 50 });
    console.log(`${machine()}; load average at the end ${loadavg().map((n) => n.toFixed(1))}`);
    const both = (times?: { p50: number; p95: number }) =>
      times === undefined ? "" : `${ms(times.p50)} / ${ms(times.p95)}`;
    console.log(
      table(
        ["p50 / p95 ms", "on one shard", "saved queries on another", "ratio of p50"],
        rows.map(({ name, together, apart }) => [
          name,
          both(together),
          both(apart),
          ((apart?.p50 ?? 0) / (together?.p50 ?? 1)).toFixed(2),
        ]),
      ),
    );
  };
  await withDatabase(positionals[0], measure, "cluster");
}
