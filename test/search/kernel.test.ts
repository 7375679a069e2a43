import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { kernelModule } from "../../bench/kernel/build.ts";
import { EmbeddedIndex } from "../../src/search-index/index.ts";

describe("the kernel", () => {
  it("is what its source compiles to", async () => {
    const built = await kernelModule();
    expect(readFileSync(new URL("../../src/search/kernel/bytes.ts", import.meta.url), "utf8")).toBe(built);
  });

  it("refuses dimensions it cannot scan", () => {
    expect(() => new EmbeddedIndex({ modelId: "test-model", dimension: 100 })).toThrow(RangeError);
  });
});
