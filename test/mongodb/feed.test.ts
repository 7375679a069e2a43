import type { Db } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import type { IndexRows } from "../../src/store/mongodb/search/feed/index.ts";
import type { FeedChange } from "../../src/store/mongodb/search/feed/stream.ts";
import { eventually } from "../support/boards/client.ts";
import { mongodCommand } from "../support/mongodb/mongod.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { ReplicaSet } from "../support/mongodb/replica-set.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const DAY_MS = 86_400_000;
const T0 = Date.UTC(2026, 10, 20, 12);
const VECTOR = new Int8Array(384).fill(-7);

/** Follows a feed in the background and remembers what it reported. */
class Follower {
  readonly posts: string[] = [];
  readonly publishers: string[] = [];
  /** Set once following ended by itself. */
  error: unknown = null;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  private constructor({ feed }: MongodbStore, begun: () => void) {
    this.#done = this.#follow(feed.follow(this.#stop.signal), begun).catch((error: unknown) => {
      this.error = error;
    });
  }

  /** Resolves once everything that is committed from then on will be reported. */
  static async begun(store: MongodbStore): Promise<Follower> {
    let follower: Follower | undefined;
    await new Promise<void>((begun) => {
      follower = new Follower(store, begun);
    });
    return follower as Follower;
  }

  async #follow(changes: AsyncIterable<FeedChange>, begun: () => void): Promise<void> {
    for await (const change of changes) {
      begun();
      this.posts.push(...change.posts);
      this.publishers.push(...change.publishers);
    }
  }

  /** Waits until the feed has reported these posts. */
  async sees(...ids: string[]): Promise<void> {
    await eventually(
      async () => ids.every((id) => this.posts.includes(id)),
      (all) => all,
      30_000,
    );
    expect(this.posts).toEqual(expect.arrayContaining(ids));
  }

  /** Ends following, unless it has ended by itself. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  ended(): Promise<void> {
    return this.#done;
  }
}

const database = await mongodbFor("replicaSet", "feed");

describe.skipIf(database === null)("the feed of a mongodb store", () => {
  let store: MongodbStore;
  let other: MongodbStore;
  const followers: Follower[] = [];
  const url = database?.url ?? "mongodb://none/";

  beforeEach(async () => {
    [store, other] = await Promise.all([openMongodb(url), openMongodb(url)]);
    await store.publishers.insert(aPublisher("pub_a"));
  });
  afterEach(async () => {
    await Promise.all(followers.splice(0).map((follower) => follower.end()));
    await Promise.all([store.close(), other.close()]);
    await database?.empty();
  });
  afterAll(() => database?.drop());

  const follow = async (from = store) => {
    const follower = await Follower.begun(from);
    followers.push(follower);
    return follower;
  };
  const scan = async () => {
    const pages: IndexRows[] = [];
    for await (const page of store.feed.scan()) pages.push(page);
    return {
      posts: pages.flatMap(({ posts }) => posts),
      publishers: pages.flatMap(({ publishers }) => publishers),
    };
  };

  it("gives every active post with what an index needs and its vector", async () => {
    await store.posts.insert(
      aPost("p1", { startsAt: T0 + 5, location: { name: "Noord", lat: null, lng: null } }),
    );
    await store.posts.insert(aPost("p2"));
    await store.posts.insert(aPost("p2-1", { parentId: "p2" }), { admit: () => T0 + 60 * DAY_MS });
    for (const id of ["hidden", "removed"]) await store.posts.insert(aPost(id));
    await store.posts.update("hidden", { state: "hidden" }, { text: false });
    await store.posts.remove("removed", T0);
    await store.posts.setVectors([{ id: "p2", updatedAt: T0, model: "m1", vector: VECTOR }]);
    const rows = (await scan()).posts;
    expect(rows.map(({ entry }) => entry.id)).toEqual(["p1", "p2", "p2-1"]);
    expect(rows[0]).toMatchObject({
      entry: {
        windowStart: T0 + 5,
        windowEnd: T0 + 5,
        placeName: "Noord",
        lat: null,
        tags: ["bike", "amsterdam"],
      },
      vector: null,
    });
    expect(rows[1]).toEqual({
      entry: {
        id: "p2",
        kind: "offer",
        title: "Title of p2",
        body: "A road bike, well kept.\nPick it up in Noord.",
        tags: ["bike", "amsterdam"],
        placeName: "Amsterdam",
        lat: 52.37,
        lng: 4.9,
        windowStart: T0,
        // A reply moved the expiry, and with it the end of a window without dates.
        windowEnd: T0 + 60 * DAY_MS,
        expiresAt: T0 + 60 * DAY_MS,
        createdAt: T0,
        publisherId: "pub_a",
        parentId: null,
        syndicated: false,
        source: null,
      },
      vector: { model: "m1", vector: VECTOR },
    });
    const asked = { posts: ["p2", "hidden", "nope", "removed"], publishers: [] };
    expect((await store.feed.read(asked)).posts).toEqual([rows[1]]);
  });

  it("gives the status of every publisher", async () => {
    await store.publishers.insert(aPublisher("pub_b", { verifiedAt: T0, verifiedVia: "dns" }));
    await store.publishers.insert(aPublisher("pub_c", { suspendedAt: T0 }));
    const all = [
      { id: "pub_a", verified: false, suspended: false },
      { id: "pub_b", verified: true, suspended: false },
      { id: "pub_c", verified: false, suspended: true },
    ];
    expect((await scan()).publishers).toEqual(all);
    const asked = { posts: [], publishers: ["pub_c", "nope"] };
    expect((await store.feed.read(asked)).publishers).toEqual([all[2]]);
  });

  it("misses nothing between a scan and what is followed, while others write", async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `p${n}`);
    const writing = (async () => {
      for (const id of ids) await other.posts.insert(aPost(id));
    })();
    await eventually(
      () => store.posts.get("p9"),
      (post) => post !== null,
    );
    const follower = await follow();
    const scanned = (await scan()).posts.map(({ entry }) => entry.id);
    await writing;
    await follower.sees("p59");
    expect(new Set([...scanned, ...follower.posts])).toEqual(new Set(ids));
  });

  it("reports every change that an index must know, and no other", async () => {
    const follower = await follow();
    // A stream from a time begins with what was written at that time.
    await other.posts.insert(aPost("mark"));
    await follower.sees("mark");
    /** Ids that the feed reports for `act`, sorted. */
    const reportedOf = async (act: () => Promise<unknown>) => {
      const from = [follower.posts.length, follower.publishers.length];
      await act();
      const mark = `mark${from.join("-")}`;
      await other.posts.insert(aPost(mark));
      await follower.sees(mark);
      // Changes to one document that come together are reported once.
      const reported = new Set([...follower.posts.slice(from[0]), ...follower.publishers.slice(from[1])]);
      return [...reported].filter((id) => id !== mark).sort();
    };
    const reply = aPost("p-1", { parentId: "p" });
    expect(await reportedOf(() => other.publishers.insert(aPublisher("pub_b")))).toEqual(["pub_b"]);
    expect(await reportedOf(() => other.posts.insert(aPost("p", { publisherId: "pub_b" })))).toEqual(["p"]);
    expect(await reportedOf(() => other.posts.insert(reply))).toEqual(["p-1"]);
    const later = { admit: () => T0 + 90 * DAY_MS };
    expect(await reportedOf(() => other.posts.insert({ ...reply, id: "p-2" }, later))).toEqual([
      "p",
      "p-1",
      "p-2",
    ]);
    expect(await reportedOf(() => other.posts.update("p", { title: "New" }, { text: true }))).toEqual(["p"]);
    expect(await reportedOf(() => other.posts.update("p-1", { state: "hidden" }, { text: false }))).toEqual([
      "p-1",
    ]);
    const rows = [{ id: "p", updatedAt: T0, model: "m1", vector: VECTOR }];
    expect(await reportedOf(() => other.posts.setVectors(rows))).toEqual(["p"]);
    expect(await reportedOf(() => other.posts.addRetrievals(new Map([["p", 1]])))).toEqual([]);
    expect(await reportedOf(() => other.publishers.update("pub_b", { checkedAt: T0 }))).toEqual([]);
    expect(await reportedOf(() => other.publishers.update("pub_b", { suspendedAt: T0 }))).toEqual(["pub_b"]);
    expect(await reportedOf(() => other.posts.remove("p-2", T0))).toEqual(["p-2"]);
    expect(await reportedOf(() => other.posts.erase({ expired: 0, removed: T0 + 1 }, 9))).toEqual(["p-2"]);
    expect(await reportedOf(() => other.publishers.erase("pub_b"))).toEqual(["p", "p-1", "pub_b"]);
  });

  it("reports a write to its own handle before the write resolves", async () => {
    const told: FeedChange[] = [];
    store.feed.onWrite((change) => void told.push(change));
    await store.posts.insert(aPost("p"));
    expect(told).toEqual([{ posts: ["p"], publishers: [] }]);
    await store.publishers.update("pub_a", { suspendedAt: T0 });
    expect(told.at(-1)).toEqual({ posts: [], publishers: ["pub_a"] });
    await store.publishers.erase("pub_a");
    const erased = told.slice(2);
    expect(erased.flatMap(({ posts }) => posts)).toEqual(["p"]);
    expect(erased.flatMap(({ publishers }) => publishers)).toContain("pub_a");
    await other.publishers.insert(aPublisher("pub_b"));
    expect(told.flatMap(({ publishers }) => publishers)).not.toContain("pub_b");
  });

  it("reads nothing older than what its stream reported, and makes no other read wait for that", async () => {
    const follower = await follow();
    await other.posts.insert(aPost("p"));
    await follower.sees("p");
    const readsOf = async (ask: () => Promise<unknown>) => {
      const db = database?.db as Db;
      await db.command({ profile: 2 });
      await ask().finally(() => db.command({ profile: 0 }));
      const reads = await db
        .collection("system.profile")
        .find({ "command.find": { $exists: true } })
        .toArray();
      await db.collection("system.profile").drop();
      expect(reads).not.toEqual([]);
      return reads.map(({ command }) => command.readConcern);
    };
    for (const read of [() => store.feed.read({ posts: ["p"], publishers: ["pub_a"] }), () => scan()]) {
      for (const { level, afterClusterTime } of await readsOf(read)) {
        expect(level).toBe("majority");
        expect(afterClusterTime).toBeDefined();
      }
    }
    for (const concern of await readsOf(() => store.posts.get("p"))) {
      expect(concern).toMatchObject({ level: "majority" });
      expect(concern).not.toHaveProperty("afterClusterTime");
    }
  });

  it("stops when it is told to, and when its store closes", async () => {
    const told = await follow();
    await told.end();
    expect(told.error).toBeNull();
    const closed = await follow(other);
    await other.close();
    await closed.ended();
    expect(closed.error).toBeNull();
    other = await openMongodb(url);
  });

  it("ends when a collection is dropped, whose documents no change names", async () => {
    const follower = await follow();
    await other.collections.posts.drop();
    await follower.ended();
    expect(follower.error).toBeInstanceOf(Error);
  });
});

const mongod = await mongodCommand();

describe.skipIf(mongod === null)("the feed of a mongodb store whose server is away for a while", () => {
  let set: ReplicaSet;
  let store: MongodbStore;
  beforeAll(async () => {
    set = await ReplicaSet.start(mongod ?? [], 1);
    store = await openMongodb(set.url("board"));
    await store.publishers.insert(aPublisher("pub_a"));
  });
  afterAll(async () => {
    await store.close();
    await set.stop();
  });
  /** Inserts a post, as soon as there is a primary to take it. */
  const write = (id: string) =>
    eventually(
      () =>
        store.posts.insert(aPost(id)).then(
          () => true,
          () => false,
        ),
      (done) => done,
      60_000,
    );

  it("goes on after the primary stepped down, and after it was killed and came back", async () => {
    const follower = await Follower.begun(store);
    await write("p1");
    await follower.sees("p1");
    const primary = await set.primary();
    await primary.admin((db) => db.command({ replSetStepDown: 1, force: true }));
    await write("p2");
    await follower.sees("p2");
    await set.killAll();
    await set.startAll();
    await write("p3");
    await follower.sees("p3");
    expect([...new Set(follower.posts)]).toEqual(["p1", "p2", "p3"]);
    expect(follower.error).toBeNull();
    await follower.end();
  });
});
