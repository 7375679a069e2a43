import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clockOfText, feedDate, feedSpan } from "../../src/syndication/dates.ts";
import { type Entries, entriesOf } from "../../src/syndication/entries.ts";
import type { Feed } from "../../src/syndication/feeds.ts";
import { isCalledOff, standingOf } from "../../src/syndication/standing.ts";
import { aFeedOf } from "../support/boards/feed-source.ts";

const NOW = Date.UTC(2026, 10, 24, 12);
const texts = join(import.meta.dirname, "../support/texts");
const ZONES = ["Europe/Berlin", "Pacific/Auckland", "America/New_York", "UTC"];

function read(text: string | Buffer, given: Partial<Feed>): Entries {
  return entriesOf({ bytes: Buffer.from(text), contentType: "" }, aFeedOf(given), NOW);
}

/** Title and start of each post, a whole day by its date in the feed's zone, a moment in UTC. */
function shown({ entries }: Entries): string[] {
  return entries.map(({ input: { title, starts_at: startsAt, timezone, metadata } }) => {
    if (startsAt == null) return title;
    const day = new Intl.DateTimeFormat("en-CA", { timeZone: timezone ?? "UTC" }).format(startsAt);
    return `${title} ${metadata?.["all_day"] === true ? day : new Date(startsAt).toISOString().slice(0, 16)}`;
  });
}

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

const calendar = (...events: string[]) =>
  `BEGIN:VCALENDAR\n${events.map((lines) => `BEGIN:VEVENT\n${lines.replaceAll("|", "\n")}\nEND:VEVENT\n`).join("")}END:VCALENDAR\n`;
const ics = (...events: string[]) => read(calendar(...events), { kind: "ics" });

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

describe("text", () => {
  it.each([
    ["Vec<String> of R&D; and\nList<A>", "Vec<String> of R&D; and\nList<A>"],
    [
      "<p>An <b>HTML</b> text<br>of &amp; for <anna@example.org></p>",
      "An HTML text\nof & for <anna@example.org>",
    ],
    ["Tom &amp; Jerry\nat &#8211; noon", "Tom & Jerry\nat – noon"],
    ['At <a href="https://a.example/b">https://a.example/b</a>', "At https://a.example/b"],
    ["<table><tr><th>Day</th><th>Hour</th></tr></table>", "Day Hour"],
    [`<p>${"<b>".repeat(40)}Deep${"</b>".repeat(40)}</p>`, "Deep"],
  ])("of a calendar is plain, unless it closes elements: %j", (sent, text) => {
    const body = sent.replaceAll("\n", "\\n").replaceAll(";", "\\;");
    expect(ics(`UID:1|SUMMARY:T|DTSTART:20261214T120000Z|DESCRIPTION:${body}`).entries[0]?.input.body).toBe(
      text,
    );
  });

  it("with a key of a board is refused, as everywhere", () => {
    const key = `bbk_${"a".repeat(38)}`;
    const found = read(JSON.stringify({ title: "Spare key", body: `Use ${key}` }), { kind: "jsonl" });
    expect(found.entries).toEqual([]);
    expect(found.refused).toEqual([expect.stringMatching(/^Spare key: .*key/)]);
  });
});

const rows = (...all: object[]) =>
  read(all.map((row) => JSON.stringify(row)).join("\n"), { kind: "jsonl", timezone: "Europe/Berlin" });

it("entries of one id are as many as differ in title, or else in start or address", () => {
  const course = (start: string) => ({ id: "c", title: "Course", start });
  const note = (title: string, url: string) => ({ id: "n", title, url });
  const found = rows(
    ...["2026-12-10T10:00Z", "2026-12-17T10:00Z", "2026-12-10T10:00Z"].map(course),
    ...["https://a.example/1", "https://a.example/2"].map((url) => note("Note", url)),
    note("Other note", "https://a.example/1"),
    { id: "s", title: "Said twice" },
    { id: "s", title: "Said twice" },
  );
  const [first, second] = [Date.UTC(2026, 11, 10, 10), Date.UTC(2026, 11, 17, 10)];
  const ids = [
    "n Note https://a.example/1",
    "n Note https://a.example/2",
    "n Other note https://a.example/1",
    "s",
    `c Course ${first}`,
    `c Course ${second}`,
  ];
  expect(found.entries.map(({ id }) => id)).toEqual(ids);
  expect(found.entries.map(({ input }) => input.metadata?.["source_id"])).toEqual(ids);
  expect(found.present.sort()).toEqual([...ids].sort());
});

describe("words of a feed", () => {
  const OFF =
    "cancel cancelled canceled cancellation postponed deleted removed withdrawn abgesagt annulé annulée annuliert annulliert annullato annullata annulled cancelado " +
    "cancelada anulado anulada geannuleerd aflyst inställd avlyst test exercise system draft error ack restricted private confidential EventCancelled " +
    "https://schema.org/EventPostponed CANCELLED!";

  it("call an entry off as its status, and only whole", () => {
    for (const word of OFF.split(" ")) expect([word, isCalledOff({ status: word })]).toEqual([word, true]);
    for (const word of [
      "testing",
      "actual",
      "public",
      "confirmed",
      "systematic",
      "2test",
      "cancels",
      "drafts",
      "private7",
      "acknowledged",
    ])
      expect([word, isCalledOff({ status: word })]).toEqual([word, false]);
  });

  it("stand in these fields", () => {
    for (const name of "status eventStatus event_status msgType messageType MESSAGE_TYPE scope class visibility".split(
      " ",
    ))
      expect([
        name,
        isCalledOff({ [name]: "test" }),
        standingOf({ [name]: "EventTentative" }).metadata,
      ]).toEqual([name, true, { status: "tentative" }]);
    expect([isCalledOff({ state: "test" }), standingOf({ status: "tentatively" }).metadata]).toEqual([
      false,
      {},
    ]);
    expect(standingOf({ class: "https://schema.org/Provisional" }).metadata).toEqual({ status: "tentative" });
  });

  it("call it off where a field of that name is set", () => {
    const names =
      "cancelled canceled isCancelled is_deleted removed withdrawn postponed private isPrivate cancelled_at canceledOn deleted_at deletedOn removedAt removed_on";
    for (const name of names.split(" ")) {
      for (const value of [true, "yes", 1, "2026-11-01"])
        expect([name, value, isCalledOff({ [name]: value })]).toEqual([name, value, true]);
      for (const value of [false, "false", "No ", "n", "0", 0, "null", "none", "", null])
        expect([name, value, isCalledOff({ [name]: value })]).toEqual([name, value, false]);
    }
    for (const name of ["privateAt", "deletedBy", "removal", "hasCancelled", "test"])
      expect([name, isCalledOff({ [name]: true })]).toEqual([name, false]);
  });

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

  it.each<[string, string, object]>([
    [
      "starts_at start start_time startDate start_date startTime onset",
      "2026-12-24T10:00Z",
      { starts_at: Date.parse("2026-12-24T10:00Z") },
    ],
    ["headline name event label", "Cello", { title: "Cello" }],
    ["body description summary text instruction", "Cello", { body: "Cello" }],
    ["url source_url web link website", "https://example.org/b", { url: "https://example.org/b" }],
    ["source_id identifier id guid idempotency_key uid code", "abc", { metadata: { source_id: "abc" } }],
    ["category type tags", "cello", { tags: ["town", "cello"] }],
    ["expires_at expires", "2026-12-24T10:00Z", { expires_at: Date.parse("2026-12-24T10:00Z") }],
    ["timezone timeZone", "Asia/Tokyo", { timezone: "Asia/Tokyo" }],
  ])("name a field of a row: %s", (names, value, post) => {
    for (const name of names.split(" ")) {
      const titled = "title" in post ? {} : { title: "T" };
      const timed = "timezone" in post ? { start: "2026-12-24T10:00Z" } : {};
      expect(rows({ ...titled, ...timed, [name]: value }).entries[0]?.input, name).toMatchObject(post);
      expect(rows({ title: "T", [`${name}_x`]: value }).entries[0]?.input, name).not.toMatchObject(post);
    }
  });

  it("name an end, an hour beside a day, and a point", () => {
    const input = (fields: object) => rows({ title: "T", ...fields }).entries[0]?.input;
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
  const HALL = { name: "Hall", lat: null, lng: null };

  it("an end by its day includes it, in any form; one before the start is none", () => {
    const ends = rows(
      { title: "A", start: "24.12.2026", end: "26.12.2026" },
      { title: "B", start: "2026-12-24", end: "2026-12-26" },
      { title: "C", start: "Dec 24, 2026", end: "Dec 26, 2026" },
      { title: "D", start: "2026-12-24T10:00", end: "2026-12-23T10:00" },
    ).entries.map(({ input }) => input.ends_at);
    const last = Date.parse("2026-12-26T23:59:59.999+01:00");
    expect(ends).toEqual([last, last, last, null]);
  });

  it("of one id are told apart by their titles and addresses", () => {
    const items = ["One a", "Two a", "Two a", "Two b"].map((item) => item.split(" "));
    const text = items.map(
      ([title, page]) =>
        `<item><guid isPermaLink="false">x</guid><title>${title}</title><link>https://a.example/${page}</link></item>`,
    );
    const found = read(`<rss version="2.0"><channel>${text.join("")}</channel></rss>`, { kind: "rss" });
    expect(shown(found)).toEqual(["One", "Two", "Two"]);
  });

  it("have no address in a guid that is none, and the kind that the operator names", () => {
    const item = '<item><guid isPermaLink="false">https://a.example/1</guid><title>T</title></item>';
    const text = `<rss version="2.0"><channel>${item}</channel></rss>`;
    expect(read(text, { kind: "rss" }).entries[0]?.input.url).toBeNull();
    const row = JSON.stringify({ title: "T", kind: "event" });
    for (const postKind of ["offer", null] as const)
      expect(read(row, { kind: "jsonl", postKind }).entries[0]?.input.kind).toBe(postKind ?? "event");
  });

  it("are at the place of their feed where they name none", () => {
    const at = (row: object) =>
      read(JSON.stringify({ title: "T", ...row }), { kind: "jsonl", place: HALL }).entries[0]?.input.location
        ?.name;
    expect([at({}), at({ location: "Quay" })]).toEqual(["Hall", "Quay"]);
  });

  it("are read up to a bound, and what is behind it does not count as gone", () => {
    const row = JSON.stringify({ title: "T", id: "1" });
    const many = (count: number) => [`${row}\n`.repeat(count), `[${Array(count).fill(row)}]`];
    for (const text of many(20_000))
      expect(read(text, { kind: "jsonl" })).toMatchObject({ left: 0, isWhole: true });
    for (const text of many(20_002))
      expect(read(text, { kind: "jsonl" })).toMatchObject({ left: 2, isWhole: false });
  });

  it("are posted up to a thousand", () => {
    const later = Array.from({ length: 999 }, (_, n) => ({ id: `${n}`, title: "T", start: NOW + 2e9 - n }));
    const [last, undated] = [
      { id: "last", title: "T", start: NOW + 3e9 },
      { id: "undated", title: "T" },
    ];
    expect(rows(last, ...later)).toMatchObject({ entries: { length: 1_000 }, left: 0 });
    const { entries, left } = rows(last, ...later, undated);
    // Those that begin soonest; what has no start is there already.
    expect([left, entries.length, entries[0]?.id, entries[1]?.id]).toEqual([1, 1_000, "undated", "998"]);
    expect(entries.some(({ id }) => id === "last")).toBe(false);
  });

  it("that cannot be read are named up to the twentieth, and counted", () => {
    const bad = (count: number) =>
      rows(...Array.from({ length: count }, (_, n) => ({ id: `${n}`, title: "T", start: "TBD" }))).refused;
    expect([bad(20).length, bad(20).at(-1)]).toEqual([20, expect.stringContaining("Entry 20")]);
    expect([bad(22).length, bad(22).at(-1)]).toEqual([21, "and 2 more"]);
  });

  const MOMENT = "2026-12-24T10:00Z";
  it.each<[object, object]>([
    // The feed has a tag of its own.
    [{ tags: "abcdefghij".split("") }, { tags: ["town", ..."abcdefghi"] }],
    [{ tags: ["a".repeat(40), "b".repeat(41)] }, { tags: ["town", "a".repeat(40)] }],
    [{ lat: 90, lng: 180 }, { location: { name: null, lat: 90, lng: 180 } }],
    [{ location: "h".repeat(200) }, { location: { name: "h".repeat(200) } }],
    [{ location: "h".repeat(201) }, { location: { name: `${"h".repeat(199)}…` } }],
    [{ location: "Hall", lat: 90.1, lng: 1 }, { location: HALL }],
    [{ location: "Hall", lat: 0, lng: 0 }, { location: HALL }],
    [{ lat: 0, lng: 9.4 }, { location: { name: null, lat: 0, lng: 9.4 } }],
    [{ start: MOMENT, end: MOMENT }, { ends_at: Date.parse(MOMENT) }],
    [{ start: "2026-11-20T10:00Z", end: MOMENT }, { ends_at: Date.parse(MOMENT) }],
    [{ start: MOMENT, all_day: true }, { metadata: { all_day: true } }],
    [{ start: "2026-12-24", end: "2026-12-24T18:00" }, { metadata: { all_day: false } }],
    ..."location place venue address area areaDesc"
      .split(" ")
      .map((name): [object, object] => [{ [name]: "Hall" }, { location: HALL }]),
    ..."name place venue"
      .split(" ")
      .map((name): [object, object] => [{ location: { [name]: "Hall" } }, { location: HALL }]),
    [{ start: 1_796_000_000 }, { starts_at: 1_796_000_000_000 }],
    [{ start: 1_796_000_000_000 }, { starts_at: 1_796_000_000_000 }],
    [{ time: 946_684_800_000 }, { metadata: { time: "2000-01-01T00:00:00.000Z" } }],
    [{ expires: "2099-01-01T00:00Z" }, { expires_at: NOW + 365 * 86_400_000 }],
    [{ body: 'See <a href="https://example.org/b">b</a>' }, { url: "https://example.org/b" }],
    // An address may be relative to that of the feed, and is kept as it is written.
    [{ url: "/b" }, { url: "https://example.org/b", source_url: "https://example.org/b" }],
    [{ url: "HTTP://Example.org" }, { url: "HTTP://Example.org", source_url: "HTTP://Example.org" }],
    [{ url: "mailto:a@example.org" }, { url: null, source_url: "https://example.org/feed" }],
    [
      { title: 1984, id: 0, body: 7 },
      { title: "1984", body: "7", metadata: { source_id: "0" } },
    ],
    [{ title: " ", name: " N " }, { title: "N" }],
    [{ lat: "52.5", lng: "13.4" }, { location: { name: null, lat: 52.5, lng: 13.4 } }],
    [{ location: "Hall", lat: " ", lng: "13.4" }, { location: HALL }],
    [{ title: "t".repeat(200) }, { title: "t".repeat(200) }],
    [{ title: "t".repeat(201) }, { title: `${"t".repeat(199)}…` }],
    // What the board notes of the source, no entry says of itself.
    [
      { metadata: { source: "x", license: "none", a: 1 } },
      { metadata: { source: "feed_0", license: "CC0-1.0", a: 1 } },
    ],
    [{ timezone: "Asia/Tokyo" }, { timezone: null, starts_at: null }],
    [{ start: MOMENT, timezone: "Asia/Tokyo" }, { timezone: "Asia/Tokyo" }],
    [{ start: MOMENT }, { timezone: null }],
    [{ start: "2026-12-24T10:00" }, { timezone: "Europe/Berlin" }],
    [{ id: "i".repeat(300) }, { metadata: { source_id: "i".repeat(300) } }],
    [{ id: "i".repeat(301) }, { metadata: { source_id: expect.stringMatching(/^[\da-f]{64}$/) } }],
  ])("become posts within bounds: %j", (fields, post) => {
    expect(rows({ title: "T", ...fields }).entries[0]?.input).toMatchObject(post);
  });

  it("come back cut and free of markup", () => {
    const html = `<p>${"<b>word</b> ".repeat(6_000)}</p>`;
    const [entry] = rows({ title: "<i>Long</i>", body: html, tags: ["<b>Bold</b>", "R&amp;D"] }).entries;
    expect(entry?.input).toMatchObject({ title: "Long", tags: ["town", "bold", "r&d"] });
    expect(entry?.input.body.length).toBeLessThanOrEqual(8_000);
    expect(entry?.input.body).toMatch(/^(word )+(\w*)…$/);
    expect(entry?.input.body.length).toBeGreaterThan(7_990);
  });
});

describe("letters", () => {
  const café = (encoding = "utf-8") =>
    `<?xml version="1.0" encoding="${encoding}"?><rss version="2.0"><channel><item><title>Café</title><guid>1</guid></item></channel></rss>`;
  const [utf8, latin1] = [(text: string) => Buffer.from(text), (text: string) => Buffer.from(text, "latin1")];
  const marked = (text: string) => `\uFEFF${text}`;
  it.each([
    ["XML", latin1(café("iso-8859-1")), ""],
    ["the header, before XML", utf8(café("iso-8859-1")), 'text/xml; charset="utf-8"'],
    ["the header", latin1(café()), "text/xml; charset=iso-8859-1"],
    ["a mark, before both", utf8(marked(café("iso-8859-1"))), "text/xml; charset=iso-8859-1"],
    ["a mark", Buffer.from(marked(café("utf-16")), "utf16le"), "text/xml"],
    ["XML, where the header names none that there is", latin1(café("iso-8859-1")), "text/xml; charset=ours"],
    ["nothing", utf8(café().replace(/<\?.*\?>/, "")), "text/xml"],
  ])("are read by the charset that is named by %s", (_by, bytes, contentType) => {
    const { entries } = entriesOf({ bytes, contentType }, aFeedOf({ kind: "rss" }), NOW);
    expect(entries.map(({ input }) => input.title)).toEqual(["Café"]);
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
      const text = calendar(`UID:1|SUMMARY:T|DTSTART:${start}Z|RRULE:${rule.replace(/(UNTIL=\w+)/, "$1Z")}`);
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
