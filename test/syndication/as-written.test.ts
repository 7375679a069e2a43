import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Entries, entriesOf } from "../../src/syndication/entries.ts";
import type { Feed } from "../../src/syndication/feeds.ts";
import { aFeedOf } from "../support/boards/feed-source.ts";

const NOW = Date.UTC(2026, 10, 27, 12);
const folder = join(import.meta.dirname, "../support/texts/feeds-2");
const HOMES = ["Pacific/Auckland", "America/Sao_Paulo", "Asia/Kolkata", "Europe/London"];

const read = (text: string | Buffer, given: Partial<Feed> = {}): Entries =>
  entriesOf({ bytes: Buffer.from(text), contentType: "" }, aFeedOf({ timezone: "UTC", ...given }), NOW);
const rows = (...all: object[]) =>
  all.map((row, n) => JSON.stringify({ id: `${n}`, title: "Fair", ...row })).join("\n");
const event = (...lines: string[]) => ["BEGIN:VEVENT", "UID:a@x", "SUMMARY:Quiz", ...lines, "END:VEVENT"];
const calendar = (...lines: string[]) => ["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR"].join("\r\n");
const starts = ({ entries }: Entries) =>
  entries.map(({ input }) =>
    input.starts_at == null ? null : new Date(input.starts_at).toISOString().slice(0, 16),
  );

describe("the zone that a calendar defines", () => {
  const fixed = (name: string, offset: string) => [
    ...["BEGIN:VTIMEZONE", `TZID:${name}`, "BEGIN:STANDARD", "DTSTART:19700101T000000"],
    ...[`TZOFFSETFROM:${offset}`, `TZOFFSETTO:${offset}`, "END:STANDARD", "END:VTIMEZONE"],
  ];
  const at19 = (name: string, offset: string, day = "20261212") =>
    starts(read(calendar(...fixed(name, offset), ...event(`DTSTART;TZID=${name}:${day}T190000`))))[0];

  it.each([
    ["BST", "+0000", "2026-12-12T19:00"],
    ["IST", "+0200", "2026-12-12T17:00"],
    ["EST", "+1000", "2026-12-12T09:00"],
    ["CST", "+0800", "2026-12-12T11:00"],
    ["CET", "+1200", "2026-12-12T07:00"],
    ["Europe/London", "+0530", "2026-12-12T13:30"],
  ])("counts where it is called %s and is at %s", (name, offset, start) =>
    expect(at19(name, offset)).toBe(start),
  );

  it("counts in both seasons", () => {
    const text = readFileSync(join(folder, "49-own-zone.ics"), "utf8");
    for (const timezone of HOMES) {
      expect(starts(read(text, { timezone }))).toEqual(["2026-12-12T19:00"]);
      expect(starts(read(text.replace(":20261212T19", ":20270612T19"), { timezone }))).toEqual([
        "2027-06-12T18:00",
      ]);
    }
    expect(at19("CET", "+0100", "20270612")).toBe("2027-06-12T18:00");
  });

  it("is that of IANA where it is an extract of it", () => {
    const extract = [
      ...[
        "BEGIN:VTIMEZONE",
        "TZID:Europe/Berlin",
        "BEGIN:STANDARD",
        "DTSTART:20261025T030000",
        "TZOFFSETFROM:+0200",
      ],
      ...[
        "TZOFFSETTO:+0100",
        "END:STANDARD",
        "BEGIN:DAYLIGHT",
        "DTSTART:20260329T020000",
        "TZOFFSETFROM:+0100",
      ],
      ...["TZOFFSETTO:+0200", "END:DAYLIGHT", "END:VTIMEZONE"],
    ];
    const summer = event("DTSTART;TZID=Europe/Berlin:20270612T190000");
    expect(starts(read(calendar(...extract, ...summer)))).toEqual(["2027-06-12T17:00"]);
  });

  it("is that of the feed where only an abbreviation is named that fits it, and else is said", () => {
    const text = calendar(...event("DTSTART;TZID=BST:20261212T190000"));
    expect(starts(read(text, { timezone: "Europe/London" }))).toEqual(["2026-12-12T19:00"]);
    const found = read(text, { timezone: "Europe/Berlin" });
    expect([starts(found), found.refused]).toEqual([
      [],
      ["Quiz: its zone is an abbreviation that may mean Europe/London or Asia/Dhaka."],
    ]);
  });
});

describe("times as people write them", () => {
  it.each([
    ["2026-12-12T19.30", "2026-12-12T19:30"],
    ["2026-12-12 19.30", "2026-12-12T19:30"],
    ["12.12.2026 19.30", "2026-12-12T19:30"],
    ["12.12.2026, 9.05", "2026-12-12T09:05"],
    ["2026-12-12T19.05.30Z", "2026-12-12T19:05"],
    ["2026-12-12T19h30", "2026-12-12T19:30"],
    ["Sat, 12 Dec 2026 19.30 GMT", "2026-12-12T19:30"],
    ["2026-12-12T19.5", "2026-12-12T19:30"],
    ["2026-12-12T19:30:15.250", "2026-12-12T19:30"],
  ])("%s", (written, start) =>
    expect(starts(read(rows({ starts_at: written }), { kind: "jsonl" }))).toEqual([start]),
  );

  it.each([
    [{ startDate: "2026-12-12", startTime: "19:00" }, "2026-12-12T19:00"],
    [{ start_date: "12.12.2026", start_time: "19.30" }, "2026-12-12T19:30"],
    [{ start: "2026-12-12", time: "7:30 pm" }, "2026-12-12T19:30"],
    [{ date: "2026-12-12", time: "19 Uhr" }, "2026-12-12T19:00"],
    [{ startDate: "2026-12-12", startTime: "12 am" }, "2026-12-12T00:00"],
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

  it("an end that is an hour lies on the day of the start, or on the next", () => {
    const found = read(
      rows(
        { startDate: "2026-12-12", startTime: "19:00", endTime: "22:00" },
        { startDate: "2026-12-13", startTime: "19:00", endTime: "1:00" },
      ),
      { kind: "jsonl" },
    );
    const ends = found.entries.map(({ input }) => new Date(input.ends_at ?? 0).toISOString().slice(0, 16));
    expect(ends).toEqual(["2026-12-12T22:00", "2026-12-14T01:00"]);
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
    expect(starts(at({ location: { name: "Stall 4", lat: 18.94, lng: 72.83 } }))).toEqual([
      "2026-12-12T13:30",
    ]);
    expect(starts(at({ location: "Dublin, Ireland" }))).toEqual(["2026-12-12T19:00"]);
    expect(starts(at({}, "Asia/Jerusalem"))).toEqual(["2026-12-12T17:00"]);
    expect(at({}, "Europe/Berlin").refused).toEqual([
      "Entry 1: its `timezone`: Is an abbreviation, no IANA time zone: send Asia/Kolkata, Asia/Jerusalem, or Europe/Dublin.",
    ]);
  });
});
