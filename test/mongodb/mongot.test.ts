import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import type { EmbeddedIndex } from "../../src/search-index/index.ts";
import type { MongodbStore } from "../../src/store/mongodb/index.ts";
import {
  covers,
  definitions,
  MEANING_INDEX,
  WORDS_INDEX,
} from "../../src/store/mongodb/search/mongot/definitions.ts";
import { MongotIndex } from "../../src/store/mongodb/search/mongot/index.ts";
import { MongotQueries } from "../../src/store/mongodb/search/mongot/queries.ts";
import { eventually } from "../support/boards/client.ts";
import { aPage, aQuestion, idsFor } from "../support/boards/questions.ts";
import { sameEmbedded } from "../support/mongodb/filled-mongodb.ts";
import { mongodCommand } from "../support/mongodb/mongod.ts";
import type { MongotStandIn } from "../support/mongodb/mongot-stand-in.ts";
import { type SearchedMongodb, startSearchedMongodb } from "../support/mongodb/searched-mongodb.ts";
import { anyFilter, DIMENSION, MODEL, T0, vectorAt } from "../support/search/indexed-posts.ts";
import { aPost } from "../support/search/rows.ts";

/** Enough that the first page of each arm does not hold everything. */
const POSTS = 400;
const NS = "board.posts";

const mongod = await mongodCommand();

describe.skipIf(mongod === null)("search by MongoDB's own search process, with a stand-in for it", () => {
  let board: SearchedMongodb;
  let mongot: MongotStandIn;
  let store: MongodbStore;
  let embedded: EmbeddedIndex;
  let opened: SearchedMongodb["open"];
  let ready: SearchedMongodb["ready"];

  beforeAll(async () => {
    board = await startSearchedMongodb(POSTS);
    ({ mongot, store, open: opened, ready } = board);
    embedded = sameEmbedded(POSTS);
  });
  afterEach(async () => {
    await board.closeIndexes();
    await store.collections.posts.deleteMany({ _id: /^new/ });
  });
  afterAll(() => board?.stop());

  /** mongot alone, without the recent posts merged in. */
  const alone = async (): Promise<MongotIndex> => {
    await ready();
    const { connection, collections } = store;
    return new MongotIndex(queriesOf(connection, collections));
  };
  const queriesOf = ({ run }: MongodbStore["connection"], { posts }: MongodbStore["collections"]) =>
    new MongotQueries({ posts, run, modelId: MODEL, storesFacts: () => true });
  const vectorOf = (seed: number) => vectorAt(seed) ?? new Int8Array(DIMENSION);

  describe("its indexes", () => {
    it("are made at the first start, and asked once they can be", async () => {
      mongot.indexes.clear();
      mongot.queryable = false;
      const first = await opened();
      expect([...mongot.indexes.keys()].sort()).toEqual([`${NS} ${MEANING_INDEX}`, `${NS} ${WORDS_INDEX}`]);
      expect(first.state()).toBe("local");
      expect((await idsFor(first, "bike")).length).toBeGreaterThan(0);
      expect((await opened()).state()).toBe("local");
      mongot.queryable = true;
      expect((await opened()).state()).toBe("mongot");
    });

    it("are brought to a new definition, and left alone when the server only adds to theirs", async () => {
      await ready();
      const words = mongot.indexes.get(`${NS} ${WORDS_INDEX}`);
      const wanted = structuredClone(words?.definition);
      if (words !== undefined) words.definition = { mappings: { dynamic: true } };
      await opened();
      expect(words?.definition).toEqual(wanted);
      if (words !== undefined) words.definition = { ...wanted, numPartitions: 1 };
      expect((await opened()).state()).toBe("mongot");
      expect(words?.definition).toEqual({ ...wanted, numPartitions: 1 });
    });

    it("answer while they are stale or built anew", async () => {
      await ready();
      for (const status of ["STALE", "BUILDING", "FAILED"]) {
        mongot.status = status;
        const index = await opened({ localIndex: "recent" });
        expect(index.state()).toBe("mongot");
        expect((await idsFor(index, "bike")).length).toBeGreaterThan(0);
      }
    });

    it("are not updated at every start by a server that spells definitions its own way", async () => {
      mongot.indexes.clear();
      mongot.spelling = ({ analyzers: _left, fields, ...rest }) => ({
        ...rest,
        ...(fields === undefined ? {} : { fields: [...fields].reverse() }),
      });
      await opened();
      const updates = mongot.updates;
      for (let start = 0; start < 3; start += 1) expect((await opened()).state()).toBe("mongot");
      expect(mongot.updates).toBe(updates);
      const words = mongot.indexes.get(`${NS} ${WORDS_INDEX}`);
      if (words !== undefined) words.definition = { mappings: { dynamic: true } };
      await opened();
      expect(mongot.updates).toBe(updates + 1);
      mongot.indexes.clear();
    });

    it("are updated again by the next start when an update was lost, though the server first tells the old form", async () => {
      // That form was then taken for the server's spelling of the new one, for good.
      await ready();
      const words = mongot.indexes.get(`${NS} ${WORDS_INDEX}`);
      if (words === undefined) throw new Error("no index");
      const wanted = structuredClone(words.definition);
      const old = { mappings: { dynamic: true } };
      words.definition = old;
      mongot.tellsUpdates = false;
      const { updates } = mongot;
      const index = await opened();
      expect([mongot.updates, index.state()]).toEqual([updates + 1, "mongot"]);
      expect((await idsFor(index, "bike")).length).toBeGreaterThan(0);
      words.definition = old;
      mongot.tellsUpdates = true;
      await opened();
      expect([mongot.updates, words.definition]).toEqual([updates + 2, wanted]);
    });

    it("differ when anything wanted is missing or other", () => {
      const [wanted] = definitions(DIMENSION);
      expect(covers(structuredClone(wanted), wanted)).toBe(true);
      expect(covers({ ...wanted, name: "other" }, wanted)).toBe(false);
      expect(covers({ fields: [{ path: "a" }] }, { fields: [{ path: "a" }, { path: "b" }] })).toBe(false);
      expect(covers({ a: 1 }, { a: 1, b: false })).toBe(false);
    });
  });

  it("finds the same posts as the embedded index, in the same order of time, with the same cosines and coverage", async () => {
    const index = await ready({ localIndex: "recent" });
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.constantFrom(undefined, "bike", "cello repair", '"garden market"', "music -tent", "qwertz", "!!!"),
        fc.option(fc.nat(12), { nil: null }),
        fc.boolean(),
        async (filter, q, direction, distinct) => {
          const vector = direction === null ? null : vectorOf(direction);
          const asked = aQuestion({ filter, vector, distinct, ...(q === undefined ? {} : { q }) });
          const ours = await index.match(asked, aPage(POSTS, ["post00007"]));
          const theirs = await embedded.match(asked, aPage(POSTS, ["post00007"]));
          const facts = ({ matches }: typeof ours) =>
            matches
              .map(({ id, cosine, words, coverage }) => ({
                id,
                cosine,
                found: words > 0,
                coverage: coverage.toFixed(5),
              }))
              .sort((a, b) => (a.id < b.id ? -1 : 1));
          expect(facts(ours)).toEqual(facts(theirs));
          const ids = theirs.matches.map(({ id }) => id);
          expect(await index.copies(asked, ids)).toEqual(await embedded.copies(asked, ids));
          if (filter.datedOnly !== true) expect(await index.count(asked)).toBe(await embedded.count(asked));
          for (const order of ["newest", "soonest"] as const) {
            const list = { order, after: { at: T0 - 50_000, id: "post00200" }, limit: 7 };
            expect(await index.list(asked, list)).toEqual(await embedded.list(asked, list));
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(board.warnings).toEqual([]);
    expect(index.state()).toBe("mongot");
  });

  it("gives both scores of every match, also when each arm holds only its best", async () => {
    await ready();
    const { connection, collections } = store;
    const index = new MongotIndex(queriesOf(connection, collections));
    const asked = aQuestion({ q: "bike", vector: vectorOf(1), minCosine: 0.05 });
    const whole = await index.match(asked, aPage(POSTS));
    const few = await index.match(asked, aPage(5));
    const scores = new Map(whole.matches.map((match) => [match.id, match]));
    for (const match of few.matches) expect(match).toEqual(scores.get(match.id));
    expect(few.bestWords).toBe(whole.bestWords);
    const rest = await index.match(
      asked,
      aPage(
        5,
        few.matches.map(({ id }) => id),
      ),
    );
    for (const { id } of rest.matches) expect(few.matches.map((match) => match.id)).not.toContain(id);
  });

  it("lifts what fits a filter as the embedded index does", async () => {
    const index = await ready({ localIndex: "recent" });
    const asked = aQuestion({ vector: vectorOf(1), minCosine: 0 });
    const lifts = [
      { filter: { kinds: ["offer" as const] }, weight: 0.3 },
      { filter: { near: { lat: 52.37, lng: 4.9, radiusKm: 900 } }, weight: -0.1 },
    ];
    const options = { rerank: false, limit: 50, except: new Set<string>() };
    const lifted = await index.rank(asked, { ...options, lifts });
    expect(lifted).toEqual(await embedded.rank(asked, { ...options, lifts }));
    expect(lifted).not.toEqual(await index.rank(asked, options));
  });

  it("knows what misspelt words were meant to be, as the embedded index does", async () => {
    const words = ["bkie", "celo", "reapir", "bike", "qwertz"];
    const meant = ["bike", "cello", "repair", null, null];
    expect(await embedded.spellings(words)).toEqual(meant);
    expect(await (await ready()).spellings(words)).toEqual(meant);
    expect(await (await ready({ localIndex: "recent" })).spellings(words)).toEqual(meant);
  });

  it("walks a list to its end, though posts of it are gone by now", async () => {
    const index = await alone();
    await mongot.freeze(NS);
    const before = await embedded.list(aQuestion({}), { order: "newest", after: null, limit: 30 });
    const gone = before.slice(3, 9).map(({ id }) => id);
    await store.collections.posts.updateMany({ _id: { $in: gone } }, { $set: { state: "hidden" } });
    try {
      const shown = await index.list(aQuestion({}), { order: "newest", after: null, limit: 24 });
      expect(shown).toEqual(before.filter(({ id }) => !gone.includes(id)));
    } finally {
      await store.collections.posts.updateMany({ _id: { $in: gone } }, { $set: { state: "active" } });
    }
  });

  it("finds what was just written before mongot does, and forgets what was just removed", async () => {
    const index = await ready({ localIndex: "recent" });
    await mongot.freeze(NS);
    await store.posts.insert(aPost("new1", { publisherId: "pub_0", title: "Unicycle" }));
    await store.posts.setVectors([{ id: "new1", updatedAt: T0, model: MODEL, vector: vectorOf(2) }]);
    expect(await idsFor(index, "unicycle")).toEqual(["new1"]);
    expect(await index.vectors(["new1"])).toEqual([vectorOf(2)]);
    expect((await index.list(aQuestion({ q: "unicycle" }), NEWEST)).map(({ id }) => id)).toEqual(["new1"]);
    expect(await index.count(aQuestion({ q: "unicycle" }))).toBe(1);
    mongot.catchUp();
    expect(await idsFor(index, "unicycle")).toEqual(["new1"]);
    expect(await index.count(aQuestion({ q: "unicycle" }))).toBe(1);
    await mongot.freeze(NS);
    await store.posts.update("new1", { title: "Harpsichord" }, { text: true });
    expect(await idsFor(index, "unicycle")).toEqual([]);
    expect(await idsFor(index, "harpsichord")).toEqual(["new1"]);
    await store.posts.remove("new1", T0);
    expect(await idsFor(index, "harpsichord")).toEqual([]);
    expect(await index.count(aQuestion({ q: "unicycle harpsichord" }))).toBe(0);
  });

  it("lists by filters alone from the collection: what was just written at once, and while mongot is away", async () => {
    await ready({ localIndex: "recent" });
    mongot.failure = 6;
    const index = await opened({ localIndex: "recent" });
    const filter = { publisherId: "pub_0" };
    const newest = () => index.list(aQuestion({ filter }), NEWEST).catch(() => []);
    await eventually(newest, (places) => places.length > 0, 20_000);
    await store.posts.insert(aPost("new1", { publisherId: "pub_0", createdAt: T0 + 1 }));
    expect((await newest())[0]).toEqual({ id: "new1", at: T0 + 1 });
    const count = await embedded.count(aQuestion({ filter }));
    expect(await index.count(aQuestion({ filter }))).toBe(count + 1);
    expect(index.state()).toBe("lists");
    await expect(idsFor(index, "bike")).rejects.toThrow(StoreUnavailable);
  });

  it("lets the replica list by filters alone when the collection does not answer", async () => {
    await ready();
    const index = await opened({
      run: () => Promise.reject(new StoreUnavailable("cut off by the test")),
    });
    const asked = aQuestion({ filter: { tags: ["a"] } });
    const listed = async () => ({
      places: await index.list(asked, NEWEST).catch(() => []),
      said: board.warnings.includes("a list of the database failed; the local index answers"),
    });
    const { places } = await eventually(listed, ({ said }) => said, 20_000);
    expect(places).toEqual(await embedded.list(asked, NEWEST));
  });

  it.each([6, 125, 489, 50])("lets the replica answer when mongot fails with %i", async (code) => {
    const index = await ready();
    const asked = aQuestion({ q: "bike" });
    await index.match(asked, aPage(5));
    expect(index.state()).toBe("mongot");
    mongot.failure = code;
    const ask = () =>
      eventually(
        () => index.match(asked, aPage(POSTS)).catch(() => null),
        (matches) => matches !== null,
        20_000,
      );
    expect(await ask()).toEqual(await embedded.match(asked, aPage(POSTS)));
    for (let failures = 1; failures < 3; failures += 1) await ask();
    expect(index.state()).toBe("local");
    const questions = mongot.questions;
    mongot.failure = null;
    await index.match(asked, aPage(5));
    expect(mongot.questions).toBe(questions);
  });

  it("goes on asking mongot after a single failure", async () => {
    const index = await ready();
    const asked = aQuestion({ q: "bike" });
    mongot.failure = 6;
    await index.match(asked, aPage(5)).catch(() => null);
    mongot.failure = null;
    const questions = mongot.questions;
    await index.match(asked, aPage(5));
    expect([index.state(), mongot.questions > questions]).toEqual(["mongot", true]);
  });

  it("asks for a few times as many neighbours as it wants", async () => {
    const index = await ready();
    const candidatesFor = async (limit: number) => {
      mongot.numCandidates.length = 0;
      await index.match(aQuestion({ vector: vectorOf(1) }), aPage(limit));
      return mongot.numCandidates.at(-1);
    };
    expect([await candidatesFor(10), await candidatesFor(1_000)]).toEqual([200, 3_000]);
  });

  it("finds each post once, however many changed a moment ago", async () => {
    const index = await ready({ localIndex: "recent" });
    const posts = Array.from({ length: 5_000 }, (_, n) => `new${n}`);
    await store.posts.insert(aPost("new", { publisherId: "pub_0", title: "Zeppelin" }));
    const one = await store.collections.posts.findOne({ _id: "new" });
    if (one === null) throw new Error("no post");
    // In one write: what matters is how many changes come through the stream.
    await store.collections.posts.insertMany(
      posts.map((_id) => ({ ...one, _id, root: _id })),
      { writeConcern: { w: "majority" } },
    );
    const asked = aQuestion({ q: "zeppelin" });
    const all = ["new", ...posts].sort();
    const matched = async () => (await index.match(asked, aPage(6_000))).matches.map(({ id }) => id).sort();
    expect(await eventually(matched, (ids) => ids.length >= all.length, 60_000)).toEqual(all);
    expect(await index.count(asked)).toBe(all.length);
    // A page is full, although most of what mongot gives is left out.
    const few = (await index.match(asked, aPage(2_000))).matches.map(({ id }) => id);
    expect([few.length, new Set(few).size]).toEqual([2_000, 2_000]);
    const old = aQuestion({ q: "bike zeppelin" });
    const both = (await index.match(old, aPage(9_000))).matches.map(({ id }) => id);
    expect(new Set(both).size).toBe(both.length);
    expect(both.length).toBe(
      (await embedded.match(aQuestion({ q: "bike" }), aPage(POSTS))).matches.length + all.length,
    );
  });

  it("answers store_unavailable when mongot fails and only recent posts are here", async () => {
    const index = await ready({ localIndex: "recent" });
    mongot.failure = 6;
    for (let failures = 0; failures < 3; failures += 1) {
      await expect(idsFor(index, "bike")).rejects.toThrow(StoreUnavailable);
    }
    // A board that still lists stays ready, so that it is still asked.
    expect([index.ready(), index.state()]).toEqual([true, "lists"]);
  });
});

const NEWEST = { order: "newest", after: null, limit: 10 } as const;
