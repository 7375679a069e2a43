import { closeSync, openSync, readdirSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import type { IndexFeed } from "../../src/store/mongodb/search/feed/index.ts";
import { Replica } from "../../src/store/mongodb/search/replica/index.ts";
import { eventually } from "../support/boards/client.ts";
import { aPage, aQuestion, idsFor } from "../support/boards/questions.ts";
import { fillMongodb, sameEmbedded } from "../support/mongodb/filled-mongodb.ts";
import { mongodCommand } from "../support/mongodb/mongod.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { ReplicaSet } from "../support/mongodb/replica-set.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { DIMENSION, MODEL, vectorAt } from "../support/search/indexed-posts.ts";
import { leftInFiles } from "../support/search/left-in-files.ts";
import { aPost, aPublisher, T0 } from "../support/search/rows.ts";

const databases = {
  "a replica set": await mongodbFor("replicaSet", "replica"),
  "two shards": await mongodbFor("cluster", "replica"),
};

const DAY_MS = 86_400_000;
const folder = useFolderForEach();
const replicas: Replica[] = [];

afterEach(closeAll);

describe.each(Object.entries(databases))(
  "the replica of the index beside MongoDB on %s",
  (kind, database) => {
    const url = database?.url ?? "mongodb://none/";
    let store: MongodbStore;
    let other: MongodbStore;

    beforeEach(async () => {
      if (database === null) return;
      [store, other] = await Promise.all([openMongodb(url), openMongodb(url)]);
      await store.publishers.insert(aPublisher("pub_a"));
    });
    afterEach(async () => {
      await closeAll();
      if (database === null) return;
      await Promise.all([store.close(), other.close()]);
      await database.empty();
    });
    afterAll(() => database?.drop());

    const it = test.skipIf(database === null);
    /** What is the same on shards. */
    const itsOwn = test.skipIf(database === null || kind !== "a replica set");

    itsOwn("is ready once it holds everything that was acknowledged before it was opened", async () => {
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      await store.posts.insert(aPost("p2", { title: "Unicycle, hidden" }));
      await store.posts.update("p2", { state: "hidden" }, { text: false });
      const replica = opened(store.feed);
      expect([replica.ready(), replica.state()]).toEqual([false, "building"]);
      await expect(idsFor(replica, "unicycle")).rejects.toThrow(StoreUnavailable);
      expect(await replica.readyWithin(30_000)).toBe(true);
      expect([replica.ready(), replica.state()]).toEqual([true, "local"]);
      expect(await idsFor(replica, "unicycle")).toEqual(["p1"]);
    });

    itsOwn("finds the writes of its own process as soon as they are acknowledged", async () => {
      const replica = await ready(store.feed);
      for (let i = 0; i < 20; i += 1) {
        await store.posts.insert(aPost(`p${i}`, { title: `Unicycle number${i}` }));
        expect(await idsFor(replica, `number${i}`)).toEqual([`p${i}`]);
      }
      await store.posts.update("p3", { title: "Harpsichord" }, { text: true });
      expect(await idsFor(replica, "harpsichord")).toEqual(["p3"]);
      expect(await idsFor(replica, "number3")).toEqual([]);
      await store.posts.setVectors([{ id: "p4", updatedAt: T0, model: MODEL, vector: vectorOf(4) }]);
      expect(await replica.ask("vectors", ["p4"])).toEqual([vectorOf(4)]);
      await store.posts.update("p4", { title: "Zither" }, { text: true });
      expect(await replica.ask("vectors", ["p4"])).toEqual([null]);
      // A thread and its replies end together.
      await store.posts.insert(aPost("p6-1", { parentId: "p6", title: "Reply" }));
      await store.posts.update("p6", { expiresAt: T0 + 60 * DAY_MS }, { text: false });
      const late = { includeExpired: false, includeReplies: true, now: T0 + 40 * DAY_MS };
      expect(await replica.ask("count", aQuestion({ filter: late }))).toBe(2);
      await store.posts.remove("p5", T0);
      expect(await idsFor(replica, "number5")).toEqual([]);
      const moved = Array.from({ length: 250 }, (_, n) => ({
        ...aPost(`moved${n}`, { tags: ["moved"] }),
        removedAt: null,
        embedding: null,
      }));
      const mark = { name: "moved", from: null, to: "here" };
      await store.transfer.write([{ kind: "post", rows: moved }], mark);
      expect(await replica.ask("count", aQuestion({ filter: { tags: ["moved"] } }))).toBe(250);
      await store.publishers.update("pub_a", { suspendedAt: T0 });
      expect(await replica.ask("count", aQuestion({}))).toBe(0);
    });

    it("finds the writes of other processes soon, and keeps nothing of what they erase in any file", async () => {
      const replica = await ready(store.feed);
      await other.publishers.insert(aPublisher("pub_b"));
      // The window of a post with a start stays where it is when its expiry moves.
      for (const [id, by, startsAt] of [["p1", "pub_a", null] as const, ["p2", "pub_b", T0] as const])
        await other.posts.insert(aPost(id, { publisherId: by, title: "Unicycle", startsAt }));
      expect((await soon(replica, "unicycle", 2)).sort()).toEqual(["p1", "p2"]);
      await other.posts.setVectors([{ id: "p2", updatedAt: T0, model: MODEL, vector: vectorOf(1) }]);
      await expect.poll(() => replica.ask("vectors", ["p2"])).toEqual([vectorOf(1)]);
      await other.posts.update("p1", { title: "Harpsichord" }, { text: true });
      expect(await soon(replica, "harpsichord", 1)).toEqual(["p1"]);
      await other.posts.update("p1", { state: "hidden" }, { text: false });
      expect(await soon(replica, "harpsichord", 0)).toEqual([]);
      await other.publishers.update("pub_b", { suspendedAt: T0 });
      expect(await soon(replica, "unicycle", 0)).toEqual([]);
      await other.publishers.update("pub_b", { suspendedAt: null, verifiedAt: T0 });
      const verified = aQuestion({ filter: { verifiedOnly: true } });
      await expect.poll(() => replica.ask("count", verified)).toBe(1);
      await other.posts.insert(aPost("p2-1", { parentId: "p2" }), { admit: () => T0 + 90 * DAY_MS });
      const unexpired = aQuestion({ filter: { includeExpired: false, now: T0 + 60 * DAY_MS } });
      await expect.poll(() => replica.ask("count", unexpired)).toBe(1);
      await other.posts.update("p1", { state: "active" }, { text: false });
      expect(await soon(replica, "harpsichord", 1)).toEqual(["p1"]);
      await other.posts.remove("p1", T0);
      expect(await soon(replica, "harpsichord", 0)).toEqual([]);
      const left = () => leftInFiles(join(folder(), "search"), ["unicycl"], vectorOf(1));
      expect(left()).toEqual(["unicycl", "vector"]);
      await other.publishers.erase("pub_b");
      expect(await soon(replica, "unicycle", 0)).toEqual([]);
      await expect.poll(left).toEqual([]);
    });

    it("ends in the newest state, no matter which process wrote or in which order the changes arrive", async () => {
      const replica = await ready(store.feed);
      await store.posts.insert(aPost("p1"));
      await Promise.all(
        Array.from({ length: 24 }, (_, i) =>
          (i % 2 === 0 ? store : other).posts.update("p1", { title: `Version word${i}` }, { text: true }),
        ),
      );
      await store.posts.insert(aPost("p2", { title: "afterwards" }));
      await other.posts.insert(aPost("p3", { title: "afterwards" }));
      await soon(replica, "afterwards", 2);
      const last = (await store.posts.get("p1"))?.title.split(" ").at(-1) ?? "";
      expect(await soon(replica, last, 1)).toEqual(["p1"]);
      expect(await idsFor(replica, "version")).toEqual(["p1"]);
    });

    it("reads what was there and what is written while it is being filled", async () => {
      await fillMongodb(store, 450);
      const reading = ready(store.feed);
      await other.posts.remove(((await other.posts.byPublisher("pub_1", 1))[0] as { id: string }).id, T0);
      await store.posts.insert(aPost("own", { title: "Unicycle" }));
      await other.posts.insert(aPost("foreign", { title: "Unicycle" }));
      const replica = await reading;
      expect((await soon(replica, "unicycle", 2)).sort()).toEqual(["foreign", "own"]);
      const left = (await sameEmbedded(450).ask("count", EVERYTHING)) - 1 + 2;
      await expect.poll(() => replica.ask("count", EVERYTHING)).toBe(left);
    });

    itsOwn("is filled anew when the feed is lost while it follows", async () => {
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      await store.posts.insert(aPost("p2", { title: "Harpsichord" }));
      let lost = false;
      const feed: IndexFeed = {
        ...store.feed,
        async *follow(signal) {
          // The first change that arrives after `lost` is set ends the feed.
          for await (const change of store.feed.follow(signal)) {
            if (lost) {
              lost = false;
              throw new Error("the database no longer has the changes");
            }
            yield change;
          }
        },
      };
      const replica = await ready(feed);
      lost = true;
      await other.posts.remove("p2", T0);
      await soon(replica, "harpsichord", 0);
      expect([lost, await idsFor(replica, "unicycle")]).toEqual([false, ["p1"]]);
      await other.posts.insert(aPost("p3", { title: "Unicycle" }));
      expect((await soon(replica, "unicycle", 2)).sort()).toEqual(["p1", "p3"]);
    });

    itsOwn("replaces its file when it turns out to be damaged at work", async () => {
      await fillMongodb(store, 450);
      const replica = await ready(store.feed);
      const path = join(folder(), "search/replica-1.db");
      const file = new DatabaseSync(path);
      // A change by another connection makes the replica's own read its pages again.
      file.exec("CREATE TABLE noise (x); PRAGMA wal_checkpoint(TRUNCATE)");
      file.close();
      const fd = openSync(path, "r+");
      writeSync(fd, Buffer.alloc(statSync(path).size - 3 * 4_096, 0x55), 0, undefined, 3 * 4_096);
      closeSync(fd);
      await eventually(
        () =>
          idsFor(replica, "bike").then(
            (ids) => ids.length,
            () => 0,
          ),
        (count) => count > 0,
        60_000,
      );
      const asked = aQuestion({ q: "bike" });
      expect(await replica.ask("rank", asked, aPage(1_000))).toEqual(
        await sameEmbedded(450).ask("rank", asked, aPage(1_000)),
      );
    });

    itsOwn("takes a file of its own for each process, and deletes it at the end", async () => {
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      const [one, two] = [await ready(store.feed), await ready(other.feed)];
      expect(files()).toEqual(["replica-1.db", "replica-2.db"]);
      expect(statSync(join(folder(), "search")).mode & 0o777).toBe(0o700);
      await store.posts.insert(aPost("p2", { title: "Unicycle" }));
      expect((await idsFor(one, "unicycle")).sort()).toEqual(["p1", "p2"]);
      expect((await soon(two, "unicycle", 2)).sort()).toEqual(["p1", "p2"]);
      await one.close();
      expect(files()).toEqual(["replica-2.db"]);
      await ready(store.feed);
      expect(files()).toEqual(["replica-1.db", "replica-2.db"]);
    });

    itsOwn("makes a question wait a second at most for what its process wrote", async () => {
      let goOn = () => {};
      const stalled = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const read: IndexFeed["read"] = (ids) => stalled.then(() => store.feed.read(ids));
      const replica = await ready({ ...store.feed, read });
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      expect(await Promise.race([idsFor(replica, "unicycle"), sleep(20_000, "still waiting")])).toEqual([]);
      goOn();
      expect(await soon(replica, "unicycle", 1)).toEqual(["p1"]);
    });

    itsOwn("deletes what processes left that died, and nothing of those that live", async () => {
      await ready(store.feed);
      for (const name of ["replica-2.db", "replica-2.db-wal", "replica-5.db", "replica-5.db-search"])
        writeFileSync(join(folder(), "search", name), "left behind");
      await ready(store.feed);
      expect(files()).toEqual(["replica-1.db", "replica-2.db"]);
      expect(readdirSync(join(folder(), "search")).filter((name) => name.startsWith("replica-5"))).toEqual([
        "replica-5.lock",
      ]);
    });
  },
);

const mongod = await mongodCommand();

describe.skipIf(mongod === null)("a database that goes away", () => {
  it("leaves the replica answering, which follows again when it is back", async () => {
    const set = await ReplicaSet.start(mongod ?? [], 1);
    const store = await openMongodb(set.url("board"));
    try {
      await store.publishers.insert(aPublisher("pub_a"));
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      const replica = await ready(store.feed);
      await set.killAll();
      expect(await idsFor(replica, "unicycle")).toEqual(["p1"]);
      await set.startAll();
      const other = await openMongodb(set.url("board"));
      await other.posts.insert(aPost("p2", { title: "Unicycle" }));
      await other.close();
      expect((await soon(replica, "unicycle", 2)).sort()).toEqual(["p1", "p2"]);
      await closeAll();
    } finally {
      await store.close();
      await set.stop();
    }
  });
});

const EVERYTHING = aQuestion({ filter: { includeReplies: true } });

const files = () =>
  readdirSync(join(folder(), "search"))
    .filter((name) => name.endsWith(".db"))
    .sort();

const opened = (feed: IndexFeed): Replica => {
  const replica = new Replica({
    feed,
    folder: join(folder(), "search"),
    modelId: MODEL,
    dimension: DIMENSION,
    log: { info() {}, warn() {} },
  });
  replicas.push(replica);
  return replica;
};

async function ready(feed: IndexFeed): Promise<Replica> {
  const replica = opened(feed);
  expect(await replica.readyWithin(30_000)).toBe(true);
  return replica;
}

async function closeAll(): Promise<void> {
  await Promise.all(replicas.splice(0).map((replica) => replica.close()));
}

/** The ids that a replica finds, once it answers and they are `count`. */
async function soon(replica: Replica, q: string, count: number): Promise<string[]> {
  const found = await eventually(
    () => idsFor(replica, q).catch(() => null),
    (ids) => ids?.length === count,
    60_000,
  );
  return found ?? [];
}

const vectorOf = (seed: number) => vectorAt(seed) ?? new Int8Array(DIMENSION);
