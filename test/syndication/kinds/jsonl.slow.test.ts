import { describe, expect, it } from "vitest";
import { FeedError } from "../../../src/syndication/item.ts";
import { read } from "../../support/syndication/berlin-feeds.ts";
import { parsed } from "../../support/syndication/parsed-feeds.ts";

describe("GeoJSON and JSON Lines", () => {
  it("a row has the fields of a post", () => {
    const rows = [
      { id: "1", title: "Bike", kind: "offer", body: "Blue", location: "Berlin", tags: ["bike"] },
      { title: "Talk", starts_at: "2026-12-05T19:00:00+01:00", free: true, status: "cancelled" },
    ];
    const { items, unread } = parsed(
      "jsonl",
      `${rows.map((row) => JSON.stringify(row)).join("\n")}\nnot json\n`,
    );
    expect(unread).toHaveLength(1);
    expect(items[0]).toMatchObject({ kind: "offer", place: { name: "Berlin", lat: null, lng: null } });
    expect(items[1]).toMatchObject({ startsAt: Date.UTC(2026, 11, 5, 18), free: true, cancelled: true });
    expect(() => parsed("jsonl", "<html>")).toThrow(FeedError);
    expect(() => parsed("geojson", "[]")).toThrow(FeedError);
  });
});

describe("rows", () => {
  it("are read up to a bound, and what is behind it does not count as gone", () => {
    const row = JSON.stringify({ title: "T", id: "1" });
    const many = (count: number) => [`${row}\n`.repeat(count), `[${Array(count).fill(row)}]`];
    for (const text of many(20_000))
      expect(read(text, { kind: "jsonl" })).toMatchObject({ left: 0, isWhole: true });
    for (const text of many(20_002))
      expect(read(text, { kind: "jsonl" })).toMatchObject({ left: 2, isWhole: false });
  });
});
