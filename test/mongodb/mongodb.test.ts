import { afterAll, afterEach, describe, expect, it } from "vitest";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { COLLECTIONS } from "../../src/store/mongodb/schema/collections.ts";
import { INDEXES } from "../../src/store/mongodb/schema/indexes.ts";
import { SCHEMA_VERSION } from "../../src/store/mongodb/schema/migrations.ts";
import { mongodbFor, type TestDatabase } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher, T0 } from "../support/search/rows.ts";

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
  const schema = db.collection<{ _id: string; version: number; owner: string | null; owned_until: Date }>(
    "meta",
  );
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
    expect(await schema.findOne({ _id: "schema" })).toMatchObject({ version: SCHEMA_VERSION, owner: null });
  });

  it("goes on where another start was cut off, once its claim has ended", async () => {
    await schema.insertOne({
      _id: "schema",
      version: 0,
      owner: "dead",
      owned_until: new Date(Date.now() - 1),
    });
    await db.createCollection("posts");
    await db.createCollection("work");
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    expect((await names()).sort()).toEqual([...COLLECTIONS, "meta"].sort());
    expect(await missingIndexes()).toEqual([]);
    expect(await schema.findOne({ _id: "schema" })).toMatchObject({ version: SCHEMA_VERSION, owner: null });
  });

  it("drops an index of an older release that no query uses", async () => {
    await db.collection("reports").createIndex({ post_id: 1, created_at: 1 }, { name: "since" });
    await schema.insertOne({ _id: "schema", version: 1, owner: null, owned_until: new Date(0) });
    await start();
    expect(await missingIndexes()).toEqual([]);
    const kept = (await db.collection("reports").indexes()).map(({ name }) => name);
    expect(kept.sort()).toEqual(["_id_", "reporter", "voice"]);
  });

  it("drops the index of turns in the push queue, which stands in the order of due times", async () => {
    await start();
    const key = { failing: 1, origin: 1, turn: 1, due_at: 1 } as const;
    await db.collection("push_queue").createIndex(key, { name: "turn" });
    await schema.updateOne({ _id: "schema" }, { $set: { version: 10 } });
    await start();
    const kept = (await db.collection("push_queue").indexes()).map(({ name }) => name);
    expect(kept.sort()).toEqual(["_id_", "due", "lane"]);
  });

  it("has the replies of an older database expire with their roots", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p", { expiresAt: T0 + 90 }));
    await store.posts.insert(aPost("p-1", { parentId: "p" }));
    const early = { expires_at: new Date(T0 + 30), win_end: new Date(T0 + 30), expiry_chosen: true };
    await db.collection<{ _id: string }>("posts").updateOne({ _id: "p-1" }, { $set: early });
    await schema.updateOne({ _id: "schema" }, { $set: { version: 2 } });
    await start();
    expect(await store.posts.get("p-1")).toMatchObject({ expiresAt: T0 + 90, expiryChosen: false });
    const kept = await db.collection<{ _id: string }>("posts").findOne({ _id: "p-1" });
    expect(kept).toMatchObject({ win_end: new Date(T0 + 90) });
  });

  it("names the sources of posts that an older release wrote", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p", { sourceUrl: "https://www.example.org/a/?utm_id=1" }));
    const posts = db.collection<{ _id: string; source?: string }>("posts");
    await posts.updateOne({ _id: "p" }, { $unset: { source: "" } });
    await schema.updateOne({ _id: "schema" }, { $set: { version: 5 } });
    await start();
    expect((await posts.findOne({ _id: "p" }))?.source).toBe("example.org/a");
  });

  it("has the posts of an older release that start at midnight last their day", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    const startsAt = Date.parse("2026-12-24T00:00:00+01:00");
    await store.posts.insert(aPost("p", { startsAt, timezone: "Europe/Berlin" }));
    const posts = db.collection<{ _id: string; win_end?: Date }>("posts");
    await posts.updateOne({ _id: "p" }, { $set: { win_end: new Date(startsAt) } });
    await schema.updateOne({ _id: "schema" }, { $set: { version: 7 } });
    await start();
    expect((await posts.findOne({ _id: "p" }))?.win_end).toEqual(new Date("2026-12-24T23:59:59.999+01:00"));
  });

  it("takes over the work of an older release, and drops what none uses any more", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    const named = <T extends { _id: string }>(name: string) => db.collection<T>(name);
    await named("work").deleteMany({});
    const former = { post_id: "p", due_at: new Date(T0), token: null, attempts: 0, done: 0 };
    for (const kind of ["match", "embed"]) {
      await named<{ _id: string; kind: string }>("work").insertOne({ _id: `${kind}:p`, kind, ...former });
    }
    await named("pushes").createIndex({ claimed_origin: 1 }, { name: "claimed" });
    await named("posts").createIndex({ vec_model: 1, _id: 1 }, { name: "vector_model" });
    await named("work").createIndex({ kind: 1, due_at: 1, _id: 1 }, { name: "due" });
    await named("push_lanes").insertOne({ _id: "x" });
    await named("sequences").insertOne({ _id: "push_turn" });
    await schema.updateOne({ _id: "schema" }, { $set: { version: 8 } });
    await start();
    expect(await named("work").distinct("_id")).toEqual(["p"]);
    expect(await Promise.all([store.work.backlog("match"), store.work.backlog("embed")])).toEqual([1, 1]);
    expect((await names()).sort()).toEqual([...COLLECTIONS, "meta"].sort());
    expect(await named("sequences").countDocuments({ _id: "push_turn" })).toBe(0);
    const kept = await Promise.all(["pushes", "posts", "work"].map((name) => db.collection(name).indexes()));
    const left = kept.flat().map(({ name }) => name);
    expect(left.filter((name) => ["claimed", "vector_model", "due"].includes(name ?? ""))).toEqual([]);
  });

  it("waits for another start that is at work, and repeats none of its steps", async () => {
    const later = new Date(Date.now() + 600_000);
    await schema.insertOne({ _id: "schema", version: 0, owner: "other", owned_until: later });
    let open = false;
    const starting = start().then(() => {
      open = true;
    });
    // Long enough for several looks.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(open).toBe(false);
    await schema.updateOne({ _id: "schema" }, { $set: { version: SCHEMA_VERSION, owner: null } });
    await starting;
    expect(await names()).toEqual(["meta"]);
  });

  it("guards documents that others write beside the board", async () => {
    await start();
    await expect(db.collection("posts").insertOne({ title: "half a post" })).rejects.toMatchObject({
      code: 121,
    });
    await expect(db.collection("leases").insertOne({ owner: "me" })).rejects.toMatchObject({ code: 121 });
  });

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

  it("leaves what is there as it is", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    const again = await start();
    expect(await again.posts.get("p")).toEqual(await store.posts.get("p"));
    expect(await names()).toHaveLength(COLLECTIONS.length + 1);
  });
});
