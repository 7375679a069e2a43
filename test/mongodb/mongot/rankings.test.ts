import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { CommandStartedEvent } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../../src/ports/store/index.ts";
import type { EmbeddedIndex } from "../../../src/search-index/index.ts";
import type { MongodbStore } from "../../../src/store/mongodb/index.ts";
import { ListIndexes } from "../../../src/store/mongodb/search/collection/indexes.ts";
import type { MongodbIndex } from "../../../src/store/mongodb/search/index.ts";
import { WORDS_INDEX } from "../../../src/store/mongodb/search/mongot/definitions.ts";
import { RecentPosts } from "../../../src/store/mongodb/search/recent.ts";
import { eventually } from "../../support/boards/client.ts";
import { aPage, aQuestion } from "../../support/boards/questions.ts";
import { sameEmbedded } from "../../support/mongodb/filled-mongodb.ts";
import { mongodCommand } from "../../support/mongodb/mongod.ts";
import type { MongotStandIn } from "../../support/mongodb/mongot-stand-in.ts";
import { type SearchedMongodb, startSearchedMongodb } from "../../support/mongodb/searched-mongodb.ts";
import { anyFilter, DIMENSION, MODEL, T0, vectorAt } from "../../support/search/indexed-posts.ts";
import { aPost } from "../../support/search/rows.ts";

const POSTS = 400;
const NS = "board.posts";
const MINUTE_MS = 60_000;
const LIFTS = [
  { filter: { kinds: ["offer" as const] }, weight: 0.3 },
  { filter: { endedBy: T0, datedOnly: true }, weight: -0.1 },
];
const RERANKED = { rerank: true, limit: 50, except: new Set<string>(), lifts: LIFTS };
const AROUND = { lat: 52.37, lng: 4.9, radiusKm: 60 };

const mongod = await mongodCommand();
let board: SearchedMongodb;
let mongot: MongotStandIn;
let store: MongodbStore;
let embedded: EmbeddedIndex;
/** Milliseconds of the indexes' clock, which stands still otherwise. */
let now = 0;

beforeAll(async () => {
  if (mongod === null) return;
  board = await startSearchedMongodb(POSTS);
  ({ mongot, store } = board);
  embedded = sameEmbedded(POSTS);
  // Built while a question is asked, they may fail it.
  await new ListIndexes({ posts: store.collections.posts, log: { info() {}, warn() {} } }).ensure(true);
});
afterEach(async () => {
  await board?.closeIndexes();
  now = 0;
});
afterAll(() => board?.stop());

const vectorOf = (seed: number) => vectorAt(seed) ?? new Int8Array(DIMENSION);
const ready = (localIndex: "full" | "recent") => board.ready({ localIndex, clock: () => now });

describe.skipIf(mongod === null)("rankings while mongot fails", () => {
  const asked = aQuestion({ q: "bike", vector: vectorOf(1), minCosine: 0, distinct: true });
  const rankedBy = (index: MongodbIndex) =>
    index.rank(asked, RERANKED).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
      return null;
    });

  it.each(["full", "recent"] as const)(
    "leave it alone after three, and one that it answers after 30 s ends that (LOCAL_INDEX=%s)",
    async (localIndex) => {
      const index = await ready(localIndex);
      const rank = async () => {
        // Of questions that are asked at once the first to fail ends a ranking, and the others may still arrive.
        for (let seen = -1; seen !== mongot.questions; await sleep(100)) seen = mongot.questions;
        const before = mongot.questions;
        const ranked = await rankedBy(index);
        return { isAsked: mongot.questions > before, isAnswered: ranked !== null };
      };
      const byReplica = localIndex === "full";
      expect(await rank()).toEqual({ isAsked: true, isAnswered: true });
      mongot.failure = 6;
      for (let failures = 1; failures <= 3; failures += 1) {
        expect(index.state()).toBe("mongot");
        expect(await rank()).toEqual({ isAsked: true, isAnswered: byReplica });
      }
      expect(index.state()).not.toBe("mongot");
      now += 29_999;
      expect(await rank()).toEqual({ isAsked: false, isAnswered: byReplica });
      // The replica answered what the trial asked inside, and that ended the pause.
      now += 1;
      expect(await rank()).toEqual({ isAsked: true, isAnswered: byReplica });
      expect(index.state()).not.toBe("mongot");
      expect(await rank()).toEqual({ isAsked: false, isAnswered: byReplica });
      now += 30_000;
      // A post without a vector has no related ones, and mongot is not asked for them.
      expect(await index.related("post00003", { ...asked, limit: 5 })).toEqual([]);
      expect(index.state()).not.toBe("mongot");
      mongot.failure = null;
      // What the trial asked inside was refused, so with recent posts alone it failed for 30 s more.
      expect(await rank()).toEqual({ isAsked: true, isAnswered: true });
      expect(index.state()).toBe("mongot");
    },
  );

  it("count once each, whatever they ask inside", async () => {
    const index = await ready("recent");
    // Their words and neighbours are found each time; their coverage fails.
    mongot.failsFor = ({ query }) => query?.compound?.should !== undefined;
    for (let failures = 1; failures <= 3; failures += 1) {
      expect(index.state()).toBe("mongot");
      expect(await rankedBy(index)).toBe(null);
    }
    expect(index.state()).not.toBe("mongot");
  });
});

describe.skipIf(mongod === null)("rankings by what mongot stores", () => {
  /** An index that has followed all changes for as long as mongot may lag behind. */
  const settled = async (): Promise<MongodbIndex> => {
    const index = await ready("recent");
    const reads = async () => {
      now += MINUTE_MS;
      return (await readsOf(() => index.match(aQuestion({ q: "bike" }), aPage(5)))).includes("find");
    };
    await eventually(reads, (isReading) => !isReading);
    return index;
  };

  /** What a call asks of the posts, apart from what the index reads of changes. */
  async function readsOf(call: () => Promise<unknown>): Promise<string[]> {
    const reads = new Set<string>();
    const note = ({ commandName, command }: CommandStartedEvent) => {
      if (command[commandName] !== "posts" || command["readConcern"]?.afterClusterTime !== undefined) return;
      const [stage = {}] = command["pipeline"] ?? [];
      const name = Object.keys(stage)[0];
      if (name === "$changeStream" || commandName === "createIndexes") return;
      const isStored = name === "$search" && stage.$search.returnStoredSource === true;
      reads.add(name === undefined ? commandName : `${name}${isStored ? " of stored fields" : ""}`);
    };
    store.connection.client.on("commandStarted", note);
    await call().finally(() => store.connection.client.off("commandStarted", note));
    return [...reads].sort();
  }

  it.each([
    { what: "words and meaning", filter: {} },
    { what: "a circle", filter: { near: AROUND, includeReplies: true } },
  ])("read no document of the collection, for $what", async ({ filter }) => {
    const index = await settled();
    const asked = aQuestion({ filter, q: "bike cello", vector: vectorOf(1), minCosine: 0, distinct: true });
    let ranked: unknown[] = [];
    const reads = await readsOf(async () => {
      ranked = await index.rank(asked, RERANKED);
    });
    expect(ranked.length).toBe(50);
    // The server looks up the documents of neighbours itself.
    expect(reads).toEqual(
      ["$search of stored fields", "$searchMeta", ...("near" in filter ? [] : ["$vectorSearch"])].sort(),
    );
  });

  it("find the same posts as the embedded index, in the same order of time, and rank meaning alike", async () => {
    const index = await settled();
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.constantFrom(undefined, "bike", '"garden market"', "music -tent", "qwertz"),
        fc.option(fc.nat(12), { nil: null }),
        fc.boolean(),
        async (filter, q, direction, distinct) => {
          const vector = direction === null ? null : vectorOf(direction);
          const asked = aQuestion({ filter, vector, distinct, ...(q === undefined ? {} : { q }) });
          const page = aPage(POSTS, ["post00007"]);
          const facts = async (one: Pick<EmbeddedIndex, "match">) =>
            (await one.match(asked, page)).matches
              .map(({ id, cosine, words }) => ({ id, cosine, found: words > 0 }))
              .sort((a, b) => (a.id < b.id ? -1 : 1));
          expect(await facts(index)).toEqual(await facts(embedded));
          const list = { order: "soonest", after: null, limit: 9 } as const;
          expect(await index.list(asked, list)).toEqual(await embedded.list(asked, list));
          if (q === undefined && vector !== null)
            expect(await index.rank(asked, RERANKED)).toEqual(await embedded.rank(asked, RERANKED));
        },
      ),
      { numRuns: 60 },
    );
    expect(board.warnings).toEqual([]);
  });

  it("show nothing in an old state while mongot lags behind", async () => {
    const index = await settled();
    const publisherId = "pub_0";
    await store.posts.insert(aPost("new1", { publisherId, title: "Zeppelin" }));
    await store.posts.insert(aPost("new2", { publisherId, title: "Zeppelin", kind: "request" }));
    await store.posts.setVectors([{ id: "new1", updatedAt: T0, model: MODEL, vector: vectorOf(5) }]);
    const asked = aQuestion({ q: "zeppelin", vector: vectorOf(5), minCosine: 0, distinct: true });
    const ids = async (filter = {}) =>
      (await index.rank({ ...asked, filter: { ...asked.filter, ...filter } }, RERANKED)).map(({ id }) => id);
    await mongot.freeze(NS);
    try {
      expect(await ids()).toEqual(expect.arrayContaining(["new1", "new2"]));
      await store.posts.setVectors([{ id: "new1", updatedAt: T0, model: MODEL, vector: vectorOf(6) }]);
      expect((await index.match(asked, aPage(POSTS))).matches.find(({ id }) => id === "new1")?.cosine).toBe(
        (await index.cosines(vectorOf(5), ["new1"]))[0],
      );
      await store.posts.update("new2", { kind: "offer" }, { text: false });
      expect(await ids({ kinds: ["request"] })).not.toContain("new2");
      await store.posts.update("new1", { state: "hidden" }, { text: false });
      expect(await ids()).not.toContain("new1");
      const suspended = await idsBy("pub_3");
      const byWords = async () => (await index.rank(aQuestion({ q: "bike" }), RERANKED)).map(({ id }) => id);
      expect((await byWords()).some((id) => suspended.has(id))).toBe(true);
      await store.publishers.update("pub_3", { suspendedAt: T0 });
      expect((await byWords()).some((id) => suspended.has(id))).toBe(false);
    } finally {
      await store.publishers.update("pub_3", { suspendedAt: null });
      await store.posts.remove("new1", T0);
      await store.posts.remove("new2", T0);
    }
  });

  async function idsBy(publisherId: string): Promise<Set<string>> {
    const posts = await store.collections.posts.find({ publisher_id: publisherId }).toArray();
    return new Set(posts.map(({ _id }) => _id));
  }

  it("read the collection where mongot's index is older, and where changes may be missing", async () => {
    const asked = aQuestion({ q: "bike", vector: vectorOf(1), minCosine: 0 });
    const same = await embedded.match(asked, aPage(POSTS));
    const matched = async (index: MongodbIndex) => {
      let ids: string[] = [];
      const reads = await readsOf(async () => {
        ids = (await index.match(asked, aPage(POSTS))).matches.map(({ id }) => id);
      });
      expect(ids.sort()).toEqual(same.matches.map(({ id }) => id).sort());
      return reads;
    };
    const justOpened = await ready("recent");
    expect(await matched(justOpened)).toContain("find");
    const words = mongot.indexes.get(`${NS} ${WORDS_INDEX}`);
    if (words === undefined) throw new Error("no index");
    const wanted = words.definition;
    words.definition = { ...wanted, storedSource: { include: ["created_at", "win_start"] } };
    mongot.tellsUpdates = false;
    const older = await ready("recent");
    now += MINUTE_MS;
    expect(await matched(older)).toEqual(["$search", "$searchMeta", "$vectorSearch", "find"]);
    words.definition = wanted;
  });
});

describe.skipIf(mongod === null)("recent posts", () => {
  it("stay until mongot has their newest state, and ten minutes at most", async () => {
    const recent = new RecentPosts({
      feed: store.feed,
      modelId: MODEL,
      dimension: DIMENSION,
      log: { info() {}, warn() {} },
      clock: () => now,
    });
    try {
      await store.posts.insert(aPost("new3", { publisherId: "pub_0", updatedAt: T0 + 5 }));
      await recent.ownApplied();
      now = MINUTE_MS + 1;
      const isHere = () => recent.leftOut(0).has("new3");
      const prune = (state: number) => recent.prune(MINUTE_MS, 0, async () => new Map([["new3", state]]));
      await prune(T0);
      expect(isHere()).toBe(true);
      await prune(T0 + 5);
      expect(isHere()).toBe(false);
      await store.posts.remove("new3", T0);
      await recent.ownApplied();
      // Gone from the collection, but mongot still has it.
      now = 2 * MINUTE_MS + 2;
      await prune(T0 + 5);
      expect(isHere()).toBe(true);
      await recent.prune(now, now, async () => new Map());
      expect(isHere()).toBe(false);
    } finally {
      await recent.close();
    }
  });
});
