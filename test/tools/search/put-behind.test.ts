import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { putBehind } from "../../../src/domain/search/behind.ts";
import { isFiltered, othersByTime, toReference, weakResults } from "../../../src/domain/search/weak.ts";
import { REFERENCE_SCALE } from "../../../src/ports/embedder.ts";
import type { Store } from "../../../src/ports/store/index.ts";
import { parseQueryText } from "../../../src/search/text/query-text.ts";
import { openStore } from "../../../src/store/open.ts";
import { useFolderForEach } from "../../support/run/temporary.ts";
import { anEntry, MODEL, question, useIndexFile, vectorOf } from "../../support/search/open-index.ts";
import { aPost, aPublisher, T0 } from "../../support/search/rows.ts";

const UNDER = "a bicycle under 100 €";

describe("a ranking by what the words ask of prices", () => {
  const folder = useFolderForEach();
  let store: Store;
  beforeEach(async () => {
    store = await openStore(`sqlite:${folder()}/board.db`);
    await store.publishers.insert(aPublisher("pub_a"));
    for (const [id, body] of [
      ["dear", "It costs 900 €."],
      ["cheap", "It costs 90 €."],
      ["mute", "It is for sale."],
    ] as const)
      await store.posts.insert(aPost(id, { body }));
  });
  afterEach(() => store.close());

  const ranked = (...ids: string[]) => ids.map((id) => ({ id, relevance: 0.7 }));
  const behind = async (before: ReturnType<typeof ranked>, q: string) =>
    putBehind(store.posts, before, parseQueryText(q).bounds);

  it("has those behind that name others, and stays as it is where nothing is asked", async () => {
    const before = ranked("dear", "cheap", "mute");
    expect(await behind(before, UNDER)).toEqual([
      { id: "cheap", relevance: 0.7 },
      { id: "mute", relevance: 0.7 },
      { id: "dear", relevance: 0.3 },
    ]);
    expect(await behind(before, "a bicycle")).toEqual(before);
    const [, low] = await behind(
      [
        { id: "mute", relevance: 0.3 },
        { id: "dear", relevance: 0.3 },
      ],
      UNDER,
    );
    expect(low).toEqual({ id: "dear", relevance: 0 });
  });

  it.each([
    [199, 0.3],
    [200, 0.7],
  ])("is read for its best two hundred: a dear one behind %i others has %d", async (others, relevance) => {
    const before = ranked(...Array.from({ length: others }, (_, n) => `gone${n}`), "dear");
    expect((await behind(before, UNDER)).at(-1)).toEqual({ id: "dear", relevance });
  });
});

describe("what follows the matches of a page", () => {
  const openIndex = useIndexFile();
  const opened = () => {
    const one = openIndex();
    one.write((index) => {
      for (const [at, id] of ["a", "b", "c", "d"].entries()) {
        const tags = id === "d" ? ["steel"] : ["wood"];
        index.put(anEntry({ id, title: "Bike", tags, createdAt: T0 + at }));
        index.putVector(id, MODEL, vectorOf(3));
      }
    });
    return one.index;
  };
  const near = { vector: vectorOf(3), minCosine: 1 };

  it("is nearest in meaning, up to a number, and never more relevant than the last of them", async () => {
    const index = opened();
    const weak = async (asked: object, found: readonly [string, number][], most: number) =>
      weakResults(
        index,
        { question: question({ ...near, ...asked }), lifts: [] },
        found.map(([id, relevance]) => ({ id, relevance })),
        most,
      );
    const two: [string, number][] = [
      ["c", 0.9],
      ["b", 0.02],
    ];
    const a = { id: "a", relevance: 0.02, weak: true };
    expect(await weak({}, two, 4)).toEqual([a, { ...a, id: "d" }]);
    expect(await weak({}, two, 3)).toEqual([a]);
    expect(await weak({}, two, 2)).toEqual([]);
    expect(await weak({ filter: { tags: ["wood"] } }, two, 4)).toEqual([a]);
    expect(await weak({ q: "cello -steel" }, two, 4)).toEqual([a]);
    expect(await weak({ q: '"cello"' }, two, 4)).toEqual([]);
    expect(await weak({ vector: null }, two, 4)).toEqual([]);
    expect((await weak({}, [], 4)).map(({ id }) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it("is, in a list by time, whatever else fits the filters, in its order", async () => {
    const index = opened();
    const others = async (q: string, sort: "newest" | "soonest" | "relevance", fitting: number) =>
      (
        await othersByTime(
          index,
          { question: question({ q, filter: { tags: ["wood"] } }), sort },
          [{ id: "b", relevance: 1 }],
          fitting,
        )
      ).map(({ id, relevance, weak }) => [id, relevance, weak]);
    const [a, c] = ["a", "c"].map((id) => [id, null, true]);
    expect(await others("cello", "newest", 3)).toEqual([c, a]);
    expect(await others("cello", "soonest", 3)).toEqual([a, c]);
    expect(await others("cello", "newest", 1)).toEqual([]);
    expect(await others("cello", "relevance", 3)).toEqual([]);
    expect(await others('"cello"', "newest", 3)).toEqual([]);
    expect(await others("cello -steel", "newest", 3)).toEqual([]);
  });

  it.each([
    [{ kind: ["event"] }, true],
    [{ tags: ["a"] }, true],
    [{ near: { lat: 0, lng: 0 } }, true],
    [{ after: { from: 0, to: 0, local: false, text: "" } }, true],
    [{ before: { from: 0, to: 0, local: false, text: "" } }, true],
    [{ q: "a", kind: [], tags: [], limit: 5 }, false],
  ] as const)("is asked for where filters narrow: %j", (query, is) => {
    expect(isFiltered(query as unknown as Parameters<typeof isFiltered>[0])).toBe(is);
  });

  it("is measured by a scale on which both models have their unrelated texts alike", () => {
    const { median, high } = REFERENCE_SCALE.unrelated;
    const { offset, slope } = toReference({ unrelated: { median: 0.5, high: 0.75 } });
    expect([offset + slope * 0.5, offset + slope * 0.75]).toEqual([
      expect.closeTo(median, 6),
      expect.closeTo(high, 6),
    ]);
  });
});
