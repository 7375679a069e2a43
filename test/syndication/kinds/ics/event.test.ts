import { describe, expect, it } from "vitest";
import { ics } from "../../../support/syndication/berlin-feeds.ts";
import { eventOf, readEvents } from "../../../support/syndication/parsed-feeds.ts";
import { calendar, event, file, inputs, read } from "../../../support/syndication/utc-feeds.ts";

describe("a calendar's events", () => {
  it("have the link of their description or meeting, whose address stays in the text", () => {
    expect(inputs(file("05-html-link.ics"))[0]).toMatchObject({
      url: "https://tickets.example.org/lantern",
      body: "Free, but please book here (https://tickets.example.org/lantern).\nBring a lamp.",
    });
    const own = "URL:https://example.org/own";
    const at = (...lines: string[]) =>
      inputs(read(calendar(...event("DTSTART:20261212T180000Z", ...lines))))[0]?.url;
    expect(at(own, 'DESCRIPTION:<a href="https://example.org/b">b</a>')).toBe("https://example.org/own");
    expect(inputs(file("06-online-link.ics")).map(({ url }) => url)).toEqual([
      "https://meet.example.org/bees-42",
      "https://meet.example.org/wasps-42",
    ]);
    expect(at("X-GOOGLE-CONFERENCE:https://meet.example.org/c")).toBe("https://meet.example.org/c");
    expect(at("LOCATION:Zoom https://meet.example.org/d (or room 5)")).toBe("https://meet.example.org/d");
    expect(at("LOCATION:Town hall")).toBeNull();
  });
});

describe("calendars", () => {
  it("place, coordinates, address and categories come along; escapes and folded lines are undone", () => {
    const { items } = readEvents(
      eventOf(
        "UID:10",
        "SUMMARY:Bread\\, and\\; butter",
        "DESCRIPTION:First\\Nsecond li",
        " ne",
        "DTSTART:20261205T190000Z",
        "LOCATION:Town Hall\\, Berlin",
        "GEO:52.5;13.4",
        "URL:https://example.org/e",
        "CATEGORIES:Food,Tea\\; hot",
      ),
    );
    expect(items[0]).toMatchObject({
      title: "Bread, and; butter",
      body: "First\nsecond line",
      url: "https://example.org/e",
      place: { name: "Town Hall, Berlin", lat: 52.5, lng: 13.4 },
      tags: ["Food", "Tea; hot"],
    });
  });
});

it.each([
  [":20261214T120000Z|DURATION:P2D", "2026-12-16T12:00"],
  [":20261214T120000Z|DURATION:P1W", "2026-12-21T12:00"],
  [":20261214T120000Z|DURATION:PT1H30M", "2026-12-14T13:30"],
  [":20261214T120000Z|DURATION:P1DT15S", "2026-12-15T12:00"],
  [":20261214T120000Z", null],
  // In Berlin the next midnight is an hour before that in UTC.
  [";VALUE=DATE:20261214", "2026-12-14T23:00"],
])("an event of DTSTART%s ends at %s", (lines, end) => {
  const at = ics(`UID:1|SUMMARY:T|DTSTART${lines}`).entries[0]?.input.ends_at ?? null;
  expect(at && new Date(at).toISOString().slice(0, 16)).toBe(end);
});
