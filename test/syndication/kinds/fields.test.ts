import { describe, expect, it } from "vitest";
import { readRows } from "../../support/syndication/berlin-feeds.ts";

describe("words of a feed", () => {
  it.each<[string, string, object]>([
    [
      "starts_at start start_time startDate start_date startTime onset",
      "2026-12-24T10:00Z",
      { starts_at: Date.parse("2026-12-24T10:00Z") },
    ],
    ["headline name event label", "Cello", { title: "Cello" }],
    ["body description summary text instruction", "Cello", { body: "Cello" }],
    ["url source_url web link website", "https://example.org/b", { url: "https://example.org/b" }],
    ["source_id identifier id guid idempotency_key uid code", "abc", { metadata: { source_id: "abc" } }],
    ["category type tags", "cello", { tags: ["town", "cello"] }],
    ["expires_at expires", "2026-12-24T10:00Z", { expires_at: Date.parse("2026-12-24T10:00Z") }],
    ["timezone timeZone", "Asia/Tokyo", { timezone: "Asia/Tokyo" }],
  ])("name a field of a row: %s", (names, value, post) => {
    for (const name of names.split(" ")) {
      const titled = "title" in post ? {} : { title: "T" };
      const timed = "timezone" in post ? { start: "2026-12-24T10:00Z" } : {};
      expect(readRows({ ...titled, ...timed, [name]: value }).entries[0]?.input, name).toMatchObject(post);
      expect(readRows({ title: "T", [`${name}_x`]: value }).entries[0]?.input, name).not.toMatchObject(post);
    }
  });
});
