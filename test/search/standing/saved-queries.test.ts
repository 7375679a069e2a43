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

  it("finds nothing for a query that words cannot find and that has no vector", () => {
    const queries = new SavedQueries<null>(DIMENSION);
    queries.add("q", { ...QUERY, words: null }, null);
    expect(queries.candidates({ ...POST, vector: vectorOf(1) })).toEqual([]);
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
