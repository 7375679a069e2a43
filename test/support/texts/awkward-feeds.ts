import { gzipSync } from "node:zlib";
import type { FeedKind } from "../../../src/syndication/kinds/index.ts";

/** A feed that is hard to read, on 22 November 2026 at noon UTC, in a feed whose own zone is Europe/Berlin. */
export interface AwkwardFeed {
  what: string;
  kind: FeedKind;
  /** By the number of the poll, from 0. */
  body: (poll: number) => string | Buffer;
  headers?: Record<string, string>;
  /** Title, start and end of each post as ISO times without seconds; or why it is refused. */
  becomes: readonly (readonly [title: string, start: string | null, end: string | null])[] | RegExp;
  /** Posts that the second poll changes: they take the new id of their event. */
  changes?: number;
  /** Why another parser would not read it alike; it is then not asked. */
  ours?: string;
  /** Addresses of its posts, in order of their titles. */
  urls?: readonly string[];
}

const calendar = (...parts: string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", ...parts, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\r\n");
const one = (...lines: string[]) => calendar(event("UID:1", "DTSTAMP:20261101T000000Z", ...lines));
const rss = (items: string, head = '<?xml version="1.0"?>') =>
  `${head}<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title><link>https://example.org/</link><description>D</description>${items}</channel></rss>`;
const item = (title: string, rest = "") => `<item><title>${title}</title><guid>${title}</guid>${rest}</item>`;
const always = (body: string | Buffer) => () => body;
const NEW_YORK = "TZID=America/New_York";
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le");

const CALENDARS: AwkwardFeed[] = [
  {
    what: "whole days, of which the end is the day behind the last",
    kind: "ics",
    body: always(one("SUMMARY:Fair", "DTSTART;VALUE=DATE:20261205", "DTEND;VALUE=DATE:20261207")),
    becomes: [["Fair", "2026-12-04T23:00", "2026-12-06T23:00"]],
    ours: "node-ical takes whole days for days of the machine",
  },
  {
    what: "floating times",
    kind: "ics",
    body: always(one("SUMMARY:Talk", "DTSTART:20261205T190000", "DTEND:20261205T210000")),
    becomes: [["Talk", "2026-12-05T18:00", "2026-12-05T20:00"]],
    ours: "node-ical takes floating times for times of the machine",
  },
  {
    what: "a zone by Outlook's name, quoted, without its definition",
    kind: "ics",
    body: always(
      one("SUMMARY:Call", 'DTSTART;TZID="W. Europe Standard Time":20261205T190000', "DURATION:PT1H"),
    ),
    becomes: [["Call", "2026-12-05T18:00", "2026-12-05T19:00"]],
  },
  {
    what: "an IANA zone without its definition",
    kind: "ics",
    body: always(
      one("SUMMARY:Call", `DTSTART;${NEW_YORK}:20261205T190000`, `DTEND;${NEW_YORK}:20261205T200000`),
    ),
    becomes: [["Call", "2026-12-06T00:00", "2026-12-06T01:00"]],
  },
  {
    what: "a zone that nobody knows",
    kind: "ics",
    body: always(one("SUMMARY:Chat", "DTSTART;TZID=Customized Time Zone:20261205T190000")),
    becomes: [["Chat", "2026-12-05T18:00", null]],
    ours: "other parsers have no zone of the feed to fall back to",
  },
  {
    what: "RDATE and EXDATE",
    kind: "ics",
    body: always(
      one(
        "SUMMARY:Weekly",
        `DTSTART;${NEW_YORK}:20261201T190000`,
        "DURATION:PT1H",
        "RRULE:FREQ=WEEKLY;COUNT=3",
        `EXDATE;${NEW_YORK}:20261208T190000`,
        `RDATE;${NEW_YORK}:20261210T190000`,
      ),
    ),
    becomes: [
      ["Weekly", "2026-12-02T00:00", "2026-12-02T01:00"],
      ["Weekly", "2026-12-11T00:00", "2026-12-11T01:00"],
      ["Weekly", "2026-12-16T00:00", "2026-12-16T01:00"],
    ],
    ours: "node-ical leaves out RDATE",
  },
  {
    what: "an occurrence that was moved and one that was cancelled",
    kind: "ics",
    body: always(
      calendar(
        event(
          "UID:1",
          "SUMMARY:Choir",
          "DTSTART:20261201T180000Z",
          "DURATION:PT2H",
          "RRULE:FREQ=DAILY;COUNT=3",
        ),
        event(
          "UID:1",
          "SUMMARY:Choir, moved",
          "RECURRENCE-ID:20261202T180000Z",
          "DTSTART:20261205T170000Z",
          "DURATION:PT1H",
        ),
        event(
          "UID:1",
          "SUMMARY:Choir",
          "RECURRENCE-ID:20261203T180000Z",
          "DTSTART:20261203T180000Z",
          "STATUS:CANCELLED",
        ),
      ),
    ),
    becomes: [
      ["Choir", "2026-12-01T18:00", "2026-12-01T20:00"],
      ["Choir, moved", "2026-12-05T17:00", "2026-12-05T18:00"],
    ],
  },
  {
    what: "UIDs that change at each fetch",
    kind: "ics",
    body: (poll) =>
      calendar(event(`UID:${poll}-a`, "SUMMARY:Market", "DTSTART:20261205T090000Z", "DURATION:PT5H")),
    becomes: [["Market", "2026-12-05T09:00", "2026-12-05T14:00"]],
    changes: 1,
  },
  {
    what: "one UID for all events",
    kind: "ics",
    body: always(
      calendar(
        event("UID:x", "SUMMARY:First", "DTSTART:20261205T090000Z", "DTEND:20261205T100000Z"),
        event("UID:x", "SUMMARY:Second", "DTSTART:20261206T090000Z", "DTEND:20261206T100000Z"),
      ),
    ),
    becomes: [
      ["First", "2026-12-05T09:00", "2026-12-05T10:00"],
      ["Second", "2026-12-06T09:00", "2026-12-06T10:00"],
    ],
    ours: "node-ical keeps the last event of a UID",
  },
  {
    what: "a revision behind the event it replaces",
    kind: "ics",
    body: always(
      calendar(
        event("UID:x", "SEQUENCE:2", "SUMMARY:New hall", "DTSTART:20261206T090000Z"),
        event("UID:x", "SEQUENCE:1", "SUMMARY:Old hall", "DTSTART:20261205T090000Z"),
      ),
    ),
    becomes: [["New hall", "2026-12-06T09:00", null]],
    ours: "node-ical keeps the last event of a UID",
  },
  {
    what: "a weekly event over the beginning of summer time",
    kind: "ics",
    body: always(
      one(
        "SUMMARY:Run",
        "DTSTART;TZID=Europe/Berlin:20270321T080000",
        "DURATION:PT1H",
        "RRULE:FREQ=WEEKLY;UNTIL=20270404T060000Z",
      ),
    ),
    becomes: [
      ["Run", "2027-03-21T07:00", "2027-03-21T08:00"],
      ["Run", "2027-03-28T06:00", "2027-03-28T07:00"],
      ["Run", "2027-04-04T06:00", "2027-04-04T07:00"],
    ],
  },
  {
    what: "exceptions in UTC to times of a zone without its definition",
    kind: "ics",
    body: always(
      calendar(
        event(
          "UID:1",
          "SUMMARY:Chess",
          "DTSTART;TZID=Europe/Berlin:20261201T190000",
          "DURATION:PT2H",
          "RRULE:FREQ=DAILY;COUNT=4",
          "EXDATE:20261202T180000Z",
        ),
        event(
          "UID:1",
          "SUMMARY:Chess, moved",
          "RECURRENCE-ID:20261203T180000Z",
          "DTSTART:20261203T160000Z",
          "DURATION:PT2H",
        ),
      ),
    ),
    becomes: [
      ["Chess", "2026-12-01T18:00", "2026-12-01T20:00"],
      ["Chess", "2026-12-04T18:00", "2026-12-04T20:00"],
      ["Chess, moved", "2026-12-03T16:00", "2026-12-03T18:00"],
    ],
    ours: "node-ical matches RECURRENCE-ID by the day",
  },
  {
    what: "an hour that clocks skip, and one that they show twice",
    kind: "ics",
    body: always(
      calendar(
        event("UID:1", "SUMMARY:Skipped", "DTSTART;TZID=Europe/Berlin:20270328T023000"),
        event("UID:2", "SUMMARY:Twice", "DTSTART;TZID=Europe/Berlin:20271031T023000"),
      ),
    ),
    becomes: [
      ["Skipped", "2027-03-28T01:30", null],
      ["Twice", "2027-10-31T00:30", null],
    ],
    ours: "node-ical takes the second of two hours, against RFC 5545, 3.3.5",
  },
  {
    what: "an end before the start",
    kind: "ics",
    body: always(one("SUMMARY:Late", "DTSTART:20261205T190000Z", "DTEND:20261205T180000Z")),
    becomes: [["Late", "2026-12-05T19:00", null]],
  },
  {
    what: "what was cancelled, what is past, tasks and journals",
    kind: "ics",
    body: always(
      calendar(
        event("UID:1", "SUMMARY:Off", "DTSTART:20261205T190000Z", "STATUS:CANCELLED"),
        event("UID:2", "SUMMARY:Over", "DTSTART:20261105T190000Z"),
        "BEGIN:VTODO\r\nUID:3\r\nSUMMARY:Tidy up\r\nEND:VTODO",
        event("UID:4", "SUMMARY:On", "DTSTART:20261205T190000Z"),
      ),
    ),
    becomes: [["On", "2026-12-05T19:00", null]],
  },
  {
    what: "Latin 1 that nobody declares",
    kind: "ics",
    body: always(Buffer.from(one("SUMMARY:Caf\xe9 d\xe9bat", "DTSTART:20261205T190000Z"), "latin1")),
    headers: { "content-type": "text/calendar; charset=utf-8" },
    becomes: [["Café débat", "2026-12-05T19:00", null]],
    ours: "encodings are undone before a parser sees the text",
  },
  {
    what: "UTF-16 with a byte order mark",
    kind: "ics",
    body: always(utf16(one("SUMMARY:Łódź", "DTSTART:20261205T190000Z"))),
    becomes: [["Łódź", "2026-12-05T19:00", null]],
    ours: "encodings are undone before a parser sees the text",
  },
  {
    what: "a line folded in the middle of a character, bare line feeds, blank lines, a mark of UTF-8",
    kind: "ics",
    body: always(
      Buffer.from(
        `\xEF\xBB\xBF${one("SUMMARY:Caf\xC3\r\n \xA9", "", "DTSTART:20261205T190000Z")}`.replaceAll(
          "\r\n",
          "\n",
        ),
        "latin1",
      ),
    ),
    becomes: [["Café", "2026-12-05T19:00", null]],
    ours: "encodings are undone before a parser sees the text",
  },
  {
    what: "a text that breaks off",
    kind: "ics",
    body: always(one("SUMMARY:Half", "DTSTART:20261205T190000Z").slice(0, -30)),
    becomes: /This is no iCalendar file/,
  },
  {
    what: "a page of HTML where a calendar was",
    kind: "ics",
    body: always("<!doctype html><title>Sign in</title>"),
    headers: { "content-type": "text/html" },
    becomes: /This is no iCalendar file/,
  },
  {
    what: "a gzip bomb",
    kind: "ics",
    body: always(gzipSync(Buffer.alloc(64 << 20, "a"))),
    headers: { "content-encoding": "gzip" },
    becomes: /larger than 32 MiB unpacked/,
  },
];

const NEWS: AwkwardFeed[] = [
  {
    what: "CDATA with markup, entities twice over, and a bare ampersand",
    kind: "rss",
    body: always(
      rss(
        `${item(
          "<![CDATA[Salt & <b>pepper</b>]]>",
          "<description>&lt;p&gt;Fish &amp;amp; chips&lt;/p&gt;</description>",
        )}<item><title>Q&amp;A</title><guid>2</guid></item>`,
      ),
    ),
    becomes: [
      ["Q&A", null, null],
      ["Salt & pepper", null, null],
    ],
    ours: "titles are freed of markup after the parser",
  },
  {
    what: "Latin 1 that the XML declaration names",
    kind: "rss",
    body: always(Buffer.from(rss(item("Caf\xe9"), '<?xml version="1.0" encoding="ISO-8859-1"?>'), "latin1")),
    becomes: [["Café", null, null]],
    ours: "encodings are undone before a parser sees the text",
  },
  {
    what: "XML in UTF-16",
    kind: "rss",
    body: always(utf16(rss(item("Żółw"), '<?xml version="1.0" encoding="UTF-16"?>'))),
    becomes: [["Żółw", null, null]],
    ours: "encodings are undone before a parser sees the text",
  },
  {
    what: "relative links",
    kind: "rss",
    body: always(rss(item("Bridge closed", "<link>/news/bridge</link>"))),
    becomes: [["Bridge closed", null, null]],
    urls: ["ORIGIN/news/bridge"],
  },
  {
    what: "links relative to xml:base",
    kind: "atom",
    body: always(
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/blog/"><title>T</title><id>f</id><updated>2026-11-20T00:00:00Z</updated><entry><title type="html">A &amp;amp; B</title><id>e</id><updated>2026-11-20T00:00:00Z</updated><link href="first"/></entry></feed>`,
    ),
    becomes: [["A & B", null, null]],
    urls: ["https://example.org/blog/first"],
    ours: "titles are freed of markup after the parser",
  },
  {
    what: "dates of RFC 822 and its dialects, of which the old ones are news no more",
    kind: "rss",
    body: always(
      rss(
        [
          ["English", "Sat, 21 Nov 2026 19:00:00 +0100"],
          ["Short year", "Sat, 21 Nov 26 19:00 GMT"],
          ["German weekday", "Sa, 21 Nov 2026 19:00:00 MEZ"],
          ["ISO", "2026-11-21T19:00:00.123Z"],
          ["Nonsense", "soon"],
          ["Old", "Wed, 02 Oct 2002 13:00:00 GMT"],
          ["Old, dotted", "01.10.2026 13:00"],
          ["Old, in Europe", "Thu, 1 Oct 2026 13:00 CEST"],
        ]
          .map(([title, date]) => item(title ?? "", `<pubDate>${date}</pubDate>`))
          .join(""),
      ),
    ),
    becomes: [
      ["English", null, null],
      ["German weekday", null, null],
      ["ISO", null, null],
      ["Nonsense", null, null],
      ["Short year", null, null],
    ],
    ours: "old news is left out after the parser",
  },
  {
    what: "a feed without entries",
    kind: "rss",
    body: always(rss("")),
    becomes: [],
  },
  { what: "no byte at all", kind: "rss", body: always(""), becomes: /no RSS, RDF, Atom or JSON feed/ },
  {
    what: "XML that breaks off",
    kind: "rss",
    body: always(rss(item("One")).slice(0, -40)),
    becomes: /no RSS, RDF, Atom or JSON feed/,
  },
  {
    what: "a page of HTML where a feed was",
    kind: "atom",
    body: always("<html><head><title>Moved</title></head><body>feed</body></html>"),
    becomes: /no RSS, RDF, Atom or JSON feed/,
  },
  {
    what: "an entity of a file, and entities that grow",
    kind: "rss",
    body: always(
      rss(
        item("Only &x; this"),
        `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "${"y".repeat(1000)}">]>`,
      ),
    ),
    becomes: /no RSS, RDF, Atom or JSON feed/,
  },
];

const ROWS: AwkwardFeed[] = [
  {
    what: "dates in seven forms, and one that two countries read differently",
    kind: "jsonl",
    body: always(
      [
        ["1 local", "2026-12-05T19:00", "2026-12-05 21:00"],
        ["2 offset", "2026-12-05T19:00:00+0100"],
        ["3 basic", "20261205T180000Z"],
        ["4 seconds", 1_796_493_600],
        ["5 dotted", "05.12.2026 19:00"],
        ["6 English", "Dec 5, 2026 7:00 PM"],
        ["7 day", "2026-12-05", "2026-12-06"],
        ["8 slashes", "05/12/2026"],
      ]
        .map(([title, start, end]) => JSON.stringify({ title, id: title, kind: "event", start, end }))
        .join("\r\n"),
    ),
    becomes: [
      ["1 local", "2026-12-05T18:00", "2026-12-05T20:00"],
      ["2 offset", "2026-12-05T18:00", null],
      ["3 basic", "2026-12-05T18:00", null],
      ["4 seconds", "2026-12-05T18:00", null],
      ["5 dotted", "2026-12-05T18:00", null],
      ["6 English", "2026-12-05T18:00", null],
      ["7 day", "2026-12-04T23:00", "2026-12-06T22:59"],
      ["8 slashes", null, null],
    ],
  },
  {
    what: "numbers for ids, and an entry without a title",
    kind: "jsonfeed",
    body: always(
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "T",
        items: [
          { id: 7, url: "/seven", title: "Seven", date_published: "2026-11-20T00:00:00Z" },
          { id: 8, content_text: "No title here" },
        ],
      }),
    ),
    becomes: [
      ["No title here", null, null],
      ["Seven", null, null],
    ],
  },
  {
    what: "coordinates outside the world, and texts for numbers",
    kind: "geojson",
    body: always(
      JSON.stringify({
        type: "FeatureCollection",
        features: [
          {
            type: "Feature",
            id: 1,
            properties: { name: "Far" },
            geometry: { type: "Point", coordinates: [999, 999] },
          },
          {
            type: "Feature",
            id: 2,
            properties: { name: "Text" },
            geometry: { type: "Point", coordinates: ["13", "52"] },
          },
        ],
      }),
    ),
    becomes: [
      ["Far", null, null],
      ["Text", null, null],
    ],
  },
];

export const AWKWARD_FEEDS: readonly AwkwardFeed[] = [...CALENDARS, ...NEWS, ...ROWS];
