import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entries } from "../../src/syndication/entries.ts";
import { read, shown } from "../support/syndication/berlin-feeds.ts";

const texts = join(import.meta.dirname, "../support/texts");
const ZONES = ["Europe/Berlin", "Pacific/Auckland", "America/New_York", "UTC"];

const weekly = (title: string, time: string, ...days: number[]) =>
  days.map((day) => `${title} 2026-12-${String(day).padStart(2, "0")}${time}`);

/** What each file becomes, whatever the zone of the feed. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  "01-cross-uid-override.ics": [
    ...weekly("Yoga", "T17:00", 2, 9, 16),
    ...weekly("Chess club", "T17:00", 2, 16),
    "Chess club: guest evening, at the pub 2026-12-09T19:00",
  ],
  "02-thisandfuture-leaks.ics": [
    ...weekly("Yoga", "T17:00", 2, 9, 16),
    ...weekly("Chess, from now on in the pub", "T20:00", 3, 10, 17),
  ],
  "03-postponed-ends-series.ics": [
    ...weekly("Unicycle hockey training", "T17:00", 1, 15, 22, 29),
    "Unicycle hockey training 2027-01-05T17:00",
    "Unicycle hockey training (postponed to summer) 2027-07-20T16:00",
  ],
  "04-one-bad-line.ics": ["Good event 2026-12-14T12:00", "Other event 2026-12-15T12:00"],
  "05-no-uid-bare-date.ics": ["Good event 2026-12-14T12:00", "Holiday without UID 2026-12-25"],
  "06-recurrence-id-bare-date.ics": [
    "Good event 2026-12-14T12:00",
    "Series 2026-12-07",
    "Series, moved 2026-12-15",
    "Series 2026-12-21",
  ],
  "07-bare-date.ics": ["Birthday 2026-12-07", "Holiday 2026-12-25"],
  "08-exdate-dialects.ics": [
    ...weekly("Course", "T09:00", 6, 8),
    ...weekly("Choir", "T09:00", 6, 7, 8),
    ...weekly("Club", "T09:00", 6, 8),
  ],
  "09-until-bare-date.ics": weekly("Weekly class", "T17:00", 3, 10, 17),
  "10-allday-until-utc.ics": weekly("Market day", "", 3, 10, 17),
  "11-rid-other-zone.ics": [
    "RID in other zone (DAVx5) master Auckland 11:00 daily 2026-12-07T22:00",
    "RID moved (was 9th 11:00 NZ = 8th 23:00 Paris) now 9th 15:00 NZ 2026-12-09T02:00",
    "RID in other zone (DAVx5) master Auckland 11:00 daily 2026-12-09T22:00",
  ],
  "12-exchange-allday-moved.ics": [
    ...weekly("all-day Thursdays Exchange", "", 3, 17),
    "moved from Th 10 to Fr 11 2026-12-11",
  ],
  "13-utc-master-zoned-rid.ics": [
    ...weekly("weekly in UTC master, RID zoned", "T17:00", 1, 15),
    "moved second to 20:00 Berlin 2026-12-08T19:00",
  ],
  "14-exdate-other-zone.ics": weekly("EXDATE zoned other than start", "T17:00", 1, 3),
  "15-angle-brackets.ics": ["Team call 2026-12-14T12:00"],
  "16-class-private.ics": [],
  "17-guid-permalink.xml": ["A"],
  "18-atom-base-and-text.xml": ["A", "The <details> element"],
  "19-antimeridian.geojson": ["Cyclone watch Fiji"],
  "20-antimeridian-cap.xml": ["Wind warning"],
  "21-day-without-zone.jsonl": ["Market day 2026-12-24"],
  "22-same-title-time-a.ics": ["Carol service 2026-12-24T18:00"],
  "22-same-title-time-b.ics": ["Carol service 2026-12-24T18:00"],
  "23-one-page-three-talks.ics": [
    "Talk on beekeeping in cities 2026-12-14T10:00",
    "Workshop: soldering for children 2026-12-14T10:00",
    "Keynote about glaciers 2026-12-14T10:00",
  ],
  "24-override-outside-rule.ics": ["h3 extra evening (override outside the rule) 2026-12-15T17:00"],
  "25-tzid-display-name.ics": [
    "h11 tz Romance / display (UTC-05:00) Eastern Time (US & Canada) 2026-12-01T23:00",
  ],
};

function fileRead(file: string, timezone = "Europe/Berlin"): Entries {
  const kinds = { ics: "ics", geojson: "geojson", jsonl: "jsonl" } as const;
  const ending = file.slice(file.lastIndexOf(".") + 1) as keyof typeof kinds;
  const kind = file.includes("cap") ? "cap" : file.includes("atom") ? "atom" : (kinds[ending] ?? "rss");
  return read(readFileSync(join(texts, "feeds", file)), { kind, timezone });
}

describe("feeds that other programs were reported to read wrongly", () => {
  it.each(
    ZONES.flatMap((zone) => Object.entries(CASES).map(([file, posts]) => [file, zone, posts] as const)),
  )("%s in %s", (file, zone, posts) => {
    const found = fileRead(file, zone);
    expect(shown(found).sort()).toEqual([...posts].sort());
    expect(found.refused).toEqual([]);
  });

  it("are all files of the folder", () =>
    expect(readdirSync(join(texts, "feeds")).sort()).toEqual(Object.keys(CASES).sort()));

  it("keep what stands between angle brackets, and their lines", () => {
    const [entry] = fileRead("15-angle-brackets.ics").entries;
    expect(entry?.input.body).toBe(
      "Agenda:\n1. Intro\n2. Demo\n\nJoin online<https://call.example/j/123>\nQuestions: Anna <anna@example.org>",
    );
  });

  it("have the links and the places that they name", () => {
    const links = ["17-guid-permalink.xml", "18-atom-base-and-text.xml"].flatMap((file) =>
      fileRead(file).entries.map(({ input }) => input.url),
    );
    expect(links).toEqual([
      "https://site.example/p/2",
      "https://ex.example/root/2026/11/b",
      "https://ex.example/root/c",
    ]);
    for (const file of ["19-antimeridian.geojson", "20-antimeridian-cap.xml"])
      expect(fileRead(file).entries[0]?.input.location).toMatchObject({ lat: -18, lng: 180 });
  });

  it("are not relayed where they are private", () =>
    expect(fileRead("16-class-private.ics").withdrawn).toEqual(["a"]));
});
