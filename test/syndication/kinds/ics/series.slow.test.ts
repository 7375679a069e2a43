import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { entriesOf } from "../../../../src/syndication/entries.ts";
import { aFeedOf } from "../../../support/boards/feed-source.ts";
import { calendarOf } from "../../../support/syndication/berlin-feeds.ts";
import { eventOf, readEvents } from "../../../support/syndication/parsed-feeds.ts";
import { calendar, event, read, starts, titles } from "../../../support/syndication/utc-feeds.ts";

const texts = join(import.meta.dirname, "../../../support/texts");

describe("a calendar's events", () => {
  it.each([
    ["20270502T000000Z", 2],
    ["20270502T210000Z", 2],
    ["20270502T220000Z", 3],
    ["20270502T230000Z", 3],
  ])("of whole days until %s, which is a midnight in Europe if it is one, are %i", (until, count) => {
    const lines = ["DTSTART;VALUE=DATE:20270501", `RRULE:FREQ=DAILY;UNTIL=${until}`];
    expect(starts(read(calendar(...event(...lines))))).toHaveLength(count);
  });

  it("of a series are also what is under way", () => {
    const lines = ["DTSTART;VALUE=DATE:20261120", "DTEND;VALUE=DATE:20261204", "RRULE:FREQ=MONTHLY;COUNT=2"];
    expect(starts(read(calendar(...event(...lines))))).toEqual(["2026-11-20T00:00", "2026-12-20T00:00"]);
  });

  it("are as the last change for them and all later ones says", () => {
    const change = (day: string, hour: string, title: string) => [
      ...["BEGIN:VEVENT", "UID:a@x", `SUMMARY:${title}`],
      ...[`RECURRENCE-ID;RANGE=THISANDFUTURE:${day}T180000Z`, `DTSTART:${day}T${hour}0000Z`, "END:VEVENT"],
    ];
    const daily = event("DTSTART:20261201T180000Z", "RRULE:FREQ=DAILY;COUNT=6");
    const changes = [change("20261205", "20", "Twice"), change("20261203", "19", "Once")];
    for (const [first, second] of [changes, changes.toReversed()]) {
      const found = read(calendar(...daily, ...(first ?? []), ...(second ?? [])));
      expect(starts(found)).toEqual([
        ...["2026-12-01T18:00", "2026-12-02T18:00", "2026-12-03T19:00"],
        ...["2026-12-04T19:00", "2026-12-05T20:00", "2026-12-06T20:00"],
      ]);
      expect(titles(found)).toEqual(["Quiz", "Quiz", "Once", "Once", "Twice", "Twice"]);
    }
  });
});

describe("calendars", () => {
  it("rules without an end stay within bounds", () => {
    expect(
      readEvents(eventOf("UID:6", "SUMMARY:Daily", "DTSTART:20200101T080000Z", "RRULE:FREQ=DAILY")).items,
    ).toHaveLength(60);
    expect(
      readEvents(eventOf("UID:7", "SUMMARY:Tick", "DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY")).items,
    ).toHaveLength(0);
    const inDays = (days: number) =>
      readEvents(
        eventOf("UID:8", "SUMMARY:Rare", "DTSTART:20261122T120000Z", `RRULE:FREQ=DAILY;INTERVAL=${days}`),
      ).items.length;
    expect([inDays(180), inDays(181)]).toEqual([2, 1]);
  });
});

describe("recurrence rules", () => {
  // At most six occurrences of each rule, recorded from python-dateutil 2.9.
  const rules = readFileSync(join(texts, "recurrences.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as [start: string, rule: string, ...occurrences: string[]]);

  it.each(rules)("from %s: %s", (start, rule, ...occurrences) => {
    const at = (text: string) =>
      Date.parse(text.replace(/(....)(..)(..)T(..)(..)(..)/, "$1-$2-$3T$4:$5:$6Z"));
    // Series are expanded from now on, for half a year: each occurrence in turn is the first.
    for (const [n, occurrence] of occurrences.entries()) {
      const text = calendarOf(
        `UID:1|SUMMARY:T|DTSTART:${start}Z|RRULE:${rule.replace(/(UNTIL=\w+)/, "$1Z")}`,
      );
      const now = at(occurrence);
      const found = entriesOf({ bytes: Buffer.from(text), contentType: "" }, aFeedOf({ kind: "ics" }), now);
      const starts = found.entries.map(({ input }) => input.starts_at);
      const next = occurrences
        .slice(n)
        .map(at)
        .filter((one) => one <= now + 180 * 86_400_000);
      expect(starts.slice(0, next.length)).toEqual(next);
    }
  });
});
