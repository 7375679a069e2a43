import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { seeded } from "../../../bench/support/random.ts";
import { StandaloneIndex } from "../../../src/search/index/standalone.ts";
import { SignCodes } from "../../../src/search/ranking/kernel/sign-codes.ts";
import { kernelModule } from "../../support/search/build-kernel.ts";

describe("the kernel", () => {
  it("is what its source compiles to", async () => {
    const built = await kernelModule();
    expect(
      readFileSync(new URL("../../../src/search/ranking/kernel/bytes.ts", import.meta.url), "utf8"),
    ).toBe(built);
  });

  it("refuses dimensions it cannot scan", () => {
    expect(() => new StandaloneIndex({ modelId: "test-model", dimension: 100 })).toThrow(RangeError);
  });
});

describe("sign codes", () => {
  const DIMENSION = 384;
  // No multiple of the rows that the kernel takes at once, nor of a block.
  const ROWS = 4_103;
  const random = seeded(7);
  const vectors = Array.from({ length: ROWS }, () =>
    Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 200) - 100),
  );
  const centre = Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 20) - 10);
  const [query = new Int8Array()] = vectors;
  const isAbove = (vector: Int8Array, at: number) => (vector[at] ?? 0) > (centre[at] ?? 0);
  /** The estimate as the docstrings have it, with the cosine itself. */
  const estimates = vectors.map((vector) => {
    let bits = 0;
    for (let at = 0; at < DIMENSION; at += 1) if (isAbove(vector, at) !== isAbove(query, at)) bits += 1;
    return Math.cos((Math.PI * bits) / DIMENSION);
  });
  const codes = new SignCodes(DIMENSION);
  for (const [row, vector] of vectors.entries()) codes.set(row, vector, centre);
  const words = { rows: new Uint32Array(), fused: (_row: number, cosine: number) => cosine };
  const nearest = (most: number) => [
    ...codes.nearest(query, centre, { size: ROWS, words, most, mostWithWords: 0 }),
  ];

  it.each([1, 50, 1000])("give the best %i rows by their estimate, and few more", (most) => {
    const rows = nearest(most);
    expect(rows.length).toBeGreaterThanOrEqual(most);
    expect(rows.length).toBeLessThan(most + ROWS / 10);
    expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
    const others = estimates.filter((_, row) => !rows.includes(row));
    const least = Math.min(...rows.map((row) => estimates[row] ?? 0));
    // Estimates have steps: one of them, and a margin.
    expect(Math.max(...others)).toBeLessThan(least + 0.001);
  });

  it("give all rows when as many are wanted", () => {
    expect(nearest(ROWS)).toEqual(vectors.map((_, row) => row));
  });
});
