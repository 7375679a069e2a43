import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { COLLECTIONS } from "../../src/store/mongodb/database/context.ts";
import { INDEXES } from "../../src/store/mongodb/database/schema/indexes.ts";
import { SCHEMA_VERSION } from "../../src/store/mongodb/database/schema/migrations.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { expectClosed } from "../contract/being-erased.ts";
import { mongodbFor, type TestDatabase } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher, aSubscription, aVector, T0 } from "../support/search/rows.ts";

const KINDS = ["replicaSet", "cluster"] as const;
const databases = new Map<string, TestDatabase | null>();
for (const kind of KINDS) databases.set(kind, await mongodbFor(kind, "start"));

describe.each(KINDS)("a start of the MongoDB store, %s", (kind) => {
  const database = databases.get(kind) ?? null;
  if (database === null) {
    it.skip("needs a mongod", () => {});
    return;
  }
  const { db, url } = database;
  const schema = db.collection<{ _id: string; version: number }>("meta");
  const opened: MongodbStore[] = [];
  const start = async () => {
    const store = await openMongodb(url);
    opened.push(store);
    return store;
  };
  const names = async () =>
    (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const missingIndexes = async () => {
    const missing: string[] = [];
    for (const name of COLLECTIONS) {
      const found = await db.collection(name).indexes();
      const lacking = INDEXES[name].filter((index) => !found.some((there) => there.name === index.name));
      missing.push(...lacking.map((index) => `${name}.${index.name}`));
    }
    return missing;
  };

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await database.wipe();
  });
  afterAll(database.drop);

  it("makes collections and indexes once, however many processes start together", async () => {
    const stores = await Promise.all([start(), start(), start(), start()]);
    await Promise.all(stores.map((store, n) => store.publishers.insert(aPublisher(`pub_${n}`))));
    expect((await names()).sort()).toEqual([...COLLECTIONS, "meta"].sort());
    expect(await missingIndexes()).toEqual([]);
    expect(await schema.findOne({ _id: "schema" })).toMatchObject({ version: SCHEMA_VERSION });
  });

  it("goes on where another start was cut off", async () => {
    await schema.insertOne({ _id: "schema", version: 0 });
    await db.createCollection("posts");
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    expect((await names()).sort()).toEqual([...COLLECTIONS, "meta"].sort());
    expect(await missingIndexes()).toEqual([]);
    expect(await schema.findOne({ _id: "schema" })).toMatchObject({ version: SCHEMA_VERSION });
  });

  // What follows is the same on both, and making collections on shards takes seconds.
  if (kind === "cluster") return;

  it("keeps what a newer release added to a post that it edits", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    const posts = db.collection<{ _id: string; mood?: string; geo?: object }>("posts");
    await posts.updateOne({ _id: "p" }, { $set: { mood: "calm" } });
    await store.posts.update("p", { title: "New", location: null }, { text: true });
    const edited = await posts.findOne({ _id: "p" });
    expect(edited).toMatchObject({ mood: "calm", title: "New" });
    expect(edited).not.toHaveProperty("geo");
  });

  it("keeps of a removed post neither its text nor what was made of it", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p", { sourceUrl: "https://example.org/page" }));
    await store.posts.setVectors([{ id: "p", updatedAt: T0, model: "m", vector: aVector(7) }]);
    await store.posts.remove("p", T0 + 1);
    const left = await store.collections.posts.findOne({ _id: "p" });
    expect(left).toMatchObject({ state: "removed", removed_at: new Date(T0 + 1), vec_model: null });
    for (const field of ["place", "geo", "source", "metadata", "vec", "match", "embed"])
      expect(left).not.toHaveProperty(field);
    expect(JSON.stringify(left)).not.toMatch(/Title|bike|msterdam|example/);
  });

  it("shows nothing of a publisher whose erasure was cut off, and completes it", async () => {
    const store = await start();
    for (const id of ["pub_a", "pub_b"]) {
      const shown = { verifiedAt: T0, verifiedVia: "dns", recovery: "asked" } as const;
      await store.publishers.insert(aPublisher(id, shown));
      await store.posts.insert(aPost(`p_${id}`, { publisherId: id }));
    }
    await store.subscriptions.insert(aSubscription("sub_a"), 50);
    vi.spyOn(store.collections.subscriptions, "find").mockImplementationOnce(() => {
      throw new Error("cut off");
    });
    await expect(store.publishers.erase("pub_a")).rejects.toThrow("cut off");
    const hidden = async () => {
      const posts = await store.collections.posts.find({}, { sort: { _id: 1 } }).toArray();
      return posts.map(({ _id, pub_suspended }) => [_id, pub_suspended]);
    };
    expect(await hidden()).toEqual([
      ["p_pub_a", true],
      ["p_pub_b", false],
    ]);
    await expectClosed(store);
    const { publishers } = await store.feed.read({ posts: [], publishers: ["pub_a", "pub_b"] });
    expect(publishers.map(({ id, suspended }) => [id, suspended])).toEqual([
      ["pub_a", true],
      ["pub_b", false],
    ]);
    expect(await store.collections.publishers.findOne({ _id: "pub_a" })).toMatchObject({
      ...{ name: "", description: null, url: null, domain: null, verify_token: null },
      ...{ verified_at: null, verified_via: null, recovery: null, key_hash: "erased pub_a" },
    });
    await start();
    expect(await hidden()).toEqual([["p_pub_b", false]]);
    expect(await store.collections.publishers.countDocuments()).toBe(1);
  });

  it("copies a publisher's status to its posts, also where that was cut off or the status changes meanwhile", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    const { posts, publishers } = store.collections;
    const isSuspended = async () => (await posts.findOne({ _id: "p" }))?.pub_suspended;
    const copy = posts.updateMany.bind(posts);
    const copying = vi.spyOn(posts, "updateMany").mockRejectedValueOnce(new Error("cut off"));
    await expect(store.publishers.update("pub_a", { suspendedAt: T0 })).rejects.toThrow("cut off");
    await store.publishers.update("pub_a", { name: "Another" });
    expect(await isSuspended()).toBe(true);
    copying.mockImplementationOnce(async (...asked) => {
      const copied = await copy(...asked);
      // As another process does.
      const again = { suspended_at: new Date(T0 + 9), spreading: true };
      await publishers.updateOne({ _id: "pub_a" }, { $set: again });
      return copied;
    });
    await store.publishers.update("pub_a", { suspendedAt: null });
    expect(await isSuspended()).toBe(true);
    copying.mockRestore();
  });

  it("leaves a subscription that its host renews while lapsed ones are removed", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    for (const id of ["sub_1", "sub_2"])
      await store.subscriptions.insert(aSubscription(id, { event: "post.matched", expiresAt: T0 }), 50);
    const { subscriptions } = store.collections;
    const find = subscriptions.find.bind(subscriptions);
    vi.spyOn(subscriptions, "find").mockImplementationOnce((...asked: unknown[]) => {
      const cursor = find(...(asked as Parameters<typeof find>));
      const found = cursor.toArray.bind(cursor);
      return Object.assign(cursor, {
        async toArray() {
          const lapsed = await found();
          await store.subscriptions.update("sub_1", { expiresAt: T0 + 9 });
          return lapsed;
        },
      });
    });
    expect(await store.subscriptions.removeLapsed(T0, 9)).toBe(1);
    expect((await store.subscriptions.ofPublisher("pub_a")).map(({ id }) => id)).toEqual(["sub_1"]);
  });

  it.each([
    ["a publisher's erasure", "publisher"],
    ["the removal of a saved query", "subscription"],
  ])("exports no board in the middle of %s that another process begins", async (_, what) => {
    const store = await start();
    for (const id of ["pub_a", "pub_b"]) {
      await store.publishers.insert(aPublisher(id));
      await store.posts.insert(aPost(`p_${id}`, { publisherId: id }));
      await store.subscriptions.insert(aSubscription(`sub_${id}`, { publisherId: id }), 50);
    }
    const matches = ["sub_pub_a", "sub_pub_b"].map((subscriptionId) => ({
      subscriptionId,
      postId: "p_pub_a",
    }));
    await store.subscriptions.deliver(
      matches.map((match) => ({ ...match, matchedAt: T0 })),
      [],
    );
    const { publishers, subscriptions, removed_subscriptions } = store.collections;
    const begin = async () => {
      if (what === "publisher") await publishers.updateOne({ _id: "pub_b" }, { $set: { erasing: true } });
      else {
        await removed_subscriptions.insertOne({ _id: "sub_pub_b", change_no: 9, purged: false });
        await subscriptions.deleteOne({ _id: "sub_pub_b" });
      }
    };
    // This is the last look for what is to be finished before the export.
    const find = removed_subscriptions.find.bind(removed_subscriptions);
    vi.spyOn(removed_subscriptions, "find").mockImplementationOnce((...asked: unknown[]) => {
      const cursor = find(...(asked as Parameters<typeof find>));
      const found = cursor.toArray.bind(cursor);
      return Object.assign(cursor, {
        async toArray() {
          const open = await found();
          await begin();
          return open;
        },
      });
    });
    const { counts, close } = await store.transfer.snapshot();
    await close();
    const left = what === "publisher" ? 1 : 2;
    expect(counts).toMatchObject({ publisher: left, post: left, subscription: 1, delivery: 1, inbox: 1 });
  });

  it("completes the removal of a saved query that was cut off", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    await store.subscriptions.insert(aSubscription("sub_1"), 50);
    await store.subscriptions.deliver([{ subscriptionId: "sub_1", postId: "p", matchedAt: T0 }], []);
    await store.collections.subscriptions.deleteOne({ _id: "sub_1" });
    await store.collections.removed_subscriptions.insertOne({ _id: "sub_1", change_no: 9, purged: false });
    await start();
    for (const name of ["deliveries", "inbox"]) expect(await db.collection(name).countDocuments()).toBe(0);
    // What hosts subscribe to has the same id when it is made anew, and numbers that go on.
    await store.posts.insert(aPost("q"));
    const unpurged = { change_no: 9, purged: false, next_delivery: 5 };
    await store.collections.removed_subscriptions.replaceOne({ _id: "sub_1" }, unpurged, { upsert: true });
    await store.subscriptions.insert(aSubscription("sub_1"), 50);
    const match = { subscriptionId: "sub_1", postId: "q", matchedAt: T0 };
    expect(await store.subscriptions.deliver([match], [])).toMatchObject([{ deliveryId: 5 }]);
    await start();
    for (const name of ["deliveries", "inbox"]) expect(await db.collection(name).countDocuments()).toBe(1);
  });
});
