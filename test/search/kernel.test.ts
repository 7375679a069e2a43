import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/support/random.ts";
import { SignCodes } from "../../src/search/kernel/sign-codes.ts";
import { EmbeddedIndex } from "../../src/search-index/index.ts";
import { kernelModule } from "../support/search/build-kernel.ts";

describe("the kernel", () => {
  it("is what its source compiles to", async () => {
    const built = await kernelModule();
    expect(readFileSync(new URL("../../src/search/kernel/bytes.ts", import.meta.url), "utf8")).toBe(built);
  });

  it("refuses dimensions it cannot scan", () => {
    expect(() => new EmbeddedIndex({ modelId: "test-model", dimension: 100 })).toThrow(RangeError);
  });
});

describe("sign codes", () => {
  const DIMENSION = 384;
  // Neither a multiple of what the kernel takes at a time nor of its blocks.
  const ROWS = 4_103;
  const random = seeded(7);
  const vectors = Array.from({ length: ROWS }, () =>
    Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 200) - 100),
  );
  const centre = Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 20) - 10);
  const added = Float32Array.from({ length: ROWS }, () => (random() < 0.1 ? random() * 0.3 : 0));
  const [query = new Int8Array()] = vectors;
  const vouched = Float32Array.from(added, (one) => (one > 0.2 ? random() * 0.5 : 0));
  const isAbove = (vector: Int8Array, at: number) => (vector[at] ?? 0) > (centre[at] ?? 0);
  /** The estimate as the docstrings have it, with the cosine itself. */
  const estimates = vectors.map((vector, row) => {
    let bits = 0;
    for (let at = 0; at < DIMENSION; at += 1) if (isAbove(vector, at) !== isAbove(query, at)) bits += 1;
    return Math.max(Math.cos((Math.PI * bits) / DIMENSION), vouched[row] || -1) + (added[row] ?? 0);
  });
  const codes = new SignCodes(DIMENSION);
  for (const [row, vector] of vectors.entries()) codes.set(row, vector, centre);
  const rows = Uint32Array.from(vectors.keys()).filter((row) => added[row] !== 0);
  const fused = (row: number, cosine: number) => Math.max(cosine, vouched[row] || -1) + (added[row] ?? 0);
  const words = { rows, fused };
  const nearest = (most: number, mostWithWords = 0) => [
    ...codes.nearest(query, centre, { size: ROWS, words, most, mostWithWords }),
  ];

  it.each([1, 50, 1000])("give the best %i rows by their estimate, and few more", (most) => {
    const rows = nearest(most);
    expect(rows.length).toBeGreaterThanOrEqual(most);
    expect(rows.length).toBeLessThan(most + ROWS / 10);
    expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
    const others = estimates.filter((_, row) => !rows.includes(row));
    const least = Math.min(...rows.map((row) => estimates[row] ?? 0));
    // A step, and some.
    expect(Math.max(...others)).toBeLessThan(least + 0.001);
  });

  it("give the best rows with words too, however many others are better", () => {
    const found = nearest(5, 200);
    expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    expect(found).toEqual(expect.arrayContaining(nearest(5)));
    const estimateOf = (row: number) => estimates[row] ?? 0;
    const withWords = found.filter((row) => added[row] !== 0);
    expect(withWords.length).toBeGreaterThanOrEqual(200);
    const others = [...rows].filter((row) => !withWords.includes(row)).map(estimateOf);
    expect(Math.max(...others)).toBeLessThan(Math.min(...withWords.map(estimateOf)) + 0.001);
    expect(nearest(1, ROWS)).toEqual(expect.arrayContaining([...rows]));
  });

  it("count rows with more words than the best that passes among the best", () => {
    const more = { rows, fused: (row: number, cosine: number) => fused(row, cosine) + 20 };
    const found = codes.nearest(query, centre, { size: ROWS, words: more, most: 1, mostWithWords: 0 });
    expect([...found]).toEqual(expect.arrayContaining([...rows]));
    expect(
      codes.nearest(query, centre, { size: ROWS, words: more, most: ROWS, mostWithWords: 0 }),
    ).toHaveLength(ROWS);
  });

  it("give all rows when as many are wanted", () => {
    expect(nearest(ROWS)).toEqual(vectors.map((_, row) => row));
  });
});
