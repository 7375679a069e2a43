import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/support/random.ts";
import { distanceKm } from "../../src/search/distance.ts";
import { type NewPost, Percolator, type SavedQuery } from "../../src/search/percolator/index.ts";
import { cosineOf, quantize } from "../../src/search/vectors.ts";
import { OPEN_FILTER } from "../support/boards/questions.ts";

const KINDS = ["offer", "request", "event"] as const;
const DIMENSION = 128;
const WORDS = ["bike", "road", "straße", "ñandú", "東", "京", "велосипед", "سوق", "a", "cello", "e\u0301"];
const TAGS = ["bike", "music", "東京", "über", "x"];
/** The other filters of a search (expiry, time) are ignored. */
const OPEN: SavedQuery["filter"] = OPEN_FILTER;
const QUERY: SavedQuery = { filter: OPEN, createdAt: 0, required: [], words: [], meaning: null };
const POST: NewPost = {
  kind: "offer",
  tags: [],
  place: null,
  windowStart: 0,
  windowEnd: 10,
  verified: false,
  publisherId: "p",
  parentId: null,
  syndicated: false,
  createdAt: 5,
  words: [],
  vector: null,
};

describe("a percolator", () => {
  it("finds what a look at each saved query would find, through edits and removals", () => {
    let byMeaning = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 150 }), (steps) => {
        const percolator = new Percolator<string>(DIMENSION);
        const all = new Map<string, SavedQuery>();
        for (const { id, query, post } of steps) {
          if (query === "remove") {
            percolator.remove(id);
            all.delete(id);
          } else if (query !== null) {
            percolator.add(id, query, id);
            all.set(id, query);
          }
          if (post === null) continue;
          const found = percolator.candidates(post).map(({ id, cosine }) => [id, cosine] as const);
          const expected = lookAtAll(all, post);
          expect(new Map(found)).toEqual(expected);
          expect(found).toHaveLength(expected.size);
          for (const cosine of expected.values()) if (cosine !== null) byMeaning += 1;
        }
        expect(percolator.size).toBe(all.size);
      }),
      { numRuns: 200, seed: 20_261_120 },
    );
    expect(byMeaning).toBeGreaterThan(200);
  });

  it("looks across the antimeridian and around the poles", () => {
    const places = [
      { center: { lat: 0, lng: 179.9 }, post: { lat: 0, lng: -179.9 } },
      { center: { lat: 0, lng: -180 }, post: { lat: 0.1, lng: 180 } },
      { center: { lat: 89.9, lng: 10 }, post: { lat: 89.9, lng: -170 } },
      { center: { lat: -90, lng: 0 }, post: { lat: -87, lng: 120 } },
      { center: { lat: 71, lng: 179 }, post: { lat: 72, lng: -170 } },
    ];
    for (const { center, post } of places) {
      for (const words of [[], null]) {
        const percolator = new Percolator<null>(DIMENSION);
        const near = { ...center, radiusKm: 500 };
        const meaning = words === null ? { vector: vectorOf(1), floor: 0.3 } : null;
        percolator.add("q", { ...QUERY, words, meaning, filter: { ...OPEN, near } }, null);
        const found = percolator.candidates({ ...POST, place: post, vector: vectorOf(1) });
        expect(found.map(({ id }) => id)).toEqual(["q"]);
      }
    }
  });

  it("finds nothing for a query that words cannot find and that has no vector", () => {
    const percolator = new Percolator<null>(DIMENSION);
    percolator.add("q", { ...QUERY, words: null }, null);
    expect(percolator.candidates({ ...POST, vector: vectorOf(1) })).toEqual([]);
  });

  it("finds more than the kernel looks at in one call", () => {
    const percolator = new Percolator<null>(DIMENSION);
    const meaning = { vector: vectorOf(1), floor: 0.3 };
    for (let i = 0; i < 20_000; i += 1) percolator.add(`q${i}`, { ...QUERY, words: null, meaning }, null);
    const found = percolator.candidates({ ...POST, vector: vectorOf(1) });
    expect(new Set(found.map(({ id }) => id)).size).toBe(20_000);
    expect(found).toHaveLength(20_000);
  });

  it("gives back the memory of removed queries to new ones", () => {
    const percolator = new Percolator<null>(DIMENSION);
    const fill = () => {
      for (let i = 0; i < 300; i += 1) {
        const meaning = { vector: vectorOf(i), floor: 0.5 };
        percolator.add(`q${i}`, { ...QUERY, words: null, meaning }, null);
      }
    };
    expect(percolator.bytes).toBe(0);
    fill();
    const { bytes } = percolator;
    expect(bytes).toBeGreaterThan(300 * DIMENSION);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 300; i += 1) percolator.remove(`q${i}`);
      expect(percolator.candidates({ ...POST, vector: vectorOf(7) })).toEqual([]);
      fill();
    }
    expect(percolator.candidates({ ...POST, vector: vectorOf(7) }).map(({ id }) => id)).toContain("q7");
    expect(percolator.bytes).toBe(bytes);
  });

  it("refuses a vector of another length", () => {
    const percolator = new Percolator<null>(DIMENSION);
    const meaning = { vector: new Int8Array(16), floor: 0.3 };
    expect(() => percolator.add("q", { ...QUERY, meaning }, null)).toThrow(RangeError);
    expect(percolator.size).toBe(0);
  });
});

/** Cosines of what is to be found, by id. */
function lookAtAll(all: ReadonlyMap<string, SavedQuery>, post: NewPost): Map<string, number | null> {
  const said = new Set(post.words);
  const found = new Map<string, number | null>();
  for (const [id, { filter, createdAt, required, words, meaning }] of all) {
    if (post.createdAt < createdAt || !passes(filter, post)) continue;
    if (!required.every((word) => said.has(word))) continue;
    const cosine = meaning === null || post.vector === null ? null : cosineOf(meaning.vector, post.vector);
    const byWords = words?.every((word) => said.has(word)) === true;
    const near = meaning !== null && cosine !== null && cosine >= meaning.floor - 1e-9;
    if (byWords || near) found.set(id, cosine);
  }
  return found;
}

function passes(filter: SavedQuery["filter"], post: NewPost): boolean {
  const { kinds, tags, near, after, before, publisherId, parentId } = filter;
  return (
    (kinds === null || kinds.includes(post.kind)) &&
    (tags === null || tags.some((tag) => post.tags.includes(tag))) &&
    (near === null || (post.place !== null && distanceKm(near, post.place) <= near.radiusKm)) &&
    (after === null || post.windowEnd >= after) &&
    (before === null || post.windowStart <= before) &&
    (!filter.verifiedOnly || post.verified) &&
    (publisherId === null || publisherId === post.publisherId) &&
    (filter.includeSyndicated || !post.syndicated) &&
    (parentId === null ? post.parentId === null || filter.includeReplies : parentId === post.parentId)
  );
}

/** Vectors of ten themes, so that many are near each other. */
function vectorOf(n: number): Int8Array {
  const theme = seeded(n % 10);
  const own = seeded(1_000 + n);
  const raw = Float32Array.from({ length: DIMENSION }, () => theme() - 0.5 + 1.2 * (own() - 0.5));
  const norm = Math.hypot(...raw);
  return quantize(raw.map((x) => x / norm));
}

const maybe = <V>(value: fc.Arbitrary<V>, freq = 2) => fc.option(value, { nil: null, freq });
const point = fc.oneof(
  fc.record({
    lat: fc.constantFrom(52.37, 52.5, 48.86, -36.85, 0, 89.5, -90, 90),
    lng: fc.constantFrom(4.9, 4.88, 2.35, 174.76, 180, -180, 179.99, -179.5, 0),
  }),
  fc.record({
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
  }),
);
const listOf = <T>(values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const vector = fc.nat(200).map(vectorOf);
const filter = fc.record({
  kinds: maybe(listOf(KINDS)),
  tags: maybe(listOf(TAGS), 1),
  near: maybe(
    fc
      .tuple(point, fc.constantFrom(0.1, 5, 25, 120, 200, 500))
      .map(([center, radiusKm]) => ({ ...center, radiusKm })),
  ),
  after: maybe(fc.nat(20), 1),
  before: maybe(fc.nat(20), 1),
  verifiedOnly: fc.boolean(),
  publisherId: maybe(fc.constantFrom("p", "r"), 1),
  parentId: maybe(fc.constantFrom("a", "b"), 1),
  includeReplies: fc.boolean(),
  includeSyndicated: fc.boolean(),
});
const floor = fc.constantFrom(0.2, 0.32, 0.5, 0.7);
const saved: fc.Arbitrary<SavedQuery> = fc.record({
  // About half of them have few filters; otherwise few posts would pass.
  filter: fc.oneof(
    filter,
    fc.constant(OPEN),
    fc.record({ near: filter.map(({ near }) => near) }).map((some) => ({ ...OPEN, ...some })),
  ),
  createdAt: fc.constantFrom(0, 0, 7),
  required: fc.oneof(fc.constant([]), listOf(WORDS)),
  words: maybe(listOf(WORDS), 3),
  meaning: maybe(fc.record({ vector, floor }), 3),
});
const newPost: fc.Arbitrary<NewPost> = fc.record({
  kind: fc.constantFrom(...KINDS),
  tags: listOf(TAGS),
  place: maybe(point, 4),
  windowStart: fc.nat(10),
  windowEnd: fc.integer({ min: 10, max: 20 }),
  verified: fc.boolean(),
  publisherId: fc.constantFrom("p", "r"),
  parentId: maybe(fc.constantFrom("a", "b"), 1),
  syndicated: fc.boolean(),
  createdAt: fc.constantFrom(5, 9),
  words: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }),
  vector: maybe(vector, 4),
});
const step = fc.record({
  id: fc.nat(60).map((n) => `sub_${n}`),
  query: fc.oneof(
    { weight: 6, arbitrary: saved },
    { weight: 1, arbitrary: fc.constant("remove" as const) },
    {
      weight: 1,
      arbitrary: fc.constant(null),
    },
  ),
  post: maybe(newPost, 2),
});
