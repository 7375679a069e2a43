import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { matchingMs } from "../../bench/scaling/estimate.ts";
import { pushWaits } from "../../bench/scaling/push-queue.ts";
import { scattered } from "../../bench/scaling/sampling.ts";
import { scalingTables } from "../../bench/scaling.ts";
import { seeded } from "../../bench/support/corpus.ts";

const document = readFileSync(new URL("../../docs/scaling.md", import.meta.url), "utf8");

describe("docs/scaling.md", () => {
  it.each(Object.entries(scalingTables()))("has the table of %s that bench/scaling.ts prints", (_, table) => {
    expect(document).toContain(table);
  });
});

describe("bench/scaling", () => {
  const measured = { p50: 1, p95: 4 };
  const ask = (shards: number) => scattered(measured, () => shards, seeded(1));

  it("samples times whose percentiles are those that were measured", () => {
    const { p50, p95 } = ask(1);
    expect(p50).toBeCloseTo(1, 1);
    expect(Math.abs(p95 - 4)).toBeLessThan(0.3);
  });

  it("ends a question to several shards with the slowest of them", () => {
    // The middle of the slowest of n is where one of them is below with a probability of 0.5^(1/n); here 0.958.
    expect(ask(16).p50).toBeGreaterThan(measured.p95);
    expect(ask(64).p50).toBeGreaterThan(ask(16).p50);
  });

  const outbox = {
    claim: { p50: 10, p95: 11 },
    furtherMs: 1,
    attempt: { p50: 100, p95: 110 },
    settle: { p50: 5, p95: 6 },
  };

  it("lets pushes wait for little more than their claim while there are places", () => {
    const { p50 } = pushWaits({ ...outbox, perSecond: 10, places: 50 }, seeded(2));
    expect(p50).toBeGreaterThan(9);
    expect(p50).toBeLessThan(25);
  });

  it("lets pushes pile up when more come than the places can send", () => {
    // Ten places of some 115 ms send 87 a second; of 200 a second more than half are still there after two minutes.
    const { p95 } = pushWaits({ ...outbox, perSecond: 200, places: 10 }, seeded(2));
    expect(p95).toBeGreaterThan(30_000);
  });

  it("takes matching's cost from what was measured, and in proportion beyond", () => {
    const [first, second] = [matchingMs(10_000), matchingMs(100_000)];
    expect(matchingMs(55_000)).toBeCloseTo((first + second) / 2, 6);
    expect(matchingMs(2_000_000)).toBeCloseTo(2 * matchingMs(1_000_000), 6);
  });
});
