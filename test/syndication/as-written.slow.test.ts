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

  it.each([
    [{ startDate: "2026-12-12", startTime: "19:00" }, "2026-12-12T19:00"],
    [{ start_date: "12.12.2026", start_time: "19.30" }, "2026-12-12T19:30"],
    [{ start: "2026-12-12", time: "7:30 pm" }, "2026-12-12T19:30"],
    [{ date: "2026-12-12", time: "19 Uhr" }, "2026-12-12T19:00"],
    [{ startDate: "2026-12-12", startTime: "12 am" }, "2026-12-12T00:00"],
    [{ startDate: "2026-12-12", startTime: "12 pm" }, "2026-12-12T12:00"],
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

  it.each(["13 pm", "25:00", "19:60", "evening"])(
    "an hour that is none leaves the whole day: %s",
    (startTime) => {
      const found = read(rows({ startDate: "2026-12-12", startTime }), { kind: "jsonl" });
      expect([starts(found), found.entries[0]?.input.metadata?.["all_day"]]).toEqual([
        ["2026-12-12T00:00"],
        true,
      ]);
    },
  );

  it("an end that is an hour lies on the day of the start, or on the next", () => {
    const found = read(
      rows(
        { startDate: "2026-12-12", startTime: "19:00", endTime: "22:00" },
        { startDate: "2026-12-13", startTime: "19:00", endTime: "1:00" },
        { startDate: "2026-12-15", startTime: "19:00", endTime: "19:00" },
      ),
      { kind: "jsonl" },
    );
    const ends = found.entries.map(({ input }) => new Date(input.ends_at ?? 0).toISOString().slice(0, 16));
    expect(ends).toEqual(["2026-12-12T22:00", "2026-12-14T01:00", "2026-12-15T19:00"]);
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
    const inMumbai = { location: { name: "Stall 4", lat: 18.94, lng: 72.83 } };
    for (const timezone of ["UTC", "Asia/Jerusalem"])
      expect(starts(at(inMumbai, timezone))).toEqual(["2026-12-12T13:30"]);
    expect(starts(at({ location: "Dublin, Ireland" }))).toEqual(["2026-12-12T19:00"]);
    expect(starts(at({}, "Asia/Jerusalem"))).toEqual(["2026-12-12T17:00"]);
    expect(at({}, "Europe/Berlin").refused).toEqual([
      "Entry 1: its `timezone`: Is an abbreviation, no IANA time zone: send Asia/Kolkata, Asia/Jerusalem, or Europe/Dublin.",
    ]);
  });
});

const file = (name: string, kind: Feed["kind"] = "ics") => read(readFileSync(join(folder, name)), { kind });
const inputs = ({ entries }: Entries) => entries.map(({ input }) => input);
const titles = (found: Entries) => inputs(found).map(({ title }) => title);

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

  it("are tentative where they are", () => {
    const statusOf = (found: Entries) => inputs(found).map(({ metadata }) => metadata?.["status"]);
    expect(statusOf(file("09-tentative.ics"))).toEqual(["tentative"]);
    const all = ["tentative", "Provisional (hall)", "EventTentative", "confirmed"].map((status) => ({
      status,
    }));
    expect(statusOf(read(rows(...all), { kind: "jsonl" }))).toEqual([
      ...Array(3).fill("tentative"),
      undefined,
    ]);
  });
});

describe("what is called off, a test or an error is withdrawn", () => {
  it.each([
    ["14-error.cap.xml", "cap"],
    ["13-restricted.cap.xml", "cap"],
    ["14b-message-type.atom.xml", "cap"],
    ["18-cancelled.jsonl", "jsonl"],
  ] as const)("%s", (name, kind) => {
    const { entries, withdrawn, present, over } = file(name, kind);
    expect([entries, withdrawn, over]).toEqual([[], present, 0]);
    expect(present.length).toBeGreaterThan(0);
  });

  const WORDS =
    "cancel canceled cancelled cancellation postponed deleted removed withdrawn test Exercise system draft error Ack restricted private confidential " +
    "abgesagt annulé annulée annulliert annullato annulled cancelado cancelada anulado geannuleerd aflyst inställd avlyst";
  const FLAGS = "cancelled canceled deleted removed withdrawn postponed private";
  const MOMENTS = "cancelled_at canceledOn deleted_on removed_at";
  const OFF: object[] = [
    ...WORDS.split(" ").map((status) => ({ status })),
    ...FLAGS.split(" ").flatMap((name) => [{ [name]: "TRUE" }, { [`is_${name}`]: 1 }]),
    ...MOMENTS.split(" ").map((name) => ({ [name]: "2026-11-01" })),
    { Status: "CANCELLED (ice)" },
    { eventStatus: "https://schema.org/EventPostponed" },
    { event_status: "EventCancelled" },
    { messageType: "Cancel" },
    { msgType: "Ack" },
    { scope: "Private" },
    { status: "Cancelled", start: "TBD" },
  ];
  const ON = [
    { status: "confirmed" },
    { cancelled: "false" },
    { is_private: "0" },
    { cancelled: false, deleted: null },
    { status: "Actual", messageType: "Update", scope: "Public" },
    { eventStatus: "https://schema.org/EventRescheduled" },
    { status: "testing ground open" },
    { cancelled: "" },
    { body: "cancelled" },
  ];
  it.each(["jsonl", "geojson"] as const)("in %s, however it says so", (kind) => {
    const one = (fields: object) => {
      const properties = { title: "Fair", id: "1", start: "2026-12-12T10:00Z", ...fields };
      return read(
        kind === "jsonl" ? JSON.stringify(properties) : JSON.stringify({ type: "Feature", properties }),
        { kind },
      );
    };
    for (const fields of OFF) expect([fields, one(fields).withdrawn]).toEqual([fields, ["1"]]);
    for (const fields of ON) expect([fields, one(fields).entries.length]).toEqual([fields, 1]);
  });

  it("in calendars", () => {
    const lines = event("DTSTART:20261212T180000Z");
    for (const line of ["STATUS:CANCELED", "STATUS:Cancelled", "CLASS:CONFIDENTIAL"])
      expect(read(calendar(...lines.toSpliced(-1, 0, line))).withdrawn).toEqual(["a@x"]);
    const series = event("DTSTART:20261212T180000Z", "RRULE:FREQ=DAILY;COUNT=2", "CLASS:PRIVATE");
    const moved = event("DTSTART:20261213T190000Z", "RECURRENCE-ID:20261213T180000Z");
    const { entries, withdrawn } = read(calendar(...series, ...moved));
    expect([entries, withdrawn.length]).toEqual([[], 2]);
    expect(read(calendar("METHOD:CANCEL", ...lines)).withdrawn).toEqual(["a@x"]);
    expect(read(calendar("METHOD:PUBLISH", ...lines)).withdrawn).toEqual([]);
  });

  it("in weather, where an update replaces what it names, and ends with its storm", () => {
    const found = file("16-weather.geojson", "geojson");
    expect(found.withdrawn).toEqual(["w1", "w2"]);
    expect(inputs(found)).toMatchObject([
      { title: "Snow storm", body: "Heavy snow.\n\nStay at home.", location: { name: "North shore" } },
    ]);
    expect(inputs(found)[0]).not.toHaveProperty("expires_at");
    const feature = (id: string, more: object) => ({
      type: "Feature",
      id,
      properties: { headline: id, ...more },
    });
    const references = [{ "@id": "https://a.example/1", identifier: "urn:1" }];
    const update = { messageType: "Update", references, expires: "2026-12-01T00:00Z" };
    const features = [feature("https://a.example/1", {}), feature("https://a.example/2", update)];
    const { withdrawn, entries } = read(JSON.stringify({ type: "FeatureCollection", features }), {
      kind: "geojson",
    });
    expect([withdrawn, entries.map(({ id }) => id)]).toEqual([
      ["https://a.example/1"],
      ["https://a.example/2"],
    ]);
    expect(entries[0]?.input.expires_at).toBe(Date.UTC(2026, 11, 1));
  });

  it("in free features, which also have a zone, a kind and a time", () => {
    const found = file("17-events.geojson", "geojson");
    expect([found.withdrawn, titles(found), starts(found)]).toEqual([
      ["e1", "e3"],
      ["Gig"],
      ["2026-12-13T00:00"],
    ]);
    const quake = (time: number) =>
      inputs(
        read(
          JSON.stringify({
            type: "Feature",
            properties: { title: "M 5.2", time, kind: "Offer", free: true },
          }),
          { kind: "geojson" },
        ),
      )[0];
    expect(quake(NOW + 86_400_000)).toMatchObject({
      starts_at: NOW + 86_400_000,
      kind: "offer",
      metadata: { free: true },
    });
    expect(quake(NOW - 86_400_000)).toMatchObject({
      starts_at: null,
      metadata: { time: "2026-11-26T12:00:00.000Z" },
    });
  });
});

describe("an alert", () => {
  it("has the warnings that hold now, in English where it has them, and all their areas", () => {
    const [input] = inputs(file("12-two-infos.cap.xml", "cap"));
    expect(input).toMatchObject({
      title: "Wind warning",
      body: "Wind warning, in detail.\n\nSnow warning\n\nSnow warning, in detail.",
      location: { name: "Coast; Hills" },
      expires_at: Date.UTC(2026, 11, 21),
    });
    expect(titles(file("12b-first-info-past.cap.xml", "cap"))).toEqual(["Wind on Sunday"]);
    const text = readFileSync(join(folder, "12-two-infos.cap.xml"), "utf8");
    expect(titles(read(text.replaceAll("en-GB", "pt-BR"), { kind: "cap" }))).toEqual(["Aviso de viento"]);
  });

  it("in an Atom feed has its link", () => {
    const text = readFileSync(join(folder, "14b-message-type.atom.xml"), "utf8").replace(
      ">Cancel<",
      ">Alert<",
    );
    for (const kind of ["cap", "atom", "rss"] as const)
      expect(inputs(read(text, { kind }))[0], kind).toMatchObject({
        url: "https://hub.example.org/1",
        location: { name: "Lowlands" },
      });
  });

  it.each(["Cancel", "Error", "Ack"])(
    "a feed given as Atom is read by the fields of its alerts: %s",
    (type) => {
      const text = readFileSync(join(folder, "14b-message-type.atom.xml"), "utf8");
      const sent = text
        .replace(">Cancel<", `>${type}<`)
        .replace("xmlns:cap", "xmlns:c")
        .replace(/(<\/?)cap:/g, "$1c:");
      const { entries, withdrawn } = read(sent, { kind: "atom" });
      expect([entries, withdrawn.length]).toEqual([[], 1]);
    },
  );

  it("a feed that only names the fields of alerts is news", () => {
    const text = readFileSync(join(folder, "14b-message-type.atom.xml"), "utf8");
    const sent = text.replace(/<cap:[\s\S]*?<\/cap:\w+>/g, "");
    expect(inputs(read(sent, { kind: "atom" }))[0]).toMatchObject({ title: "Yellow wind warning issued" });
  });
});

describe("rows and news as publishers write them", () => {
  it("news are shown for two weeks after their date, and after now where that lies ahead", () => {
    const DAY_MS = 86_400_000;
    const item = (id: string, at: number | null) =>
      `<item><guid>${id}</guid><title>${id}</title>${at === null ? "" : `<pubDate>${new Date(at).toUTCString()}</pubDate>`}</item>`;
    const dates = [NOW - 14 * DAY_MS, NOW - 14 * DAY_MS - 1_000, NOW - DAY_MS, NOW + 60 * DAY_MS];
    const items = [...dates.map((at, n) => item(`n${n}`, at)), item("undated", null)];
    const { entries, over } = read(`<rss version="2.0"><channel>${items.join("")}</channel></rss>`, {
      kind: "rss",
    });
    const ends = new Map(entries.map(({ id, input }) => [id, input.expires_at ?? null]));
    expect(over).toBe(1);
    expect(ends.has("n1")).toBe(false);
    expect(ends.get("n2")).toBe(NOW + 13 * DAY_MS);
    expect(ends.get("n3")).toBe(NOW + 14 * DAY_MS);
    expect(ends.has("undated")).toBe(true);
    const [old, renewed] = [NOW - 20 * DAY_MS, NOW - DAY_MS].map((at) => new Date(at).toISOString());
    const entry = `<entry><title>t</title><id>e</id><published>${old}</published><updated>${renewed}</updated></entry>`;
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom">${entry}</feed>`;
    expect(inputs(read(atom, { kind: "atom" }))[0]?.expires_at).toBe(NOW + 13 * DAY_MS);
  });

  const ANY_TEST = ["Test", "Exercise", "System", "Draft"].flatMap((status) =>
    ["Update", "Cancel"].map((type) => [status, type, "Public", "a", ["a", "b"]] as const),
  );
  it.each([
    ["Actual", "Alert", "Public", "a", ["a", "b", "c"]],
    ["Actual", "Update", "Public", "a", ["b", "c"]],
    ["Actual", "Update", "Public", "a b", ["c"]],
    ["Actual", "Cancel", "Public", "b", ["a"]],
    ["Actual", "Update", "Private", "a", ["a", "b"]],
    ...ANY_TEST,
  ] as const)("an alert that is %s, %s and %s, and names %s of a and b, leaves %j", (...given) => {
    const [status, type, scope, named, left] = given;
    const alert = (id: string, of: readonly string[], references = "") =>
      `<alert><identifier>${id}</identifier><sender>s</sender><status>${of[0]}</status><msgType>${of[1]}</msgType><scope>${of[2]}</scope>${references}<info><headline>Storm ${id}</headline></info></alert>`;
    const references = named.replace(/\w/g, "s,$&,2026-11-27T10:00:00+00:00");
    const alerts = ["a", "b"].map((id) => alert(id, ["Actual", "Alert", "Public"]));
    alerts.push(alert("c", [status, type, scope], `<references>${references}</references>`));
    const { entries } = read(`<alerts>${alerts.join("")}</alerts>`, { kind: "cap" });
    expect(entries.map(({ id }) => id)).toEqual(left);
  });

  it("rows may have kinds in capitals and coordinates by their long names", () =>
    expect(inputs(file("19-letter-case.jsonl", "jsonl"))[0]).toMatchObject({
      kind: "event",
      location: { name: "Hall", lat: 51.38, lng: -2.36 },
    }));

  it("news have links, texts, places and tables", () => {
    const found = inputs(file("20-23-news.rss", "rss"));
    expect(found.map(({ title, body, url, location }) => [title, body, url, location?.lat ?? null])).toEqual([
      ["Only an atom:link", "Only an atom:link", "https://example.org/a", null],
      ["Episode", "Talk about bees.", null, null],
      ["Council, live", "Agenda: bus lanes.", null, null],
      ["Place in GML", "Place in GML", null, 51.38],
      ["Opening hours", "Mon 9-12\nTue closed", null, null],
    ]);
  });

  it.each([
    "<geo:Point><geo:lat>-36.85</geo:lat><geo:long>174.76</geo:long></geo:Point>",
    "<georss:point>-36.85, 174.76</georss:point>",
    "<georss:box>-37 174.66 -36.7 174.86</georss:box>",
    "<georss:where><gml:Point srsName='x'><gml:pos>-36.85 174.76</gml:pos></gml:Point></georss:where>",
    "<georss:where><gml:Envelope><gml:lowerCorner>-37 174.66</gml:lowerCorner><gml:upperCorner>-36.7 174.86</gml:upperCorner></gml:Envelope></georss:where>",
    "<georss:polygon>-37 174.66 -36.7 174.66 -36.7 174.86 -37 174.66</georss:polygon>",
  ])("a place as %s", (place) => {
    const spaces =
      'xmlns:georss="http://www.georss.org/georss" xmlns:gml="http://www.opengis.net/gml" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#"';
    const text = `<rss version="2.0" ${spaces}><channel><title>c</title><item><title>A</title><guid>1</guid>${place}</item></channel></rss>`;
    const { lat, lng } = inputs(read(text, { kind: "rss" }))[0]?.location ?? {};
    expect([Number(lat).toFixed(2), Number(lng).toFixed(2)]).toEqual(["-36.85", "174.76"]);
  });
});
