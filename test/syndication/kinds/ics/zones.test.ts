import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventOf, iso, readEvents } from "../../../support/syndication/parsed-feeds.ts";
import { calendar, event, folder, read, starts } from "../../../support/syndication/utc-feeds.ts";

const HOMES = ["Pacific/Auckland", "America/Sao_Paulo", "Asia/Kolkata", "Europe/London"];

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
    ["PST", "-0330", "2026-12-12T22:30"],
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

  it("counts with the days on which it changes its clock", () => {
    const part = (name: string, month: number, from: string, to: string) => [
      ...[`BEGIN:${name}`, `DTSTART:1970${String(month).padStart(2, "0")}01T020000`],
      `RRULE:FREQ=YEARLY;BYMONTH=${month};BYMONTHDAY=1`,
      ...[`TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, `END:${name}`],
    ];
    const zone = [
      ...["BEGIN:VTIMEZONE", "TZID:Ours", ...part("DAYLIGHT", 5, "+0200", "+0330")],
      ...[...part("STANDARD", 9, "+0330", "+0200"), "END:VTIMEZONE"],
    ];
    const at = (day: string) => starts(read(calendar(...zone, ...event(`DTSTART;TZID=Ours:${day}T190000`))));
    expect(["20270430", "20270501", "20270831", "20270901"].map((day) => at(day)[0])).toEqual([
      "2027-04-30T17:00",
      "2027-05-01T15:30",
      "2027-08-31T15:30",
      "2027-09-01T17:00",
    ]);
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

describe("calendars", () => {
  it.each([
    ["W. Europe Standard Time", "2026-12-05T18:00:00.000Z"],
    ["Eastern Standard Time", "2026-12-06T00:00:00.000Z"],
    ["/freeassociation.sourceforge.net/Europe/Helsinki", "2026-12-05T17:00:00.000Z"],
    ["Asia/Kolkata", "2026-12-05T13:30:00.000Z"],
    ["(UTC+05:00) Ours", "2026-12-05T14:00:00.000Z"],
    ["(GMT-03:00) Ours", "2026-12-05T22:00:00.000Z"],
  ])("zone %s is understood", (name, start) => {
    const { items } = readEvents(
      eventOf("UID:3", "SUMMARY:Call", `DTSTART;TZID="${name}":20261205T190000`, "DURATION:PT1H"),
    );
    expect(iso(items[0]?.startsAt ?? null)).toBe(start);
  });
});
