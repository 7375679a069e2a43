import { describe, expect, it } from "vitest";
import { killRun } from "../../bench/kills.ts";

/** In small; `bench/RESULTS.md` has the figures of whole runs. */
describe("a board that is killed", () => {
  it("loses nothing acknowledged and keeps nothing erased", async () => {
    const { acknowledged, ...run } = await killRun(2, 1);
    expect(run).toEqual({ kills: 2, lost: 0, erasures: 1, filesWithErased: [], integrity: "ok" });
    expect(acknowledged).toBeGreaterThan(0);
  });
});
