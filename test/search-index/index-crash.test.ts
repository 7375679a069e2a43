import { expect, it } from "vitest";
import { indexCrashRun } from "../../bench/index-crash/index.ts";

it("an index whose writer is killed answers as one rebuilt from the tables, and holds all that was committed", async () => {
  const run = await indexCrashRun({ kills: 3, seed: 1 });
  expect(run).toMatchObject({ kills: 3, different: 0, lost: 0 });
  expect(run.transactions).toBeGreaterThan(0);
});
