import { describe, expect, it } from "vitest";
import { weakResults } from "../../../src/domain/search/weak.ts";
import type { PostFilter } from "../../../src/schema/filter.ts";
import { cosineOf } from "../../../src/search/ranking/vectors.ts";
import { aPage } from "../../support/boards/questions.ts";
import { expectExact } from "../../support/search/exact.ts";
import { anEntry, MODEL, question, useIndexFile, vectorOf } from "../../support/search/open-index.ts";

const openIndex = useIndexFile();

describe("meaning", () => {
  it("is the exact dot product for every post, and the best come first by the fused score", async () => {
    const opened = openIndex();
    const bodies = ["bike", "cello", "bike cello", "piano"];
    const posts = Array.from({ length: 9000 }, (_, i) => ({
      entry: anEntry({
        id: `p${String(i).padStart(4, "0")}`,
        title: "x",
        body: bodies[i % 4] ?? "",
        tags: i % 50 === 0 ? ["rare"] : [],
      }),
      vector: i % 7 === 3 ? null : vectorOf(i),
    }));
    opened.write((index) => {
      for (const { entry, vector } of posts) {
        index.put(entry);
        index.putVector(entry.id, MODEL, vector);
      }
    });
    for (const tags of [null, ["rare"]]) {
      const asked = question({ filter: { tags }, q: "bike", vector: vectorOf(9_001), minCosine: 0.4 });
      const seen = posts.map((post) => ({
        ...post,
        isSeen: tags === null || post.entry.tags.includes("rare"),
      }));
      const size = await expectExact(opened.index, seen, [asked]);
      const counts = [undefined, -1, 0, 1].map((more) =>
        opened.index.ask("count", asked, more === undefined ? more : size + more),
      );
      expect(await Promise.all(counts)).toEqual([size, size - 1, size, size]);
      const ranked = await opened.index.ask("rank", asked, aPage(10_000));
      expect(await opened.index.ask("rank", asked, aPage(25))).toEqual(ranked.slice(0, 25));
    }
  });
});

it("what is only near comes behind what matches, with no higher relevance, and nothing beside a phrase", async () => {
  const opened = openIndex();
  opened.write((index) => {
    for (const id of ["a", "b", "c"]) index.put(anEntry({ id, title: "Bike" }));
    for (const id of ["a", "b"]) index.putVector(id, MODEL, vectorOf(3));
  });
  const asked = question({ vector: vectorOf(3), minCosine: 1 });
  const weak = (found: string[], relevance: number, q?: string) =>
    weakResults(
      opened.index,
      { question: q === undefined ? asked : question({ q, vector: vectorOf(3) }), lifts: [] },
      found.map((id) => ({ id, relevance })),
      3,
    );
  expect(await weak(["c"], 0.05)).toEqual(["a", "b"].map((id) => ({ id, relevance: 0.05, weak: true })));
  const [near] = await weak(["b", "c"], 1);
  expect([near?.id, (near?.relevance ?? 0) > 0.05]).toEqual(["a", true]);
  expect(await weak(["c"], 0.05, '"bike"')).toEqual([]);
});

it("a later part of a ranking is judged by the same posts as its beginning", async () => {
  const opened = openIndex();
  opened.write((index) => {
    for (let n = 0; n < 60; n += 1) {
      index.put(anEntry({ id: `p${n}`, title: "Bike" }));
      index.putVector(`p${n}`, MODEL, vectorOf(n));
    }
  });
  const asked = question({ vector: vectorOf(100), minCosine: -1 });
  const ranked = (limit: number, except: string[] = []) =>
    opened.index.ask("rank", asked, { rerank: true, limit, except: new Set(except) });
  const all = await ranked(60);
  const later = await ranked(
    60,
    all.slice(0, 20).map(({ id }) => id),
  );
  expect(later).toEqual(all.slice(20));
});

describe("meaning, when no post has any of the words", () => {
  it("must be nearer", async () => {
    const opened = openIndex();
    const [bike, query] = [vectorOf(3), vectorOf(3).map((x, i) => (i % 2 === 0 ? x : 0))];
    opened.write((index) => {
      index.put(anEntry({ id: "a", title: "Bike", kind: "offer" }));
      index.putVector("a", MODEL, bike);
      index.put(anEntry({ id: "b", title: "Cello", kind: "event" }));
    });
    const minCosine = cosineOf(query, bike) - 0.05;
    const find = async (q: string, kinds: PostFilter["kinds"], margin?: number) => {
      const own = margin === undefined ? {} : { margin };
      const asked = question({ filter: { kinds }, q, vector: query, minCosine, ...own });
      return (await opened.index.ask("rank", asked, aPage(10))).map(({ id }) => id);
    };
    expect(await find("cello", ["offer"])).toEqual(["a"]);
    expect(await find("qwertz", ["offer"])).toEqual([]);
    expect(await find("qwertz", null)).toEqual([]);
    // A question may say by how much.
    expect([await find("qwertz", null, 0.04), await find("qwertz", null, 0.06)]).toEqual([["a"], []]);
    expect(await find("bike", null)).toEqual(["a"]);
  });
});
