import { describe, expect, it } from "vitest";
import { clockOfText, feedDate, feedSpan } from "../../src/syndication/dates.ts";
import { read, rows, starts } from "../support/syndication/utc-feeds.ts";

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

  it.each(
    Object.entries({
      WET: 0,
      WEST: 1,
      BST: 1,
      CET: 1,
      MEZ: 1,
      CEST: 2,
      MESZ: 2,
      EET: 2,
      EEST: 3,
      MSK: 3,
      JST: 9,
      AEST: 10,
      AEDT: 11,
    }),
  )("19:30 %s, %i hours ahead", (zone, hours) => {
    const [start] = starts(read(rows({ starts_at: `Sat, 12 Dec 2026 19:30 ${zone}` }), { kind: "jsonl" }));
    expect(start).toBe(`2026-12-12T${String(19 - hours).padStart(2, "0")}:30`);
  });
});

describe("words of a feed", () => {
  it.each([
    ["12:00", "UTC UT Z GMT WET"],
    ["11:00", "WEST BST CET MEZ"],
    ["10:00", "CEST MESZ EET"],
    ["09:00", "EEST MSK"],
    ["03:00", "JST"],
    ["02:00", "AEST"],
    ["01:00", "AEDT"],
    ["17:00", "EST CDT"],
    ["16:00", "EDT"],
    ["18:00", "CST MDT"],
    ["19:00", "MST PDT"],
    ["20:00", "PST"],
  ])("mean by noon %s in UTC: %s", (clock, zones) => {
    for (const zone of zones.split(" ")) {
      const span = feedSpan(`Thu, 10 Dec 2026 12:00:00 ${zone}`, "Asia/Tokyo");
      expect([zone, span?.local, new Date(span?.from ?? 0).toISOString().slice(11, 16)]).toEqual([
        zone,
        false,
        clock,
      ]);
    }
    for (const zone of ["XYZ", "CETA", "ACET", "IST"])
      expect(feedSpan(`Thu, 10 Dec 2026 12:00:00 ${zone}`, "UTC")).toBeNull();
  });

  it("are those of months and days of the week, and no others", () => {
    const months =
      "Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec|Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    const long = "|January February March April May June July August September October November December";
    for (const year of (months + long).split("|"))
      for (const [at, month] of year.split(" ").entries())
        expect([month, feedDate(`10 ${month} 2027`, "UTC")]).toEqual([month, Date.UTC(2027, at, 10)]);
    const days =
      "Mon 11|Tue 12|Tues 12|Tuesday 12|Wed 13|Wednesday 13|Thu 14|Thur 14|Thurs 14|Fri 15|Sat 16|Saturday 16|Sun 17";
    for (const day of days.split("|"))
      expect([day, feedDate(`${day} Jan 2027`, "UTC")]).toEqual([
        day,
        Date.UTC(2027, 0, Number(day.slice(-2))),
      ]);
    for (const text of [
      "10 Januar 2027",
      "10 Jan 2027 noon",
      "room 10 Jan 2027",
      "Mo 11 Jan 2027",
      "5/12/2026",
    ])
      expect([text, feedDate(text, "UTC")]).toEqual([text, null]);
    const half = (text: string) => feedDate(text, "UTC");
    expect([half("Jan 10, 2027 7:30 pm"), half("Jan 10, 2027 7:30 AM")]).toEqual([
      Date.UTC(2027, 0, 10, 19, 30),
      Date.UTC(2027, 0, 10, 7, 30),
    ]);
    for (const text of [
      "5.12.2026 19.30",
      "5. 12. 2026, 19h30",
      "Sa., 5 Dec 2026 19.30",
      "5 Dec 2026 19:30 (local time)",
      "5  Dec  2026  19:30",
    ])
      expect([text, half(text)]).toEqual([text, Date.UTC(2026, 11, 5, 19, 30)]);
  });

  it.each([
    ["19:00:00", "19|19:00|19.00|19h00|19 Uhr|19 uhr|19h|19 h|19hr|19 hrs|7 pm|7pm|7 PM|7 p.m.|07:00 pm"],
    ["00:00:00", "0|00:00|12 am|12:00 a.m."],
    ["12:00:00", "12|12 pm|12.00"],
    ["24:00:00", "24"],
    ["07:05:09", "7:05:09|7.05.09"],
    ["19:30:00Z", "19:30Z|7:30 pm Z"],
    ["19:30:00+01:00", "19:30+01:00|19.30 +01:00"],
  ])("mean the hour %s: %s", (clock, texts) => {
    for (const text of texts.split("|")) expect([text, clockOfText(text)]).toEqual([text, clock]);
    for (const text of ["25", "13 pm", "19:60", "noon", "19 Uhren", "19 min", "7 xm", "at 7", ""])
      expect([text, clockOfText(text)]).toEqual([text, null]);
  });
});
