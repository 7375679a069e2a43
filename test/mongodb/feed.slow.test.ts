import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { documentOfPost, newPublisher } from "../../src/store/mongodb/database/posts.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher, aReport, T0 } from "../support/search/rows.ts";

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

  it("reads all that there is in pages, each once, and of posts the active ones", async () => {
    const names = Array.from({ length: 4_000 }, (_, n) => String(n).padStart(4, "0"));
    await store.collections.publishers.insertMany(names.map((n) => newPublisher(aPublisher(`pub_${n}`))));
    const standing = { pub_verified: false, pub_suspended: false };
    const posts = [
      ...names.map((n) => aPost(`p${n}`)),
      aPost("hidden", { state: "hidden" }),
      aPost("q", { parentId: "p0001" }),
    ];
    await store.collections.posts.insertMany(posts.map((post) => documentOfPost(post, standing)));
    await other.publishers.update("pub_0001", { verifiedAt: T0 });
    await other.publishers.update("pub_0002", { suspendedAt: T0 });
    const [seen, known]: [string[], Map<string, boolean[]>] = [[], new Map()];
    for await (const page of store.feed.scan()) {
      seen.push(...page.posts.map(({ entry }) => entry.id));
      for (const { id, verified, suspended } of page.publishers) known.set(id, [verified, suspended]);
    }
    expect(seen).toEqual([...names.map((n) => `p${n}`), "q"]);
    expect(known.size).toBe(4_001);
    expect([...known].filter(([, status]) => status.includes(true))).toEqual([
      ["pub_0001", [true, false]],
      ["pub_0002", [false, true]],
    ]);
  });

  it("passes over what no index reads: counts, reports, work, checks, and a status copied to posts", async () => {
    await other.publishers.insert(aPublisher("pub_b"));
    for (const [id, publisherId] of [["p", "pub_a"] as const, ["b", "pub_b"] as const])
      await other.posts.insert(aPost(id, { publisherId }));
    const changes = await follow();
    await other.posts.addRetrievals(new Map([["p", 1]]));
    await other.reports.upsert(aReport("rep_1"));
    for (const kind of ["match", "embed"] as const)
      await other.work.claim(kind, { limit: 9, leaseMs: 1, now: T0 });
    await other.posts.insert(aPost("p-1", { parentId: "p", publisherId: "pub_b" }));
    await other.publishers.update("pub_a", { checkedAt: T0 });
    await other.publishers.update("pub_b", { suspendedAt: T0, verifiedAt: T0 });
    await other.posts.insert(aPost("last"));
    const seen = new Set<string>();
    for await (const { posts, publishers } of changes) {
      for (const id of [...posts, ...publishers]) seen.add(id);
      if (seen.has("last")) break;
    }
    expect([...seen].sort()).toEqual(["last", "p-1", "pub_b"]);
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
