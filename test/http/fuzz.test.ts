import { describe, expect, it } from "vitest";
import { fuzz } from "../../bench/fuzz.ts";
import { loadCatalog } from "../../src/catalog.ts";
import { startBoard } from "../support/boards/board.ts";

/** `npx tsx bench/fuzz.ts 20000` sends ten times as many requests, with a new seed each time. */
const REQUESTS = 2000;
const SEED = 20_261_120;

describe("a board under random requests", () => {
  it("answers as its OpenAPI document says", async () => {
    console.log(`${REQUESTS} requests, seed ${SEED}: npx tsx bench/fuzz.ts ${REQUESTS} ${SEED}`);
    const { findings, statuses, requests } = await fuzz(REQUESTS, SEED, startBoard);
    expect(findings).toEqual([]);
    expect(requests).toBeGreaterThanOrEqual(REQUESTS * 0.95);
    // An operation that only fails, or never fails, was not really tested.
    const described = [...statuses].filter(([id]) => !/^(mcp|page)\b/.test(id));
    const oneSided = described.filter(([id, counts]) => {
      const succeeded = [...counts.keys()].some((status) => status < 300);
      const failed = [...counts.keys()].some((status) => status >= 400);
      return !succeeded || (!failed && !FAIL_NEVER.has(id));
    });
    expect(oneSided).toEqual([]);
    const tools = [...statuses.keys()].filter((id) => id.startsWith("mcp "));
    expect(tools).toHaveLength(8);
    for (const feed of ["/feed.xml", "/feed.json", "/calendar.ics", "/search"])
      expect(statuses.get(`page ${feed}`)?.has(200)).toBe(true);
  });
});

/** Open operations without input, and the site's own addresses: no request to them can be wrong. */
const FAIL_NEVER = new Set([
  ...(await loadCatalog()).operations
    .filter(({ auth, input }) => auth === "open" && Object.keys(input.shape).length === 0)
    .map(({ name }) => name),
  ..."read_manual read_openapi read_health read_readiness".split(" "),
]);
