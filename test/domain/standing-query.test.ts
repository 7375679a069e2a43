import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  appliedJson,
  criteriaJson,
  describeQuery,
  filterOf,
  isShortWindow,
  notesOnBounds,
  sortOf,
} from "../../src/domain/search/query.ts";
import { SearchQuery } from "../../src/schema/query.ts";
import { StandingQuery } from "../../src/schema/subscription.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("a,b", " , ", "\u0001", "İ".repeat(21), "क़".repeat(20), ".json.json", "/p/x.md.ics?y"),
);
const lat = fc.double({ min: -90, max: 90, noNaN: true });
const lng = fc.double({ min: -180, max: 180, noNaN: true });
const moment = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom("0001-01-01T00:00:00+14:00", "0000-01-01", "9999-12-31T23:59:59.999Z", "2026-12-01"),
);
const query = fc.record(
  {
    q: text,
    kind: fc.oneof(text, fc.array(fc.constantFrom("event", "offer", "event,offer"))),
    tags: fc.oneof(text, fc.array(text, { maxLength: 25 })),
    near: fc.oneof(fc.record({ lat, lng }), fc.tuple(lat, lng).map(String)),
    radius_km: fc.double({ min: 0.1, max: 500, noNaN: true }),
    after: moment,
    before: moment,
    verified: fc.boolean(),
    publisher: text,
    thread: text,
    include_replies: fc.boolean(),
    include_syndicated: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe("a standing query", () => {
  it("that is accepted is kept in a form that reads as the same query", () => {
    let accepted = 0;
    fc.assert(
      fc.property(query, (sent) => {
        const read = StandingQuery.safeParse(sent);
        if (!read.success) return;
        accepted += 1;
        const kept = criteriaJson(read.data);
        expect(criteriaJson(StandingQuery.parse(kept))).toEqual(kept);
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

const WHOLE = {
  q: "road  bike",
  kind: "offer,event",
  tags: "B,a",
  near: "52.37,4.9",
  radius_km: 10,
  after: "2026-12-01",
  before: "2026-12-05T10:00+01:00",
  timezone: "Asia/Tokyo",
  verified: true,
  publisher: "https://board.example/publishers/pub_a",
  thread: "https://board.example/p/t1",
  include_replies: true,
  include_expired: true,
  include_syndicated: false,
};

describe("a query", () => {
  it("with every filter is read, kept and shown with each of them", () => {
    const query = SearchQuery.parse({ ...WHOLE, sort: "newest", limit: 7, rerank: false });
    const [after, before] = [Date.UTC(2026, 10, 30, 15), Date.UTC(2026, 11, 5, 9)];
    expect(filterOf(query, 5)).toEqual({
      kinds: ["offer", "event"],
      tags: ["b", "a"],
      near: { lat: 52.37, lng: 4.9, radiusKm: 10 },
      after,
      before,
      verifiedOnly: true,
      publisherId: "pub_a",
      parentId: "t1",
      includeReplies: true,
      includeExpired: true,
      includeSyndicated: false,
      now: 5,
      createdUntil: Number.MAX_SAFE_INTEGER,
    });
    const kept = {
      ...WHOLE,
      tags: "b,a",
      before: "2026-12-05T09:00:00.000Z",
      publisher: "pub_a",
      thread: "t1",
    };
    expect(criteriaJson(query)).toEqual(kept);
    expect(appliedJson(query, "newest", { after, before })).toEqual({
      ...kept,
      after: "2026-11-30T15:00:00.000Z",
      sort: "newest",
      limit: 7,
      rerank: false,
    });
  });

  it("without a filter has these", () => {
    const query = SearchQuery.parse({ q: " ", kind: "", tags: ",", publisher: "", thread: "" });
    expect(filterOf(query, 5)).toEqual({
      kinds: null,
      tags: null,
      near: null,
      after: null,
      before: null,
      verifiedOnly: false,
      publisherId: null,
      parentId: null,
      includeReplies: false,
      includeExpired: false,
      includeSyndicated: true,
      now: 5,
      createdUntil: Number.MAX_SAFE_INTEGER,
    });
    const kept = { include_replies: false, include_expired: false, include_syndicated: true };
    expect(criteriaJson(query)).toEqual(kept);
    const bounds = { after: null, before: null };
    expect(appliedJson(query, "newest", bounds)).toEqual({ ...kept, sort: "newest", limit: 20 });
    expect(appliedJson(SearchQuery.parse({ q: "a" }), "relevance", bounds)).toMatchObject({ rerank: true });
  });

  it.each([
    [{}, "Posts"],
    [{ q: "road bike", kind: "offer" }, 'Offers about "road bike"'],
    [{ kind: "event,offer" }, "Events and offers"],
    [{ kind: "event,offer,thread" }, "Events, offers and threads"],
    [{ tags: "a,b,c" }, "Posts, tagged a, b or c"],
    [{ near: "52.525,13.41" }, "Posts, within 25 km of Berlin, Germany"],
    [{ near: "0.123,-30.456", radius_km: 5 }, "Posts, within 5 km of 0.12, -30.46"],
    [{ near: "Bali" }, "Posts, within 80 km of -8.40, 115.15"],
    [{ after: "2026-12-01" }, "Posts, ending at or after 2026-12-01"],
    [{ before: "2026-12-05T10:00Z" }, "Posts, starting at or before 2026-12-05T10:00Z"],
    [{ before: "2026-12-05T00:00Z" }, "Posts, starting at or before 2026-12-05"],
    [{ thread: "t1" }, "Replies, in thread t1"],
    [{ include_replies: true }, "Posts, replies included"],
    [{ include_expired: true }, "Posts"],
    [
      { ...WHOLE, near: "52.525,13.41" },
      'Offers and events about "road  bike", in thread t1, tagged b or a, within 10 km of Berlin, Germany, ' +
        "ending at or after 2026-12-01, starting at or before 2026-12-05T09:00Z, from publisher pub_a, " +
        "from verified publishers, first-hand only",
    ],
  ])("%j is described as: %s", (sent, words) => {
    expect(describeQuery(SearchQuery.parse(sent))).toBe(words);
  });

  it.each([
    [{}, true, "relevance"],
    [{ sort: "newest" }, true, "newest"],
    [{ sort: "soonest" }, true, "soonest"],
    [{}, false, "newest"],
    [{ sort: "relevance" }, false, "newest"],
    [{ sort: "soonest" }, false, "soonest"],
    [{ sort: "newest", kind: "event", after: "2026-12-01" }, false, "newest"],
    [{ sort: "relevance", kind: "event", after: "2026-12-01" }, false, "soonest"],
    [{ kind: "event", after: "2026-12-01" }, false, "soonest"],
    [{ kind: "event", before: "2026-12-01" }, false, "soonest"],
    [{ kind: "event" }, false, "newest"],
    [{ kind: "offer", after: "2026-12-01" }, false, "newest"],
    [{ kind: "event,offer", after: "2026-12-01" }, false, "newest"],
    [{ after: "2026-12-01" }, false, "newest"],
    [{ kind: "event", after: "2026-12-01" }, true, "relevance"],
  ])("%j, with words: %j, is sorted by %s", (sent, asksWords, sort) => {
    expect(sortOf(SearchQuery.parse(sent), asksWords)).toBe(sort);
  });

  it("asks for a few days up to fourteen, or as many as are said", () => {
    const day = 86_400_000;
    const window = (before: number | null, after: number | null = 5) => ({ after, before });
    expect([14 * day + 5, 14 * day + 6].map((end) => isShortWindow(window(end)))).toEqual([true, false]);
    expect([15 * day + 5, 15 * day + 6].map((end) => isShortWindow(window(end), 15))).toEqual([true, false]);
    expect([window(null), window(5, null), {}].map((each) => isShortWindow(each))).toEqual(
      Array(3).fill(false),
    );
  });

  it("is told of a radius without a place, and of bounds in the wrong order", () => {
    const notes = (sent: object) => notesOnBounds(SearchQuery.parse(sent));
    const radius = "`radius_km` does nothing without `near`.";
    const reversed =
      "`after` is later than `before`, so only posts that go on from the one to the other match. Exchange them to find what is on between them.";
    const [first, second] = ["2026-12-01T10:00Z", "2026-12-01T10:00:00.001Z"];
    expect(notes({ radius_km: 5, after: second, before: first })).toEqual([radius, reversed]);
    expect(notes({ radius_km: 5, near: "0,0", after: first, before: first })).toEqual([]);
    expect(notes({ after: second })).toEqual([]);
    expect(notes({ before: first })).toEqual([]);
  });
});
