import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { IndexEntry, Question } from "../../src/ports/search-index.ts";
import { aPage } from "../support/boards/questions.ts";
import { NOW, type OpenIndex, openIndex, post, question, vectorOf } from "../support/search/open-index.ts";

const SOURCE = "example.org/talks/7";
const NEWEST = { order: "newest", after: null, limit: 100 } as const;

describe("copies of a post", () => {
  let folder: string;
  let open: OpenIndex;
  const put = (...entries: (Partial<IndexEntry> & { id: string })[]) =>
    open.write((index) => {
      for (const [n, entry] of entries.entries())
        index.put(post({ createdAt: NOW + n, source: SOURCE, publisherId: `pub_${entry.id}`, ...entry }));
    });
  const asked = (fields: Parameters<typeof question>[0]): Question => question({ distinct: true, ...fields });
  const listed = async (fields: Parameters<typeof question>[0] = {}) =>
    (await open.index.list(asked(fields), NEWEST)).map(({ id }) => id);
  const found = async (q: string) => {
    const question = asked({ q, minCosine: 0.1 });
    const options = { rerank: true, limit: 100, except: new Set<string>() };
    const ranked = (await open.index.rank(question, options)).map(({ id }) => id);
    const { matches } = await open.index.match(question, aPage(100));
    expect(matches.map(({ id }) => id).sort()).toEqual(ranked.toSorted());
    return ranked;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "copies-"));
    open = openIndex(folder);
  });
  afterEach(async () => {
    await open.index.close();
    open.database.close();
    rmSync(folder, { recursive: true });
  });

  it("are found once: the first-hand one, else the oldest", async () => {
    put({ id: "a", syndicated: true }, { id: "b", syndicated: true }, { id: "other", source: null });
    expect(await listed()).toEqual(["other", "a"]);
    expect(await found("title")).toEqual(["a", "other"]);
    put({ id: "c", createdAt: NOW + 10 }, { id: "d", createdAt: NOW + 11 });
    expect(await listed()).toEqual(["c", "other"]);
    expect(await open.index.count(asked({}))).toBe(2);
    expect(await open.index.copies(asked({}), ["c", "other", "gone"])).toEqual([["a", "b", "d"], [], []]);
  });

  it("are found once in a ranking: the one that answers best, whoever wrote it and when", async () => {
    put(
      { id: "first", body: "word ".repeat(30) },
      { id: "relayed", body: "violin violin violin", syndicated: true },
      { id: "later", body: "violin" },
    );
    const others = Array.from({ length: 20 }, (_, n) => ({ id: `other${n}`, title: "Cello", source: null }));
    put(...others);
    expect(await found("violin")).toEqual(["relayed"]);
    expect(await found("title")).toEqual(["later"]);
    expect(await open.index.copies(asked({ q: "violin" }), ["relayed"])).toEqual([["later"]]);
    expect(await listed()).toContain("first");
    open.write((index) => {
      index.putVector("first", "test-model", vectorOf(1));
      index.putVector("relayed", "test-model", vectorOf(2));
    });
    const { matches } = await open.index.match(asked({ vector: vectorOf(1), minCosine: -1 }), aPage(10));
    expect(matches.map(({ id }) => id)).toEqual(["first"]);
  });

  it("are never of one publisher, however alike", async () => {
    put(
      { id: "a", publisherId: "pub_1" },
      { id: "b", publisherId: "pub_1" },
      { id: "c", publisherId: "pub_2" },
    );
    expect(await listed()).toEqual(["b", "a"]);
    expect(await open.index.copies(asked({}), ["a", "b"])).toEqual([["c"], ["c"]]);
  });

  it("are all found by questions that do not ask for different ones", async () => {
    put({ id: "a" }, { id: "b" });
    expect((await open.index.list(question({}), NEWEST)).map(({ id }) => id)).toEqual(["b", "a"]);
  });

  it("stand for each other only where they match: by filters, words and meaning", async () => {
    put(
      { id: "a", kind: "event", body: "cello" },
      { id: "b", kind: "offer", body: "violin" },
      { id: "c", kind: "offer", body: "violin and cello", publisherId: "pub_2" },
    );
    expect(await listed()).toEqual(["a"]);
    expect(await listed({ filter: { kinds: ["offer"] } })).toEqual(["b"]);
    expect(await listed({ filter: { publisherId: "pub_2" } })).toEqual(["c"]);
    expect(await found("violin")).toEqual(["b"]);
    expect(await found("cello -violin")).toEqual(["a"]);
    expect(await open.index.copies(asked({ q: "violin" }), ["b"])).toEqual([["c"]]);
    open.write((index) => {
      index.putVector("b", "test-model", vectorOf(1));
      index.putVector("c", "test-model", vectorOf(1));
    });
    const { matches } = await open.index.match(asked({ vector: vectorOf(1), minCosine: 0.1 }), aPage(10));
    expect(matches.map(({ id }) => id)).toEqual(["b"]);
  });

  it("do not come back in a later part of a walk, where the first is left out as shown", async () => {
    put({ id: "a" }, { id: "b" }, { id: "c", source: null });
    const { matches } = await open.index.match(asked({ q: "title" }), aPage(10, ["a"]));
    expect(matches.map(({ id }) => id)).toEqual(["c"]);
  });

  it("step in for one that is removed or gets another source, also after the memory is compacted", async () => {
    put({ id: "a" }, { id: "b" }, { id: "c" });
    open.write((index) => index.remove("a"));
    expect(await listed()).toEqual(["b"]);
    put({ id: "b", source: "example.org/talks/8" });
    expect(await listed()).toEqual(["c", "b"]);
    await open.index.close();
    open.database.close();
    open = openIndex(folder);
    expect(await listed()).toEqual(["c", "b"]);
    put({ id: "d", createdAt: NOW + 9 });
    expect(await listed()).toEqual(["c", "b"]);
  });
});
