import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL_PARTS, PARTS, type ShareStore } from "../../src/ports/store/index.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { aPost, aPublisher, T0 } from "../support/search/rows.ts";

const databases = {
  replicaSet: await mongodbFor("replicaSet", "shares"),
  cluster: await mongodbFor("cluster", "shares"),
};
const [ODD, EVEN] = [BigInt(`0b${"10".repeat(PARTS / 2)}`), BigInt(`0b${"01".repeat(PARTS / 2)}`)];

describe.each(["replicaSet", "cluster"] as const)("shares of saved queries, %s", (kind) => {
  const database = databases[kind];
  if (database === null) {
    it.skip("needs a mongod", () => {});
    return;
  }
  let store: MongodbStore;
  let shares: ShareStore;
  beforeEach(async () => {
    store = await openMongodb(database.url);
    shares = store.shares as ShareStore;
    await store.publishers.insert(aPublisher("pub_a"));
  });
  afterEach(async () => {
    await store.close();
    await database.wipe();
  });
  afterAll(database.drop);
  const waiting = async (parts: bigint) => (await shares.unmatched(parts, 10)).map(({ postId }) => postId);
  const settle = async (parts: bigint) => store.subscriptions.deliver([], await shares.unmatched(parts, 10));

  it("know the members and until when each lives", async () => {
    await Promise.all(["a", "b", "c"].map((member) => shares.renew(member, 10, T0)));
    const { members, owners, revision } = await shares.renew("a", 10, T0 + 5);
    expect(Object.fromEntries(members)).toEqual({ a: T0 + 15, b: T0 + 10, c: T0 + 10 });
    expect([owners, revision]).toEqual([new Array(PARTS).fill(null), 0]);
  });

  it("are changed by the first of those who saw the same", async () => {
    const { revision } = await shares.renew("a", 10, T0);
    await shares.renew("b", 10, T0);
    const all = (owner: string) => new Array(PARTS).fill(owner);
    expect(await Promise.all(["a", "b"].map((name) => shares.pass(revision, all(name), [])))).toContain(
      false,
    );
    const table = await shares.renew("a", 10, T0 + 1);
    expect(new Set(table.owners).size).toBe(1);
    expect(await shares.pass(table.revision, all("a"), ["b"])).toBe(true);
    expect([...(await shares.renew("a", 10, T0 + 2)).members.keys()]).toEqual(["a"]);
  });

  it("are given back by a member that leaves", async () => {
    const { revision } = await shares.renew("a", 10, T0);
    await shares.pass(
      revision,
      Array.from({ length: PARTS }, (_, part) => (part < 9 ? "b" : "a")),
      [],
    );
    await shares.leave("a");
    const { owners, members, revision: after } = await shares.renew("b", 10, T0 + 1);
    expect(owners).toEqual(Array.from({ length: PARTS }, (_, part) => (part < 9 ? "b" : null)));
    expect([...members.keys()]).toEqual(["b"]);
    expect(after).toBeGreaterThan(revision);
  });

  it("show a post to each part once, oldest first, and let it go with the last", async () => {
    for (const n of [2, 1, 3]) await store.posts.insert(aPost(`p${n}`, { createdAt: T0 + n }));
    expect(await waiting(ODD)).toEqual(["p1", "p2", "p3"]);
    await settle(ODD);
    expect([await waiting(ODD), await waiting(EVEN)]).toEqual([[], ["p1", "p2", "p3"]]);
    expect(await waiting(ALL_PARTS)).toHaveLength(3);
    expect(await store.work.backlog("match")).toBe(3);
    await settle(EVEN);
    expect(await store.work.backlog("match")).toBe(0);
    expect(await store.work.backlog("embed")).toBe(3);
  });

  it("lose no post when members settle it together", async () => {
    for (let n = 0; n < 10; n += 1) await store.posts.insert(aPost(`p${n}`, { createdAt: T0 + n }));
    await Promise.all([settle(ODD), settle(EVEN)]);
    expect(await store.work.backlog("match")).toBe(0);
  });

  it("show a post again that changed while it was matched", async () => {
    await store.posts.insert(aPost("p"));
    await settle(EVEN);
    const before = await shares.unmatched(ODD, 10);
    await store.posts.update("p", { title: "New", updatedAt: T0 + 10 }, { text: true });
    await store.subscriptions.deliver([], before);
    expect([await waiting(ODD), await waiting(EVEN)]).toEqual([["p"], ["p"]]);
  });

  it("take what an older release enqueued as matched by nobody, whatever was", async () => {
    await store.posts.insert(aPost("p"));
    await settle(ODD);
    const former = { kind: "match", post_id: "p", due_at: new Date(T0), token: null } as const;
    await store.collections.work.insertOne({ _id: "match:p", ...former });
    await store.posts.enqueueMissingVectors({ model: "m" }, 1);
    expect([await waiting(ODD), await waiting(EVEN)]).toEqual([["p"], ["p"]]);
    await settle(ODD);
    expect([await waiting(ODD), await waiting(EVEN)]).toEqual([[], ["p"]]);
  });

  it("end what its last worker left undeleted", async () => {
    await store.posts.insert(aPost("p"));
    await settle(ODD);
    await store.collections.work.updateOne({ _id: "p" }, {
      $bit: { done: { or: (1n << 60n) - 1n } },
    } as never);
    expect(await waiting(ODD)).toEqual(["p"]);
    await settle(ODD);
    expect(await store.work.backlog("match")).toBe(0);
  });

  it("tell of posts that another handle wrote", async () => {
    const another = await openMongodb(database.url);
    const over = new AbortController();
    try {
      const told = new Promise<void>((resolve) => shares.onPosts(resolve));
      const following = (async () => {
        for await (const _ of store.feed.follow(await store.feed.here(), over.signal));
      })();
      const write = setInterval(() => void another.posts.insert(aPost(crypto.randomUUID())), 200);
      await told;
      clearInterval(write);
      over.abort();
      await following;
    } finally {
      over.abort();
      await another.close();
    }
  });
});
