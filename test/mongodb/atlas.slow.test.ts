import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Ranked, Spot } from "../../src/ports/search-index.ts";
import type { Position } from "../../src/ports/store/index.ts";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import type { EmbeddedIndex } from "../../src/search/index/index.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { MEANING_INDEX, WORDS_INDEX } from "../../src/store/mongodb/search/atlas/definitions.ts";
import { clausesOfWords } from "../../src/store/mongodb/search/atlas/words.ts";
import {
  type MongodbIndex,
  type MongodbIndexOptions,
  openMongodbIndex,
} from "../../src/store/mongodb/search/index.ts";
import { aPage, aQuestion, idsFor } from "../support/boards/questions.ts";
import { fillMongodb, sameEmbedded } from "../support/mongodb/filled-mongodb.ts";
import { mongodCommand, startServer, stopServers } from "../support/mongodb/mongod.ts";
import { MongotStandIn } from "../support/mongodb/mongot-stand-in.ts";
import { anyFilter, DIMENSION, MODEL, vectorAt } from "../support/search/indexed-posts.ts";
import { aPost, T0 } from "../support/search/rows.ts";

const POSTS = 400;
const NS = "board.posts";
const DAY_MS = 86_400_000;
/** The `now` of filters by which mongot knows every post. At T0 it may still lack those written at T0. */
const LATER = T0 + DAY_MS;
const NOTHING_ASKED = { any: [], phrases: [], excluded: [] };
const NEWEST = { order: "newest", after: null, limit: 10 } as const;

const mongod = await mongodCommand();

describe.skipIf(mongod === null)("search by MongoDB's own search process, with a stand-in for it", () => {
  const folder = mkdtempSync(join(tmpdir(), "mongot-"));
  let mongot: MongotStandIn;
  let store: MongodbStore;
  let embedded: EmbeddedIndex;
  const indexes: MongodbIndex[] = [];
  const warnings: string[] = [];

  beforeAll(async () => {
    let uri = "";
    mongot = await MongotStandIn.start(() => uri);
    const address = `127.0.0.1:${mongot.port}`;
    const parameters = `mongotHost=${address} searchIndexManagementHostAndPort=${address}`;
    const started = await startServer("replicaSet", folder, parameters.replace(/\S+/g, "--setParameter $&"));
    if ("missing" in started) throw new Error(started.missing);
    uri = started.uri;
    store = await openMongodb(uri.replace("/?", "/board?monitorCommands=true&"));
    await fillMongodb(store, POSTS);
    embedded = sameEmbedded(POSTS);
  });
  afterEach(async () => {
    await Promise.all(indexes.splice(0).map((index) => index.close()));
    mongot.workAsUsual();
    warnings.length = 0;
    await store.collections.posts.deleteMany({ _id: /^new/ });
  });
  afterAll(async () => {
    await store.close();
    await stopServers(folder);
    await mongot.stop();
  });

  /** An index beside the store. */
  const open = async (options: Partial<MongodbIndexOptions> = {}): Promise<MongodbIndex> => {
    const index = await openMongodbIndex(store, {
      folder: join(folder, "search"),
      modelId: MODEL,
      dimension: DIMENSION,
      search: "auto",
      log: { info() {}, warn: (_fields, message) => void warnings.push(message) },
      ...options,
    });
    indexes.push(index);
    return index;
  };
  /** One that mongot answers, since both of its indexes are made. */
  const ready = async (): Promise<MongodbIndex> => {
    if (mongot.indexes.size === 0) await open();
    const index = await open();
    if (index.state() !== "atlas") throw new Error(`The index answers by ${index.state()}.`);
    return index;
  };

  const vectorOf = (seed: number) => vectorAt(seed) ?? new Int8Array(DIMENSION);
  const words = () => mongot.indexes.get(`${NS} ${WORDS_INDEX}`);

  describe("its indexes", () => {
    it("are made at the first start, and asked once they can be", async () => {
      mongot.queryable = false;
      const [first] = await Promise.all([open(), open()]);
      expect([...mongot.indexes.keys()].sort()).toEqual([`${NS} ${MEANING_INDEX}`, `${NS} ${WORDS_INDEX}`]);
      expect([first.ready(), first.state()]).toEqual([true, "lists"]);
      await expect(idsFor(first, "bike")).rejects.toThrow(StoreUnavailable);
      mongot.queryable = true;
      expect((await open()).state()).toBe("atlas");
      // One that is open looks again within seconds.
      await expect.poll(() => first.state(), { timeout: 60_000 }).toBe("atlas");
      expect(warnings).toEqual([]);
    });

    it("are brought to a new definition once, however the server spells it", async () => {
      await ready();
      const { updates } = mongot;
      const wanted = structuredClone(words()?.definition);
      await store.settings.set(`search_index_${WORDS_INDEX}`, "of another release");
      const index = words();
      if (index !== undefined) index.definition = { mappings: { dynamic: true } };
      await open();
      expect([mongot.updates, words()?.definition]).toEqual([updates + 1, wanted]);
      if (index !== undefined) index.definition = { ...wanted, numPartitions: 1 };
      await open();
      expect(mongot.updates).toBe(updates + 1);
    });

    it("answer while they are stale or built anew", async () => {
      await ready();
      for (const status of ["STALE", "BUILDING", "FAILED"]) {
        mongot.status = status;
        const index = await ready();
        expect((await idsFor(index, "bike")).length).toBeGreaterThan(0);
      }
    });

    it("are not made for a board that searches by itself", async () => {
      mongot.indexes.clear();
      const index = await open({ search: "local" });
      expect([index.state(), mongot.indexes.size]).toEqual(["local", 0]);
      expect((await idsFor(index, "bike")).length).toBeGreaterThan(0);
    });
  });

  it.each([
    { what: "all posts read from mongot", now: LATER },
    { what: "all posts new to mongot", now: T0 },
  ])("finds the posts that the embedded index finds, with $what", async ({ now }) => {
    const index = await ready();
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.constantFrom(
          undefined,
          "bike",
          "cello repair",
          '"garden market"',
          "music -tent",
          "-tent",
          "qwertz",
          "!!!",
        ),
        fc.option(fc.nat(12), { nil: null }),
        fc.boolean(),
        fc.subarray(["pub_1", "pub_2", "pub_9"]),
        fc.boolean(),
        async (filter, q, direction, distinct, publishers, dates) => {
          const vector = direction === null ? null : vectorOf(direction);
          const asked = aQuestion({
            filter: { ...filter, now, includeExpired: true },
            vector,
            distinct,
            nextDates: dates && (q !== undefined || direction !== null),
            ...(q === undefined ? {} : { q }),
          });
          // A name is words, neither quoted nor excluded.
          if (asked.words !== null && asked.words.any.length > 0 && !/["-]/.test(q ?? "")) {
            asked.words = { ...asked.words, publishers };
          }
          // mongot weighs words in a way of its own, so only without them are the scores the same.
          const facts = (ranked: readonly Ranked[]) =>
            q === undefined ? ranked : ranked.map(({ id }) => id).sort();
          const page = aPage(POSTS, ["post00007"]);
          expect(facts(await index.ask("rank", asked, page))).toEqual(
            facts(await embedded.ask("rank", asked, page)),
          );
          expect(await index.ask("count", asked)).toBe(await embedded.ask("count", asked));
          for (const order of ["newest", "soonest"] as const) {
            const list = { order, after: { at: T0 - 50_000, id: "post00200" }, limit: 7 };
            expect(await index.ask("list", asked, list)).toEqual(await embedded.ask("list", asked, list));
          }
        },
      ),
      {
        numRuns: 15,
        // The next date of a series stands on an earlier page than this one, where another date has no place.
        examples: [
          [{ ...aQuestion({}).filter, createdUntil: T0 - 100_000 }, "qwertz", null, false, ["pub_1"], true],
          [aQuestion({}).filter, "-tent", null, false, [], false],
          [aQuestion({}).filter, "-tent", 1, true, [], false],
        ],
      },
    );
    expect(warnings).toEqual([]);
  });

  it("lists and counts by filters alone as the embedded index does, and where the posts are", async () => {
    const index = await ready();
    // Means are rounded to a centimetre: sums differ with their order.
    const inOrder = (spots: readonly Spot[]) =>
      spots.map(({ lat, lng, count }) => [lat.toFixed(6), lng.toFixed(6), count].join(" ")).sort();
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.constantFrom("newest", "soonest"),
        fc.boolean(),
        async (filter, order, distinct) => {
          const asked = aQuestion({ filter, distinct });
          const page = { order, after: null, limit: 20 } as const;
          const found = await index.ask("list", asked, page);
          expect(found).toEqual(await embedded.ask("list", asked, page));
          const next = { order, after: found.at(-1) ?? null, limit: 20 } as const;
          expect(await index.ask("list", asked, next)).toEqual(await embedded.ask("list", asked, next));
          expect(await index.ask("count", asked)).toBe(await embedded.ask("count", asked));
          expect(inOrder(await index.ask("spots", asked, POSTS))).toEqual(
            inOrder(await embedded.ask("spots", asked, POSTS)),
          );
          const ids = found.map(({ id }) => id);
          expect(await index.ask("copies", asked, ids)).toEqual(await embedded.ask("copies", asked, ids));
          expect(await index.ask("laterDates", filter, ids)).toEqual(
            await embedded.ask("laterDates", filter, ids),
          );
        },
      ),
      { numRuns: 50 },
    );
    const most = async (asked: Pick<MongodbIndex, "ask">) =>
      (await asked.ask("spots", aQuestion({}), 2)).map(({ count }) => count);
    expect(await most(index)).toEqual(await most(embedded));
  });

  /** What a list finds of the posts with a tag of their own, by filters alone and by their word; it must be the same. */
  const foundOf = async (index: MongodbIndex, asked: Parameters<typeof aQuestion>[0]) => {
    const filter = { tags: ["edge"], now: T0, ...asked.filter };
    const lists = [{}, { q: "unicycle" }].map((words) =>
      index.ask("list", aQuestion({ ...asked, ...words, filter }), NEWEST),
    );
    const [alone, byWord] = (await Promise.all(lists)).map((list) => list.map(({ id }) => id));
    expect(byWord).toEqual(alone);
    return alone;
  };

  it("finds a word in its other spelling", async () => {
    const index = await ready();
    await store.posts.insert(aPost("new1", { publisherId: "pub_0", title: "Checkin", tags: ["edge"] }));
    const asked = aQuestion({ q: "check-in", filter: { tags: ["edge"], now: LATER, includeExpired: true } });
    expect((await index.ask("list", asked, NEWEST)).map(({ id }) => id)).toEqual(["new1"]);
  });

  it("pages through posts of one moment", async () => {
    const index = await ready();
    for (const n of [3, 1, 2]) {
      const fields = { publisherId: "pub_0", title: "Unicycle", tags: ["edge"], createdAt: T0 - DAY_MS };
      await store.posts.insert(aPost(`new${n}`, fields));
    }
    for (const words of [{}, { q: "unicycle" }]) {
      const asked = aQuestion({ ...words, filter: { tags: ["edge"], now: LATER, includeExpired: true } });
      const ids: string[] = [];
      for (let after: Position | null = null; ids.length < 4; ) {
        const page: Position[] = await index.ask("list", asked, { order: "newest", after, limit: 1 });
        after = page[0] ?? null;
        if (after === null) break;
        ids.push(after.id);
      }
      expect(ids).toEqual(["new3", "new2", "new1"]);
    }
  });

  it("keeps to the edges of a filter's times", async () => {
    const index = await ready();
    const [startsAt, endsAt, expiresAt] = [1, 2, 3].map((days) => T0 + days * DAY_MS);
    const [start = 0, end = 0, over = 0, written] = [startsAt, endsAt, expiresAt, T0 - DAY_MS];
    const times = { startsAt: start, endsAt: end, expiresAt: over, createdAt: written };
    await store.posts.insert(
      aPost("new1", { publisherId: "pub_0", title: "Unicycle", tags: ["edge"], ...times }),
    );
    for (const [within, beyond] of [
      [{ before: start }, { before: start - 1 }],
      [{ after: end }, { after: end + 1 }],
      [{ now: over - 1 }, { now: over }],
      [{ createdUntil: written }, { createdUntil: written - 1 }],
      [{ endedBy: end + 1 }, { endedBy: end }],
    ]) {
      const filter = { includeExpired: false };
      expect(await foundOf(index, { filter: { ...filter, ...within } }), JSON.stringify(within)).toEqual([
        "new1",
      ]);
      expect(await foundOf(index, { filter: { ...filter, ...beyond } }), JSON.stringify(beyond)).toEqual([]);
    }
  });

  it("finds a thread until its end, whether a reply or an edit moved that", async () => {
    const index = await ready();
    const day = (n: number) => T0 + n * DAY_MS;
    const post = { publisherId: "pub_0", title: "Unicycle", tags: ["edge"], createdAt: T0 };
    const lasting = (after: number) => foundOf(index, { filter: { after, includeReplies: true } });
    await store.posts.insert(aPost("new1", { ...post, expiresAt: day(1) }));
    await store.posts.insert(aPost("new2", { ...post, parentId: "new1" }), { admit: () => day(20) });
    expect([await lasting(day(20)), await lasting(day(20) + 1)]).toEqual([["new2", "new1"], []]);
    await store.posts.update("new1", { expiresAt: day(40), updatedAt: T0 + 1 }, { text: false });
    expect([await lasting(day(40)), await lasting(day(40) + 1)]).toEqual([["new2", "new1"], []]);
    // What has a start or an end is over by that.
    await store.posts.insert(aPost("new3", { ...post, startsAt: day(2), expiresAt: day(5) }));
    await store.posts.insert(aPost("new4", { ...post, endsAt: day(3), expiresAt: day(5) }));
    for (const id of ["new3", "new4"])
      await store.posts.insert(aPost(`${id}1`, { ...post, parentId: id }), { admit: () => day(20) });
    expect(await lasting(day(2))).toEqual(["new41", "new4", "new31", "new3", "new2", "new1"]);
    expect(await lasting(day(3))).toEqual(["new41", "new4", "new31", "new2", "new1"]);
    expect(await lasting(day(20))).toEqual(["new41", "new31", "new2", "new1"]);
  });

  it("shows one of several publishers' copies of a page, and all that its publisher has", async () => {
    const index = await ready();
    for (const [n, publisherId] of ["pub_0", "pub_1", "pub_0"].entries()) {
      const page = { title: "Unicycle", tags: ["edge"], sourceUrl: "https://a.example/" };
      await store.posts.insert(aPost(`new${n}`, { ...page, publisherId, createdAt: T0 + n }));
    }
    const relayed = { title: "Unicycle", tags: ["edge"], sourceUrl: "https://a.example/", syndicated: true };
    // One that is relayed stands behind those at first hand, however old it is.
    await store.posts.insert(aPost("new3", { ...relayed, publisherId: "pub_3", createdAt: T0 - 1 }));
    expect(await foundOf(index, { distinct: true })).toEqual(["new2", "new0"]);
    expect(await foundOf(index, {})).toEqual(["new2", "new1", "new0", "new3"]);
    const asked = aQuestion({ distinct: true, filter: { tags: ["edge"] } });
    const counts = await Promise.all([undefined, 1, 2, 9].map((most) => index.ask("count", asked, most)));
    expect(counts).toEqual([2, 1, 2, 2]);
    expect(await index.ask("copies", asked, ["new0", "new1"])).toEqual([
      ["new3", "new1"],
      ["new3", "new0", "new2"],
    ]);
    // What an earlier page has shown is not shown again by its copy.
    for (const words of [{}, { q: "unicycle" }]) {
      const rest = aQuestion({ ...words, distinct: true, filter: { tags: ["edge"], now: T0 } });
      expect(await index.ask("list", rest, { ...NEWEST, after: { at: T0 + 1, id: "new1" } })).toEqual([
        { id: "new0", at: T0 },
      ]);
      expect(await index.ask("list", rest, { ...NEWEST, after: { at: T0, id: "new0" } })).toEqual([]);
    }
  });

  it("gives a page of a list with the number of all matches, which its end needs not", async () => {
    const index = await ready();
    for (const n of [1, 2, 3]) {
      const fields = { publisherId: "pub_0", title: "Unicycle", tags: ["edge"], createdAt: T0 + n };
      await store.posts.insert(aPost(`new${n}`, fields));
    }
    const [new3, new2, new1] = [3, 2, 1].map((n) => ({ id: `new${n}`, at: T0 + n }));
    for (const words of [{}, { q: "unicycle" }]) {
      const asked = aQuestion({ ...words, filter: { tags: ["edge"], now: T0 } });
      const page = (limit: number, most: number, after: Position | null = null) =>
        index.ask("page", asked, { order: "newest", after, limit, most });
      expect(await page(2, 9)).toEqual({ places: [new3, new2], total: 3 });
      expect(await page(2, 2)).toEqual({ places: [new3, new2], total: 2 });
      expect(await page(2, 0)).toEqual({ places: [new3, new2], total: null });
      expect(await page(3, 9)).toEqual({ places: [new3, new2, new1], total: 3 });
      expect(await page(4, 9)).toEqual({ places: [new3, new2, new1], total: null });
      expect(await page(2, 9, new2)).toEqual({ places: [new1], total: null });
    }
  });

  it("ranks first what has all the words, whether mongot knows it or it was written a moment ago", async () => {
    const index = await ready();
    mongot.score = 5;
    const write = (id: string, title: string, updatedAt: number) =>
      store.posts.insert(aPost(id, { publisherId: "pub_0", title, body: "x", tags: ["edge"], updatedAt }));
    await write("new1", "Harpsichord", T0);
    await write("new2", "Harpsichord and unicycle", T0);
    for (const id of ["new4", "new5"]) await write(id, "Unicycle", T0);
    await mongot.freeze(NS);
    await write("new3", "Unicycle and harpsichord", LATER);
    const asked = aQuestion({ q: "unicycle harpsichord", filter: { now: LATER } });
    const ranked = await index.ask("rank", asked, aPage(9));
    expect(ranked.map(({ id }) => id)).toEqual(["new2", "new3", "new1", "new4", "new5"]);
    // Half of a meaning of 1, and all that words count, of 1.3.
    expect(ranked.slice(0, 2).map(({ relevance }) => relevance)).toEqual([0.615, 0.615]);
  });

  it("asks mongot for words in each field by its weight, for phrases, and for none that is excluded", () => {
    const { any, phrases, excluded } = aQuestion({ q: 'bike "garden market" -tent' }).words ?? NOTHING_ASKED;
    const weighed = (path: string | string[], value: number) => ({
      text: { query: "bike garden market tandem", path, score: { boost: { value } } },
    });
    const path = ["title", "body", "tags", "place.name"];
    const clauses = clausesOfWords({ any, phrases, excluded, respelt: ["tandem"], publishers: ["pub_1"] });
    expect(clauses).toEqual({
      must: [
        {
          compound: {
            should: [
              weighed("title", 2),
              weighed("body", 1),
              weighed(["tags", "place.name"], 1.5),
              { in: { path: "publisher_id", value: ["pub_1"], score: { boost: { value: 0.5 } } } },
            ],
            minimumShouldMatch: 1,
          },
        },
        { phrase: { query: "garden market", path } },
      ],
      mustNot: [{ phrase: { query: "tent", path } }],
    });
    expect(clausesOfWords({ any: [], phrases: [], excluded })).toEqual({
      must: [],
      mustNot: [{ phrase: { query: "tent", path } }],
    });
  });

  it("shows of a series the next date, or the last where all are over, and tells the later ones", async () => {
    const index = await ready();
    for (let n = 0; n < 3; n += 1) {
      const date = { startsAt: T0 + n * DAY_MS, endsAt: T0 + n * DAY_MS + 1, expiresAt: T0 + 9 * DAY_MS };
      await store.posts.insert(aPost(`new${n}`, { publisherId: "pub_0", title: "Unicycle", ...date }));
    }
    const shown = async (now: number) => {
      const asked = aQuestion({ q: "unicycle", nextDates: true, filter: { now } });
      return (await index.ask("list", asked, NEWEST)).map(({ id }) => id);
    };
    expect([await shown(T0 + 1), await shown(T0 + 2), await shown(T0 + 3 * DAY_MS)]).toEqual([
      ["new0"],
      ["new1"],
      ["new2"],
    ]);
    const later = await index.ask("laterDates", aQuestion({ filter: { now: T0 } }).filter, ["new1", "new2"]);
    expect(later.map((dates) => dates.map(({ id }) => id))).toEqual([["new2"], []]);
  });

  it("finds the posts of a publisher by its proof as long as that holds", async () => {
    const index = await ready();
    await store.posts.insert(aPost("new1", { publisherId: "pub_3", title: "Unicycle", tags: ["edge"] }));
    for (const [change, ids] of [
      [{}, []],
      [{ verifiedAt: T0 }, ["new1"]],
      [{ verifiedAt: null }, []],
    ] as const) {
      await store.publishers.update("pub_3", change);
      expect(await foundOf(index, { filter: { verifiedOnly: true } })).toEqual(ids);
    }
  });

  it("gives the database 2 s for a question, and a minute for the map", async () => {
    const index = await ready();
    const [filter, words] = [aQuestion({}), aQuestion({ q: "bike", vector: vectorOf(1) })];
    const limits = new Map<string, Set<number>>();
    let asked = "";
    // What goes on meanwhile in the background has no such limit.
    const started = ({ command: { maxTimeMS } }: { command: { maxTimeMS?: number } }) => {
      if (maxTimeMS !== undefined) limits.set(asked, (limits.get(asked) ?? new Set()).add(maxTimeMS));
    };
    store.connection.client.on("commandStarted", started);
    for (const [what, ask] of Object.entries({
      list: () => index.ask("list", filter, NEWEST),
      count: () => index.ask("count", filter),
      words: () => index.ask("list", words, NEWEST),
      spots: () => index.ask("spots", filter, 9),
    })) {
      asked = what;
      await ask();
    }
    store.connection.client.off("commandStarted", started);
    expect(Object.fromEntries([...limits].map(([what, ms]) => [what, [...ms]]))).toEqual({
      ...{ list: [2_000], count: [2_000], words: [2_000], spots: [60_000] },
    });
  });

  it("ranks and lifts by meaning as the embedded index does", async () => {
    const index = await ready();
    const asked = aQuestion({ vector: vectorOf(1), minCosine: 0 });
    const lifts = [
      { filter: { kinds: ["offer" as const] }, weight: 0.3 },
      { filter: { near: { lat: 52.37, lng: 4.9, radiusKm: 900 } }, weight: -0.1 },
    ];
    for (const rerank of [false, true]) {
      const options = { rerank, limit: 50, except: new Set<string>(), lifts };
      const ranked = await embedded.ask("rank", asked, options);
      expect(await index.ask("rank", asked, options)).toEqual(ranked);
      const others = { ...options, limit: 48, except: new Set(ranked.slice(0, 2).map(({ id }) => id)) };
      const rest = await index.ask("rank", asked, others);
      expect(new Set(rest.map(({ id }) => id))).toEqual(new Set(ranked.slice(2).map(({ id }) => id)));
    }
    // Where no post has a word, what is found by meaning alone must be a little nearer.
    const isNear = async (q: string, margin?: number, publishers: string[] = []) => {
      const question = aQuestion({
        ...{ q, vector: vectorOf(1), minCosine: 0.95, ...(margin === undefined ? {} : { margin }) },
        filter: { includeReplies: true },
      });
      if (question.words !== null) question.words = { ...question.words, publishers };
      const found = await index.ask("rank", question, aPage(POSTS));
      return found.some(({ id }) => id === "post00001");
    };
    expect([await isNear("qwertz"), await isNear("qwertz", 0.02)]).toEqual([false, true]);
    expect([await isNear("qwertz bike"), await isNear("qwertz", 0.1, ["pub_9"])]).toEqual([true, true]);
    const like = { ...asked, vector: null, like: "post00001" };
    expect(await index.ask("rank", like, aPage(9))).toEqual(await embedded.ask("rank", like, aPage(9)));
    expect(await index.ask("rank", { ...like, like: "post00003" }, aPage(9))).toEqual([]);
    await store.posts.insert(aPost("new1", { publisherId: "pub_0" }));
    await store.posts.setVectors([{ id: "new1", updatedAt: T0, model: "another", vector: vectorOf(1) }]);
    expect(await index.ask("vectors", ["post00003", "post00001", "none", "new1"])).toEqual([
      ...[null, vectorOf(1), null, null],
    ]);
  });

  it("knows what misspelt words were meant to be, and which no post has, as the embedded index does", async () => {
    // A post that nobody sees lends no words.
    await store.posts.insert(aPost("new1", { publisherId: "pub_0", title: "Qwertz", state: "hidden" }));
    const typed = ["bkie", "celo", "reapir", "bike", "qwertz"];
    expect(await embedded.ask("spellings", typed)).toEqual(["bike", "cello", "repair", null, null]);
    expect(await (await ready()).ask("spellings", typed)).toEqual(await embedded.ask("spellings", typed));
    const unknown = typed.filter((word) => word !== "bike");
    expect(await embedded.ask("unknownWords", typed)).toEqual(unknown);
    expect(await (await ready()).ask("unknownWords", typed)).toEqual(unknown);
  });

  it("finds what was just written before mongot does, and forgets what was just removed", async () => {
    const index = await ready();
    const asked = (q: string) => aQuestion({ q, filter: { now: T0 } });
    const found = async (q: string) => (await index.ask("list", asked(q), NEWEST)).map(({ id }) => id);
    await mongot.freeze(NS);
    const location = { name: "Velodrome", lat: 52.37, lng: 4.9 };
    await store.posts.insert(aPost("new1", { publisherId: "pub_0", title: "Unicycle", location }));
    await store.posts.setVectors([{ id: "new1", updatedAt: T0, model: MODEL, vector: vectorOf(2) }]);
    for (const word of ["unicycle", "velodrome"]) expect(await found(word)).toEqual(["new1"]);
    // For a minute: by then mongot has it.
    for (const [ms, ids] of [
      [60_000, ["new1"]],
      [60_001, []],
    ] as const)
      expect(
        (await index.ask("list", aQuestion({ q: "unicycle", filter: { now: T0 + ms } }), NEWEST)).map(
          ({ id }) => id,
        ),
      ).toEqual(ids);
    expect(await index.ask("vectors", ["new1"])).toEqual([vectorOf(2)]);
    expect(await index.ask("count", asked("unicycle"))).toBe(1);
    mongot.catchUp();
    // Later than that, it is mongot that knows the words.
    for (const now of [T0, LATER])
      for (const q of ["unicycle", "velodrome"])
        expect((await index.ask("list", aQuestion({ q, filter: { now } }), NEWEST)).length).toBe(1);
    expect(await index.ask("count", asked("unicycle"))).toBe(1);
    await mongot.freeze(NS);
    await store.posts.update("new1", { title: "Harpsichord", updatedAt: T0 }, { text: true });
    expect(await found("unicycle")).toEqual([]);
    expect(await found("harpsichord")).toEqual(["new1"]);
    await store.posts.remove("new1", T0);
    expect(await found("harpsichord")).toEqual([]);
    expect(await index.ask("count", asked("unicycle harpsichord"))).toBe(0);
  });

  it.each([31082, 115, 59, 40324, 13])(
    "leaves searching to the replica when the server answers with %i",
    async (code) => {
      mongot.failure = code;
      expect((await open({ search: "auto" })).state()).toBe("local");
      await expect(open({ search: "atlas" })).rejects.toThrow("needs a database with search");
      expect(warnings.some((line) => line.includes("may not see search indexes"))).toBe(code === 13);
    },
  );

  it.each([6, 125, 489, 50])(
    "answers lists, and store_unavailable to words, when mongot fails with %i",
    async (code) => {
      const index = await ready();
      mongot.failure = code;
      await expect(idsFor(index, "bike")).rejects.toThrow(StoreUnavailable);
      const asked = aQuestion({ filter: { tags: ["a"] } });
      expect(await index.ask("list", asked, NEWEST)).toEqual(await embedded.ask("list", asked, NEWEST));
      mongot.failure = null;
      expect((await idsFor(index, "bike")).length).toBeGreaterThan(0);
      mongot.failure = code;
      const started = await open({ search: "atlas" });
      expect([started.ready(), started.state()]).toEqual([true, "lists"]);
    },
  );
});
