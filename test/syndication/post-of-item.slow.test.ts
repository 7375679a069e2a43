import { describe, expect, it } from "vitest";
import { NOW, read, readRows } from "../support/syndication/berlin-feeds.ts";

describe("text", () => {
  it("with a key of a board is refused, as everywhere", () => {
    const key = `bbk_${"a".repeat(38)}`;
    const found = read(JSON.stringify({ title: "Spare key", body: `Use ${key}` }), { kind: "jsonl" });
    expect(found.entries).toEqual([]);
    expect(found.refused).toEqual([expect.stringMatching(/^Spare key: .*key/)]);
  });
});

describe("rows", () => {
  const HALL = { name: "Hall", lat: null, lng: null };

  it("have no address in a guid that is none, and the kind that the operator names", () => {
    const item = '<item><guid isPermaLink="false">https://a.example/1</guid><title>T</title></item>';
    const text = `<rss version="2.0"><channel>${item}</channel></rss>`;
    expect(read(text, { kind: "rss" }).entries[0]?.input.url).toBeNull();
    const row = JSON.stringify({ title: "T", kind: "event" });
    for (const postKind of ["offer", null] as const)
      expect(read(row, { kind: "jsonl", postKind }).entries[0]?.input.kind).toBe(postKind ?? "event");
  });

  it("are at the place of their feed where they name none", () => {
    const at = (row: object) =>
      read(JSON.stringify({ title: "T", ...row }), { kind: "jsonl", place: HALL }).entries[0]?.input.location
        ?.name;
    expect([at({}), at({ location: "Quay" })]).toEqual(["Hall", "Quay"]);
  });

  const MOMENT = "2026-12-24T10:00Z";
  it.each<[object, object]>([
    // The feed has a tag of its own.
    [{ tags: "abcdefghij".split("") }, { tags: ["town", ..."abcdefghi"] }],
    [{ tags: ["a".repeat(40), "b".repeat(41)] }, { tags: ["town", "a".repeat(40)] }],
    [{ lat: 90, lng: 180 }, { location: { name: null, lat: 90, lng: 180 } }],
    [{ location: "h".repeat(200) }, { location: { name: "h".repeat(200) } }],
    [{ location: "h".repeat(201) }, { location: { name: `${"h".repeat(199)}…` } }],
    [{ location: "Hall", lat: 90.1, lng: 1 }, { location: HALL }],
    [{ location: "Hall", lat: 0, lng: 0 }, { location: HALL }],
    [{ lat: 0, lng: 9.4 }, { location: { name: null, lat: 0, lng: 9.4 } }],
    [{ start: MOMENT, end: MOMENT }, { ends_at: Date.parse(MOMENT) }],
    [{ start: "2026-11-20T10:00Z", end: MOMENT }, { ends_at: Date.parse(MOMENT) }],
    [{ start: MOMENT, all_day: true }, { metadata: { all_day: true } }],
    [{ start: "2026-12-24", end: "2026-12-24T18:00" }, { metadata: { all_day: false } }],
    ..."location place venue address area areaDesc"
      .split(" ")
      .map((name): [object, object] => [{ [name]: "Hall" }, { location: HALL }]),
    ..."name place venue"
      .split(" ")
      .map((name): [object, object] => [{ location: { [name]: "Hall" } }, { location: HALL }]),
    [{ start: 1_796_000_000 }, { starts_at: 1_796_000_000_000 }],
    [{ start: 1_796_000_000_000 }, { starts_at: 1_796_000_000_000 }],
    [{ time: 946_684_800_000 }, { metadata: { time: "2000-01-01T00:00:00.000Z" } }],
    [{ expires: "2099-01-01T00:00Z" }, { expires_at: NOW + 365 * 86_400_000 }],
    [{ body: 'See <a href="https://example.org/b">b</a>' }, { url: "https://example.org/b" }],
    // An address may be relative to that of the feed, and is kept as it is written.
    [{ url: "/b" }, { url: "https://example.org/b", source_url: "https://example.org/b" }],
    [{ url: "HTTP://Example.org" }, { url: "HTTP://Example.org", source_url: "HTTP://Example.org" }],
    [{ url: "mailto:a@example.org" }, { url: null, source_url: "https://example.org/feed" }],
    [
      { title: 1984, id: 0, body: 7 },
      { title: "1984", body: "7", metadata: { source_id: "0" } },
    ],
    [{ title: " ", name: " N " }, { title: "N" }],
    [{ lat: "52.5", lng: "13.4" }, { location: { name: null, lat: 52.5, lng: 13.4 } }],
    [{ location: "Hall", lat: " ", lng: "13.4" }, { location: HALL }],
    [{ title: "t".repeat(200) }, { title: "t".repeat(200) }],
    [{ title: "t".repeat(201) }, { title: `${"t".repeat(199)}…` }],
    // What the board notes of the source, no entry says of itself.
    [
      { metadata: { source: "x", license: "none", a: 1 } },
      { metadata: { source: "feed_0", license: "CC0-1.0", a: 1 } },
    ],
    [{ timezone: "Asia/Tokyo" }, { timezone: null, starts_at: null }],
    [{ start: MOMENT, timezone: "Asia/Tokyo" }, { timezone: "Asia/Tokyo" }],
    [{ start: MOMENT }, { timezone: null }],
    [{ start: "2026-12-24T10:00" }, { timezone: "Europe/Berlin" }],
    [{ id: "i".repeat(300) }, { metadata: { source_id: "i".repeat(300) } }],
    [{ id: "i".repeat(301) }, { metadata: { source_id: expect.stringMatching(/^[\da-f]{64}$/) } }],
  ])("become posts within bounds: %j", (fields, post) => {
    expect(readRows({ title: "T", ...fields }).entries[0]?.input).toMatchObject(post);
  });

  it("come back cut and free of markup", () => {
    const html = `<p>${"<b>word</b> ".repeat(6_000)}</p>`;
    const [entry] = readRows({ title: "<i>Long</i>", body: html, tags: ["<b>Bold</b>", "R&amp;D"] }).entries;
    expect(entry?.input).toMatchObject({ title: "Long", tags: ["town", "bold", "r&d"] });
    expect(entry?.input.body.length).toBeLessThanOrEqual(8_000);
    expect(entry?.input.body).toMatch(/^(word )+(\w*)…$/);
    expect(entry?.input.body.length).toBeGreaterThan(7_990);
  });
});
