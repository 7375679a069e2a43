import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  coverageFactors,
  coverageWeight,
  feedback,
  fuse,
  gainsByRerank,
} from "../../../src/search/ranking/rank.ts";
import { cosineOf, dequantize, quantize } from "../../../src/search/ranking/vectors.ts";
import { parseQueryText } from "../../../src/search/text/query-text.ts";

const unit = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 384, maxLength: 384 })
  .map((xs) => {
    const length = Math.hypot(...xs) || 1;
    return Float32Array.from(xs, (x) => x / length);
  });

const factorsOf = (count: number) =>
  coverageFactors(parseQueryText(Array.from({ length: count }, (_, i) => `word${i}`).join(" ")));
const one = factorsOf(1);

describe("fuse", () => {
  it("puts words and meaning together above either alone", () => {
    const [words, none] = [
      { words: 3, coverage: 1 },
      { words: 0, coverage: 0 },
    ];
    expect(fuse(0.6, words, 3, one)).toBeGreaterThan(fuse(0.6, none, 3, one));
    expect(fuse(0.6, words, 3, one)).toBeGreaterThan(fuse(null, words, 3, one));
    expect(fuse(null, none, 0, one)).toBe(0);
  });

  it("counts one word of three for less than a third, and one of thirty for more than a thirtieth", () => {
    const gain = (coverage: number, factors: Float64Array) => fuse(1, { words: 3, coverage }, 3, factors) - 1;
    expect(gain(1 / 3, factorsOf(3))).toBeCloseTo(gain(1, factorsOf(3)) / 3, 2);
    expect(gain(1 / 30, factorsOf(30))).toBeGreaterThan(gain(1, factorsOf(30)) / 2);
  });

  it("lets words vouch for a post whose vector is missing, or near to nothing", () => {
    const all = { words: 3, coverage: 1 };
    expect(fuse(null, all, 3, one)).toBe(fuse(0.1, all, 3, one));
    expect(fuse(null, all, 3, one)).toBeGreaterThan(fuse(0.75, { words: 0, coverage: 0 }, 3, one));
    expect(fuse(null, { words: 3, coverage: 0.3 }, 3, factorsOf(3))).toBeLessThan(0.2);
  });

  it("adds up to 0.3 for words, in strict proportion to coverage up to three of them, and vouches for a half", () => {
    const add = (coverage: number, count: number) => fuse(1, { words: 2, coverage }, 4, factorsOf(count)) - 1;
    expect(add(1, 1)).toBeCloseTo(0.15);
    expect(add(0.5, 3)).toBeCloseTo(0.075, 3);
    expect(add(0.25, 7)).toBeCloseTo(0.075, 3);
    expect(fuse(null, { words: 4, coverage: 0.5 }, 4, one)).toBeCloseTo(0.125 + 0.15, 3);
    expect(fuse(0.6, { words: 4, coverage: 1 }, 4, one)).toBeCloseTo(0.9);
  });

  it("weighs a word by how rare it is, one that stands nowhere most", () => {
    const weights = [0, 1, 50, 100].map((count) => coverageWeight(count, 100));
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
    expect(weights.at(-1)).toBeGreaterThan(0);
  });
});

describe("quantize", () => {
  it("keeps cosines of unit vectors within 0.01", () => {
    fc.assert(
      fc.property(unit, unit, (a, b) => {
        // A model gives no vector of zeros, and no component that is clamped.
        for (const xs of [a, b]) fc.pre(xs.some((x) => x !== 0) && xs.every((x) => Math.abs(x) <= 0.25));
        const exact = a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
        expect(Math.abs(cosineOf(quantize(a), quantize(b)) - exact)).toBeLessThan(0.01);
        expect(cosineOf(quantize(a), quantize(a))).toBeCloseTo(1, 1);
      }),
      { numRuns: 30 },
    );
  });

  it("clamps what does not fit", () => {
    expect([...quantize(Float32Array.of(1, -1, 0.01))]).toEqual([127, -127, 5]);
    expect(dequantize(Int8Array.of(5))[0]).toBeCloseTo(0.01);
  });
});

it("a second ranking helps queries of six different words and more", () => {
  const asked = (any: string[], phrases: string[][] = []) =>
    gainsByRerank({ any, respelt: [], phrases, excluded: [] } as Parameters<typeof gainsByRerank>[0]);
  expect([asked(["a", "b", "c", "d", "e", "e"]), asked(["a", "b", "c", "d"], [["e", "f"]])]).toEqual([
    false,
    true,
  ]);
});

describe("feedback", () => {
  it("moves the query towards the posts, and looks at three of them", () => {
    fc.assert(
      fc.property(unit, fc.array(unit, { minLength: 1, maxLength: 7 }), (q, posts) => {
        const query = quantize(q);
        const vectors = posts.map(quantize);
        const moved = feedback(query, vectors);
        expect(moved).toEqual(feedback(query, vectors.slice(0, 3)));
        const sum = (to: Int8Array) => vectors.slice(0, 3).reduce((all, v) => all + cosineOf(to, v), 0);
        expect(sum(moved)).toBeGreaterThan(sum(query) - 0.05);
      }),
      { numRuns: 20 },
    );
  });

  it("adds 0.4 of the mean of the posts, and keeps the length", () => {
    const block = (nth: number) =>
      quantize(Float32Array.from({ length: 384 }, (_, i) => (Math.floor(i / 16) === nth ? 0.25 : 0)));
    const moved = feedback(block(0), [block(1), block(2)]);
    expect((moved[16] ?? 0) / (moved[0] ?? 1)).toBeCloseTo(0.2, 2);
    expect(cosineOf(moved, moved)).toBeCloseTo(1, 1);
    expect(moved[16]).toBe(moved[32]);
  });

  it("leaves the query alone without posts", () => {
    const query = Int8Array.of(1, 2, 3);
    expect(feedback(query, [])).toBe(query);
  });
});
