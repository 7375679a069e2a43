import { describe, expect, it } from "vitest";
import { readRows } from "../../support/syndication/berlin-feeds.ts";
import { file, inputs, NOW, read, rows, starts, titles } from "../../support/syndication/utc-feeds.ts";

describe("times as people write them", () => {
  it.each([
    [{ startDate: "2026-12-12", startTime: "19:00" }, "2026-12-12T19:00"],
    [{ start_date: "12.12.2026", start_time: "19.30" }, "2026-12-12T19:30"],
    [{ start: "2026-12-12", time: "7:30 pm" }, "2026-12-12T19:30"],
    [{ date: "2026-12-12", time: "19 Uhr" }, "2026-12-12T19:00"],
    [{ startDate: "2026-12-12", startTime: "12 am" }, "2026-12-12T00:00"],
    [{ startDate: "2026-12-12", startTime: "12 pm" }, "2026-12-12T12:00"],
    [{ startDate: "2026-12-12", startTime: "19:00+05:30" }, "2026-12-12T13:30"],
    [{ starts_at: "2026-12-12T10:00Z", time: "19:00" }, "2026-12-12T10:00"],
  ])("%j", (fields, start) => {
    for (const kind of ["jsonl", "geojson"] as const) {
      const feature = { type: "Feature", geometry: null, properties: { title: "Fair", ...fields } };
      const found = read(kind === "jsonl" ? rows(fields) : JSON.stringify(feature), { kind });
      expect(starts(found)).toEqual([start]);
      expect(found.entries[0]?.input.metadata?.["all_day"]).toBe(false);
    }
  });

  it.each(["13 pm", "25:00", "19:60", "evening"])(
    "an hour that is none leaves the whole day: %s",
    (startTime) => {
      const found = read(rows({ startDate: "2026-12-12", startTime }), { kind: "jsonl" });
      expect([starts(found), found.entries[0]?.input.metadata?.["all_day"]]).toEqual([
        ["2026-12-12T00:00"],
        true,
      ]);
    },
  );

  it("an end that is an hour lies on the day of the start, or on the next", () => {
    const found = read(
      rows(
        { startDate: "2026-12-12", startTime: "19:00", endTime: "22:00" },
        { startDate: "2026-12-13", startTime: "19:00", endTime: "1:00" },
        { startDate: "2026-12-15", startTime: "19:00", endTime: "19:00" },
      ),
      { kind: "jsonl" },
    );
    const ends = found.entries.map(({ input }) => new Date(input.ends_at ?? 0).toISOString().slice(0, 16));
    expect(ends).toEqual(["2026-12-12T22:00", "2026-12-14T01:00", "2026-12-15T19:00"]);
  });

  it.each([
    "12/25/2026 19:00",
    "TBD",
    "2026-13-05",
    "to be announced in 2026",
    "19:00",
    { date: "2026-12-12" },
  ])("a start that says %j is named, and no post", (written) => {
    for (const kind of ["jsonl", "geojson"] as const) {
      const properties = { title: "Fair", start: written };
      const text = kind === "jsonl" ? rows(properties) : JSON.stringify({ type: "Feature", properties });
      const { entries, refused } = read(text, { kind });
      expect([entries, refused]).toEqual([[], ["Entry 1: its `start` cannot be read as a time."]]);
    }
  });

  it("an abbreviation is the zone at the place of the entry, or that of the feed", () => {
    const local = { starts_at: "2026-12-12T19:00", timezone: "IST" };
    const at = (fields: object, timezone = "UTC") =>
      read(rows({ ...local, ...fields }), { kind: "jsonl", timezone });
    const inMumbai = { location: { name: "Stall 4", lat: 18.94, lng: 72.83 } };
    for (const timezone of ["UTC", "Asia/Jerusalem"])
      expect(starts(at(inMumbai, timezone))).toEqual(["2026-12-12T13:30"]);
    expect(starts(at({ location: "Dublin, Ireland" }))).toEqual(["2026-12-12T19:00"]);
    expect(starts(at({}, "Asia/Jerusalem"))).toEqual(["2026-12-12T17:00"]);
    expect(at({}, "Europe/Berlin").refused).toEqual([
      "Entry 1: its `timezone`: Is an abbreviation, no IANA time zone: send Asia/Kolkata, Asia/Jerusalem, or Europe/Dublin.",
    ]);
  });
});

describe("words of a feed", () => {
  it("name an end, an hour beside a day, and a point", () => {
    const input = (fields: object) => readRows({ title: "T", ...fields }).entries[0]?.input;
    const [start, end] = ["2026-12-24T10:00Z", "2026-12-24T12:00Z"];
    for (const name of "ends_at end end_time endDate end_date endTime ends".split(" "))
      expect([name, input({ start, [name]: end })?.ends_at]).toEqual([name, Date.parse(end)]);
    for (const name of "start_time startTime time".split(" "))
      expect([name, input({ date: "2026-12-24", [name]: "11:00" })?.starts_at]).toEqual([
        name,
        Date.parse(start),
      ]);
    for (const name of "end_time endTime".split(" "))
      expect([name, input({ date: "2026-12-24", time: "11:00", [name]: "13:00" })?.ends_at]).toEqual([
        name,
        Date.parse(end),
      ]);
    for (const lat of ["lat", "latitude"])
      for (const lng of ["lng", "lon", "long", "longitude"])
        expect(input({ [lat]: 52.5, [lng]: 13.4 })?.location).toMatchObject({ lat: 52.5, lng: 13.4 });
  });
});

describe("rows", () => {
  it("an end by its day includes it, in any form; one before the start is none", () => {
    const ends = readRows(
      { title: "A", start: "24.12.2026", end: "26.12.2026" },
      { title: "B", start: "2026-12-24", end: "2026-12-26" },
      { title: "C", start: "Dec 24, 2026", end: "Dec 26, 2026" },
      { title: "D", start: "2026-12-24T10:00", end: "2026-12-23T10:00" },
    ).entries.map(({ input }) => input.ends_at);
    const last = Date.parse("2026-12-26T23:59:59.999+01:00");
    expect(ends).toEqual([last, last, last, null]);
  });
});

describe("rows and news as publishers write them", () => {
  it("rows may have kinds in capitals and coordinates by their long names", () =>
    expect(inputs(file("19-letter-case.jsonl", "jsonl"))[0]).toMatchObject({
      kind: "event",
      location: { name: "Hall", lat: 51.38, lng: -2.36 },
    }));
});

describe("what is called off, a test or an error is withdrawn", () => {
  it("in free features, which also have a zone, a kind and a time", () => {
    const found = file("17-events.geojson", "geojson");
    expect([found.withdrawn, titles(found), starts(found)]).toEqual([
      ["e1", "e3"],
      ["Gig"],
      ["2026-12-13T00:00"],
    ]);
    const quake = (time: number) =>
      inputs(
        read(
          JSON.stringify({
            type: "Feature",
            properties: { title: "M 5.2", time, kind: "Offer", free: true },
          }),
          { kind: "geojson" },
        ),
      )[0];
    expect(quake(NOW + 86_400_000)).toMatchObject({
      starts_at: NOW + 86_400_000,
      kind: "offer",
      metadata: { free: true },
    });
    expect(quake(NOW - 86_400_000)).toMatchObject({
      starts_at: null,
      metadata: { time: "2026-11-26T12:00:00.000Z" },
    });
  });
});
