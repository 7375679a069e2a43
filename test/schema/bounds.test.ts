import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { BEGUN_CHARS, placeInWords, withPlainPlace } from "../../src/schema/place.ts";
import { COPIES_NAMED, DATES_NAMED, LIMITS, PostInput, PostPatch } from "../../src/schema/post.ts";
import { PublisherInput, PublisherPatch } from "../../src/schema/publisher.ts";
import { normalTag, RADIUS_KM, SearchQuery } from "../../src/schema/query.ts";
import { ReportInput } from "../../src/schema/report.ts";
import { bareId, Flag, List, WebhookSecret } from "../../src/schema/scalars.ts";
import {
  awaitedPageOf,
  StandingQuery,
  SubscriptionInput,
  SubscriptionPatch,
} from "../../src/schema/subscription.ts";
import { cleanLine, cleanMultiline, counted } from "../../src/schema/text.ts";
import {
  endOfStart,
  hasLocalTimes,
  momentOfClock,
  withMoments,
  zoneAt,
  zoneMeantAt,
  zoneOf,
  zoneOfPlace,
} from "../../src/schema/time/local-time.ts";

const post = { title: "A bike", body: "In Noord." };
const nested = (depth: number): object => (depth === 1 ? {} : { in: nested(depth - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n]));
const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes).toString("base64")}`;
const tags = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);

/** What is just taken, and what is just refused. */
const EDGES: readonly [schema: z.ZodType, whole: object, field: string, taken: unknown, refused: unknown][] =
  [
    [PostInput, post, "title", "é".repeat(200), "x".repeat(201)],
    [PostInput, post, "title", "🚲".repeat(200), "🚲".repeat(201)],
    // What counts is what is kept.
    [PostInput, post, "title", `\r\n ${"x".repeat(200)} `, ` ${"x".repeat(201)}`],
    [PostInput, post, "body", "x\r\n".repeat(4_000), "x\r\n".repeat(4_001)],
    [PostInput, post, "title", "a\u3164\u200B", "\u3164\u200B"],
    [PostInput, post, "title", "\u200D\u00E9", " \u00AD\u2060\u2800\uFE0F\u0007 "],
    [PostInput, post, "title", "whole 🚲", "half \ud83d"],
    [PostInput, { ...post, parent_id: "p1" }, "title", undefined, "x".repeat(201)],
    [PostInput, post, "body", "x".repeat(8_000), "x".repeat(8_001)],
    [PostInput, post, "body", "x", " \u0007"],
    [PostInput, post, "tags", ["x".repeat(40)], ["x".repeat(41)]],
    [PostInput, post, "tags", tags(20), tags(21)],
    // They are split at commas, as those of a search are.
    [PostInput, post, "tags", [`${tags(10)}, ,`, ` ${tags(10)}`], [`${tags(10)}`, `${tags(11)}`]],
    [PostInput, post, "idempotency_key", "x".repeat(200), "x".repeat(201)],
    [PostInput, post, "idempotency_key", "k", ""],
    [PostInput, post, "metadata", {}, []],
    [PostInput, post, "metadata", '{"n":1}', "text"],
    [PostInput, post, "metadata", { whole: "🚲" }, { half: "\ud83d" }],
    [PostInput, post, "metadata", nested(10), nested(11)],
    [PostInput, post, "metadata", { ...keys(99), list: tags(9) }, keys(101)],
    [PostInput, post, "metadata", { x: "é".repeat(8_188) }, { x: `${"é".repeat(8_188)}x` }],
    [PostInput, post, "metadata", { a: { proto: 1 } }, JSON.parse('{"a":{"__proto__":1}}')],
    [PostInput, post, "metadata", { n: 2 ** 53 - 1 }, { n: 2 ** 53 }],
    [PostInput, post, "metadata", { n: 1 - 2 ** 53 }, { n: -(2 ** 53) }],
    [PostInput, post, "location", { name: "x".repeat(200) }, { name: "x".repeat(201) }],
    [PostInput, post, "location", { lat: 90, lng: -180 }, { lat: 90.1, lng: -180 }],
    [PostInput, post, "location", { lat: -90, lng: 180 }, { lat: -90, lng: 180.1 }],
    [PostInput, post, "location", { lat: 1, lng: 2 }, { lat: 1 }],
    [PostInput, post, "location", { lat: null, lng: null }, { lng: 1 }],
    [PostInput, post, "location", { city: null }, { city: "Berlin" }],
    [PostInput, post, "location", {}, { type: "Polygon", coordinates: [[[13, 52]]] }],
    [PostInput, post, "location", "Berlin", { bbox: [1, 2, 3, 4] }],
    [PostInput, post, "url", "http://a.example/", "ftp://a.example/"],
    [PostInput, post, "url", " https://a.example/ ", "https://a.exa\tmple/"],
    [
      PostInput,
      post,
      "url",
      "https://a.example/".padEnd(1_000, "x"),
      "https://a.example/".padEnd(1_001, "x"),
    ],
    [PostInput, post, "url", "https://a.example/?me@", "https://me@a.example/"],
    [PostInput, post, "source_url", "https://a.example/:@", "https://:pass@a.example/"],
    [PostInput, post, "timezone", " europe/berlin ", "Europe/Atlantis"],
    [PostInput, post, "timezone", "utc", "+01:00"],
    [PostInput, post, "starts_at", "2026-12-05T10:00Z", "2026-12-05T10:00"],
    [PostPatch, {}, "expires_at", "now", "soon"],
    [PostPatch, {}, "parent_id", null, "p1"],
    [PostPatch, {}, "idempotency_key", null, "k"],
    [PublisherInput, { accept_terms: true }, "name", "x".repeat(80), "x".repeat(81)],
    [PublisherInput, { name: "A", accept_terms: " TRUE " }, "description", "x".repeat(500), "x".repeat(501)],
    [PublisherInput, { name: "A" }, "accept_terms", true, "yes"],
    [PublisherInput, { name: "A", accept_terms: true }, "invite", "x".repeat(100), "x".repeat(101)],
    [ReportInput, { post_id: "p1", reason: "spam" }, "details", "x".repeat(2_000), "x".repeat(2_001)],
    [SubscriptionInput, { query: { q: "bike" } }, "label", "x".repeat(80), "x".repeat(81)],
    [SubscriptionInput, { query: { q: "bike" } }, "breadth", "wide", "wider"],
    [SubscriptionPatch, {}, "label", "x".repeat(80), "x".repeat(81)],
    [SubscriptionPatch, {}, "breadth", "close", "far"],
    [PublisherPatch, {}, "name", undefined, ""],
    [PublisherPatch, {}, "name", "x".repeat(80), "x".repeat(81)],
    [SearchQuery, {}, "sort", "soonest", "oldest"],
    [SearchQuery, {}, "sort", "relevance", "nearest"],
    [SearchQuery, {}, "sort", "newest", ""],
    [SearchQuery, {}, "cursor", "x".repeat(2_000), "x".repeat(2_001)],
    [SearchQuery, {}, "q", "x".repeat(500), "x".repeat(501)],
    [SearchQuery, {}, "tags", "x".repeat(40), "x".repeat(41)],
    [SearchQuery, {}, "tags", tags(20), tags(21)],
    [SearchQuery, {}, "kind", "Event, OFFER", "bikes"],
    [SearchQuery, {}, "kind", "event,".repeat(10), "event,".repeat(11)],
    [SearchQuery, {}, "radius_km", "0.1", "0.09"],
    [SearchQuery, {}, "radius_km", 500, 500.1],
    [SearchQuery, {}, "limit", 1, 0],
    [SearchQuery, {}, "limit", 100, 101],
    [SearchQuery, {}, "limit", "7", "7.5"],
    [SearchQuery, {}, "before", "2026-12-01", "2026-12-01T10:00"],
    [SearchQuery, {}, "before", "9999-12-31T23:30Z", "9999-12-31T23:30-01:00"],
    [SearchQuery, {}, "after", "0001-01-01T00:30Z", "0001-01-01T00:30+01:00"],
    [SearchQuery, { near: "Berlin" }, "after", "2026-12-01T10:00", "0000-12-01"],
    [SearchQuery, {}, "after", "2026-12-01T10:00[Europe/Berlin]", "2026-12-01T10:00[Europe/Nowhere]"],
    [awaitedPageOf.wait_s, {}, "", 50, 50.1],
    [awaitedPageOf.wait_s, {}, "", 0, -0.1],
    [awaitedPageOf.limit, {}, "", 1, 0],
    [awaitedPageOf.cursor, {}, "", "x".repeat(2_000), "x".repeat(2_001)],
    [awaitedPageOf.limit, {}, "", 100, 101],
    [awaitedPageOf.since, {}, "", "x".repeat(60), "x".repeat(61)],
    [WebhookSecret, {}, "", secret(24), secret(23)],
    [WebhookSecret, {}, "", secret(64), secret(65)],
    [WebhookSecret, {}, "", `whsec_${"+/".repeat(16)}`, `whsec_${"-_".repeat(16)}`],
    [Flag, {}, "", " TRUE ", "yes"],
  ];

describe("what is sent", () => {
  it.each(EDGES)(
    "%# is taken up to a bound, and refused beyond it",
    (schema, whole, field, taken, refused) => {
      const sent = (value: unknown) => (field === "" ? value : { ...whole, [field]: value });
      expect(schema.safeParse(sent(taken)).error?.issues).toBeUndefined();
      expect(schema.safeParse(sent(refused)).success).toBe(false);
    },
  );

  it("stands for this where it is left out", () => {
    expect(PostInput.parse(post).kind).toBe("announcement");
    expect(SubscriptionInput.parse({ query: { q: "bike" } })).toMatchObject({
      breadth: "close",
      changes: true,
    });
    expect(SearchQuery.parse({}).limit).toBe(20);
    expect([awaitedPageOf.limit.parse(undefined), awaitedPageOf.wait_s.parse(undefined)]).toEqual([50, 0]);
    expect(RADIUS_KM.default).toBe(25);
    expect(LIMITS).toMatchObject({ lifetimeDays: 365, repliesInPost: 20, relatedInPost: 5 });
    expect([COPIES_NAMED, DATES_NAMED, BEGUN_CHARS]).toEqual([10, 5, 100]);
  });

  it("is asked for the day where a start covers several", () => {
    const messages = ["2026-12", "2026-12-05", "soon"].map(
      (starts_at) => PostInput.safeParse({ ...post, starts_at }).error?.issues[0]?.message,
    );
    expect(messages).toEqual([
      expect.stringContaining("which day"),
      expect.stringContaining("Needs an offset"),
      expect.stringContaining("ISO 8601"),
    ]);
  });

  it.each([
    [{ q: "bike" }, { q: " \u0007" }],
    [{ kind: "event" }, { kind: "" }],
    [{ tags: "a" }, { tags: "," }],
    [{ near: "Berlin" }, { radius_km: 5 }],
    [{ after: "2026-12-01" }, {}],
    [{ before: "2026-12-01" }, { timezone: "Europe/Berlin" }],
    [{ publisher: "pub_a" }, { publisher: "" }],
    [{ thread: "p1" }, { include_replies: true }],
    [{ verified: true }, { verified: false }],
    [{ include_syndicated: false }, { include_syndicated: true }],
  ])("narrows a saved query as %j, not as %j", (narrow, open) => {
    expect([narrow, open].map((query) => StandingQuery.safeParse(query).success)).toEqual([true, false]);
  });

  it("is kept in one form", () => {
    expect(cleanLine(" a\r\n\tb\u0007 ")).toBe("a b");
    expect(cleanLine("e\u0301")).toBe("\u00E9");
    expect(cleanMultiline("a\r\nb\rc\u2028d\u0085e\u2029f\u0000\tg")).toBe("a\nb\nc\nd\ne\nf\tg");
    expect(cleanMultiline(`a${"\u0301".repeat(40)}`).normalize("NFD")).toHaveLength(31);
    expect(normalTag(" Caf\u0065\u0301 ")).toBe("café");
    expect(List.parse(["a, ,b", " c "])).toEqual(["a", "b", "c"]);
    expect(List.parse('["a","b"]')).toEqual(["a", "b"]);
    expect(PostInput.parse({ ...post, tags: ["a, b ,", "c"] }).tags).toEqual(["a", "b", "c"]);
    expect(SearchQuery.parse({ kind: "event,Offer,event", tags: "a,A,b" })).toMatchObject({
      kind: ["event", "offer"],
      tags: ["a", "b"],
    });
    expect([Flag.parse("TRUE"), Flag.parse("false")]).toEqual([true, false]);
    expect([0, 1, 2].map((n) => counted(n, "post"))).toEqual(["0 posts", "1 post", "2 posts"]);
    expect([1, 2].map((n) => counted(n, "reply", "replies"))).toEqual(["1 reply", "2 replies"]);
    const pages = [
      "https://a.example/p/x1?y#z",
      "https://a.example/p/x1#z",
      "x1.ics",
      "x1.md",
      "x1.json",
      " x1 ",
    ];
    expect(pages.map((sent) => bareId(sent, "p"))).toEqual(pages.map(() => "x1"));
  });
});

describe("a place that is sent", () => {
  it.each([
    [
      { type: "Point", coordinates: [13.4, 52.52] },
      { lat: 52.52, lng: 13.4 },
    ],
    [
      { coordinates: [13.4, 52.52], name: "Berlin" },
      { name: "Berlin", lat: 52.52, lng: 13.4 },
    ],
    [{ geo: { latitude: "52.52", longitude: "13.4" } }, { lat: 52.52, lng: 13.4 }],
    [
      { lat: 52.52, lon: 13.4, name: "Hall", note: "back door" },
      { name: "Hall", note: "back door", lat: 52.52, lng: 13.4 },
    ],
    [
      { latitude: 52.52, long: 13.4, properties: { name: "Hall", floor: 2 } },
      { name: "Hall", lat: 52.52, lng: 13.4 },
    ],
    [
      { name: "Own", geometry: { type: "Point", coordinates: [13.4, 52.52] }, properties: { name: "Other" } },
      { name: "Own", lat: 52.52, lng: 13.4 },
    ],
    [{ position: { lat: 0, lng: 0 } }, { lat: 0, lng: 0 }],
    [
      { coordinates: { lat: 52.52, lng: 13.4 }, bbox: [1] },
      { lat: 52.52, lng: 13.4 },
    ],
    ['{"lat":52.52,"lng":13.4}', '{"lat":52.52,"lng":13.4}'],
    [
      { lat: 52.52, lng: 13.4, longitude: 9 },
      { lat: 52.52, lng: 13.4, longitude: 9 },
    ],
    [{ city: "Berlin" }, { city: "Berlin" }],
    ["Berlin", "Berlin"],
    [
      [52.52, 13.4],
      [52.52, 13.4],
    ],
    [null, null],
    [{ point: { lat: 52.52, lng: 13.4 } }, { lat: 52.52, lng: 13.4 }],
    [
      { lat: null, coords: { lat: 52.52, long: 13.4 } },
      { lat: 52.52, lng: 13.4 },
    ],
    [
      { type: "Feature", geometry: { coordinates: [13.4, 52.52] }, properties: { name: "Berlin" } },
      { name: "Berlin", lat: 52.52, lng: 13.4 },
    ],
    ["52.52, 13.4", { lat: 52.52, lng: 13.4 }],
    [
      { lat: 1, coordinates: [2, 3] },
      { lat: 1, coordinates: [2, 3] },
    ],
    [
      { type: "LineString", coordinates: [2, 3] },
      { type: "LineString", coordinates: [2, 3] },
    ],
    [
      { latitude: " ", longitude: "3" },
      { latitude: " ", longitude: "3" },
    ],
  ])("as %j is %j", (location, plain) => {
    expect(withPlainPlace({ location })["location"]).toEqual(plain);
  });

  it("is named in words with how far it reaches, and with others of its name", () => {
    const near = {
      lat: 1,
      lng: 2,
      radiusKm: 90,
      place: { label: "Isle", others: ["Isle, Peru", "Isle, Chad"] },
    };
    const { radiusKm: _, ...town } = near;
    expect(placeInWords({ lat: 1, lng: 2 })).toBeNull();
    expect(placeInWords(town)).toBe(
      "`near` was read as Isle (1,2); others of this name: Isle, Peru; Isle, Chad.",
    );
    expect(placeInWords(near)).toBe(
      "`near` was read as Isle (1,2), a country, region or island: within 90 km of its middle, which may be more than it is (`radius_km` sets it); others of this name: Isle, Peru; Isle, Chad.",
    );
    expect(placeInWords({ ...town, place: { label: "Isle", others: [] } })).toBe(
      "`near` was read as Isle (1,2).",
    );
    expect(placeInWords(near, 10)).toBe(placeInWords(town));
    expect(placeInWords({ ...town, isOnlyWithPosts: true })).toBe(
      "`near` was read as Isle (1,2), the only place of this name with posts; others of this name: Isle, Peru; Isle, Chad.",
    );
    const read = (name: string) => SearchQuery.parse({ near: name }).near;
    expect(read("Malta")).toMatchObject({
      radiusKm: 25,
      place: { others: ["Malta, Montana", "Malta, Rotterdam"] },
    });
    const { oneOf = [] } = read("Springfield") ?? {};
    expect(oneOf).toHaveLength(6);
    // One town on both sides of a border.
    expect(read("Kansas City")?.oneOf).toBeUndefined();
    for (const { place } of oneOf) expect(place?.others).not.toContain(place?.label);
    const refusal = (name: string) => SearchQuery.safeParse({ near: name }).error?.issues[0]?.message;
    expect(refusal("Peru")).toContain('name one (of this name: "Peru, Indiana" or "Peru, Illinois") in it');
    // A town of its island.
    expect(read("Okinawa")?.radiusKm).toBeUndefined();
    expect(refusal("France")).toBe(
      "This is a country or region that one search does not cover: name one in it, with `radius_km` up to 500, or put the region into `q`.",
    );
    for (const name of ["Frankreich", "Frankrijk", "FRANCE"])
      expect([name, refusal(name)]).toEqual([name, refusal("France")]);
    expect(refusal("Qwxyz")).toBe(
      "No town or district of this name is known. Otherwise name a larger place beside it, or send `lat,lng`.",
    );
    expect(refusal("Berln")).toBe(
      'No town or district of this name is known. Did you mean "Berlin, Germany" or "Bern, Switzerland"? Otherwise name a larger place beside it, or send `lat,lng`.',
    );
    expect(refusal("")).toBe(
      "Must be `lat,lng` in degrees, latitude (-90 to 90) first, such as 52.52,13.40.",
    );
    expect(refusal("91,0")).toBe(refusal(""));
  });
});

describe("local times", () => {
  const read = (sent: Record<string, unknown>, own?: string) => withMoments(sent, own);

  it("of a post begin with the first moment of a day and end with its last, in the zone that is said, or of the place", () => {
    const day = { starts_at: "2026-07-01", ends_at: "2026-07-01" };
    const berlin = { starts_at: "2026-06-30T22:00:00.000Z", ends_at: "2026-07-01T21:59:59.999Z" };
    expect(read({ ...day, timezone: "Europe/Berlin" })).toMatchObject({ fields: berlin, note: null });
    expect(read({ ...day, location: "Berlin" })).toMatchObject({
      fields: berlin,
      note: expect.stringContaining("Europe/Berlin, the zone of the place"),
    });
    expect(read(day, "Europe/Berlin").note).toContain("the zone of the post");
    expect(read(day)).toEqual({ fields: day, note: null });
    expect(read({ starts_at: "2026-07", location: "Berlin" }).fields["starts_at"]).toBe("2026-07");
    const zoned = { starts_at: "2026-07-01T10:00[Asia/Tokyo]" };
    expect(read({ ...zoned, location: "Berlin" })).toMatchObject({
      fields: { starts_at: "2026-07-01T01:00:00.000Z" },
      note: null,
    });
    const times = { starts_at: "2026-07-01", ends_at: "2026-07-02T10:00", expires_at: "2026-07-03" };
    expect(read({ ...times, other: "2026-07-01", timezone: "America/New_York" }, "Europe/Berlin")).toEqual({
      fields: {
        starts_at: "2026-07-01T04:00:00.000Z",
        ends_at: "2026-07-02T14:00:00.000Z",
        expires_at: "2026-07-04T03:59:59.999Z",
        other: "2026-07-01",
        timezone: "America/New_York",
      },
      note: null,
    });
    // Coordinates tell more than a name, and a place more than the post had.
    const tokyo = { location: { name: "Berlin", lat: 35.69, lng: 139.69 } };
    expect(read({ ...day, ...tokyo }, "Europe/Berlin")).toMatchObject({
      fields: { starts_at: "2026-06-30T15:00:00.000Z", ends_at: "2026-07-01T14:59:59.999Z" },
      note: "Times without an offset were read in Asia/Tokyo, the zone of the place.",
    });
    expect(read({ ends_at: "2026-07-01T10:00", timezone: "CEST", location: "Vienna" })).toEqual({
      fields: { ends_at: "2026-07-01T08:00:00.000Z", timezone: "Europe/Vienna", location: "Vienna" },
      note: "The abbreviation in `timezone` was read as Europe/Vienna, the zone of the place.",
    });
    const abroad = { ...day, timezone: "CEST", location: "Tokyo" };
    expect(read(abroad)).toEqual({ fields: abroad, note: null });
    const offset = { starts_at: "2026-07-01T10:00+02:00", location: "Tokyo" };
    expect(read(offset)).toEqual({ fields: offset, note: null });
    expect([day, offset, { starts_at: 5, ends: "2026-07-01" }].map((each) => hasLocalTimes(each))).toEqual([
      true,
      false,
      false,
    ]);
    expect(zoneOfPlace("Berlin")).toBe("Europe/Berlin");
    expect([zoneOfPlace({ name: "Berlin" }), zoneOfPlace({ lat: 35.69 }), zoneOfPlace(null)]).toEqual([
      "Europe/Berlin",
      null,
      null,
    ]);
    expect([
      zoneAt({ lat: 90, lng: -180 }) === null,
      zoneAt({ lat: 90.1, lng: 0 }),
      zoneAt({ lat: 0, lng: 180.1 }),
    ]).toEqual([false, null, null]);
    // Lagos has the time of Vienna in winter only; the middle of Wales is far from its ends.
    const places = ["Europe/Vienna", "Africa/Lagos", null];
    expect(places.map((zone) => zoneMeantAt("CEST", zone))).toEqual(["Europe/Vienna", null, null]);
    expect([zoneOfPlace("Bali"), zoneOfPlace("Wales")]).toEqual(["Asia/Makassar", null]);
    expect(read({ ...day, location: "Russia" })).toEqual({
      fields: { ...day, location: "Russia" },
      note: null,
    });
  });

  it("of a start without an end last for the day where it is a midnight", () => {
    for (const [timezone, moment] of [
      ["Europe/Berlin", "2026-06-30T22:00Z"],
      ["Asia/Kathmandu", "2026-06-30T18:15Z"],
    ] as const) {
      const [midnight, post] = [Date.parse(moment), { timezone, location: null }];
      expect(endOfStart(midnight, post)).toBe(midnight + 86_400_000 - 1);
      for (const start of [midnight + 1, midnight + 900_000]) expect(endOfStart(start, post)).toBe(start);
    }
    expect(zoneOf({ timezone: "Asia/Tokyo", location: { lat: 52.5, lng: 13.4 } })).toBe("Asia/Tokyo");
    expect(zoneOf({ timezone: null, location: { lat: 52.5, lng: 13.4 } })).toBe("Europe/Berlin");
    expect(zoneOf({ timezone: null, location: null })).toBe("UTC");
  });

  it.each([
    ["that occurs once", "2026-07-01T02:30Z", "2026-07-01T00:30:00.000Z"],
    ["that occurs twice is the first", "2026-10-25T02:30Z", "2026-10-25T00:30:00.000Z"],
    [
      "that clocks leave out is as far behind the last before it",
      "2026-03-29T02:30Z",
      "2026-03-29T01:30:00.000Z",
    ],
  ])("show an hour %s", (_which, clock, moment) => {
    const at = momentOfClock(Date.parse(clock), "Europe/Berlin");
    expect(at === null ? null : new Date(at).toISOString()).toBe(moment);
  });
});
