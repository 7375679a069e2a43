import { describe, expect, it } from "vitest";
import { isOver } from "../../src/domain/posts/expiry.ts";

const DATELESS = { starts_at: null, ends_at: null, timezone: null, location: null };
const NEW_YORK = { name: "New York", lat: 40.71, lng: -74.01 };

describe("isOver", () => {
  it.each([
    ["dates", {}, "2026-12-24T12:00:00Z", false],
    ["a start at noon", { starts_at: "2026-12-24T12:00:00Z" }, "2026-12-24T12:01:00Z", true],
    ["a start at an hour", { starts_at: "2026-12-24T18:00:00Z" }, "2026-12-24T18:01:00Z", true],
    [
      "an end",
      { starts_at: "2026-12-24T00:00:00Z", ends_at: "2026-12-24T02:00:00Z" },
      "2026-12-24T03:00:00Z",
      true,
    ],
    ["an end just now", { ends_at: "2026-12-24T02:00:00Z" }, "2026-12-24T02:00:00Z", false],
    ["an end a moment ago", { ends_at: "2026-12-24T02:00:00Z" }, "2026-12-24T02:00:00.001Z", true],
    ["a midnight, on its day", { starts_at: "2026-12-24T00:00:00Z" }, "2026-12-24T23:59:00Z", false],
    ["a midnight, the day after", { starts_at: "2026-12-24T00:00:00Z" }, "2026-12-25T00:00:00Z", true],
    [
      "a midnight at its place",
      { starts_at: "2026-12-24T05:00:00Z", location: NEW_YORK },
      "2026-12-25T04:59:00Z",
      false,
    ],
    [
      "a midnight elsewhere",
      { starts_at: "2026-12-24T05:00:00Z", timezone: "Asia/Tokyo" },
      "2026-12-24T05:01:00Z",
      true,
    ],
    // Clocks go back: the day has 25 hours.
    [
      "a long day",
      { starts_at: "2026-10-24T22:00:00Z", timezone: "Europe/Berlin" },
      "2026-10-25T22:59:00Z",
      false,
    ],
  ])("judges a post with %s", (_, dates, now, over) => {
    expect(isOver({ ...DATELESS, ...dates }, Date.parse(now))).toBe(over);
  });
});
