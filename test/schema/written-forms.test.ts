import { describe, expect, it } from "vitest";
import { filterOf } from "../../src/domain/search/query.ts";
import { SearchQuery } from "../../src/schema/query.ts";

/**
 * Ways in which agents write a place or a time, and what the board takes them for: coordinates or bounds, or else the
 * sentence of the refusal that says how to write it.
 */
const PLACES: readonly [written: unknown, meant: [lat: number, lng: number] | RegExp][] = [
  ["52.52,13.40", [52.52, 13.4]],
  ["52.52, 13.40", [52.52, 13.4]],
  ["52.52;13.40", [52.52, 13.4]],
  ["(52.52, 13.40)", [52.52, 13.4]],
  ["[52.52,13.40]", [52.52, 13.4]],
  ["geo:52.52,13.40;u=35", [52.52, 13.4]],
  ["lat=52.52,lng=13.40", [52.52, 13.4]],
  ["lat: 52.52, lon: 13.40", [52.52, 13.4]],
  ["52,52; 13,40", [52.52, 13.4]],
  ["52.52°N 13.40°E", [52.52, 13.4]],
  ["33.86 S, 151.21 E", [-33.86, 151.21]],
  ["−33.86, 151.21", [-33.86, 151.21]],
  [`52°31'12"N, 13°24'E`, [52.52, 13.4]],
  ["+52.52,-13.40", [52.52, -13.4]],
  ["40.71 N, 74.01 W", [40.71, -74.01]],
  [`33°51'36"S 151°12'36"E`, [-33.86, 151.21]],
  [`22°54'S, 43°12'W`, [-22.9, -43.2]],
  ["52.52 13.40", [52.52, 13.4]],
  ["{lat: 52.52, lng: 13.40}", [52.52, 13.4]],
  ["latitude=52.52; longitude=13.40", [52.52, 13.4]],
  ["-33,86 151,21", [-33.86, 151.21]],
  ["-90,180", [-90, 180]],
  ["52.52,180.01", /latitude \(-90 to 90\) first/],
  [{ lat: 52.52, lng: 13.4 }, [52.52, 13.4]],
  [{ latitude: 52.52, longitude: 13.4 }, [52.52, 13.4]],
  [{ lat: 52.52, lon: 13.4 }, [52.52, 13.4]],
  [
    [52.52, 13.4],
    [52.52, 13.4],
  ],
  ["Berlin", [52.52, 13.41]],
  ["near Berlin", [52.52, 13.41]],
  ["Berlin, Germany", [52.52, 13.41]],
  ["Berlin DE", [52.52, 13.41]],
  ["10999 Berlin", [52.52, 13.41]],
  ["Kreuzberg, Berlin", [52.5, 13.4]],
  ["Berlin Kreuzberg", [52.5, 13.4]],
  ["Paris, TX", [33.66, -95.56]],
  ["Portland, OR", [45.52, -122.68]],
  ["Springfield IL", [39.8, -89.64]],
  ["Paris Texas", [33.66, -95.56]],
  ["Portland Oregon", [45.52, -122.68]],
  ["Waterloo, Cambridge", [43.47, -80.52]],
  ["Washington, D.C.", [38.895, -77.035]],
  ["Denmark", [55.83, 11.19]],
  ["NYC", [40.71, -74.01]],
  ["Brooklyn, New York", [40.65, -73.95]],
  ["London, Ontario", [42.98, -81.23]],
  ["Newcastle, Australia", [-32.93, 151.78]],
  ["Frankfurt (Oder)", [52.35, 14.55]],
  ["Frankfurt", [50.12, 8.68]],
  ["Koeln", [50.93, 6.95]],
  ["München", [48.14, 11.58]],
  ["東京", [35.69, 139.69]],
  ["Москва", [55.75, 37.62]],
  // The largest, until the board's posts decide.
  ["Springfield", [37.22, -93.3]],
  ["Cambridge", [52.2, 0.12]],
  ["Berln", /Did you mean "Berlin, Germany"/],
  ["Amsterdam-Nowhere", /Did you mean "Amsterdam, Netherlands"/],
  ["Germany", [51.0, 9.81]],
  ["France", /is a country.*name one/],
  ["frankreich", /is a country.*name one/],
  ["Qwxyz", /is known\. Otherwise name .* send `lat,lng`/],
  ["52.52", /latitude \(-90 to 90\) first/],
];

/** Bounds by `after` and `before`, as far as they differ. Without a place nobody knows the zone. */
const TIMES: readonly [written: string, after: string | RegExp, before?: string][] = [
  ["2026-12-01T18:30:00Z", "2026-12-01T18:30:00.000Z"],
  ["2026-12-01T18:30Z", "2026-12-01T18:30:00.000Z"],
  ["2026-12-01T18:30:00.250+01:00", "2026-12-01T17:30:00.250Z"],
  ["2026-12-01T18:30,5Z", "2026-12-01T18:30:30.000Z"],
  ["2026-12-01T18:30+0100", "2026-12-01T17:30:00.000Z"],
  ["2026-12-01T18:30+01", "2026-12-01T17:30:00.000Z"],
  ["2026-12-01T18:30:00 01:00", "2026-12-01T17:30:00.000Z"],
  ["2026-12-01T18:30:00−05:00", "2026-12-01T23:30:00.000Z"],
  ["2026-12-01t18:30z", "2026-12-01T18:30:00.000Z"],
  ["2026-12-01 18:30:00Z", "2026-12-01T18:30:00.000Z"],
  ["20261201T183000Z", "2026-12-01T18:30:00.000Z"],
  ["2026-12-01T24:00Z", "2026-12-02T00:00:00.000Z"],
  ["2026-12-01T18:30[Europe/Berlin]", "2026-12-01T17:30:00.000Z"],
  ["2026-12-01T18:30+01:00[Europe/Berlin]", "2026-12-01T17:30:00.000Z"],
  ["2026-12-01", "2026-11-30T10:00:00.000Z", "2026-12-02T11:59:59.999Z"],
  ["20261201", "2026-11-30T10:00:00.000Z", "2026-12-02T11:59:59.999Z"],
  ["2026-12", "2026-11-30T10:00:00.000Z", "2027-01-01T11:59:59.999Z"],
  ["2026-W49", "2026-11-29T10:00:00.000Z", "2026-12-07T11:59:59.999Z"],
  ["2026-W49-2", "2026-11-30T10:00:00.000Z", "2026-12-02T11:59:59.999Z"],
  ["2026-335", "2026-11-30T10:00:00.000Z", "2026-12-02T11:59:59.999Z"],
  ["2026", "2025-12-31T10:00:00.000Z", "2027-01-01T11:59:59.999Z"],
  ["2026-12-01T18:30", /Needs an offset.*or `timezone`, or `near`/],
  ["2026-12-01T24:30Z", /ISO 8601/],
  ["2026-12-01T18:30+23:59", "2026-11-30T18:31:00.000Z"],
  ["2026-12-01T18:30+24:00", /ISO 8601/],
  ["2026-12-01T18:30+01:60", /ISO 8601/],
  // A leap second.
  ["2026-12-31T23:59:60Z", "2026-12-31T23:59:59.000Z"],
  ["2026-12-31T23:59:61Z", /ISO 8601/],
  ["2026-000", /ISO 8601/],
  ["2026-W00", /ISO 8601/],
  ["2025-366", /ISO 8601/],
  // A year of 53 weeks, whose last begins three days before the next year, and one of 52.
  ["2026-W53", "2026-12-27T10:00:00.000Z", "2027-01-04T11:59:59.999Z"],
  ["2025-W53", /ISO 8601/],
  ["2026-02-30", /ISO 8601/],
  ["2026-13-01", /ISO 8601/],
  ["2026-12T18:30Z", /ISO 8601/],
  ["2026-W49T18:30Z", /ISO 8601/],
  ["01.12.2026", /ISO 8601 date \(2026-12-01\)/],
  ["12/01/2026", /ISO 8601 date \(2026-12-01\)/],
  ["this weekend", /belong in `q`/],
  ["1764547200", /ISO 8601/],
  ["2026-12-01/2026-12-05", /as `after` and `before`/],
];

const messageOf = (query: Record<string, unknown>) =>
  SearchQuery.safeParse(query)
    .error?.issues.map(({ message }) => message)
    .join(" ") ?? "understood";
const filterFor = (query: Record<string, unknown>) => filterOf(SearchQuery.parse(query), 0);
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

describe("near", () => {
  it.each(PLACES)("reads %j", (near, meant) => {
    if (meant instanceof RegExp) return expect(messageOf({ near })).toMatch(meant);
    const point = filterFor({ near }).near;
    const [lat = Number.NaN, lng = Number.NaN] = meant;
    expect(Math.abs((point?.lat ?? Number.NaN) - lat)).toBeLessThan(0.01);
    expect(Math.abs((point?.lng ?? Number.NaN) - lng)).toBeLessThan(0.01);
  });
});

describe("after and before", () => {
  it.each(TIMES)("read %j", (written, after, before) => {
    if (after instanceof RegExp) return expect(messageOf({ after: written })).toMatch(after);
    const filter = filterFor({ after: written, before: written });
    expect([iso(filter.after), iso(filter.before)]).toEqual([after, before ?? after]);
  });

  it("mean the day of the place searched", () => {
    const filter = filterFor({ near: "Tokyo", after: "2026-12-01", before: "2026-12-01" });
    expect([iso(filter.after), iso(filter.before)]).toEqual([
      "2026-11-30T15:00:00.000Z",
      "2026-12-01T14:59:59.999Z",
    ]);
  });

  it.each([
    ["2026-12-01", "2026-12-01T05:00:00.000Z", "2026-12-02T04:59:59.999Z"],
    ["2026-12", "2026-12-01T05:00:00.000Z", "2027-01-01T04:59:59.999Z"],
    ["2026-W49-2", "2026-12-01T05:00:00.000Z", "2026-12-02T04:59:59.999Z"],
    ["2026-07-01T18:30", "2026-07-01T22:30:00.000Z", "2026-07-01T22:30:00.000Z"],
    ["2026-12-01T18:30Z", "2026-12-01T18:30:00.000Z", "2026-12-01T18:30:00.000Z"],
    ["2026-12-01T18:30[Asia/Tokyo]", "2026-12-01T09:30:00.000Z", "2026-12-01T09:30:00.000Z"],
  ])("read %j in the `timezone` beside them, wherever is searched", (written, after, before) => {
    const bounds = { after: written, before: written, timezone: "America/New_York" };
    for (const query of [bounds, { ...bounds, near: "Tokyo" }]) {
      const filter = filterFor(query);
      expect([iso(filter.after), iso(filter.before)]).toEqual([after, before]);
    }
  });

  it("mean local time at the place searched, also where clocks change", () => {
    const filter = filterFor({ near: "Berlin", after: "2026-10-25T01:30", before: "2026-10-25T12:00" });
    expect([iso(filter.after), iso(filter.before)]).toEqual([
      "2026-10-24T23:30:00.000Z",
      "2026-10-25T11:00:00.000Z",
    ]);
  });
});
