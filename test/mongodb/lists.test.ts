import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Spot } from "../../src/ports/search-index.ts";
import type { Place } from "../../src/ports/store/index.ts";
import type { PostFilter } from "../../src/schema/filter.ts";
import { distanceKm } from "../../src/search/distance.ts";
import type { EmbeddedIndex } from "../../src/search-index/index.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { CollectionQueries } from "../../src/store/mongodb/search/collection/index.ts";
import { LIST_INDEXES, ListIndexes } from "../../src/store/mongodb/search/collection/indexes.ts";
import { SourceQueries } from "../../src/store/mongodb/search/collection/sources.ts";
import { openMongodbIndex } from "../../src/store/mongodb/search/index.ts";
import { aQuestion } from "../support/boards/questions.ts";
import { fillMongodb, sameEmbedded } from "../support/mongodb/filled-mongodb.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { anyFilter, DIMENSION, MODEL, T0 } from "../support/search/indexed-posts.ts";
import { aPost } from "../support/search/rows.ts";

const POSTS = 2_000;
const HOUR_MS = 3_600_000;
const log = { info() {}, warn: (fields: object, message: string) => console.warn(message, fields) };
const filterOf = (filter: Partial<PostFilter>) => aQuestion({ filter }).filter;
const listsOf = ({ collections, connection }: MongodbStore) =>
  new CollectionQueries({ posts: collections.posts, ...connection });

/** Means to a centimetre, since sums differ with their order. */
const inOrder = (spots: readonly Spot[]) =>
  spots.map(({ lat, lng, count }) => [lat.toFixed(6), lng.toFixed(6), count].join(" ")).sort();

const replicaSet = await mongodbFor("replicaSet", "lists");
const cluster = await mongodbFor("cluster", "lists");
const plans = await mongodbFor("replicaSet", "list_plans");

describe.each([
  { kind: "a replica set", database: replicaSet, runs: 150 },
  { kind: "a sharded cluster", database: cluster, runs: 40 },
])("lists by filters alone from the collection, on $kind", ({ database, runs }) => {
  describe.skipIf(database === null)("with their indexes", () => {
    let store: MongodbStore;
    let lists: CollectionQueries;
    let embedded: EmbeddedIndex;

    beforeAll(async () => {
      store = await openMongodb(database?.url ?? "");
      await fillMongodb(store, POSTS);
      embedded = sameEmbedded(POSTS);
      await withdrawSome(store, embedded);
      const indexes = new ListIndexes({ posts: store.collections.posts, log });
      await indexes.ensure(true);
      expect(indexes.ready).toBe(true);
      lists = listsOf(store);
    });
    afterAll(async () => {
      await store?.close();
      await database?.drop();
    });

    it("finds the same posts as the embedded index, in the same order, and as many", async () => {
      await fc.assert(
        fc.asyncProperty(
          anyFilter,
          fc.constantFrom("newest", "soonest"),
          fc.constantFrom(1, 20, POSTS),
          async (filter, order, limit) => {
            const asked = aQuestion({ filter });
            const page = { order, after: null, limit } as const;
            const found = await lists.list(filter, page);
            expect(found).toEqual(await embedded.list(asked, page));
            expect(await lists.count(filter)).toBe(await embedded.count(asked));
            expect(inOrder(await lists.spots(filter, POSTS))).toEqual(
              inOrder(await embedded.spots(asked, POSTS)),
            );
            const next = { order, after: found.at(-1) ?? null, limit: 20 } as const;
            expect(await lists.list(filter, next)).toEqual(await embedded.list(asked, next));
          },
        ),
        { numRuns: runs },
      );
    });

    it.each(["newest", "soonest"] as const)(
      "walks the pages of %s without a gap or a repetition while posts arrive",
      async (order) => {
        const filter = filterOf({ kinds: ["event", "offer"], tags: ["a", "t3"] });
        const whole = await lists.list(filter, { order, after: null, limit: POSTS });
        const walked: Place[] = [];
        let page: Place[];
        do {
          page = await lists.list(filter, { order, after: walked.at(-1) ?? null, limit: 17 });
          walked.push(...page);
          const createdAt = T0 + walked.length;
          const arriving = { publisherId: "pub_0", kind: "event", tags: ["a"], createdAt } as const;
          await store.posts.insert(aPost(`arriving-${walked.length}`, arriving));
        } while (page.length === 17);
        const ids = walked.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(walked.filter(({ id }) => !id.startsWith("arriving"))).toEqual(
          whole.filter(({ id }) => !id.startsWith("arriving")),
        );
        await store.collections.posts.deleteMany({ _id: /^arriving/ });
      },
    );

    it("leaves out a publisher's posts from when it is suspended until it is not", async () => {
      const filter = filterOf({ publisherId: "pub_3" });
      const before = await lists.count(filter);
      await store.publishers.update("pub_3", { suspendedAt: T0 });
      expect([before > 0, await lists.count(filter)]).toEqual([true, 0]);
      await store.publishers.update("pub_3", { suspendedAt: null });
      expect(await lists.count(filter)).toBe(before);
    });

    it("draws circles as distances are measured, but for a few centimetres", async () => {
      const near = { lat: 64.15, lng: -21.94, radiusKm: 25 };
      const north = (km: number) => ({ name: null, lat: near.lat + km / 111.19508, lng: near.lng });
      const inside = north(near.radiusKm - 0.00005);
      const outside = north(near.radiusKm + 0.00005);
      expect([distanceKm(near, inside) < 25, distanceKm(near, outside) > 25]).toEqual([true, true]);
      await store.posts.insert(aPost("inside", { publisherId: "pub_0", location: inside }));
      await store.posts.insert(aPost("outside", { publisherId: "pub_0", location: outside }));
      const found = await lists.list(filterOf({ near }), { order: "newest", after: null, limit: 5 });
      expect(found.map(({ id }) => id)).toEqual(["inside"]);
      await store.collections.posts.deleteMany({ _id: { $in: ["inside", "outside"] } });
    });
  });
});

describe.skipIf(plans === null)("the indexes of lists", () => {
  const folder = mkdtempSync(join(tmpdir(), "lists-"));
  let store: MongodbStore;

  beforeAll(async () => {
    store = await openMongodb(plans?.url ?? "");
    await fillMongodb(store, POSTS);
  });
  afterAll(async () => {
    await store?.close();
    await plans?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const namesThere = async () => (await store.collections.posts.indexes()).map(({ name }) => name);

  it("are not made where the database has no search", async () => {
    const index = await openMongodbIndex({
      feed: store.feed,
      posts: store.collections.posts,
      settings: store.settings,
      run: store.connection.run,
      runLong: store.connection.runLong,
      folder,
      board: "board",
      modelId: MODEL,
      dimension: DIMENSION,
      localIndex: "full",
      log,
      now: T0,
    });
    expect(index.state()).toBe("local");
    expect(await index.count(aQuestion({}))).toBeGreaterThan(0);
    await index.close();
    expect((await namesThere()).filter((name) => name?.startsWith("list_"))).toEqual([]);
  });

  it("serve each kind of question, and each is needed", async () => {
    const posts = store.collections.posts;
    const early = new ListIndexes({ posts, log });
    await early.ensure(false);
    expect(early.ready).toBe(false);
    await early.ensure(true);
    const later = new ListIndexes({ posts, log });
    await later.ensure(false);
    expect([early.ready, later.ready]).toEqual([true, true]);

    const lists = listsOf(store);
    const sources = new SourceQueries({ posts, run: store.connection.run });
    const list = (order: "newest" | "soonest", filter: Partial<PostFilter>, after: Place | null = null) => {
      return () =>
        lists.list(filterOf({ now: T0, includeExpired: false, ...filter }), { order, after, limit: 20 });
    };
    const week = { after: T0, before: T0 + 7 * 24 * HOUR_MS };
    const asked: Record<string, () => Promise<unknown>> = {
      newest: list("newest", {}),
      "newest, page 2": list("newest", {}, { at: T0 - 50_000, id: "post01000" }),
      "newest, with replies": list("newest", { includeReplies: true }),
      "newest, 2 kinds": list("newest", { kinds: ["offer", "event"] }),
      "newest, 2 kinds, 2 tags, first-hand": list("newest", {
        kinds: ["offer", "event"],
        tags: ["t3", "t4"],
        includeSyndicated: false,
      }),
      "newest of a publisher": list("newest", { publisherId: "pub_1" }),
      "newest of a thread": list("newest", { parentId: "post00000" }),
      "newest near, one kind, a week": list("newest", {
        near: { lat: 0, lng: 0, radiusKm: 25 },
        kinds: ["event"],
        ...week,
      }),
      "soonest in a week": list("soonest", week),
      "soonest in a week, page 2": list("soonest", week, { at: T0, id: "post01000" }),
      "soonest of one kind": list("soonest", { kinds: ["event"], after: T0 }),
      "of one source": () => sources.sharing(filterOf({}), ["example.org/3"]),
      "how many": () => lists.count(filterOf({ includeExpired: false, now: T0 })),
    };
    const seen: Record<string, string> = {};
    for (const [name, ask] of Object.entries(asked)) seen[name] = await planOf(store, ask);
    expect(seen).toEqual({
      newest: "list_newest",
      "newest, page 2": "list_newest",
      "newest, with replies": "list_newest",
      "newest, 2 kinds": "list_newest",
      "newest, 2 kinds, 2 tags, first-hand": "list_tags_newest",
      "newest of a publisher": "shown",
      "newest of a thread": "thread",
      "newest near, one kind, a week": "list_geo, sorted",
      "soonest in a week": "list_soonest",
      "soonest in a week, page 2": "list_soonest",
      "soonest of one kind": "list_soonest",
      "of one source": "list_source",
      "how many": "list_soonest",
    });
    const used = Object.values(seen).map((plan) => plan.split(",")[0]);
    expect(LIST_INDEXES.filter(({ name }) => !used.includes(name))).toEqual([]);
  });
});

/** Hides some posts and removes others, in the embedded index too. */
async function withdrawSome(store: MongodbStore, embedded: EmbeddedIndex): Promise<void> {
  for (let n = 11; n < POSTS; n += 97) {
    const id = `post${String(n).padStart(5, "0")}`;
    if (n % 2 === 0) await store.posts.update(id, { state: "hidden" }, { text: false });
    else await store.posts.remove(id, T0);
    embedded.remove(id);
  }
  embedded.committed();
}

/** Which index answered a question, by the server's own profile of it. */
async function planOf(store: MongodbStore, ask: () => Promise<unknown>): Promise<string> {
  const { db } = store.connection;
  const { posts } = store.collections;
  const ns = posts.namespace;
  await db.command({ profile: 0 });
  await db.collection("system.profile").drop();
  await db.command({ profile: 2 });
  await ask();
  await db.command({ profile: 0 });
  const [operation, ...more] = await db.collection("system.profile").find<Document>({ ns }).toArray();
  expect(more).toEqual([]);
  const indexes = await posts.indexes();
  const plan = String(operation?.["planSummary"]);
  const names = (plan.match(/\{[^}]*\}/g) ?? [plan]).map(
    (key) => indexes.find((index) => keyOf(index.key) === key)?.name ?? key,
  );
  return [...new Set(names)].join(" + ") + (operation?.["hasSortStage"] === true ? ", sorted" : "");
}

/** As a plan writes it: `{ state: 1, created_at: -1 }`. */
const keyOf = (key: Document) =>
  `{ ${Object.entries(key)
    .map(([field, direction]) => `${field}: ${typeof direction === "string" ? `"${direction}"` : direction}`)
    .join(", ")} }`;
