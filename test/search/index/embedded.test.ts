import { describe, expect, it, vi } from "vitest";
import type { IndexEntry } from "../../../src/ports/search-index.ts";
import type { PostFilter } from "../../../src/schema/filter.ts";
import { OwnRows } from "../../../src/search/index/own-rows.ts";
import { Tables } from "../../../src/search/index/tables.ts";
import { aPage } from "../../support/boards/questions.ts";
import { anEntry, MODEL, NOW, question, useIndexFile, vectorOf } from "../../support/search/open-index.ts";

const openIndex = useIndexFile();

describe("the embedded index", () => {
  it("finds a post by words as soon as its transaction is committed, and not before", async () => {
    const opened = openIndex();
    opened.database.exec("BEGIN IMMEDIATE");
    opened.index.put(anEntry({ id: "a", title: "Road bike" }));
    expect(await opened.find("bike")).toEqual([]);
    opened.database.exec("COMMIT");
    opened.index.committed();
    expect(await opened.find("bike")).toEqual(["a"]);
    opened.database.exec("BEGIN IMMEDIATE");
    opened.index.put(anEntry({ id: "b", title: "Road bike" }));
    opened.database.exec("ROLLBACK");
    opened.write((index) => index.put(anEntry({ id: "c", title: "Bike road" })));
    expect(await opened.find('"road bike"')).toEqual(["a"]);
  });

  it("gives ids back as they were, of any length and in any letters", async () => {
    const opened = openIndex();
    const put = (ids: string[]) =>
      opened.write((index) => {
        for (const id of ids) index.put(anEntry({ id, title: "Road bike" }));
      });
    const plain = ["a", "p_000000001", "z".repeat(255)];
    put(plain);
    expect(await opened.find("bike")).toEqual(plain);
    const others = ["é", "p_Łódź", "東京"];
    put(others);
    expect(await opened.find("bike")).toEqual([...plain, ...others].sort());
  });

  it("takes for over what ended before a moment, and not what ends at it", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (const [id, windowEnd] of [
        ["before", NOW - 1],
        ["at", NOW],
      ] as const)
        index.put(anEntry({ id, windowStart: NOW - 9, windowEnd }));
    });
    expect(await opened.pass({ endedBy: NOW })).toEqual(["before"]);
    expect(await opened.pass({ after: NOW })).toEqual(["at"]);
  });

  it.each<[string, Partial<PostFilter>, Partial<IndexEntry>, Partial<IndexEntry>]>([
    ["the end of a window", { after: NOW }, { windowEnd: NOW }, { windowEnd: NOW - 1 }],
    ["the start of a window", { before: NOW }, { windowStart: NOW }, { windowStart: NOW + 1 }],
    ["expiry", {}, { expiresAt: NOW + 1 }, { expiresAt: NOW }],
    ["creation", { createdUntil: NOW }, { createdAt: NOW }, { createdAt: NOW + 1 }],
    [
      "a date",
      { datedOnly: true },
      { windowStart: NOW + 1, createdAt: NOW },
      { windowStart: NOW, createdAt: NOW },
    ],
    ["kinds", { kinds: ["event", "offer"] }, { kind: "event" }, { kind: "thread" }],
    ["first hand", { includeSyndicated: false }, {}, { syndicated: true }],
    ["no replies", { includeReplies: false }, {}, { parentId: "root" }],
    [
      "replies to a post",
      { includeReplies: false, parentId: "root" },
      { parentId: "root" },
      { parentId: "other" },
    ],
    ["a publisher", { publisherId: "pub_1" }, {}, { publisherId: "pub_2" }],
    ["a series", { series: "s" }, { series: "s" }, { series: "t" }],
    ["a circle", { near: { lat: 0, lng: 0, radiusKm: 112 } }, { lat: 1, lng: 0 }, { lat: 0.9, lng: 0.9 }],
    ["a place", { near: { lat: 0, lng: 0, radiusKm: 112 } }, { lat: 0, lng: 0 }, {}],
  ])("passes by %s, as one of few or of many", async (_, filter, passing, other) => {
    const opened = openIndex();
    opened.write((index) => {
      index.put(anEntry({ id: "passing", ...passing }));
      index.put(anEntry({ id: "other", ...other }));
    });
    expect(await opened.pass(filter)).toEqual(["passing"]);
    opened.write((index) => {
      for (let n = 0; n < 300; n += 1) index.put(anEntry({ id: `passing${n}`, ...passing }));
    });
    const ids = await opened.pass(filter);
    expect([ids.length, ids.includes("other")]).toEqual([301, false]);
  });

  it("counts a post once that has two of the tags asked for, beside others", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (const [id, tags] of [
        ["both", ["a", "b"]],
        ["one", ["b"]],
        ["none", ["c"]],
      ] as const)
        index.put(anEntry({ id, tags }));
    });
    expect(await opened.pass({ tags: ["a", "b"] })).toEqual(["both", "one"]);
  });

  it.each([
    ["the older one", { p1: true, p2: true }, "p1"],
    ["the first-hand one", { p1: true, p2: false }, "p2"],
  ])(
    "shows one of two publishers' copies where that is asked for, %s, and both where not",
    async (_, relayed, one) => {
      const opened = openIndex();
      opened.write((index) => {
        for (const [n, [id, syndicated]] of Object.entries(relayed).entries())
          index.put(
            anEntry({ id, title: "Bike", publisherId: `pub_${n}`, source: "s", createdAt: n, syndicated }),
          );
      });
      const page = { order: "newest", after: null, limit: 9 } as const;
      for (const words of [{}, { q: "bike" }]) {
        const found = async (distinct: boolean) => {
          const asked = question({ ...words, distinct });
          const lists = [
            await opened.index.ask("rank", asked, aPage(9)),
            await opened.index.ask("list", asked, page),
          ];
          return [
            ...lists.map((list) => list.map(({ id }) => id).sort()),
            await opened.index.ask("count", asked),
          ];
        };
        expect([await found(true), await found(false)]).toEqual([
          [[one], [one], 1],
          [["p1", "p2"], ["p1", "p2"], 2],
        ]);
      }
    },
  );

  it("names the copies that a post stands for, oldest first: other publishers', and those that match", async () => {
    const opened = openIndex();
    const asked = ["own", "alone", "other", "gone"];
    opened.write((index) => {
      for (const [n, id, fields] of [
        [1, "a-late", { publisherId: "pub_2", syndicated: true }],
        [0, "b-early", { publisherId: "pub_3", syndicated: true }],
        [2, "own", {}],
        [-1, "mine-too", {}],
        [-2, "thread", { publisherId: "pub_2", kind: "thread" }],
        [3, "cello", { publisherId: "pub_3", title: "Cello" }],
        [4, "alone", { source: null }],
        [5, "other", { source: "t" }],
      ] as const)
        index.put(anEntry({ id, title: "Bike", source: "s", createdAt: n, ...fields }));
    });
    const copies = (q: Parameters<typeof question>[0]) => opened.index.ask("copies", question(q), asked);
    const filter = { kinds: ["offer" as const] };
    expect(await copies({ filter })).toEqual([["b-early", "a-late", "cello"], [], [], []]);
    expect(await copies({ filter, q: "bike" })).toEqual([["b-early", "a-late"], [], [], []]);
    expect(await copies({ q: "bike -cello" })).toEqual([["thread", "b-early", "a-late"], [], [], []]);
  });

  it("names the dates of a series that come after one, soonest first, and pass", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (const [id, at, fields] of [
        ["d3", 30, {}],
        ["d1", 10, {}],
        ["d2b", 20, {}],
        ["d2a", 20, {}],
        ["thread", 25, { kind: "thread" }],
        ["other", 15, { series: "t" }],
        ["none", 15, { series: null }],
      ] as const)
        index.put(anEntry({ id, series: "s", createdAt: NOW - at, windowStart: NOW + at, ...fields }));
    });
    const { filter } = question({ filter: { kinds: ["offer"] } });
    const at = (id: string, start: number) => ({ id, at: NOW + start });
    expect(
      await opened.index.ask("laterDates", filter, ["d1", "d2a", "d3", "other", "none", "gone"]),
    ).toEqual([
      [at("d2a", 20), at("d2b", 20), at("d3", 30)],
      [at("d2b", 20), at("d3", 30)],
      ...[[], [], [], []],
    ]);
  });

  it("counts all matches with a page of a list, up to a number, and none with the last page", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (let n = 0; n < 5; n += 1)
        index.put(anEntry({ id: `p${n}`, createdAt: n, kind: n === 4 ? "event" : "offer" }));
    });
    const page = async (limit: number, most: number, after: { at: number; id: string } | null = null) => {
      const asked = question({ filter: { kinds: ["offer"] } });
      const found = await opened.index.ask("page", asked, { order: "newest", after, limit, most });
      return [found.places.map(({ id }) => id), found.total];
    };
    expect(await page(2, 9)).toEqual([["p3", "p2"], 4]);
    expect(await page(2, 3)).toEqual([["p3", "p2"], 3]);
    expect(await page(2, 0)).toEqual([["p3", "p2"], null]);
    expect(await page(2, 9, { at: 1, id: "p1" })).toEqual([["p0"], null]);
  });

  it("finds what means the same as a post, the nearest first, and nothing for one without a vector", async () => {
    const opened = openIndex();
    const near = vectorOf(3).map((x, at) => (at % 4 === 0 ? 0 : x));
    opened.write((index) => {
      for (const [id, vector] of Object.entries({ a: vectorOf(3), b: near, c: vectorOf(3), d: null })) {
        index.put(anEntry({ id }));
        index.putVector(id, MODEL, vector);
      }
    });
    const like = async (id: string, except: string[]) => {
      const asked = question({ like: id, minCosine: 0 });
      return (await opened.index.ask("rank", asked, aPage(9, except))).map((found) => found.id);
    };
    expect(await like("a", ["a"])).toEqual(["c", "b"]);
    expect([await like("d", []), await like("gone", [])]).toEqual([[], []]);
  });

  it("shows of a series the next date, or the last where all are over", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (const n of [1, 0, 2]) {
        const window = { windowStart: NOW + 10 * n, windowEnd: NOW + 10 * n + 1 };
        index.put(anEntry({ id: `d${n}`, title: "Yoga", series: "s", ...window }));
      }
    });
    const shown = async (now: number) => {
      const asked = question({ q: "yoga", nextDates: true, filter: { now } });
      return (await opened.index.ask("rank", asked, aPage(9))).map(({ id }) => id);
    };
    const at = [NOW, NOW + 1, NOW + 2, NOW + 12, NOW + 22];
    expect((await Promise.all(at.map(shown))).flat()).toEqual(["d0", "d0", "d1", "d2", "d2"]);
  });

  it("finds an edited post by its new words only", async () => {
    const opened = openIndex();
    opened.write((index) =>
      index.put(anEntry({ id: "a", title: "Road bike", tags: ["cycling"], placeName: "Delft" })),
    );
    expect([await opened.find("delft"), await opened.find("cycling")]).toEqual([["a"], ["a"]]);
    opened.write((index) =>
      index.put(anEntry({ id: "a", title: "Cello", tags: ["music"], placeName: "Gouda" })),
    );
    for (const former of ["bike", "delft", "cycling"]) expect(await opened.find(former)).toEqual([]);
    for (const word of ["cello", "gouda", "music"]) expect(await opened.find(word)).toEqual(["a"]);
    for (const tag of ["cycling", "cello", "pub_1"]) expect(await opened.pass({ tags: [tag] })).toEqual([]);
    expect(await opened.pass({ tags: ["music"] })).toEqual(["a"]);
  });

  it("shows an edited post by its new dates, place, kind, source and series only", async () => {
    const opened = openIndex();
    const entry = (id: string, fields: Partial<IndexEntry> = {}) =>
      opened.write((index) => index.put(anEntry({ id, createdAt: NOW, windowStart: NOW + 20, ...fields })));
    entry("a", { windowStart: NOW + 10, windowEnd: NOW + 30, lat: 52, lng: 4, source: "s", series: "s" });
    entry("b", { windowEnd: NOW + 90, publisherId: "pub_2", source: "t", series: "t" });
    const list = async (order: "newest" | "soonest", filter: Partial<PostFilter> = {}) => {
      const asked = question({ filter, distinct: true });
      return (await opened.index.ask("list", asked, { order, after: null, limit: 9 })).map(({ id }) => id);
    };
    const seen = async () => [
      await list("soonest"),
      await list("newest"),
      await list("soonest", { after: NOW + 50 }),
      await list("soonest", { near: { lat: 52, lng: 4, radiusKm: 5 } }),
      await list("soonest", { kinds: ["event"] }),
      await list("soonest", { series: "s" }),
      await list("soonest", { datedOnly: true }),
    ];
    expect(await seen()).toEqual([["a", "b"], ["b", "a"], ["b"], ["a"], [], ["a"], ["a", "b"]]);
    const moved = { windowStart: NOW + 40, windowEnd: NOW + 60, lat: 10, lng: 4, kind: "event" } as const;
    entry("a", { ...moved, createdAt: NOW + 1 });
    expect(await seen()).toEqual([["b", "a"], ["a", "b"], ["b", "a"], [], ["a"], [], ["b", "a"]]);
    entry("a", { ...moved, source: "t", series: "t", syndicated: true, windowStart: NOW });
    expect(await seen()).toEqual([["b"], ["b"], ["b"], [], ["a"], [], ["b"]]);
    entry("b", { expiresAt: NOW, publisherId: "pub_2" });
    expect(await seen()).toEqual([["a"], ["a"], ["a"], [], ["a"], [], []]);
    expect(await openIndex().pass({})).toEqual(["a"]);
  });

  it("does not return a removed post, and finds one that comes back under the same id", async () => {
    const opened = openIndex();
    opened.write((index) => index.put(anEntry({ id: "a", title: "Road bike" })));
    opened.write((index) => index.remove("a"));
    expect(await opened.find("bike")).toEqual([]);
    expect(await opened.pass({})).toEqual([]);
    opened.write((index) => index.put(anEntry({ id: "a", title: "Road bike" })));
    expect(await opened.find("bike")).toEqual(["a"]);
    opened.write((index) => {
      index.remove("a");
      index.put(anEntry({ id: "a", title: "Another bike" }));
    });
    expect(await opened.find("another")).toEqual(["a"]);
    expect(await opened.pass({})).toEqual(["a"]);
  });

  it("drops suspended publishers' posts while they are suspended", async () => {
    const opened = openIndex();
    opened.write((index) => {
      index.put(anEntry({ id: "a", publisherId: "pub_1" }));
      index.put(anEntry({ id: "b", publisherId: "pub_2" }));
      index.putPublisher("pub_1", { verified: true, suspended: false });
    });
    expect(await opened.pass({ verifiedOnly: true })).toEqual(["a"]);
    opened.write((index) => index.putPublisher("pub_1", { verified: true, suspended: true }));
    expect([await opened.pass({}), await opened.pass({ verifiedOnly: true })]).toEqual([["b"], []]);
    opened.write((index) => index.putPublisher("pub_1", { verified: false, suspended: false }));
    expect(await opened.pass({})).toEqual(["a", "b"]);
    expect(await opened.pass({ verifiedOnly: true })).toEqual([]);
    // Two change between two questions, in another order than that of their names.
    opened.write((index) => {
      index.putPublisher("pub_2", { verified: false, suspended: true });
      index.putPublisher("pub_1", { verified: true, suspended: false });
    });
    for (const { pass } of [opened, openIndex()])
      expect([await pass({}), await pass({ verifiedOnly: true })]).toEqual([["a"], ["a"]]);
  });

  it("keeps the id of a publisher nowhere once it and its posts are removed", async () => {
    const opened = openIndex();
    const other = openIndex();
    opened.write((index) => {
      index.putPublisher("pub_gone", { verified: true, suspended: false });
      index.put(anEntry({ id: "a", publisherId: "pub_gone" }));
      index.put(anEntry({ id: "b", publisherId: "pub_2" }));
    });
    expect(await other.pass({})).toEqual(["a", "b"]);
    opened.write((index) => {
      index.remove("a");
      index.removePublisher("pub_gone");
    });
    expect(await other.pass({})).toEqual(["b"]);
    for (const table of ["index_doc", "index_publisher", "index_change"]) {
      const rows = opened.database.prepare(`SELECT * FROM ${table}`).all();
      expect(JSON.stringify(rows)).not.toContain("pub_gone");
    }
  });

  it("follows what another connection to the same file commits", async () => {
    const one = openIndex();
    const two = openIndex();
    one.write((index) => {
      index.put(anEntry({ id: "a", title: "Road bike" }));
      index.putVector("a", MODEL, vectorOf(1));
    });
    expect(await two.find("bike")).toEqual(["a"]);
    expect((await two.index.ask("vectors", ["a"]))[0]).toEqual(vectorOf(1));
    two.write((index) => index.put(anEntry({ id: "b", title: "City bike" })));
    two.write((index) => index.put(anEntry({ id: "a", title: "Cello" })));
    expect(await one.find("bike")).toEqual(["b"]);
    two.write((index) => index.remove("b"));
    expect(await one.find("bike")).toEqual([]);
    one.write((index) => index.putPublisher("pub_1", { verified: false, suspended: true }));
    expect(await two.pass({})).toEqual([]);
    expect(await openIndex().pass({})).toEqual([]);
  });

  it("loads everything again when it missed changes that were pruned", async () => {
    const one = openIndex();
    const two = openIndex();
    one.write((index) => index.put(anEntry({ id: "a" })));
    expect(await two.pass({})).toEqual(["a"]);
    one.write((index) => {
      for (let i = 0; i < 5; i += 1) index.put(anEntry({ id: `b${i}` }));
      index.remove("a");
    });
    one.database.exec("DELETE FROM index_change WHERE no <= 4");
    expect(await two.pass({})).toEqual(["b0", "b1", "b2", "b3", "b4"]);
  });

  it("reads no table from end to end but what it is asked for whole", () => {
    const { database } = openIndex();
    const prepare = vi.spyOn(database, "prepare");
    new Tables(database, new OwnRows(database));
    const texts = prepare.mock.calls.map(([text]) => text).filter((text) => !text.startsWith("PRAGMA"));
    expect(texts.length).toBeGreaterThan(20);
    const scans = texts.flatMap((text) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[];
      // Row numbers lead through virtual tables: `0:=`.
      const scanned = plan.flatMap(
        ({ detail }) => /^SCAN (?!json_each|CONST|.*:=)(.*)/.exec(detail)?.[1] ?? [],
      );
      return scanned.map((name) => `${name} <- ${text}`);
    });
    // Up to a limit; the bounded changes, at an erasure; all publishers, when they are loaded; one row.
    const meant = [
      /^index_doc .*LIMIT/,
      /^\(subquery/,
      /^index_change <- UPDATE/,
      /^index_publisher/,
      /^index_snapshot/,
    ];
    expect(scans.filter((scan) => !meant.some((form) => form.test(scan)))).toEqual([]);
  });

  it("counts a place within a centimetre of a square's side in the square that it is said to lie in", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (const lng of [0, -5e-324]) index.put(anEntry({ id: `p${lng}`, lat: 0, lng }));
    });
    expect((await opened.index.ask("spots", question({}), 10)).map(({ count }) => count)).toEqual([2]);
  });

  it("gives the squares with the most posts first, each at the middle of its posts", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (const [n, lng] of [9, 7.001, 7.003, 8].entries()) index.put(anEntry({ id: `p${n}`, lat: 1, lng }));
    });
    expect(await opened.index.ask("spots", question({}), 2)).toEqual([
      { lat: 1, lng: 7.002, count: 2 },
      { lat: 1, lng: 9, count: 1 },
    ]);
  });

  it("keeps a bounded number of changes", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (let i = 0; i < 68_000; i += 1)
        index.putPublisher("pub_1", { verified: i % 2 === 1, suspended: false });
      index.put(anEntry({ id: "a" }));
    });
    const { n } = opened.database.prepare("SELECT count(*) AS n FROM index_change").get() as { n: number };
    expect(n).toBeLessThan(67_000);
    expect(await opened.pass({ verifiedOnly: true })).toEqual(["a"]);
  });

  it("has no vectors of another model, and none without a model", async () => {
    const opened = openIndex();
    opened.write((index) => {
      index.put(anEntry({ id: "a" }));
      index.putVector("a", "another-model", vectorOf(1));
      index.put(anEntry({ id: "b" }));
      index.putVector("b", MODEL, vectorOf(2));
      index.putVector("nobody", MODEL, vectorOf(2));
    });
    expect(
      (await opened.index.ask("vectors", ["a", "b", "nobody"])).map((vector) => vector !== null),
    ).toEqual([false, true, false]);
    opened.write((index) => index.putVector("b", null, null));
    expect(await opened.index.ask("vectors", ["b"])).toEqual([null]);
    // The model changed under the same name.
    opened.write((index) => index.putVector("b", MODEL, vectorOf(2).subarray(16)));
    expect(await opened.index.ask("vectors", ["b"])).toEqual([null]);
    const without = openIndex({ modelId: null });
    expect(without.index.ready()).toBe(true);
    expect(await without.pass({})).toEqual(["a", "b"]);
  });
});
