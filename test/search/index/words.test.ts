import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQueryText } from "../../../src/search/text/query-text.ts";
import { aPage } from "../../support/boards/questions.ts";
import { expectExact } from "../../support/search/exact.ts";
import { anEntry, MODEL, question, useIndexFile, vectorOf } from "../../support/search/open-index.ts";

const openIndex = useIndexFile();

describe("words", () => {
  it.each([
    ["Müller", "Mueller"],
    ["Søren Kjærgård", "Soeren Kjaergaard"],
    ["check-in", "checkin"],
    ["E-Bike", "ebike"],
    ["O’Brien", "obrien"],
    ["U.S.A.", "usa"],
    ["12,500", "12500"],
    ["C#", "csharp"],
  ])("find each other however they are written: %s, %s", async (one, other) => {
    const opened = openIndex();
    opened.write((index) => {
      index.put(anEntry({ id: "one", title: `Desk of ${one}` }));
      index.put(anEntry({ id: "other", body: `The ${other} desk` }));
      index.put(anEntry({ id: "neither", title: "Poet, guest, in, bike club" }));
    });
    const found = async (q: string) => (await opened.find(q)).filter((id) => id !== "neither").sort();
    for (const q of [one, other]) {
      expect(await found(q), q).toEqual(["one", "other"]);
      expect(await found(`desk -${q}`), `-${q}`).toEqual([]);
    }
    expect(await found('"poet guest"')).toEqual([]);
  });

  it("with an umlaut find the word that leaves it out, too, and English words stay as they are", async () => {
    const opened = openIndex();
    opened.write((index) => {
      index.put(anEntry({ id: "plain", title: "Flat in Zurich" }));
      index.put(anEntry({ id: "poet", title: "Poet" }));
    });
    expect(await opened.find("Zürich")).toEqual(["plain"]);
    expect(await opened.find("pot")).toEqual([]);
    expect(await opened.find("pöt")).toEqual(["poet"]);
  });

  it("are known when a post has every part of them, and meant to be another when their one part is misspelt", async () => {
    const opened = openIndex();
    opened.write((index) => {
      index.put(anEntry({ id: "a", title: "Yoga workshop", body: "Kitchen carpet, kitchens" }));
      index.put(anEntry({ id: "b", title: "Gone harpsichord" }));
      for (const id of ["c", "d"]) index.put(anEntry({ id, title: "Carpel" }));
    });
    opened.write((index) => index.remove("b"));
    const asked = ["yoga", "yoga-workshop", "yoga-wrkshop", "ygoa-workshop", "wrk-shp", "harpsichord"];
    expect(await opened.index.ask("unknownWords", asked)).toEqual(asked.slice(2));
    const typed = ["ygoa", "yoga-wrkshop", "kitcehn", "carpeq", "yoga", "harpsicord", "xoga"];
    expect(await opened.index.ask("spellings", typed)).toEqual([
      ...["yoga", null, "kitchen", "carpel", null, null, null],
    ]);
    // Words that came since are meant, too, and those that went are not.
    opened.write((index) => index.put(anEntry({ id: "e", title: "Kayaking" })));
    opened.write((index) => index.remove("a"));
    expect(await opened.index.ask("spellings", ["kayakign", "kitcehn", "carpeq"])).toEqual([
      ...["kayaking", null, "carpel"],
    ]);
  });

  it("must occur as quoted, and must not when excluded, also for posts found by meaning", async () => {
    const opened = openIndex();
    opened.write((index) => {
      index.put(anEntry({ id: "road", title: "Road bike for sale", tags: ["city"] }));
      index.put(anEntry({ id: "bikeroad", title: "Bike trip on a road" }));
      index.put(anEntry({ id: "electric", title: "Electric road bike" }));
      index.put(anEntry({ id: "cello", title: "Cello" }));
      for (const id of ["road", "bikeroad", "electric", "cello"]) index.putVector(id, MODEL, vectorOf(3));
    });
    const find = (q: string) => opened.find(q, vectorOf(3));
    expect((await find("bike")).length).toBe(4);
    expect((await find('"road bike"')).sort()).toEqual(["electric", "road"]);
    expect((await find('"road bike" cello')).sort()).toEqual(["electric", "road"]);
    for (const excluded of ["-electric", "-tandem -electric", "-electric -tandem"])
      expect(await find(`"road bike" ${excluded}`)).toEqual(["road"]);
    expect((await find("cello -bike")).sort()).toEqual(["cello"]);
    expect((await opened.find("-bike")).sort()).toEqual(["cello"]);
    expect((await opened.find('-"road bike"')).sort()).toEqual(["bikeroad", "cello"]);
    expect(await opened.find('"bike road" -x')).toEqual([]);
    for (const nothing of ["!!!", ""]) expect(await opened.find(nothing)).toEqual([]);
    // Fields end phrases.
    expect(await opened.find('"sale city"')).toEqual([]);
  });

  it("are known where a post has every part of them", async () => {
    const opened = openIndex();
    opened.write((index) => index.put(anEntry({ id: "p1", title: "Bike shop with check-in" })));
    const asked = ["bike-shop", "bike-shpo", "bkie-shop", "check-in", "shop"];
    expect(await opened.index.ask("unknownWords", asked)).toEqual(["bike-shpo", "bkie-shop"]);
  });

  it("orders equal scores by id, of two hundred at least, and leaves out what it is told to", async () => {
    const opened = openIndex();
    const ids = Array.from({ length: 200 }, (_, n) => `p${n + 100}`);
    opened.write((index) => {
      for (const id of ids.toReversed()) index.put(anEntry({ id, title: "Bike" }));
    });
    const best = async (...page: Parameters<typeof aPage>) =>
      (await opened.index.ask("rank", question({ q: "bike" }), aPage(...page))).map(({ id }) => id);
    expect(await best(3)).toEqual(ids.slice(0, 3));
    expect(await best(2, ["p100", "gone"])).toEqual(ids.slice(1, 3));
    // Without a vector, words vouch for 0.5, and add 0.3; the best of all has 1.3.
    const [first] = await opened.index.ask("rank", question({ q: "bike" }), aPage(1));
    expect(first).toEqual({ id: "p100", relevance: 0.615 });
  });

  it("count most in a title, then in tags and place, then in the body, single or quoted", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (let n = 0; n < 9; n += 1) index.put(anEntry({ id: `p${n}`, title: "x y", body: "x y" }));
      index.put(anEntry({ id: "a-body", title: "x y", body: "cello suite" }));
      index.put(anEntry({ id: "b-place", title: "x", body: "y", placeName: "cello suite" }));
      index.put(anEntry({ id: "c-title", title: "cello suite", body: "x y" }));
    });
    for (const q of ["cello", '"cello suite"'])
      expect(await opened.find(q), q).toEqual(["c-title", "b-place", "a-body"]);
    // However often a word is said, it is found, and counts for more than once.
    opened.write((index) => {
      for (const times of [1, 127, 128, 300])
        index.put(anEntry({ id: `said-${times}`, title: "x", body: "harp ".repeat(times) }));
    });
    expect((await opened.find("harp")).sort()).toEqual(["said-1", "said-127", "said-128", "said-300"]);
    opened.write((index) =>
      index.put(anEntry({ id: "said-1", title: "x", body: `harp ${"y ".repeat(127)}` })),
    );
    expect((await opened.find("harp")).at(-1)).toBe("said-1");
  });

  it("that name a publisher find its posts, behind those that have the words", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (let n = 0; n < 9; n += 1) index.put(anEntry({ id: `p${n}`, title: "Flute" }));
      index.put(anEntry({ id: "a-theirs", title: "Drum", publisherId: "pub_2" }));
      index.put(anEntry({ id: "b-word", title: "Kestrel", publisherId: "pub_3" }));
    });
    const find = async (publishers: string[], respelt: string[] = [], any = ["kestrel"]) => {
      const words = { any, respelt, publishers, phrases: [], excluded: [] };
      return (await opened.index.ask("rank", question({ words }), aPage(9))).map(({ id }) => id);
    };
    expect(await find([])).toEqual(["b-word"]);
    expect(await find(["pub_2", "nobody"])).toEqual(["b-word", "a-theirs"]);
    // Words as others write them count where a post has them.
    expect(await find([], ["drums", "nowhere"])).toEqual(["a-theirs", "b-word"]);
  });

  it("lift what fits a place or a time from among the best two hundred", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (let n = 0; n < 200; n += 1) index.put(anEntry({ id: `p${n + 100}`, title: "Bike" }));
      // A word of fewer than half of the posts counts less in a longer one.
      for (let n = 0; n < 250; n += 1) index.put(anEntry({ id: `q${n}`, title: "Cello" }));
      index.put(anEntry({ id: "least", title: "Bike", body: "word ".repeat(50), kind: "thread" }));
    });
    const lifted = async (...others: string[]) => {
      const lifts = [{ filter: { kinds: ["thread" as const] }, weight: 0.4 }];
      const [first] = await opened.index.ask("rank", question({ q: "bike" }), { ...aPage(1, others), lifts });
      return first?.id;
    };
    expect([await lifted(), await lifted("p100")]).toEqual(["p100", "least"]);
  });

  it("are lifted and lowered by all that fits, between 0 and 1", async () => {
    const opened = openIndex();
    opened.write((index) => {
      for (const [id, fields] of [
        ["both", { kind: "event", tags: ["x"] }],
        ["event", { kind: "event" }],
        ["none", {}],
        ["tagged", { tags: ["x"], parentId: "none", syndicated: true }],
      ] as const)
        index.put(anEntry({ id, title: "Bike", ...fields }));
    });
    const ranked = async (event: number, tagged: number) => {
      const lifts = [
        { filter: { kinds: ["event" as const] }, weight: event },
        { filter: { tags: ["x"] }, weight: tagged },
      ];
      const asked = question({ q: "bike", filter: { includeReplies: true } });
      return (await opened.index.ask("rank", asked, { ...aPage(9), lifts })).map(
        ({ id, relevance }) => `${id} ${relevance}`,
      );
    };
    // Of 1.3, words alone are worth 0.8.
    expect(await ranked(-0.1, 0.2)).toEqual(["tagged 0.769", "both 0.692", "none 0.615", "event 0.538"]);
    expect(await ranked(-2, 1)).toEqual(["tagged 1", "none 0.615", "both 0", "event 0"]);
  });

  it("score the same whether few or many posts are left by the filters", async () => {
    const opened = openIndex();
    const posts = Array.from({ length: 100 }, (_, i) => ({
      entry: anEntry({
        id: `p${i}`,
        title: i % 3 === 0 ? "Bike" : "Cello",
        body: "word ".repeat(i),
        // The post that the word fits best is no offer.
        kind: i >= 9 && i < 18 ? "offer" : "event",
      }),
      vector: null,
      isSeen: i >= 9 && i < 18,
    }));
    opened.write((index) => {
      for (const { entry } of posts) index.put(entry);
    });
    const few = question({ filter: { kinds: ["offer"] }, q: "bike" });
    expect(await expectExact(opened.index, posts, [few])).toBe(3);
    const all = posts.map((post) => ({ ...post, isSeen: true }));
    expect(await expectExact(opened.index, all, [question({ q: "bike" })])).toBe(34);
  });

  it("make no query fail", async () => {
    const opened = openIndex();
    opened.write((index) => index.put(anEntry({ id: "a", title: "AND OR NOT NEAR title:bike * ˘" })));
    expect(await opened.find("˘ bike")).toEqual(["a"]);
    await expect(opened.find("˘")).resolves.toBeDefined();
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
        await opened.find(q);
        const words = { any: [q], phrases: [[q, q]], excluded: [[q]] };
        await opened.index.ask("rank", question({ words }), aPage(10));
      }),
      { numRuns: 40 },
    );
  });

  it("find every text by each of its own words", async () => {
    const opened = openIndex();
    const letters = "aoóéÅñß5-.' 東京ひカﾊーនី៰นี้ไลາកခहिन्दीאשָعربيّ한국İıǆΣςЙё";
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        opened.write((index) => index.put(anEntry({ id: "a", title: "x", body })));
        for (const word of parseQueryText(body.replaceAll("-", " ")).any) {
          const words = { any: [word], phrases: [], excluded: [] };
          expect(await opened.index.ask("rank", question({ words }), aPage(1)), word).toHaveLength(1);
        }
      }),
      { numRuns: 150, examples: [["İ.a"], ["Ó'aaa"], ["ø'ßa"], ["a.İa"]] },
    );
  });
});
