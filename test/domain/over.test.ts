import { describe, expect, it } from "vitest";
import { isOver, markedOver, wasEndedEarly } from "../../src/domain/posts/expiry.ts";
import type { Post } from "../../src/schema/post.ts";

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

it("markedOver marks a post, its replies and its related posts, each by its own dates", () => {
  const noon = Date.parse("2026-12-24T12:00:00Z");
  const dated = (ends_at: string | null) => ({ ...DATELESS, ends_at }) as Post;
  const [past, ahead, dateless] = [dated("2026-12-24T11:59:59Z"), dated("2026-12-24T12:00:00Z"), dated(null)];
  const over = { ...past, over: true };
  expect(markedOver({ ...past, replies: [ahead, past, dateless], related: [past, dateless] }, noon)).toEqual({
    ...over,
    replies: [ahead, over, dateless],
    related: [over, dateless],
  });
  expect(markedOver({ ...ahead, replies: [past] }, noon)).toEqual({ ...ahead, replies: [over] });
  expect(markedOver(dateless, noon)).toEqual(dateless);
});

describe("wasEndedEarly", () => {
  const [day, noon, next] = ["2026-12-24T00:00:00Z", "2026-12-24T12:00:00Z", "2026-12-25T00:00:00Z"];
  it.each([
    ["ended by the edit, before its start", noon, noon, { starts_at: next }, true],
    ["ended before it was edited again", day, noon, { starts_at: next }, true],
    ["that expires only after the edit", noon, day, { starts_at: next }, false],
    ["ended while it was on", noon, noon, { starts_at: day, ends_at: next }, true],
    ["ended at its end", noon, noon, { starts_at: day, ends_at: noon }, false],
    ["ended at its start", noon, noon, { starts_at: noon }, false],
    ["without dates", noon, noon, {}, false],
  ])("judges a post %s", (_, expires_at, updated_at, dates, early) => {
    expect(wasEndedEarly({ ...DATELESS, expires_at, updated_at, ...dates } as Post)).toBe(early);
  });
});
