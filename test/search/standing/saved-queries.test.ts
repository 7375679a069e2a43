import { describe, expect, it } from "vitest";
import { seeded } from "../../../bench/support/random.ts";
import { cosineOf, quantize } from "../../../src/search/ranking/vectors.ts";
import { type NewPost, SavedQueries, type SavedQuery } from "../../../src/search/standing/saved-queries.ts";
import { OPEN_FILTER } from "../../support/boards/questions.ts";

const DIMENSION = 128;
const QUERY: SavedQuery = { filter: OPEN_FILTER, savedNo: 0, required: [], words: [], meaning: null };
const POST: NewPost = {
  kind: "offer",
  tags: [],
  place: null,
  windowStart: 0,
  windowEnd: 10,
  verified: false,
  publisherId: "p",
  parentId: null,
  answers: null,
  syndicated: false,
  writtenNo: 5,
  words: [],
  vector: null,
};

describe("saved queries", () => {
  const candidates = (query: Partial<SavedQuery>, post: Partial<NewPost>) => {
    const queries = new SavedQueries<null>(DIMENSION);
    queries.add("q", { ...QUERY, ...query }, null);
    return queries.candidates({ ...POST, ...post });
  };

  it("finds by all words, in either spelling, with what is required, and no post from before", () => {
    const query = { required: ["road"], words: ["check", "in"], respelt: ["checkin"], savedNo: 5 };
    for (const words of [
      ["road", "check", "in"],
      ["road", "checkin"],
    ])
      expect(candidates(query, { words })).toEqual([{ id: "q", value: null, cosine: null }]);
    expect(candidates(query, { words: ["check", "in"] })).toEqual([]);
    expect(candidates(query, { words: ["road", "check"] })).toEqual([]);
    expect(candidates(query, { words: ["road", "checkin"], writtenNo: 4 })).toEqual([]);
  });

  it("finds by meaning from the floor on, and tells the cosine also where words decide", () => {
    const cosine = cosineOf(vectorOf(1), vectorOf(11));
    const meaning = (floor: number) => ({ words: ["cello"], meaning: { vector: vectorOf(1), floor } });
    const post = { vector: vectorOf(11) };
    expect(candidates(meaning(cosine), post)).toEqual([{ id: "q", value: null, cosine }]);
    expect(candidates(meaning(cosine + 0.01), post)).toEqual([]);
    expect(candidates(meaning(1), { ...post, words: ["cello"] })).toHaveLength(1);
  });

  it("finds by the longest word of either spelling, each query once, and not by any word of it alone", () => {
    const queries = new SavedQueries<string>(DIMENSION);
    queries.add("a", { ...QUERY, words: ["go", "cello"], respelt: ["gocello"] }, "A");
    queries.add("b", { ...QUERY, words: ["cello"] }, "B");
    queries.add("c", { ...QUERY, words: [] }, "C");
    const found = (words: string[]) =>
      queries
        .candidates({ ...POST, words })
        .map(({ id, value }) => id + value)
        .sort();
    expect(found(["cello", "go", "gocello"])).toEqual(["aA", "bB", "cC"]);
    expect(found(["gocello"])).toEqual(["aA", "cC"]);
    expect([found(["cello"]), found(["go"]), found([])]).toEqual([["bB", "cC"], ["cC"], ["cC"]]);
    queries.remove("a");
    queries.remove("nobody");
    expect([found(["gocello"]), found(["go", "cello"]), queries.size]).toEqual([["cC"], ["bB", "cC"], 2]);
    const short = { vector: new Int8Array(64), floor: 0 };
    expect(() => queries.add("b", { ...QUERY, meaning: short }, "B")).toThrow(
      new RangeError("A vector has 64 dimensions, not 128."),
    );
    expect(found(["cello"])).toEqual(["bB", "cC"]);
  });

  it("tells no cosine where the query has no vector, and one where both have", () => {
    const vector = vectorOf(1);
    expect(candidates({ words: ["cello"] }, { words: ["cello"], vector })).toEqual([
      { id: "q", value: null, cosine: null },
    ]);
    const [both] = candidates(
      { words: ["cello"], meaning: { vector, floor: 2 } },
      { words: ["cello"], vector },
    );
    expect(both?.cosine).toBeCloseTo(1, 2);
    expect(candidates({ words: null, meaning: { vector, floor: 0.5 } }, { words: ["cello"] })).toEqual([]);
  });

  it("finds nothing for a query that words cannot find and that has no vector", () => {
    const queries = new SavedQueries<null>(DIMENSION);
    queries.add("q", { ...QUERY, words: null }, null);
    expect(queries.candidates({ ...POST, vector: vectorOf(1) })).toEqual([]);
  });

  const berlin = { lat: 52.52, lng: 13.4 };
  const potsdam = { lat: 52.4, lng: 13.06 };
  it.each<[string, Partial<SavedQuery["filter"]>, Partial<NewPost>, Partial<NewPost>]>([
    ["kinds", { kinds: ["event", "offer"] }, { kind: "offer" }, { kind: "request" }],
    ["the first of its kinds", { kinds: ["event", "thread"] }, { kind: "event" }, { kind: "announcement" }],
    ["the last of its kinds", { kinds: ["event", "thread"] }, { kind: "thread" }, { kind: "offer" }],
    ["tags", { tags: ["a", "b"] }, { tags: ["x", "b"] }, { tags: ["x"] }],
    ["the end of a window", { after: 10 }, { windowEnd: 10 }, { windowEnd: 9 }],
    ["the start of a window", { before: 3 }, { windowStart: 3 }, { windowStart: 4 }],
    [
      "a place",
      { near: { ...berlin, radiusKm: 27 } },
      { place: potsdam },
      { place: { ...potsdam, lng: 13 } },
    ],
    [
      "a place to the north",
      { near: { ...berlin, radiusKm: 27 } },
      { place: berlin },
      { place: { lat: 53, lng: 13.4 } },
    ],
    [
      "a place to the south",
      { near: { lat: -33.9, lng: 151.2, radiusKm: 112 } },
      { place: { lat: -34.9, lng: 151.2 } },
      { place: { lat: -34.92, lng: 151.2 } },
    ],
    ["any place", { near: { ...berlin, radiusKm: 500 } }, { place: berlin }, { place: null }],
    ["proof", { verifiedOnly: true }, { verified: true }, { verified: false }],
    ["first hand", { includeSyndicated: false }, { syndicated: false }, { syndicated: true }],
    ["a publisher", { publisherId: "p" }, { publisherId: "p" }, { publisherId: "q" }],
    ["no replies", { includeReplies: false }, { parentId: null }, { parentId: "r" }],
    ["replies to a post", { includeReplies: false, parentId: "r" }, { parentId: "r" }, { parentId: "s" }],
    ["replies in a thread", { includeReplies: false, parentId: "r" }, { parentId: "r" }, { parentId: null }],
  ])("asks a post for %s, found by words or by meaning", (_, filter, passing, other) => {
    for (const query of [{ words: [] }, { words: null, meaning: { vector: vectorOf(1), floor: 0.5 } }]) {
      const found = (post: Partial<NewPost>) =>
        candidates({ filter: { ...OPEN_FILTER, ...filter }, ...query }, { vector: vectorOf(1), ...post });
      expect([found(passing).length, found(other).length]).toEqual([1, 0]);
    }
  });

  it("finds replies by others: in one thread, or to any post of a publisher", () => {
    const found = (thread: string | null, post: Partial<NewPost>) =>
      candidates(
        { filter: { ...OPEN_FILTER, includeReplies: true }, replies: { publisherId: "me", thread } },
        { publisherId: "other", ...post },
      ).length;
    const [mine, theirs] = [
      { parentId: "r", answers: "me" },
      { parentId: "s", answers: "them" },
    ];
    expect([found(null, mine), found(null, theirs), found(null, {})]).toEqual([1, 0, 0]);
    expect([found("s", theirs), found("s", mine)]).toEqual([1, 0]);
    expect([found(null, { ...mine, publisherId: "me" }), found("r", { ...mine, publisherId: "me" })]).toEqual(
      [0, 0],
    );
  });

  it("forgets what is removed or replaced, by words and by meaning", () => {
    const queries = new SavedQueries<number>(DIMENSION);
    const meaning = { vector: vectorOf(1), floor: 0.5 };
    const found = (words: string[], vector: Int8Array | null = null) =>
      queries.candidates({ ...POST, words, vector }).map(({ id, value }) => `${id}${value}`);
    queries.add("a", { ...QUERY, words: ["cello"], meaning }, 1);
    queries.add("b", { ...QUERY, words: ["cello"], meaning }, 1);
    queries.add("a", { ...QUERY, words: ["piano"] }, 2);
    expect([found(["cello"]), found(["piano"]), found([], vectorOf(1))]).toEqual([["b1"], ["a2"], ["b1"]]);
    const { bytes } = queries;
    queries.remove("b");
    expect([found(["cello"]), found([], vectorOf(1)), queries.size]).toEqual([[], [], 1]);
    queries.add("c", { ...QUERY, words: null, meaning }, 3);
    expect([found([], vectorOf(1)), queries.bytes]).toEqual([["c3"], bytes]);
  });

  it("finds more than the kernel looks at in one call", () => {
    const queries = new SavedQueries<null>(DIMENSION);
    const meaning = { vector: vectorOf(1), floor: 0.3 };
    for (let i = 0; i < 20_000; i += 1) queries.add(`q${i}`, { ...QUERY, words: null, meaning }, null);
    const found = queries.candidates({ ...POST, vector: vectorOf(1) });
    expect(new Set(found.map(({ id }) => id)).size).toBe(20_000);
    expect(found).toHaveLength(20_000);
  });
});

/** Vectors of ten themes, so that many are near each other. */
function vectorOf(n: number): Int8Array {
  const theme = seeded(n % 10);
  const own = seeded(1_000 + n);
  const raw = Float32Array.from({ length: DIMENSION }, () => theme() - 0.5 + 1.2 * (own() - 0.5));
  const norm = Math.hypot(...raw);
  return quantize(raw.map((x) => x / norm));
}
