import { describe, expect, it } from "vitest";
import { ics, shown } from "../../../support/syndication/berlin-feeds.ts";

describe("one bad event", () => {
  it("costs that event and is named; its neighbours appear", () => {
    const found = ics(
      "UID:1|SUMMARY:Before|DTSTART:20261214T120000Z",
      "UID:2|SUMMARY:Never|DTSTART:someday",
      "UID:3|SUMMARY:Rule|DTSTART:20261214T120000Z|RRULE:FREQ=SOMETIMES",
      "UID:4|SUMMARY:After|DTSTART:20261215T120000Z",
    );
    expect(shown(found)).toEqual(["Before 2026-12-14T12:00", "After 2026-12-15T12:00"]);
    expect(found.refused).toEqual([
      'Never: "someday" is no time.',
      "Rule: its rule cannot be read: FREQ=SOMETIMES.",
    ]);
  });

  it.each([
    [
      "titles of one UID and start",
      ["UID:1|SUMMARY:A|DTSTART:20261214T120000Z", "UID:1|SUMMARY:B|DTSTART:20261214T120000Z"],
      ["A 2026-12-14T12:00", "B 2026-12-14T12:00"],
    ],
    [
      "two revisions of one event",
      [
        "UID:1|SUMMARY:New|DTSTART:20261214T120000Z|LAST-MODIFIED:20261102T000000Z",
        "UID:1|SUMMARY:Old|DTSTART:20261214T120000Z|LAST-MODIFIED:20261101T000000Z",
      ],
      ["New 2026-12-14T12:00"],
    ],
    [
      "two revisions, of which the later sequence was modified first",
      [
        "UID:1|SUMMARY:New|DTSTART:20261214T120000Z|SEQUENCE:2|LAST-MODIFIED:20261101T000000Z",
        "UID:1|SUMMARY:Old|DTSTART:20261214T120000Z|SEQUENCE:1|LAST-MODIFIED:20261102T000000Z",
      ],
      ["New 2026-12-14T12:00"],
    ],
    [
      "a period",
      ["UID:1|SUMMARY:P|DTSTART:20261214T120000Z|RDATE;VALUE=PERIOD:20261215T120000Z/PT2H"],
      ["P 2026-12-14T12:00", "P 2026-12-15T12:00"],
    ],
    [
      "a cancelled occurrence of one of two series at one time",
      [
        "UID:1|SUMMARY:A|DTSTART:20261214T120000Z|RRULE:FREQ=DAILY;COUNT=2",
        "UID:2|SUMMARY:B|DTSTART:20261214T120000Z|RRULE:FREQ=DAILY;COUNT=2",
        "UID:2|SUMMARY:B|RECURRENCE-ID:20261215T120000Z|DTSTART:20261215T120000Z|STATUS:CANCELLED",
      ],
      ["A 2026-12-14T12:00", "B 2026-12-14T12:00", "A 2026-12-15T12:00"],
    ],
  ])("has as many posts as it names events: %s", (_what, events, posts) =>
    expect(shown(ics(...events))).toEqual(posts),
  );
});
