import { describe, expect, it } from "vitest";
import { indexEntryOf, seriesOf, sourceOf, windowOf } from "../../src/ports/index-entry.ts";
import type { StoredPost } from "../../src/ports/store/index.ts";
import { MOVED } from "../../src/records/index.ts";
import { numberByTime, POST } from "../../src/records/post.ts";
import { PUBLISHER, SIGN_IN } from "../../src/records/publisher.ts";
import {
  missing,
  moment,
  type RowRecord,
  record,
  since,
  text,
  vector,
  wipedTo,
} from "../../src/records/record.ts";
import { SUBSCRIPTION } from "../../src/records/subscription.ts";
import { documentOf, rowOf, wipedOf } from "../../src/store/mongodb/database/rows.ts";
import { Columns } from "../../src/store/sqlite/database/rows.ts";
import { aPost, T0 } from "../support/search/rows.ts";

const RECORDS: Record<string, RowRecord> = { ...MOVED, POST, PUBLISHER, SIGN_IN, SUBSCRIPTION };

/** What a later release might add: one of each kind that is not kept as it is. */
const MOODY = record({
  ...POST.shape,
  mood: since(wipedTo("calm", text), ({ createdAt }) => `born at ${createdAt}`),
  moodSince: since(moment.nullable(), () => null),
  moodVector: since(vector.nullable(), () => null),
});

describe("a record", () => {
  it("has a name that tells a time for every moment, and for nothing else", () => {
    // The types of MongoDB's documents go by the names.
    const wrong = Object.values(RECORDS).flatMap(({ fields }) =>
      fields.filter(({ name, kept }) => /^at$|(?:At|Since|Until)$/.test(name) !== (kept === "moment")),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it("loses with its text all that its owner wrote, or that was made of it", () => {
    expect(PUBLISHER.wiped).toEqual({
      ...{ name: "", description: null, url: null, domain: null, verifyToken: null },
      ...{ verifiedAt: null, verifiedVia: null, recovery: null },
    });
    expect(POST.wiped).toEqual({
      ...{ title: "", body: "", link: null, tags: [], location: null, timezone: null, sourceUrl: null },
      ...{ metadata: {}, replyCount: 0, lastReplyAt: null, flags: [] },
    });
  });

  it("completes a row that is older than a field", () => {
    const { writtenNo: _, ...before } = aPost("p_1", { createdAt: 5_000 });
    const read = POST.schema.parse(before);
    expect(read).toEqual({ ...before, writtenNo: numberByTime(5_000) });
    const older = (record: RowRecord) => missing(record.fields, { createdAt: 5_000 });
    expect(older(PUBLISHER)).toEqual({ recovery: null });
    expect(older(MOVED.delivery)).toEqual({ change: null });
    expect(older(SUBSCRIPTION)).toEqual({
      ...{ breadth: "close", changes: true, webhookRefusal: null, savedNo: numberByTime(5_000) },
      ...{ event: null, expiresAt: null, clientSecret: null, previousClientSecret: null },
    });
    expect(POST.schema.safeParse({ ...before, title: 3 }).error?.issues[0]?.path).toEqual(["title"]);
    expect(POST.schema.safeParse({ ...before, mood: "calm" }).success).toBe(false);
  });

  it("gives both stores a field that is added to it", () => {
    const post = {
      ...aPost("p_1", { createdAt: 5_000 }),
      mood: "glad",
      moodSince: 7,
      moodVector: new Int8Array([1, -2]),
    };
    const columns = new Columns(MOODY);
    const row = columns.write(post);
    expect(row).toMatchObject({
      mood: "glad",
      mood_since: 7,
      syndicated: 0,
      tags: JSON.stringify(post.tags),
    });
    expect(columns.read(row)).toEqual(post);

    const document = documentOf(MOODY, post);
    expect(document).toMatchObject({
      _id: "p_1",
      mood: "glad",
      mood_since: new Date(7),
      metadata: JSON.stringify(post.metadata),
    });
    expect(rowOf(MOODY, document)).toEqual(post);
    expect(wipedOf(MOODY)).toMatchObject({ title: "", mood: "calm", reply_count: 0 });
    expect(wipedOf(MOODY)).not.toHaveProperty("fingerprint");
  });

  it("reads a document of before the field", () => {
    const post = aPost("p_1", { createdAt: 5_000 });
    expect(rowOf(MOODY, documentOf(POST, post))).toEqual({
      ...post,
      mood: "born at 5000",
      moodSince: null,
      moodVector: null,
    });
  });
});

describe("a post, as an index reads it,", () => {
  const place = { name: "Hall", lat: 52.37, lng: 4.9 };
  const post = aPost("p", {
    ...{ parentId: "root", startsAt: T0 + 1, endsAt: T0 + 2, expiresAt: T0 + 9, createdAt: T0 - 5 },
    ...{ updatedAt: T0 - 3, location: place, syndicated: true },
  });

  it("has its text and place, who wrote it and when, and no more", () => {
    expect(indexEntryOf(post)).toEqual({
      ...{ id: "p", kind: "offer", title: post.title, body: post.body, tags: ["bike", "amsterdam"] },
      ...{ placeName: "Hall", lat: 52.37, lng: 4.9, windowStart: T0 + 1, windowEnd: T0 + 2 },
      ...{ expiresAt: T0 + 9, createdAt: T0 - 5, publisherId: "pub_a", parentId: "root", syndicated: true },
      ...{ source: null, series: null },
    });
    const bare = indexEntryOf({
      ...post,
      location: null,
      parentId: null,
      sourceUrl: "https://www.a.example/s?utm_source=x",
    });
    expect(bare).toMatchObject({
      placeName: null,
      lat: null,
      lng: null,
      source: sourceOf({ ...post, parentId: null, sourceUrl: "http://a.example/s" }),
    });
    expect(bare.source).not.toBeNull();
    expect(bare.series).toMatch(/^[0-9a-f]{32}$/);
  });

  const midnight = Date.UTC(2026, 10, 20, 23);
  it.each<[string, Partial<StoredPost>, start: number, end: number]>([
    ["its dates", {}, T0 + 1, T0 + 2],
    ["its start alone", { endsAt: null }, T0 + 1, T0 + 1],
    ["its day", { startsAt: midnight, endsAt: null }, midnight, midnight + 86_400_000 - 1],
    ["its day elsewhere", { startsAt: midnight, endsAt: null, timezone: "UTC" }, midnight, midnight],
    ["its end alone", { startsAt: null }, T0 - 5, T0 + 2],
    ["its life without dates", { startsAt: null, endsAt: null }, T0 - 5, T0 + 9],
  ])("takes place at %s", (_, fields, windowStart, windowEnd) => {
    expect(windowOf({ ...post, ...fields })).toEqual({ windowStart, windowEnd });
  });
});

describe("posts that differ in", () => {
  const place = { name: "Hall", lat: 1, lng: 2 };
  const pages = { link: "https://a.example/yoga", sourceUrl: "https://a.example/calendar" };
  const post = aPost("p", { title: "Yoga", startsAt: T0, location: place, ...pages });

  it.each<[what: string, change: Partial<StoredPost>, series: boolean, source: boolean]>([
    ["their text", { body: "Another.", tags: [], kind: "event" }, true, true],
    ["the spelling of their title", { title: "YOGA!" }, true, true],
    ["their title", { title: "Yoga for two" }, false, false],
    ["their start", { startsAt: T0 + 1 }, true, false],
    ["their publisher", { publisherId: "pub_b" }, false, true],
    ["the page they lead to", { link: "https://a.example/judo" }, false, true],
    ["the page they are from", { sourceUrl: "https://b.example/" }, true, false],
    ["the name of their place", { location: { ...place, name: "Yard" } }, false, true],
    ["its latitude", { location: { ...place, lat: 1.1 } }, false, true],
    ["its longitude", { location: { ...place, lng: 2.1 } }, false, true],
  ])("%s", (_what, change, series, source) => {
    const other = { ...post, ...change };
    expect([seriesOf(other) === seriesOf(post), sourceOf(other) === sourceOf(post)]).toEqual([
      series,
      source,
    ]);
  });

  it("being dated, or a reply, are of no series; relayed ones without a page of their own are told by their entry", () => {
    expect([{ startsAt: null }, { parentId: "root" }].map((one) => seriesOf({ ...post, ...one }))).toEqual([
      null,
      null,
    ]);
    expect([{ sourceUrl: null }, { parentId: "root" }].map((one) => sourceOf({ ...post, ...one }))).toEqual([
      null,
      null,
    ]);
    const relayed = (source_id: string, link: string | null = null, syndicated = true) =>
      sourceOf({ ...post, link, syndicated, metadata: { source_id } });
    expect(relayed("1")).not.toBe(relayed("2"));
    for (const [link, syndicated] of [["https://a.example/", true] as const, [null, false] as const])
      expect(relayed("1", link, syndicated)).toBe(relayed("2", link, syndicated));
    const unlinked = (sourceUrl: string) => seriesOf({ ...post, link: null, sourceUrl });
    expect(unlinked("https://a.example/1")).not.toBe(unlinked("https://a.example/2"));
  });
});
