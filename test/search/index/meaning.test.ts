import { describe, expect, it } from "vitest";
import { weakResults } from "../../../src/domain/search/weak.ts";
import type { PostFilter } from "../../../src/schema/filter.ts";
import { cosineOf } from "../../../src/search/ranking/vectors.ts";
import { aPage } from "../../support/boards/questions.ts";
import {
  DIMENSION,
  MODEL,
  post,
  question,
  randomOf,
  useIndexFile,
  vectorOf,
} from "../../support/search/embedded-index.ts";
import { answersOn, exactScores } from "../../support/search/exact-scores.ts";

const openIndex = useIndexFile();

describe("meaning", () => {
  it("is the exact dot product for every post, and the best come first by the fused score", async () => {
    const opened = openIndex();
    const random = randomOf(7);
    const bodies = ["bike", "cello", "bike cello", "piano"];
    const vectors = new Map<string, Int8Array>();
    opened.write((index) => {
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
      const asked = question({ filter: { tags }, q: "bike", vector: query, minCosine });
      const found = exactScores(opened, answersOn(opened), asked);
      expect(found.size).toBe(await opened.index.ask("count", asked));
      const stopped = [-1, 0, 1].map((more) => opened.index.ask("count", asked, found.size + more));
      expect(await Promise.all(stopped)).toEqual([found.size - 1, found.size, found.size]);
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
      const ranked = await opened.index.ask("rank", asked, aPage(10_000));
      const scores = ranked.map(({ id }) => found.get(id)?.fused ?? Number.NaN);
      expect(scores.length).toBe(found.size);
      for (let i = 1; i < scores.length; i += 1)
        expect(scores[i]).toBeLessThanOrEqual((scores[i - 1] ?? 0) + 1e-9);
      expect(await opened.index.ask("rank", asked, aPage(25))).toEqual(ranked.slice(0, 25));
    }
  });
});

it("what is only near comes behind what matches, with no higher relevance, and nothing beside a phrase", async () => {
  const opened = openIndex();
  opened.write((index) => {
    for (const id of ["a", "b", "c"]) index.put(post({ id, title: "Bike" }));
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
      index.put(post({ id: `p${n}`, title: "Bike" }));
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
      index.put(post({ id: "a", title: "Bike", kind: "offer" }));
      index.putVector("a", MODEL, bike);
      index.put(post({ id: "b", title: "Cello", kind: "event" }));
    });
    const minCosine = cosineOf(query, bike) - 0.05;
    const find = async (q: string, kinds: PostFilter["kinds"]) => {
      const asked = question({ filter: { kinds }, q, vector: query, minCosine });
      return (await opened.index.ask("rank", asked, aPage(10))).map(({ id }) => id);
    };
    expect(await find("cello", ["offer"])).toEqual(["a"]);
    expect(await find("qwertz", ["offer"])).toEqual([]);
    expect(await find("qwertz", null)).toEqual([]);
    expect(await find("bike", null)).toEqual(["a"]);
  });
});
