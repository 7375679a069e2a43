import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FeedError } from "../../../../src/syndication/item.ts";
import { ics, shown } from "../../../support/syndication/berlin-feeds.ts";
import { parsed } from "../../../support/syndication/parsed-feeds.ts";
import {
  calendar,
  event,
  file,
  folder,
  inputs,
  read,
  starts,
  titles,
} from "../../../support/syndication/utc-feeds.ts";

describe("lines of a calendar", () => {
  it("may have names in any letter case", () => {
    const text = calendar("Begin:VEvent", "Uid:a", "Summary:Choir", "dtstart:20261212T180000Z", "end:vevent");
    expect([titles(read(text)), starts(read(text))]).toEqual([["Choir"], ["2026-12-12T18:00"]]);
    const spaced = event("DTSTART: 20261212T180000Z", "SUMMARY: Spaced", "LOCATION: Room 5", "LOCATION:Hall");
    expect(inputs(read(calendar(...spaced)))).toMatchObject([{ title: "Quiz", location: { name: "Hall" } }]);
  });

  it("that a program broke belong to the description, whatever they look like", () => {
    expect(inputs(file("02-raw-lines-in-description.ics")).map(({ body }) => body)).toEqual([
      "All welcome.\nBegin: 19:00\nEnd: 22:00",
      "Yoga for two.\nClass: Private",
    ]);
    const raw = ["DESCRIPTION:Where:", "Location: Room 5", "Status: cancelled", "NOTE:bring shoes", "Tea. "];
    for (const order of [
      [...raw, "LOCATION:Town hall"],
      ["LOCATION:Town hall", ...raw],
    ]) {
      const [input] = inputs(read(calendar(...event("DTSTART:20261212T180000Z", ...order))));
      expect(input).toMatchObject({ location: { name: "Town hall" } });
      expect(input?.body).toBe("Where:\nLocation: Room 5\nStatus: cancelled\nNOTE:bring shoes\nTea.");
    }
  });

  const AT_18 = "DTSTART:20261212T180000Z";
  const OURS = [
    "BEGIN:VTIMEZONE",
    "TZID:Ours",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETTO:+0000",
  ];
  it.each([
    [
      "an event",
      ["BEGIN:VEVENT", "UID:b", "SUMMARY:Fair", "DTSTART:20261212T170000Z", ...event(AT_18)],
      ["Fair 17:00", "Quiz 18:00"],
    ],
    [
      "an event before a zone",
      ["BEGIN:VEVENT", "UID:b", "SUMMARY:Fair", "DTSTART;TZID=Ours:20261212T170000", ...OURS],
      ["Fair 17:00"],
    ],
    [
      "an alarm",
      [...event(AT_18, "BEGIN:VALARM"), ...event(AT_18).map((line) => line.replace("a@x", "b"))],
      ["Quiz 18:00", "Quiz 18:00"],
    ],
    [
      "a calendar",
      ["X-WR-TIMEZONE:Asia/Tokyo", "BEGIN:VCALENDAR", ...event(AT_18.replace("Z", ""))],
      ["Quiz 23:00"],
    ],
  ])("may lack the end of %s", (_what, lines, posts) => {
    const found = read(calendar(...lines), { timezone: "America/New_York" });
    expect(titles(found).map((title, n) => `${title} ${starts(found)[n]?.slice(11)}`)).toEqual(posts);
    expect(found.refused).toEqual([]);
  });

  it("hold U+2028 and U+2029 as ends of lines", () => {
    const text = readFileSync(join(folder, "03-line-separator.ics"), "utf8");
    for (const sign of ["\u2028", "\u2029"]) {
      const found = inputs(
        read(text.replace("walk with", `walk${sign}with`).replace("seeds. Take", `seeds.${sign}Take`)),
      );
      expect(found.map(({ title }) => title)).toEqual(["Lantern walk with soup", "Seed swap"]);
      expect(found[1]?.body).toBe("Bring seeds.\nTake seeds.");
    }
  });

  it.each(["tzone://Microsoft/Custom", "(UTC-05:00) Eastern Time (US & Canada)", "Custom: North"])(
    "may name a zone with a colon without quotes: %s",
    (zone) => {
      const lines = [
        `DTSTART;TZID=${zone}:20261212T090000`,
        `DTEND;VALUE=DATE-TIME;TZID=${zone}:20261212T100000`,
      ];
      expect(starts(read(calendar(...event(...lines))))).toHaveLength(1);
    },
  );

  it("may be quoted-printable, and its lines broken", () => {
    const lines = [
      "DTSTART:20261212T180000Z",
      "DESCRIPTION;ENCODING=QUOTED-PRINTABLE:S=C3=A3o =",
      "Paulo=0D=0Atoday",
    ];
    expect(inputs(read(calendar(...event(...lines))))[0]?.body).toBe("São Paulo\ntoday");
  });
});

describe("calendars", () => {
  it.each(["", "hello", "BEGIN:VCARD\r\nEND:VCARD\r\n"])("%j is refused with a reason", (text) =>
    expect(() => parsed("ics", text)).toThrow(FeedError),
  );
});

describe("one bad event", () => {
  it.each([
    ["a parameter without a value", "DTSTART:20261214T120000Z|ATTENDEE;RSVP:mailto:a@example.org"],
    ["an alarm without its end", "DTSTART:20261214T120000Z|BEGIN:VALARM|TRIGGER:-PT15M"],
    ["a weekday in small letters", "DTSTART:20261214T120000Z|RRULE:freq=weekly;byday=Mo;COUNT=1"],
    ["a time without seconds", "DTSTART:20261214T1200Z"],
    ["a time in the long form", "DTSTART:2026-12-14T12:00:00Z"],
    ["a zone with a colon", "DTSTART;TZID=(UTC+01:00) Amsterdam, Berlin, Bern:20261214T130000"],
    ["a sign for a place", "DTSTART:20261214T120000Z|GEO:52.5,13.4"],
  ])("is repaired: %s", (_what, lines) => {
    const found = ics(`UID:1|SUMMARY:Meeting|${lines}`, "UID:2|SUMMARY:Other|DTSTART:20261215T120000Z");
    expect(shown(found)).toEqual(["Meeting 2026-12-14T12:00", "Other 2026-12-15T12:00"]);
    expect(found.refused).toEqual([]);
  });
});
