import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kernelModule } from "../bench/kernel/build.ts";
import type { IndexEntry, PostFilter, Question } from "../src/ports/search-index.ts";
import { KINDS } from "../src/schema/post.ts";
import { distanceKm } from "../src/search/distance.ts";
import { fuse } from "../src/search/fuse.ts";
import { cosineOf } from "../src/search/quantize.ts";
import { parseQueryText } from "../src/search/query-text.ts";
import { EmbeddedIndex } from "../src/search-index/embedded/index.ts";
import { OPEN_FILTER } from "./support/questions.ts";

const MODEL = "test-model";
const DIMENSION = 32;
const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;

let folder: string;
const open: Board[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "search-index-"));
});
afterEach(() => {
  for (const board of open.splice(0)) board.close();
  rmSync(folder, { recursive: true });
});

describe("the embedded index", () => {
  it("finds a post by words as soon as its transaction is committed, and not before", async () => {
    const board = openBoard();
    board.database.exec("BEGIN IMMEDIATE");
    board.index.put(post({ id: "a", title: "Road bike" }));
    expect(await board.find("bike")).toEqual([]);
    board.database.exec("COMMIT");
    board.index.committed();
    expect(await board.find("bike")).toEqual(["a"]);
  });

  it("forgets a post whose transaction was rolled back", async () => {
    const board = openBoard();
    board.database.exec("BEGIN IMMEDIATE");
    board.index.put(post({ id: "a", title: "Road bike" }));
    board.database.exec("ROLLBACK");
    board.write((index) => index.put(post({ id: "b", title: "City bike" })));
    expect(await board.find("bike")).toEqual(["b"]);
  });

  it("finds an edited post by its new words only", async () => {
    const board = openBoard();
    board.write((index) => index.put(post({ id: "a", title: "Road bike", tags: ["cycling"] })));
    board.write((index) => index.put(post({ id: "a", title: "Cello", tags: ["music"] })));
    expect(await board.find("bike")).toEqual([]);
    expect(await board.find("cello")).toEqual(["a"]);
    expect(await board.pass({ tags: ["cycling"] })).toEqual([]);
    expect(await board.pass({ tags: ["music"] })).toEqual(["a"]);
  });

  it("does not return a removed post, and finds one that comes back under the same id", async () => {
    const board = openBoard();
    board.write((index) => index.put(post({ id: "a", title: "Road bike" })));
    board.write((index) => index.remove("a"));
    expect(await board.find("bike")).toEqual([]);
    expect(await board.pass({})).toEqual([]);
    board.write((index) => index.put(post({ id: "a", title: "Road bike" })));
    expect(await board.find("bike")).toEqual(["a"]);
    board.write((index) => {
      index.remove("a");
      index.put(post({ id: "a", title: "Another bike" }));
    });
    expect(await board.find("another")).toEqual(["a"]);
    expect(await board.pass({})).toEqual(["a"]);
  });

  it("drops suspended publishers' posts while they are suspended", async () => {
    const board = openBoard();
    board.write((index) => {
      index.put(post({ id: "a", publisherId: "pub_1" }));
      index.put(post({ id: "b", publisherId: "pub_2" }));
      index.putPublisher("pub_1", { verified: true, suspended: false });
    });
    expect(await board.pass({ verifiedOnly: true })).toEqual(["a"]);
    board.write((index) => index.putPublisher("pub_1", { verified: true, suspended: true }));
    expect(await board.pass({})).toEqual(["b"]);
    board.write((index) => index.removePublisher("pub_1"));
    expect(await board.pass({})).toEqual(["a", "b"]);
    expect(await board.pass({ verifiedOnly: true })).toEqual([]);
  });

  it("follows what another connection to the same file commits", async () => {
    const one = openBoard();
    const two = openBoard();
    one.write((index) => {
      index.put(post({ id: "a", title: "Road bike" }));
      index.putVector("a", MODEL, vectorOf(1));
    });
    expect(await two.find("bike")).toEqual(["a"]);
    expect((await two.index.vectors(["a"]))[0]).toEqual(vectorOf(1));
    two.write((index) => index.put(post({ id: "b", title: "City bike" })));
    two.write((index) => index.put(post({ id: "a", title: "Cello" })));
    expect(await one.find("bike")).toEqual(["b"]);
    two.write((index) => index.remove("b"));
    expect(await one.find("bike")).toEqual([]);
    one.write((index) => index.putPublisher("pub_1", { verified: false, suspended: true }));
    expect(await two.pass({})).toEqual([]);
    expect(await openBoard().pass({})).toEqual([]);
  });

  it("loads everything again when it missed changes that were pruned", async () => {
    const one = openBoard();
    const two = openBoard();
    one.write((index) => index.put(post({ id: "a" })));
    expect(await two.pass({})).toEqual(["a"]);
    one.write((index) => {
      for (let i = 0; i < 5; i += 1) index.put(post({ id: `b${i}` }));
      index.remove("a");
    });
    one.database.exec("DELETE FROM index_change WHERE no <= 4");
    expect(await two.pass({})).toEqual(["b0", "b1", "b2", "b3", "b4"]);
  });

  it("keeps a bounded number of changes", async () => {
    const board = openBoard();
    board.write((index) => {
      for (let i = 0; i < 68_000; i += 1)
        index.putPublisher("pub_1", { verified: i % 2 === 1, suspended: false });
      index.put(post({ id: "a" }));
    });
    const { n } = board.database.prepare("SELECT count(*) AS n FROM index_change").get() as { n: number };
    expect(n).toBeLessThan(67_000);
    expect(await board.pass({ verifiedOnly: true })).toEqual(["a"]);
  });

  it("keeps its order and its scores when most posts are gone", async () => {
    const board = openBoard();
    board.write((index) => {
      for (let i = 0; i < 3000; i += 1) {
        index.put(post({ id: `p${String(i).padStart(4, "0")}`, tags: [`t${i % 10}`], title: `Bike ${i}` }));
        index.putVector(`p${String(i).padStart(4, "0")}`, MODEL, vectorOf(i));
      }
    });
    expect((await board.pass({})).length).toBe(3000);
    board.write((index) => {
      for (let i = 0; i < 3000; i += 1) if (i % 100 !== 7) index.remove(`p${String(i).padStart(4, "0")}`);
    });
    const left = await board.pass({ tags: ["t7"] });
    expect(left).toEqual(Array.from({ length: 30 }, (_, i) => `p${String(i * 100 + 7).padStart(4, "0")}`));
    const cosines = await board.index.cosines(vectorOf(7), ["p0007", "p2907", "p0000"]);
    expect([...cosines]).toEqual([
      cosineOf(vectorOf(7), vectorOf(7)),
      cosineOf(vectorOf(7), vectorOf(2907)),
      Number.NaN,
    ]);
    expect(await board.find("2907")).toEqual(["p2907"]);
    board.write((index) => index.put(post({ id: "p0007", title: "Cello" })));
    expect(await board.find("cello")).toEqual(["p0007"]);
  });

  it("leaves no byte of a removed or edited text in its files", async () => {
    const board = openBoard();
    board.write((index) => {
      for (let i = 0; i < 200; i += 1)
        index.put(post({ id: `p${i}`, title: `Filler number ${i}`, body: "more ".repeat(50) }));
      index.put(
        post({
          id: "a",
          title: "Xylophonist wanted",
          body: "zyzzyva ".repeat(300),
          tags: ["quokkatag"],
          placeName: "Ulcombeville",
        }),
      );
      index.put(post({ id: "b", title: "Before vexillology", body: "kept" }));
    });
    board.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(bytesOf(folder)).toContain("zyzzyva");
    board.write((index) => {
      index.remove("a");
      index.put(post({ id: "b", title: "After", body: "kept" }));
    });
    board.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = bytesOf(folder).toLowerCase();
    for (const secret of ["zyzzyva", "xylophonist", "quokkatag", "ulcombeville", "vexillolog"]) {
      expect(bytes).not.toContain(secret);
    }
    expect(await board.find("after")).toEqual(["b"]);
  });

  it("has no vectors of another model, and none without a model", async () => {
    const board = openBoard();
    board.write((index) => {
      index.put(post({ id: "a" }));
      index.putVector("a", "another-model", vectorOf(1));
      index.put(post({ id: "b" }));
      index.putVector("b", MODEL, vectorOf(2));
      index.putVector("nobody", MODEL, vectorOf(2));
    });
    expect((await board.index.vectors(["a", "b", "nobody"])).map((vector) => vector !== null)).toEqual([
      false,
      true,
      false,
    ]);
    expect([...(await board.index.cosines(vectorOf(2), ["a"]))]).toEqual([Number.NaN]);
    board.write((index) => index.removeVector("b"));
    expect(await board.index.vectors(["b"])).toEqual([null]);
    const without = openBoard({ modelId: null });
    expect(without.index.ready()).toBe(true);
    expect(await without.pass({})).toEqual(["a", "b"]);
  });
});

describe("words", () => {
  it.each([
    ["東京", ["tokyo"]],
    ["京タ", ["tokyo"]],
    ["京都", []],
    ["ห้องเช่า", ["thai"]],
    ["हिन्दी", ["hindi"]],
    ["cafe", ["cafe"]],
    ["CAFÉS", ["cafe"]],
    ["node.js", ["node"]],
    ["NODE", ["node"]],
    ["jogging", ["jog"]],
    ["ＢＩＫＥ", ["bike"]],
    ["rotes fahrrad größe", ["german"]],
    ["Калининград", ["russian"]],
    ["qwertz", []],
    ["!!!", []],
    ['"', []],
  ])("%s finds %j", async (q, ids) => {
    const board = openBoard();
    board.write((index) => {
      index.put(post({ id: "tokyo", title: "東京タワーで会いましょう" }));
      index.put(post({ id: "thai", title: "มีห้องเช่าใกล้สถานี" }));
      index.put(post({ id: "hindi", title: "हिन्दी भाषा" }));
      index.put(post({ id: "cafe", title: "Café to let" }));
      index.put(post({ id: "node", title: "Node.js developers" }));
      index.put(post({ id: "jog", title: "I jog every morning" }));
      index.put(post({ id: "bike", body: "bike" }));
      index.put(post({ id: "german", title: "Fahrrad, Größe 56" }));
      index.put(post({ id: "russian", placeName: "калининград" }));
    });
    expect(await board.find(q)).toEqual(ids);
  });

  it("must occur as quoted, and must not when excluded, also for posts found by meaning", async () => {
    const board = openBoard();
    board.write((index) => {
      index.put(post({ id: "road", title: "Road bike for sale" }));
      index.put(post({ id: "bikeroad", title: "Bike trip on a road" }));
      index.put(post({ id: "electric", title: "Electric road bike" }));
      index.put(post({ id: "cello", title: "Cello" }));
      for (const id of ["road", "bikeroad", "electric", "cello"]) index.putVector(id, MODEL, vectorOf(3));
    });
    const find = (q: string) => board.find(q, vectorOf(3));
    expect((await find("bike")).length).toBe(4);
    expect((await find('"road bike"')).sort()).toEqual(["electric", "road"]);
    expect((await find('"road bike" cello')).sort()).toEqual(["electric", "road"]);
    expect(await find('"road bike" -electric')).toEqual(["road"]);
    expect((await find("cello -bike")).sort()).toEqual(["cello"]);
    expect((await board.find("-bike")).sort()).toEqual(["cello"]);
    expect((await board.find('-"road bike"')).sort()).toEqual(["bikeroad", "cello"]);
    expect(await board.find('"bike road" -x')).toEqual([]);
  });

  it("count and list what they match", async () => {
    const board = openBoard();
    board.write((index) => {
      index.put(post({ id: "a", title: "Road bike", createdAt: NOW - 2 }));
      index.put(post({ id: "b", title: "Bike road", createdAt: NOW - 1 }));
      index.put(post({ id: "c", title: "Cello" }));
    });
    for (const [q, ids] of [
      ["bike", ["b", "a"]],
      ['"road bike"', ["a"]],
      ["-road", ["c"]],
      ['bike -"bike road"', ["a"]],
      ["nothing", []],
    ] as const) {
      const asked = question({ words: parseQueryText(q) });
      const places = await board.index.list(asked, { order: "newest", after: null, limit: 10 });
      expect(places.map(({ id }) => id)).toEqual(ids);
      expect(await board.index.count(asked)).toBe(ids.length);
    }
  });

  it("orders equal scores by id and leaves out what it is told to", async () => {
    const board = openBoard();
    board.write((index) => {
      for (const id of ["c", "a", "b"]) index.put(post({ id, title: "Bike" }));
    });
    expect(await board.find("bike")).toEqual(["a", "b", "c"]);
    const { matches, total, bestWords } = await board.index.match(
      question({ words: parseQueryText("bike") }),
      {
        limit: 2,
        except: new Set(["a", "gone"]),
      },
    );
    expect(matches.map(({ id }) => id)).toEqual(["b", "c"]);
    expect(total).toBe(3);
    expect(matches[0]?.words).toBe(bestWords);
  });

  it("score the same whether few or many posts are left by the filters", async () => {
    const board = openBoard();
    board.write((index) => {
      for (let i = 0; i < 100; i += 1) {
        index.put(
          post({
            id: `p${i}`,
            title: i % 3 === 0 ? "Bike" : "Cello",
            body: "word ".repeat(i),
            kind: i < 9 ? "offer" : "event",
          }),
        );
      }
    });
    const ask = async (kinds: PostFilter["kinds"]) =>
      (await board.index.match(question({ filter: { kinds }, words: parseQueryText("bike") }), page(100)))
        .matches;
    const few = await ask(["offer"]);
    const all = await ask(null);
    expect(few.length).toBe(3);
    for (const match of few) expect(all).toContainEqual(match);
  });

  it("make no query fail", async () => {
    const board = openBoard();
    board.write((index) => index.put(post({ id: "a", title: "AND OR NOT NEAR title:bike *" })));
    const junk = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '"',
          "-",
          " ",
          "(",
          ")",
          "*",
          "^",
          ":",
          "AND ",
          "NEAR(",
          "a",
          "東",
          "\u0000",
          "𞤀",
          "🎉",
        ),
        fc.string({ unit: "binary" }),
      ),
      maxLength: 300,
    });
    await fc.assert(
      fc.asyncProperty(junk, async (q) => {
        await board.find(q);
        const words = { any: [q], phrases: [[q, q]], excluded: [[q]] };
        await board.index.match(question({ words }), page(10));
      }),
    );
  });

  it("find every text by each of its own words", async () => {
    const board = openBoard();
    const letters = "aéÅñß5-.' 東京ひカﾊーនី៰นี้ไลາកခहिन्दीאשָعربيّ한국İıǆΣςЙё";
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        board.write((index) => index.put(post({ id: "a", title: "x", body })));
        for (const word of parseQueryText(body.replaceAll("-", " ")).any) {
          const words = { any: [word], phrases: [], excluded: [] };
          expect((await board.index.match(question({ words }), page(1))).total, word).toBe(1);
        }
      }),
      { numRuns: 300 },
    );
  });
});

const coordinate = fc.option(
  fc.record({
    lat: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(90, -90, 89.9, 52.5)),
    lng: fc.oneof(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.constantFrom(180, -180, 179.9, -179.9, 13.4),
    ),
  }),
  { nil: null },
);
const time = fc.integer({ min: -20, max: 20 }).map((days) => NOW + days * DAY);
const entry = fc.record({
  kind: fc.constantFrom(...KINDS),
  tags: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 }),
  place: coordinate,
  windowStart: time,
  length: fc.integer({ min: 0, max: 10 }),
  expiresAt: time,
  createdAt: time,
  publisherId: fc.constantFrom("pub_1", "pub_2", "pub_3", "pub_4"),
  parentId: fc.option(fc.constantFrom("p0", "p1"), { nil: null, freq: 3 }),
  syndicated: fc.boolean(),
});
const filter = fc.record({
  kinds: fc.option(fc.uniqueArray(fc.constantFrom(...KINDS), { minLength: 1 }), { nil: null }),
  tags: fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "nowhere"), { minLength: 1 }), {
    nil: null,
    freq: 2,
  }),
  near: fc.option(
    fc.record({
      lat: fc.constantFrom(52.5, 90, -90, 0, 89.8),
      lng: fc.constantFrom(13.4, 180, -180, 179.95, 0),
      radiusKm: fc.constantFrom(0.1, 25, 500, 9000),
    }),
    { nil: null, freq: 2 },
  ),
  after: fc.option(time, { nil: null, freq: 2 }),
  before: fc.option(time, { nil: null, freq: 2 }),
  verifiedOnly: fc.boolean(),
  publisherId: fc.option(fc.constantFrom("pub_1", "pub_9"), { nil: null, freq: 5 }),
  parentId: fc.option(fc.constantFrom("p0", "p9"), { nil: null, freq: 5 }),
  includeReplies: fc.boolean(),
  includeExpired: fc.boolean(),
  includeSyndicated: fc.boolean(),
  now: fc.constant(NOW),
  createdUntil: fc.oneof(fc.constant(NOW + 100 * DAY), time),
});

describe("filters", () => {
  it("let through exactly what a plain reading of them does, in both orders and from every place", async () => {
    const board = openBoard();
    let written = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 60 }),
        fc.array(filter, { minLength: 1, maxLength: 8 }),
        async (drafts, filters) => {
          const entries = drafts.map(({ place, length, ...rest }, i) =>
            post({
              ...rest,
              id: `p${i}`,
              lat: place?.lat ?? null,
              lng: place?.lng ?? null,
              windowEnd: rest.windowStart + length * DAY,
            }),
          );
          board.write((index) => {
            for (let i = 0; i < written; i += 1) index.remove(`p${i}`);
            for (const one of entries) index.put(one);
            index.putPublisher("pub_1", { verified: true, suspended: false });
            index.putPublisher("pub_2", { verified: true, suspended: true });
            index.putPublisher("pub_3", { verified: false, suspended: false });
          });
          written = entries.length;
          for (const one of filters) {
            const expected = entries.filter((candidate) => passes(candidate, one));
            const all = question({ filter: one });
            expect(await board.index.count(all)).toBe(expected.length);
            const byId = (a: string, b: string) => (a < b ? -1 : 1);
            const newest = expected.toSorted((a, b) => b.createdAt - a.createdAt || byId(b.id, a.id));
            const soonest = expected.toSorted((a, b) => a.windowStart - b.windowStart || byId(a.id, b.id));
            for (const [order, list] of [
              ["newest", newest],
              ["soonest", soonest],
            ] as const) {
              const walked: string[] = [];
              for (let after = null as { at: number; id: string } | null; ; ) {
                const places = await board.index.list(all, { order, after, limit: 7 });
                walked.push(...places.map(({ id }) => id));
                after = places.at(-1) ?? null;
                if (places.length < 7) break;
              }
              expect(walked).toEqual(list.map(({ id }) => id));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("meaning", () => {
  it("is the exact dot product for every post, and the best come first by the fused score", async () => {
    const board = openBoard();
    const random = randomOf(7);
    const bodies = ["bike", "cello", "bike cello", "piano"];
    const vectors = new Map<string, Int8Array>();
    board.write((index) => {
      for (let i = 0; i < 9000; i += 1) {
        const id = `p${String(i).padStart(4, "0")}`;
        index.put(post({ id, title: "x", body: bodies[i % 4] ?? "", tags: i % 50 === 0 ? ["rare"] : [] }));
        if (i % 7 === 3) continue;
        const vector = Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 255) - 127);
        vectors.set(id, vector);
        index.putVector(id, MODEL, vector);
      }
    });
    const query = Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 255) - 127);
    for (const tags of [null, ["rare"]]) {
      const minCosine = 0.4;
      const { matches, total, bestWords } = await board.index.match(
        question({ filter: { tags }, words: parseQueryText("bike"), vector: query, minCosine }),
        page(10_000),
      );
      const found = new Map(matches.map((match) => [match.id, match]));
      expect(found.size).toBe(total);
      for (let i = 0; i < 9000; i += tags === null ? 1 : 50) {
        const id = `p${String(i).padStart(4, "0")}`;
        const vector = vectors.get(id);
        const cosine = vector === undefined ? null : cosineOf(query, vector);
        const match = found.get(id);
        expect(match !== undefined).toBe(
          (bodies[i % 4] ?? "").includes("bike") || (cosine ?? -1) >= minCosine,
        );
        if (match !== undefined)
          expect(match.cosine === null ? null : match.cosine.toFixed(9)).toBe(
            cosine === null ? null : cosine.toFixed(9),
          );
      }
      const scores = matches.map(({ cosine, words }) => fuse(cosine, words, bestWords));
      for (let i = 1; i < scores.length; i += 1) expect(scores[i]).toBeLessThanOrEqual(scores[i - 1] ?? 0);
      const first = await board.index.match(
        question({ filter: { tags }, words: parseQueryText("bike"), vector: query, minCosine }),
        page(25),
      );
      expect(first.matches).toEqual(matches.slice(0, 25));
    }
  });
});

describe("meaning, when no post has any of the words", () => {
  it("must be nearer", async () => {
    const board = openBoard();
    const [bike, query] = [vectorOf(3), vectorOf(3).map((x, i) => (i % 2 === 0 ? x : 0))];
    board.write((index) => {
      index.put(post({ id: "a", title: "Bike", kind: "offer" }));
      index.putVector("a", MODEL, bike);
      index.put(post({ id: "b", title: "Cello", kind: "event" }));
    });
    const minCosine = cosineOf(query, bike) - 0.05;
    const find = async (q: string, kinds: PostFilter["kinds"]) => {
      const asked = question({ filter: { kinds }, words: parseQueryText(q), vector: query, minCosine });
      return (await board.index.match(asked, page(10))).matches.map(({ id }) => id);
    };
    expect(await find("cello", ["offer"])).toEqual(["a"]);
    expect(await find("qwertz", ["offer"])).toEqual([]);
    expect(await find("qwertz", null)).toEqual([]);
    expect(await find("bike", null)).toEqual(["a"]);
  });
});

describe("the kernel", () => {
  it("is what its source compiles to", async () => {
    const built = await kernelModule();
    expect(readFileSync(new URL("../src/search/kernel/kernel.ts", import.meta.url), "utf8")).toBe(built);
  });

  it("refuses dimensions it cannot scan", () => {
    expect(() => new EmbeddedIndex({ modelId: MODEL, dimension: 100 })).toThrow(RangeError);
  });
});

interface Board {
  index: EmbeddedIndex;
  database: DatabaseSyncInstance;
  /** Runs changes in one transaction, as a store does. */
  write(change: (index: EmbeddedIndex) => void): void;
  /** Ids found by a search text, best first. */
  find(q: string, vector?: Int8Array): Promise<string[]>;
  /** Ids that pass a filter, in the order of ids. */
  pass(filter: Partial<PostFilter>): Promise<string[]>;
  close(): void;
}

/** An index on a new connection to the test's file. */
function openBoard({ modelId = MODEL as string | null } = {}): Board {
  const database = new DatabaseSync(join(folder, "board.db"), { timeout: 1000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  const index = new EmbeddedIndex({ modelId, dimension: DIMENSION });
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version === 0) {
    for (const statement of index.migrations) database.exec(statement);
    database.exec("PRAGMA user_version = 1");
  }
  index.attach(database);
  const board: Board = {
    index,
    database,
    write(change) {
      database.exec("BEGIN IMMEDIATE");
      change(index);
      database.exec("COMMIT");
      index.committed();
    },
    async find(q, vector) {
      const asked = question({ words: parseQueryText(q), vector: vector ?? null, minCosine: 0.1 });
      return (await index.match(asked, page(100))).matches.map(({ id }) => id);
    },
    async pass(partial) {
      const places = await index.list(question({ filter: partial }), {
        order: "newest",
        after: null,
        limit: 10_000,
      });
      return places.map(({ id }) => id).sort();
    },
    close: () => database.close(),
  };
  open.push(board);
  return board;
}

const page = (limit: number) => ({ limit, except: new Set<string>() });

function question(asked: Partial<Omit<Question, "filter">> & { filter?: Partial<PostFilter> }): Question {
  return {
    words: null,
    vector: null,
    minCosine: 0.5,
    ...asked,
    filter: {
      ...OPEN_FILTER,
      includeExpired: false,
      now: NOW,
      createdUntil: NOW + 1000 * DAY,
      ...asked.filter,
    },
  };
}

function post(fields: Partial<IndexEntry> & { id: string }): IndexEntry {
  return {
    kind: "offer",
    title: "Title",
    body: "Body",
    tags: [],
    placeName: null,
    lat: null,
    lng: null,
    windowStart: NOW,
    windowEnd: NOW + DAY,
    expiresAt: NOW + DAY,
    createdAt: NOW,
    publisherId: "pub_1",
    parentId: null,
    syndicated: false,
    ...fields,
  };
}

/** What the documentation of `PostFilter` says, word for word. */
function passes(candidate: IndexEntry, one: PostFilter): boolean {
  const { lat, lng } = candidate;
  if (candidate.publisherId === "pub_2") return false;
  if (one.kinds !== null && !one.kinds.includes(candidate.kind)) return false;
  if (one.tags !== null && !one.tags.some((tag) => candidate.tags.includes(tag))) return false;
  if (one.near !== null && (lat === null || lng === null)) return false;
  if (one.near !== null && distanceKm(one.near, { lat: lat ?? 0, lng: lng ?? 0 }) > one.near.radiusKm)
    return false;
  if (one.after !== null && candidate.windowEnd < one.after) return false;
  if (one.before !== null && candidate.windowStart > one.before) return false;
  if (one.verifiedOnly && candidate.publisherId !== "pub_1") return false;
  if (one.publisherId !== null && candidate.publisherId !== one.publisherId) return false;
  if (
    one.parentId !== null
      ? candidate.parentId !== one.parentId
      : candidate.parentId !== null && !one.includeReplies
  )
    return false;
  if (!one.includeExpired && candidate.expiresAt <= one.now) return false;
  if (!one.includeSyndicated && candidate.syndicated) return false;
  return candidate.createdAt <= one.createdUntil;
}

function vectorOf(seed: number): Int8Array {
  const random = randomOf(seed + 1);
  return Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 255) - 127);
}

/** Park and Miller's generator: the same numbers at every run. */
function randomOf(seed: number): () => number {
  let state = (seed * 7919) % 2_147_483_647 || 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function bytesOf(path: string): string {
  return readdirSync(path)
    .map((name) => readFileSync(join(path, name), "latin1"))
    .join("\n");
}
