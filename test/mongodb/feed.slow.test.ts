import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const database = await mongodbFor("replicaSet", "feed");

/** What it reports, and what an index makes of that, is tested in `replica.slow.test.ts`. */
describe.skipIf(database === null)("the feed of a mongodb store", () => {
  const { url, db, wipe, drop } = database as NonNullable<typeof database>;
  let store: MongodbStore;
  let other: MongodbStore;

  beforeEach(async () => {
    [store, other] = await Promise.all([openMongodb(url), openMongodb(url)]);
    await store.publishers.insert(aPublisher("pub_a"));
  });
  afterEach(async () => {
    await Promise.all([store.close(), other.close()]);
    await wipe();
  });
  afterAll(drop);

  /** Its changes, once everything that is committed from then on will be reported. */
  const follow = async () => {
    const changes = store.feed.follow(new AbortController().signal);
    await changes.next();
    return changes;
  };

  it("reads nothing older than what its stream reported, and makes no other read wait for that", async () => {
    const changes = await follow();
    await other.posts.insert(aPost("p"));
    for await (const { posts } of changes) if (posts.includes("p")) break;
    const readsOf = async (ask: () => Promise<unknown>) => {
      await db.command({ profile: 2 });
      await ask().finally(() => db.command({ profile: 0 }));
      const finds = { "command.find": { $exists: true } };
      const reads = await db.collection("system.profile").find(finds).toArray();
      await db.collection("system.profile").drop();
      expect(reads).not.toEqual([]);
      return reads.map(({ command }) => command.readConcern);
    };
    const scan = async () => {
      for await (const _ of store.feed.scan());
    };
    for (const read of [() => store.feed.read({ posts: ["p"], publishers: ["pub_a"] }), scan]) {
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

  it("ends when a collection is dropped, whose documents no change names", async () => {
    const changes = await follow();
    await other.collections.posts.drop();
    const toItsEnd = async () => {
      for await (const _ of changes);
    };
    await expect(toItsEnd()).rejects.toThrow();
  });
});
