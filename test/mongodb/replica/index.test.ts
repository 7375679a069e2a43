import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { FeedLost, type IndexFeed } from "../../../src/ports/index-feed.ts";
import { StoreUnavailable } from "../../../src/ports/store/index.ts";
import { DatabaseSync } from "../../../src/sqlite.ts";
import { type MongodbStore, openMongodb } from "../../../src/store/mongodb/index.ts";
import { openReplica, type Replica } from "../../../src/store/mongodb/search/replica/index.ts";
import { eventually } from "../../support/boards/client.ts";
import { aPage, aQuestion, idsFor } from "../../support/boards/questions.ts";
import { fillMongodb, sameEmbedded } from "../../support/mongodb/filled-mongodb.ts";
import { mongodCommand } from "../../support/mongodb/mongod.ts";
import { mongodbFor } from "../../support/mongodb/mongodb.ts";
import { ReplicaSet } from "../../support/mongodb/replica-set.ts";
import { anyFilter, DIMENSION, MODEL, T0, vectorAt } from "../../support/search/indexed-posts.ts";
import { aPost, aPublisher } from "../../support/search/rows.ts";

const DAY_MS = 86_400_000;
const databases = {
  "a replica set": await mongodbFor("replicaSet", "replica"),
  "two shards": await mongodbFor("cluster", "replica"),
};

let folder: string;
const replicas: Replica[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "replica-"));
});
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true });
});

describe.each(Object.entries(databases))(
  "the replica of the index beside MongoDB on %s",
  (_kind, database) => {
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

    it("is ready once it holds everything that was acknowledged before it was opened", async () => {
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      await store.posts.insert(aPost("p2", { title: "Unicycle, hidden" }));
      await store.posts.update("p2", { state: "hidden" }, { text: false });
      const replica = opened(store.feed);
      expect(replica.ready()).toBe(false);
      await expect(idsFor(replica, "unicycle")).rejects.toThrow(StoreUnavailable);
      expect(await replica.readyWithin(30_000)).toBe(true);
      expect(await idsFor(replica, "unicycle")).toEqual(["p1"]);
    });

    it("finds the writes of its own process as soon as they are acknowledged", async () => {
      const replica = await ready(store.feed);
      for (let i = 0; i < 20; i += 1) {
        await store.posts.insert(aPost(`p${i}`, { title: `Unicycle number${i}` }));
        expect(await idsFor(replica, `number${i}`)).toEqual([`p${i}`]);
      }
      await store.posts.update("p3", { title: "Harpsichord" }, { text: true });
      expect(await idsFor(replica, "harpsichord")).toEqual(["p3"]);
      expect(await idsFor(replica, "number3")).toEqual([]);
      await store.posts.setVectors([{ id: "p4", updatedAt: T0, model: MODEL, vector: vectorOf(4) }]);
      expect(await replica.vectors(["p4"])).toEqual([vectorOf(4)]);
      await store.posts.remove("p5", T0);
      expect(await idsFor(replica, "number5")).toEqual([]);
      await store.publishers.update("pub_a", { suspendedAt: T0 });
      expect(await replica.count(aQuestion({}))).toBe(0);
    });

    it("finds the writes of other processes soon", async () => {
      const replica = await ready(store.feed);
      await other.posts.insert(aPost("p1", { title: "Unicycle" }));
      expect(await soon(replica, "unicycle", 1)).toEqual(["p1"]);
      await other.posts.remove("p1", T0);
      expect(await soon(replica, "unicycle", 0)).toEqual([]);
    });

    it("ends in the newest state, no matter which process wrote or in which order the changes arrive", async () => {
      const replica = await ready(store.feed);
      await store.posts.insert(aPost("p1"));
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
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

    it("reads only what changed since, at its next start", async () => {
      for (let i = 0; i < 5; i += 1)
        await store.posts.insert(aPost(`p${i}`, { title: `Unicycle number${i}` }));
      await (await ready(store.feed)).close();
      await other.posts.insert(aPost("new", { title: "Unicycle, new" }));
      await other.posts.update("p1", { title: "Harpsichord" }, { text: true });
      await other.posts.remove("p2", T0);
      let scans = 0;
      const feed: IndexFeed = {
        ...store.feed,
        scanPosts(after, limit) {
          scans += 1;
          return store.feed.scanPosts(after, limit);
        },
      };
      const replica = await ready(feed);
      expect((await idsFor(replica, "unicycle")).sort()).toEqual(["new", "p0", "p3", "p4"]);
      expect(await idsFor(replica, "harpsichord")).toEqual(["p1"]);
      expect(scans).toBe(0);
    });

    it("reads everything again when the database no longer has the changes since, and removes what is gone", async () => {
      await fillMongodb(store, 450);
      const before = await ready(store.feed);
      expect(await before.count(EVERYTHING)).toBe(await sameEmbedded(450).count(EVERYTHING));
      await before.close();
      const shown = (await other.posts.byPublisher("pub_1", 3)).map(({ id }) => id);
      for (const id of shown) await other.posts.remove(id, T0);
      await other.posts.insert(aPost("zz", { title: "Unicycle" }));
      const file = new DatabaseSync(join(folder, "replica-1.db"));
      file.exec("UPDATE replica SET value = 'unknown' WHERE name = 'place'");
      file.close();
      const after = await ready(store.feed);
      expect(await after.count(EVERYTHING)).toBe((await sameEmbedded(450).count(EVERYTHING)) - 3 + 1);
      expect(await idsFor(after, "unicycle")).toEqual(["zz"]);
      const listed = await after.list(EVERYTHING, { order: "newest", after: null, limit: 500 });
      for (const id of shown) expect(listed.map((place) => place.id)).not.toContain(id);
    });

    it("is filled anew when the feed is lost while it follows", async () => {
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      await store.posts.insert(aPost("p2", { title: "Harpsichord" }));
      let lost = false;
      const feed: IndexFeed = {
        ...store.feed,
        async *follow(place, signal) {
          // The first change that arrives after `lost` is set ends the feed.
          for await (const change of store.feed.follow(place, signal)) {
            if (lost) {
              lost = false;
              throw new FeedLost();
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

    it("replaces a file that is damaged, of another board, or was never filled completely", async () => {
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      const path = join(folder, "replica-1.db");
      await (await ready(store.feed)).close();
      writeFileSync(path, Buffer.alloc(8_192, "no database"));
      const repaired = await ready(store.feed);
      expect(await idsFor(repaired, "unicycle")).toEqual(["p1"]);
      await repaired.close();

      const file = new DatabaseSync(path);
      file.exec("DELETE FROM index_doc");
      file.exec("DELETE FROM replica WHERE name = 'place'");
      file.close();
      const filled = await ready(store.feed);
      expect(await idsFor(filled, "unicycle")).toEqual(["p1"]);
      await filled.close();

      await other.posts.remove("p1", T0);
      await other.posts.insert(aPost("p2", { title: "Unicycle" }));
      expect(await idsFor(await ready(store.feed, "another board"), "unicycle")).toEqual(["p2"]);
    });

    it("replaces its file when it turns out to be damaged at work", async () => {
      await fillMongodb(store, 450);
      const replica = await ready(store.feed);
      const path = join(folder, "replica-1.db");
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
      expect(await replica.match(asked, aPage(1_000))).toEqual(
        await sameEmbedded(450).match(asked, aPage(1_000)),
      );
    });

    it("takes a file of its own for each process, and finds it again", async () => {
      await store.posts.insert(aPost("p1", { title: "Unicycle" }));
      const [one, two] = [await ready(store.feed), await ready(other.feed)];
      expect(files()).toEqual(["replica-1.db", "replica-2.db"]);
      await store.posts.insert(aPost("p2", { title: "Unicycle" }));
      expect((await idsFor(one, "unicycle")).sort()).toEqual(["p1", "p2"]);
      expect((await soon(two, "unicycle", 2)).sort()).toEqual(["p1", "p2"]);
      await one.close();
      await ready(store.feed);
      expect(files()).toEqual(["replica-1.db", "replica-2.db"]);
    });

    it("deletes files that no process has used for a week, and no others", async () => {
      const [one, two, three] = [await ready(store.feed), await ready(store.feed), await ready(store.feed)];
      await Promise.all([two.close(), three.close()]);
      const old = new Date(Date.now() - 8 * DAY_MS);
      await one.close();
      for (const name of readdirSync(folder)) {
        if (/^replica-[12]/.test(name)) utimesSync(join(folder, name), old, old);
      }
      await ready(store.feed);
      expect(files()).toEqual(["replica-1.db", "replica-3.db"]);
    });

    it("answers every question as the embedded index does on the same posts", async () => {
      const count = 600;
      await fillMongodb(store, count);
      const replica = await ready(store.feed);
      const embedded = sameEmbedded(count);
      await fc.assert(
        fc.asyncProperty(
          anyFilter,
          fc.constantFrom(
            undefined,
            "bike",
            "cello repair",
            '"garden market"',
            "music -tent",
            "qwertz",
            "!!!",
          ),
          fc.option(fc.nat(12), { nil: null }),
          async (filter, q, direction) => {
            const vector = direction === null ? null : vectorOf(direction);
            const asked = aQuestion({ filter, vector, ...(q === undefined ? {} : { q }) });
            const page = aPage(50, ["post00007", "post00011"]);
            expect(await replica.match(asked, page)).toEqual(await embedded.match(asked, page));
            expect(await replica.count(asked)).toBe(await embedded.count(asked));
            for (const order of ["newest", "soonest"] as const) {
              const list = { order, after: { at: T0 - 50_000, id: "post00300" }, limit: 20 };
              expect(await replica.list(asked, list)).toEqual(await embedded.list(asked, list));
            }
          },
        ),
        { numRuns: 150 },
      );
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
      const found = await eventually(
        () => idsFor(replica, "unicycle"),
        (ids) => ids.length === 2,
        60_000,
      );
      expect(found.sort()).toEqual(["p1", "p2"]);
      await closeAll();
    } finally {
      await store.close();
      await set.stop();
    }
  });
});

const EVERYTHING = aQuestion({ filter: { includeReplies: true } });

const files = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".db"))
    .sort();

const opened = (feed: IndexFeed, board = "board"): Replica => {
  const replica = openReplica({
    feed,
    folder,
    board,
    modelId: MODEL,
    dimension: DIMENSION,
    log: { info() {}, warn() {} },
    now: Date.now(),
  });
  replicas.push(replica);
  return replica;
};

async function ready(feed: IndexFeed, board?: string): Promise<Replica> {
  const replica = opened(feed, board);
  expect(await replica.readyWithin(30_000)).toBe(true);
  return replica;
}

async function closeAll(): Promise<void> {
  await Promise.all(replicas.splice(0).map((replica) => replica.close()));
}

/** What it finds once that is so many, and it answers. */
async function soon(replica: Replica, q: string, count: number): Promise<string[]> {
  const found = await eventually(
    () => idsFor(replica, q).catch(() => null),
    (ids) => ids?.length === count,
  );
  return found ?? [];
}

const vectorOf = (seed: number) => vectorAt(seed) ?? new Int8Array(DIMENSION);
