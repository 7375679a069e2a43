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
const TOP_TAGS = 25;
/** More than are shown, the first ones more frequent. The order of the last two depends on how strings are compared. */
const TAGS = [..."abcdefghijklmnopqrstuvwxyz", "a.b", "$c", "2026", "__proto__", "\u{1F6B2}", "\uFB01"];
const databases = new Map<string, TestDatabase | null>();
for (const kind of KINDS_OF_SERVER) databases.set(kind, await mongodbFor(kind, "counts"));

describe.each(KINDS_OF_SERVER)("kept counts, %s", (server) => {
  const database = databases.get(server) ?? null;
  if (database === null) {
    it.skip("needs a mongod", () => {});
    return;
  }
  const { url } = database;
  const opened: MongodbStore[] = [];
  let store: MongodbStore;

  const open = async () => {
    const another = await openMongodb(url);
    opened.push(another);
    return another;
  };
  const stored = () => store.collections.board_counts.findOne({ _id: "board" });
  /** Runs until the figures, tags among them, are those of `now`. */
  const keep = async (now: number, by = store) => {
    for (let run = 0; run < RUNS_MAX; run += 1) {
      await by.statistics.kept?.count(now);
      const found = await stored();
      if (found?.at?.getTime() === now && found.tags_at?.getTime() === now) return;
    }
    throw new Error("The figures were never up to date.");
  };
  const kept = async (now: number): Promise<BoardOverview> => {
    await keep(now);
    return store.statistics.overview(now, DAYS);
  };
  /** The same by looking at every post. */
  const looked = async (now: number): Promise<BoardOverview> => {
    const posts = await store.collections.posts.find().toArray();
    const live = posts.filter((post) => post.state !== "removed" && post.expires_at.getTime() > now);
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    const on = (day: string) => posts.filter((post) => dayOf(post.created_at.getTime()) === day).length;
    const days = Array.from({ length: DAYS }, (_, i) => dayOf(now - (DAYS - 1 - i) * DAY_MS));
    const syndicated = live.filter((post) => post.syndicated).length;
    const tags = new Map<string, number>();
    for (const post of live) {
      if (post.state === "active") for (const tag of post.tags ?? []) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    }
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
      topTags: [...tags]
        .map(([tag, count]) => ({ tag, count }))
        .sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.tag), Buffer.from(b.tag)))
        .slice(0, TOP_TAGS),
      postsByDay: days.map((day) => ({ day, posts: on(day) })),
    };
  };

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
    const someTags = () => {
      const tags = Array.from({ length: 4 }, () => TAGS[Math.floor(random() * random() * TAGS.length)] ?? "");
      return [...new Set(tags)].slice(0, Math.floor(random() * 5));
    };
    let now = T0;
    let n = 0;
    const ids: string[] = [];
    const any = () => ids[Math.floor(random() * ids.length)] as string;
    const insert = async () => {
      n += 1;
      const kind = KINDS[Math.floor(random() * KINDS.length)] as (typeof KINDS)[number];
      const publisherId = random() < 0.5 ? "pub_a" : "pub_b";
      const post = { kind, publisherId, createdAt: now, expiresAt: now + 1 + days(9), tags: someTags() };
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
      await store.posts.insert(aPost(id, { parentId: root.id, createdAt: now, tags: someTags() }), {
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
    const tag = () => store.posts.update(any(), { tags: someTags() }, { text: true });
    const remove = () => other.posts.remove(any(), now);
    const changes = [insert, insert, insert, insert, reply, hide, restore, move, tag, remove];
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
      const tags = [`t${n % 40}`, "all"];
      await store.posts.insert(aPost(`p${n}`, { createdAt, expiresAt: T0 + (n - 3) * HOUR_MS, tags }));
    }
    expect(await store.statistics.kept?.count(T0)).toBe(true);
    expect(await stored()).toMatchObject({ at: null, tags_at: null });
    expect(await store.statistics.overview(T0, DAYS)).toEqual(await looked(T0));
    expect(await kept(T0)).toEqual(await looked(T0));
  });

  it("give the former top tags until all hours have theirs, on a board whose figures are there", async () => {
    for (let n = 0; n < 60; n += 1) {
      await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - n * HOUR_MS, tags: [`t${n % 30}`] }));
    }
    await keep(T0);
    const former = [{ tag: "former", count: 9 }];
    const { board_counts, counted_hours, counted_tags, tag_totals } = store.collections;
    await board_counts.updateOne({ _id: "board" }, { $set: { top_tags: former }, $unset: { tags_walk: 1 } });
    await counted_hours.updateMany({}, { $unset: { tagged: 1 } });
    await Promise.all([counted_tags.deleteMany({}), tag_totals.deleteMany({})]);
    expect(await store.statistics.kept?.count(T0 + 1)).toBe(true);
    const right = await looked(T0 + 1);
    expect(await store.statistics.overview(T0 + 1, DAYS)).toEqual({ ...right, topTags: former });
    expect(await kept(T0 + 1)).toEqual(right);
  });

  it("hold an hour with more tags than one run writes, when they come and when they expire", async () => {
    const posts = Array.from({ length: 120 }, (_, n) => {
      const tags = Array.from({ length: 19 }, (_, tag) => `t${n}-${tag}`);
      return aPost(`p${n}`, { createdAt: T0, expiresAt: T0 + DAY_MS, tags: [...tags, `group ${n % 30}`] });
    });
    await Promise.all(posts.map((post) => store.posts.insert(post)));
    for (let n = 0; n < 10; n += 1) {
      await store.posts.insert(aPost(`old${n}`, { createdAt: T0 - n * DAY_MS, tags: ["stays"] }));
    }
    // Their hour is one of the latest until the run after the next.
    await keep(T0 + 10 * MINUTE_MS);
    const later = T0 + 2 * HOUR_MS;
    await keep(later);
    expect(await store.statistics.kept?.count(later + 1)).toBe(true);
    expect((await stored())?.tags_at).toEqual(new Date(later));
    expect(await kept(later + 1)).toEqual(await looked(later + 1));
    expect((await kept(T0 + DAY_MS)).topTags).toEqual([{ tag: "stays", count: 10 }]);
    expect(await store.collections.tag_totals.countDocuments()).toBe(1);
  });

  it("hold the tags of an hour that has just ended, from the first run on", async () => {
    for (let n = 0; n < 30; n += 1) {
      await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - n * HOUR_MS, tags: [`t${n}`, "all"] }));
    }
    await keep(T0);
    for (let now = T0 + 30 * MINUTE_MS; now < T0 + 3 * HOUR_MS; now += 20 * MINUTE_MS) {
      await store.posts.insert(aPost(`p at ${now}`, { createdAt: now, tags: ["new", `t${now}`] }));
      await store.statistics.kept?.count(now);
      expect((await stored())?.tags_at).toEqual(new Date(now));
      expect(await store.statistics.overview(now, DAYS)).toEqual(await looked(now));
    }
    expect(await store.collections.counted_tags.countDocuments({ "_id.tag": "new" })).toBeGreaterThan(0);
  });

  it("are right after a process whose clock is behind has kept them", async () => {
    for (let n = 0; n < 6; n += 1) {
      const tags = ["same", ...TAGS.slice(-2)];
      await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - n * HOUR_MS, tags }));
    }
    await keep(T0);
    for (const now of [T0 - 3 * HOUR_MS, T0 - HOUR_MS, T0 + 1])
      expect(await kept(now)).toEqual(await looked(now));
  });

  it("hold no tag of an erased publisher", async () => {
    const tags = ["qxtag"];
    await store.posts.insert(aPost("p1", { publisherId: "pub_b", createdAt: T0 - DAY_MS, tags }));
    await store.posts.insert(aPost("p2", { publisherId: "pub_b", createdAt: T0, tags }));
    expect((await kept(T0)).topTags).toEqual([{ tag: "qxtag", count: 2 }]);
    await store.publishers.erase("pub_b");
    await store.statistics.kept?.count(T0 + 1);
    expect(await database.contents()).not.toContain("qxtag");
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
      const tags = [`t${n % 9}`, `u${n % 11}`, `v${n % 13}`];
      await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - HOUR_MS * (n % 3), tags }));
      if (n % 3 === 0) await other.posts.remove(`p${n}`, T0);
      await Promise.all([store, other].map((each) => each.statistics.kept?.count(T0 + n)));
    });
    await Promise.all(writes);
    await keep(T0 + MINUTE_MS, other);
    expect(await kept(T0 + 2 * MINUTE_MS)).toEqual(await looked(T0 + 2 * MINUTE_MS));
  });

  it("are mended by the walk, whatever went wrong", async () => {
    for (let n = 0; n < 5; n += 1) {
      await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - n * DAY_MS, tags: ["all", `t${n}`] }));
    }
    await keep(T0);
    const { posts, counted_hours, counted_tags, tag_totals } = store.collections;
    await counted_hours.updateMany({}, { $set: { created: 9, "kinds.event": 9 } });
    await posts.deleteOne({ _id: "p1" });
    const hour = (days: number) => new Date(T0 - days * DAY_MS);
    await counted_tags.updateMany({ "_id.hour": hour(2) }, { $set: { posts: 9 } });
    await counted_tags.deleteMany({ "_id.hour": hour(3) });
    await counted_tags.insertOne({ _id: { tag: "never", hour: hour(90) }, posts: 9 });
    await tag_totals.deleteOne({ _id: "t4" });
    await tag_totals.updateOne({ _id: "all" }, { $set: { posts: 1 } });
    await tag_totals.insertOne({ _id: "no", posts: 1_000 });
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
