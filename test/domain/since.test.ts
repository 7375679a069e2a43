import { describe, expect, it } from "vitest";
import { placeSince, sinceOf } from "../../src/domain/since.ts";

const NOW = Date.parse("2026-11-27T12:30:00Z");

describe("since", () => {
  it.each([
    ["yesterday", "2026-11-26T00:00:00Z"],
    ["Today", "2026-11-27T00:00:00Z"],
    ["3 hours ago", "2026-11-27T09:30:00Z"],
    ["last 2 days", "2026-11-25T12:30:00Z"],
    ["2 weeks ago", "2026-11-13T12:30:00Z"],
    ["5 minutes ago", "2026-11-27T12:25:00Z"],
    [" Yesterday\n", "2026-11-26T00:00:00Z"],
    ["1 hour", "2026-11-27T11:30:00Z"],
    ["last 1week", "2026-11-20T12:30:00Z"],
    ["9999 minutes ago", "2026-11-20T13:51:00Z"],
    ["2026-11-20T10:00", "2026-11-19T20:00:00Z"],
    ["1440 minutes ago", "2026-11-26T12:30:00Z"],
    ["2026-11-20T10:00+01:00", "2026-11-20T09:00:00Z"],
    ["2026-11-20", "2026-11-19T10:00:00Z"],
  ])("reads %s", (text, moment) => {
    expect(new Date(sinceOf(text, NOW)).toISOString()).toBe(new Date(moment).toISOString());
  });

  it.each(["whenever", "", "3 fortnights ago", "10000 days ago", "0000-12-31"])("refuses %j", (text) => {
    expect(() => sinceOf(text, NOW)).toThrow(expect.objectContaining({ code: "invalid_query" }));
  });

  it.each([[[]], [[7]], [[3, 9, 10, 200, 4_000, 4_001]]])(
    "finds the place in a list with the numbers %j",
    async (numbers) => {
      let asked = 0;
      const entries = numbers.map((no, n) => ({ no, at: n * 10 }));
      const next = async (after: number) => {
        asked += 1;
        return entries.find(({ no }) => no > after) ?? null;
      };
      for (let since = -5; since <= numbers.length * 10; since += 5) {
        const place = await placeSince(since, next);
        expect(entries.filter(({ no }) => no > place)).toEqual(entries.filter(({ at }) => at >= since));
      }
      expect(asked).toBeLessThan(40 * (2 * numbers.length + 3));
    },
  );
});
