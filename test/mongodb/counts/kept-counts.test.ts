import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BoardOverview } from "../../../src/ports/store/index.ts";
import { KINDS } from "../../../src/schema/post.ts";
import { type MongodbStore, openMongodb } from "../../../src/store/mongodb/index.ts";
import { mongodbFor, type TestDatabase } from "../../support/mongodb/mongodb.ts";
import { aPost, aPublisher, aSubscription, T0 } from "../../support/search/rows.ts";

const KINDS_OF_SERVER = ["replicaSet", "cluster"] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 14;
const RUNS_MAX = 200;
const databases = new Map<string, TestDatabase | null>();
for (const kind of KINDS_OF_SERVER) databases.set(kind, await mongodbFor(kind, "counts"));

describe.each(KINDS_OF_SERVER)("kept counts, %s", (server) => {
  const database = databases.get(server) ?? null;
  if (database === null) {
    it.skip("needs a mongod", () => {});
    return;
  }
  const { db, url } = database;
  const opened: MongodbStore[] = [];
  let store: MongodbStore;

  const open = async () => {
    const another = await openMongodb(url);
    opened.push(another);
    return another;
  };
  const keptAt = async () =>
    (await db.collection<{ _id: string; at: Date | null }>("board_counts").findOne({ _id: "board" }))?.at;
  /** Runs until the figures are those of `now`. */
  const keep = async (now: number, by = store) => {
    for (let run = 0; run < RUNS_MAX; run += 1) {
      await by.statistics.kept?.count(now);
      if ((await keptAt())?.getTime() === now) return;
    }
    throw new Error("The figures were never up to date.");
  };
  const kept = async (now: number): Promise<BoardOverview> => {
    await keep(now);
    return withoutTags(await store.statistics.overview(now, DAYS));
  };
  /** The same by looking at every post. */
  const looked = async (now: number): Promise<BoardOverview> => {
    const posts = await store.collections.posts.find().toArray();
    const live = posts.filter((post) => post.state !== "removed" && post.expires_at.getTime() > now);
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const on = (day: string) => posts.filter((post) => dayOf(post.created_at.getTime()) === day).length;
    const days = Array.from({ length: DAYS }, (_, i) => dayOf(now - (DAYS - 1 - i) * DAY_MS));
    const syndicated = live.filter((post) => post.syndicated).length;
    return {
      activePosts: live.length,
      publishers: await store.collections.publishers.countDocuments({ erasing: false }),
      postsToday: on(dayOf(now)),
      firstHand: live.length - syndicated,
      syndicated,
      subscriptions: await store.collections.subscriptions.countDocuments({ active: true }),
      kinds: Object.fromEntries(
        KINDS.map((kind) => [kind, live.filter((post) => post.kind === kind).length]),
      ) as BoardOverview["kinds"],
      topTags: [],
      postsByDay: days.map((day) => ({ day, posts: on(day) })),
    };
  };
  const withoutTags = (overview: BoardOverview): BoardOverview => ({ ...overview, topTags: [] });

  beforeEach(async () => {
    store = await open();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.publishers.insert(aPublisher("pub_b"));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
    await database.empty();
  });
  afterAll(database.drop);

  it("say what a look at every post says, whatever was written by two processes", async () => {
    const random = numbersFrom(7);
    const other = await open();
    const days = (n: number) => Math.floor(random() * n * DAY_MS);
    let now = T0;
    let n = 0;
    const ids: string[] = [];
    const any = () => ids[Math.floor(random() * ids.length)] as string;
    const insert = async () => {
      n += 1;
      const kind = KINDS[Math.floor(random() * KINDS.length)] as (typeof KINDS)[number];
      const publisherId = random() < 0.5 ? "pub_a" : "pub_b";
      const post = { kind, publisherId, createdAt: now, expiresAt: now + 1 + days(9) };
      await (random() < 0.5 ? store : other).posts.insert(
        aPost(`p${n}`, { ...post, syndicated: random() < 0.3 }),
      );
      ids.push(`p${n}`);
    };
    const reply = async () => {
      n += 1;
      const root = await store.posts.get(any());
      if (root === null || root.state === "removed" || root.parentId !== null) return;
      const id = `${root.id}-${n}`;
      await store.posts.insert(aPost(id, { parentId: root.id, createdAt: now }), {
        admit: () => now + days(12),
      });
      ids.push(id);
    };
    const hide = () => store.posts.update(any(), { state: "hidden" }, { text: false });
    const restore = () => store.posts.update(any(), { state: "active" }, { text: false });
    const move = async () => {
      const post = await store.posts.get(any());
      if (post === null || post.parentId !== null || post.state === "removed") return;
      await other.posts.update(post.id, { expiresAt: now + days(6), kind: "event" }, { text: false });
    };
    const remove = () => other.posts.remove(any(), now);
    const changes = [insert, insert, insert, insert, reply, hide, restore, move, remove];
    for (let round = 0; round < 12; round += 1) {
      if (ids.length === 0) await insert();
      for (let change = 0; change < 10; change += 1) {
        await changes[Math.floor(random() * changes.length)]?.();
      }
      now += Math.floor(random() * 9 * HOUR_MS);
      expect(await kept(now)).toEqual(await looked(now));
    }
    await store.posts.erase({ expired: now - DAY_MS, removed: now }, 1_000);
    expect(await kept(now)).toEqual(await looked(now));
    await store.publishers.erase("pub_b");
    expect(await kept(now + 1)).toEqual(await looked(now + 1));
  });

  it("count a board that was there before, by a walk over all hours", async () => {
    for (let n = 0; n < 60; n += 1) {
      const createdAt = T0 - n * 5 * HOUR_MS;
      await store.posts.insert(aPost(`p${n}`, { createdAt, expiresAt: T0 + (n - 3) * HOUR_MS }));
    }
    expect(await store.statistics.kept?.count(T0)).toBe(true);
    expect(await keptAt()).toBeNull();
    expect(withoutTags(await store.statistics.overview(T0, DAYS))).toEqual(await looked(T0));
    expect(await kept(T0)).toEqual(await looked(T0));
  });

  it("lose a post when it expires, and follow a root's expiry that a reply moves", async () => {
    await store.posts.insert(aPost("root", { createdAt: T0, expiresAt: T0 + 9 * DAY_MS }));
    await store.posts.insert(aPost("root-1", { parentId: "root", createdAt: T0 }));
    const soon = T0 + 8 * DAY_MS;
    expect((await kept(soon)).activePosts).toBe(2);
    await store.posts.insert(aPost("root-2", { parentId: "root", createdAt: soon }), {
      admit: () => soon + 7 * DAY_MS,
    });
    expect((await kept(T0 + 9 * DAY_MS)).activePosts).toBe(3);
    expect((await kept(soon + 7 * DAY_MS)).activePosts).toBe(0);
  });

  it("give the figures of the last run, and count again when nobody keeps them", async () => {
    await store.subscriptions.insert(aSubscription("sub_1"), 50);
    await store.posts.insert(aPost("p1", { createdAt: T0, tags: ["a"] }));
    await keep(T0);
    await store.posts.insert(aPost("p2", { createdAt: T0 + 1, tags: ["a"] }));
    const read = (now: number) => store.statistics.overview(now, DAYS);
    expect(await read(T0 + 29_000)).toMatchObject({ activePosts: 1, topTags: [{ tag: "a", count: 1 }] });
    expect(await store.statistics.counts(T0 + 29_000)).toMatchObject({ activePosts: 1, postsToday: 1 });
    expect(await read(T0 + 31_000)).toMatchObject({ activePosts: 2, topTags: [{ tag: "a", count: 2 }] });
    expect(await store.statistics.counts(T0 + 31_000)).toMatchObject({ activePosts: 2, postsToday: 2 });
  });

  it("are confirmed while nothing seems changed, until a post expires or five minutes have passed", async () => {
    await store.subscriptions.insert(aSubscription("sub_1"), 50);
    await store.posts.insert(aPost("p1", { createdAt: T0, expiresAt: T0 + 20_000 }));
    await store.posts.insert(aPost("p2", { createdAt: T0, expiresAt: T0 + DAY_MS }));
    const confirm = async (now: number) => store.statistics.kept?.confirm(now);
    expect(await confirm(T0)).toBe(false);
    await keep(T0);
    await store.subscriptions.update("sub_1", { active: false });
    expect(await confirm(T0 + 19_000)).toBe(true);
    expect(await store.statistics.counts(T0 + 40_000)).toMatchObject({ activePosts: 2, publishers: 2 });
    expect(await confirm(T0 + 20_000)).toBe(false);
    await keep(T0 + 20_000);
    expect(await store.statistics.counts(T0 + 40_000)).toMatchObject({ activePosts: 1 });
    expect(await confirm(T0 + 20_000 + 5 * MINUTE_MS)).toBe(false);
  });

  it("are not confirmed when a publisher or a saved query has come", async () => {
    await keep(T0);
    expect(await store.statistics.kept?.confirm(T0)).toBe(true);
    await store.publishers.insert(aPublisher("pub_c"));
    expect(await store.statistics.kept?.confirm(T0)).toBe(false);
    await keep(T0 + 1);
    expect(await store.statistics.counts(T0 + 1)).toMatchObject({ publishers: 3 });
    await store.subscriptions.insert(aSubscription("sub_1"), 50);
    expect(await store.statistics.kept?.confirm(T0 + 1)).toBe(false);
  });

  it("are right when two processes keep them at once, while others write", async () => {
    const other = await open();
    await keep(T0);
    const writes = Array.from({ length: 40 }, async (_, n) => {
      await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - HOUR_MS * (n % 2) }));
      if (n % 3 === 0) await other.posts.remove(`p${n}`, T0);
      await Promise.all([store, other].map((each) => each.statistics.kept?.count(T0 + n)));
    });
    await Promise.all(writes);
    await keep(T0 + MINUTE_MS, other);
    expect(await kept(T0 + 2 * MINUTE_MS)).toEqual(await looked(T0 + 2 * MINUTE_MS));
  });

  it("are mended by the walk, whatever went wrong", async () => {
    for (let n = 0; n < 5; n += 1) await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - n * DAY_MS }));
    await keep(T0);
    await db.collection("counted_hours").updateMany({}, { $set: { created: 9, "kinds.event": 9 } });
    await db.collection("posts").deleteOne({ _id: "p1" as never });
    for (let run = 0; run < 12; run += 1) await store.statistics.kept?.count(T0 + run);
    expect(await kept(T0 + MINUTE_MS)).toEqual(await looked(T0 + MINUTE_MS));
  });
});

/** Numbers in 0…1, the same for each seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
