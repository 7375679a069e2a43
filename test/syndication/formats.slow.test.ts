import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FeedError } from "../../src/syndication/item.ts";
import { FEED_FORMATS, type FeedKind } from "../../src/syndication/kinds/index.ts";
import { FeedReader } from "../../src/syndication/read.ts";
import { plainText } from "../../src/syndication/text.ts";
import { aFeedOf } from "../support/boards/feed-source.ts";
import { cpuMsDuring } from "../support/run/cpu.ts";

const NOW = Date.UTC(2026, 10, 22, 12);

const read = (kind: FeedKind, text: string) => FEED_FORMATS[kind].parse(text, { now: NOW, timezone: "UTC" });
const iso = (moment: number | null | undefined) => (moment == null ? null : new Date(moment).toISOString());
const calendar = (...parts: string[]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//test//EN",
    "X-WR-TIMEZONE:Europe/Berlin",
    ...parts,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
const event = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\r\n");
const readEvents = (...parts: string[]) => read("ics", calendar(...parts));

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
      event("UID:3", "SUMMARY:Call", `DTSTART;TZID="${name}":20261205T190000`, "DURATION:PT1H"),
    );
    expect(iso(items[0]?.startsAt ?? null)).toBe(start);
  });

  it("rules without an end stay within bounds", () => {
    expect(
      readEvents(event("UID:6", "SUMMARY:Daily", "DTSTART:20200101T080000Z", "RRULE:FREQ=DAILY")).items,
    ).toHaveLength(60);
    expect(
      readEvents(event("UID:7", "SUMMARY:Tick", "DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY")).items,
    ).toHaveLength(0);
    const inDays = (days: number) =>
      readEvents(
        event("UID:8", "SUMMARY:Rare", "DTSTART:20261122T120000Z", `RRULE:FREQ=DAILY;INTERVAL=${days}`),
      ).items.length;
    expect([inDays(180), inDays(181)]).toEqual([2, 1]);
  });

  it("place, coordinates, address and categories come along; escapes and folded lines are undone", () => {
    const { items } = readEvents(
      event(
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

  it.each(["", "hello", "BEGIN:VCARD\r\nEND:VCARD\r\n"])("%j is refused with a reason", (text) =>
    expect(() => read("ics", text)).toThrow(FeedError),
  );
});

const rss = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:georss="http://www.georss.org/georss"><channel><title>T</title>${items}</channel></rss>`;

describe("news", () => {
  it("RSS with CDATA, entities, encoded content and a place", () => {
    const { items, unread } = read(
      "rss",
      rss(
        `<item><title><![CDATA[Salt & pepper]]></title><guid>g1</guid><link>https://example.org/1</link><description>&lt;p&gt;short&lt;/p&gt;</description><content:encoded><![CDATA[<p>long</p>]]></content:encoded><category>Food</category><georss:point>52.5 13.4</georss:point></item><item></item>`,
      ),
    );
    expect(items).toEqual([
      expect.objectContaining({
        id: "g1",
        title: "Salt & pepper",
        body: "<p>long</p>",
        url: "https://example.org/1",
        tags: ["Food"],
        place: { name: null, lat: 52.5, lng: 13.4 },
      }),
    ]);
    expect(unread.length).toBeLessThanOrEqual(1);
  });

  it("Atom with typed titles and xhtml content", () => {
    const { items } = read(
      "atom",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>f</id><entry><title type="html">A &amp;amp; B</title><id>e1</id><link href="https://example.org/2"/><summary>teaser</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>text</p></div></content><category term="k" label="Label"/></entry></feed>`,
    );
    expect(items[0]).toMatchObject({ id: "e1", url: "https://example.org/2", tags: ["Label"] });
    expect(plainText(items[0]?.title ?? "")).toBe("A & B");
    expect(plainText(items[0]?.body ?? "")).toBe("text");
  });

  it.each([
    [["enclosure", ""], 1],
    [["self", "alternate"], 1],
    [["alternate", ""], 0],
    [["enclosure", "self"], 0],
  ])("of links %j, the page is that of number %i", (rels, page) => {
    const links = rels.map((rel, n) => `<link ${rel && `rel="${rel}"`} href="https://example.org/${n}"/>`);
    const text = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>f</id><entry><title>A</title><id>e</id>${links.join("")}</entry></feed>`;
    expect(read("atom", text).items[0]?.url).toBe(`https://example.org/${page}`);
  });

  it("RDF and JSON Feed", () => {
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>T</title></channel><item rdf:about="https://example.org/3"><title>Old</title><link>https://example.org/3</link></item></rdf:RDF>`;
    expect(read("rss", rdf).items[0]).toMatchObject({ title: "Old", url: "https://example.org/3" });
    const json = JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "T",
      items: [{ id: "1", url: "https://example.org/4", title: "New", content_html: "<p>x</p>", tags: ["a"] }],
    });
    expect(read("jsonfeed", json).items[0]).toMatchObject({
      id: "1",
      title: "New",
      body: "<p>x</p>",
      tags: ["a"],
    });
  });
});

describe("GeoJSON and JSON Lines", () => {
  it("a feature has the middle of its geometry for a place; times may be numbers", () => {
    const quake = `"properties":{"title":"M 4.5","place":"10 km N of Town","url":"https://example.org/q1","start":1796000000000}`;
    const works = `"geometry":{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}`;
    const text = `{"type":"FeatureCollection","features":[
      {"type":"Feature","id":"q1",${quake},"geometry":{"type":"Point","coordinates":[13.4,52.5,7]}},
      {"type":"Feature","properties":{"name":"Works"},${works}},
      {"type":"Feature","properties":null,"geometry":null}]}`;
    const { items, unread } = read("geojson", text);
    expect(items.map(({ id, place }) => [id, place])).toEqual([
      ["q1", { name: "10 km N of Town", lat: 52.5, lng: 13.4 }],
      ["Works", { name: null, lat: 1, lng: 1 }],
    ]);
    expect(items[0]?.startsAt).toBe(1796000000000);
    expect(unread).toHaveLength(1);
  });

  it("a row has the fields of a post", () => {
    const rows = [
      { id: "1", title: "Bike", kind: "offer", body: "Blue", location: "Berlin", tags: ["bike"] },
      { title: "Talk", starts_at: "2026-12-05T19:00:00+01:00", free: true, status: "cancelled" },
    ];
    const { items, unread } = read(
      "jsonl",
      `${rows.map((row) => JSON.stringify(row)).join("\n")}\nnot json\n`,
    );
    expect(unread).toHaveLength(1);
    expect(items[0]).toMatchObject({ kind: "offer", place: { name: "Berlin", lat: null, lng: null } });
    expect(items[1]).toMatchObject({ startsAt: Date.UTC(2026, 11, 5, 18), free: true, cancelled: true });
    expect(() => read("jsonl", "<html>")).toThrow(FeedError);
    expect(() => read("geojson", "[]")).toThrow(FeedError);
  });
});

const alert = (...infos: string[]) =>
  read(
    "cap",
    `<?xml version="1.0"?><alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>a1</identifier><sender>s</sender><status>Actual</status><msgType>Alert</msgType>${infos.map((info) => `<info>${info}</info>`).join("")}</alert>`,
  ).items[0];

describe("alerts", () => {
  it("an alert has its area, its severity and its advice", () => {
    const area = "<areaDesc>Coast</areaDesc><polygon>54,8 54,10 56,10 56,8</polygon>";
    const info = `<event>Storm</event><headline>Storm warning</headline><severity>Severe</severity><category>Met</category><description>Wind.</description><instruction>Stay in.</instruction><area>${area}</area>`;
    expect(alert(info)).toMatchObject({
      id: "a1",
      title: "Storm warning",
      body: "Wind.\n\nStay in.",
      tags: ["Met", "Severe"],
      place: { name: "Coast", lat: 55, lng: 9 },
    });
  });

  it.each([
    [["23T10:00", "24T10:00"], "Warning 0", "2026-11-24T10:00"],
    [["24T10:00", "23T10:00"], "Warning 0", "2026-11-24T10:00"],
    [["23T10:00", ""], "Warning 0", null],
    // It is the 22nd, noon.
    [["22T12:00", "23T10:00"], "Warning 0", "2026-11-23T10:00"],
    [["22T11:59", "23T10:00"], "Warning 1", "2026-11-23T10:00"],
    [["22T11:58", "22T11:59"], "Warning 0", "2026-11-22T11:59"],
  ])("of warnings until %j, those that hold count, until the last one ends", (ends, title, end) => {
    const infos = ends.map(
      (at, n) => `<headline>Warning ${n}</headline>${at && `<expires>2026-11-${at}:00+00:00</expires>`}`,
    );
    const item = alert(...infos);
    expect([item?.title, iso(item?.expiresAt)?.slice(0, 16) ?? null]).toEqual([title, end]);
  });

  it("other documents are refused", () => {
    for (const text of ["<html></html>", "<alert><"]) expect(() => read("cap", text)).toThrow(FeedError);
  });
});

describe("a hostile source", () => {
  const readIn = (kind: FeedKind, text: string) =>
    new FeedReader().read({
      sent: { bytes: Buffer.from(text), contentType: "" },
      feed: aFeedOf({ kind }),
      now: NOW,
    });

  it("cannot hold up the board by a recurrence that never comes: a feed has a minute", async () => {
    const rule = "RRULE:FREQ=SECONDLY;INTERVAL=2;BYSECOND=1";
    const text = calendar(event("UID:1", "SUMMARY:Never", "DTSTART:19000101T000000Z", rule));
    // Here a minute has a second and a half.
    const inTime = AbortSignal.timeout.bind(AbortSignal);
    const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => inTime(ms / 40));
    onTestFinished(() => spy.mockRestore());
    await expect(readIn("ics", text)).rejects.toThrow("takes too long");
    expect(spy.mock.calls).toEqual([[60_000]]);
  });

  it("cannot fill the memory of the board", async () => {
    const text = `${"[".repeat(1 << 20)}${"]".repeat(1 << 20)}`;
    await expect(readIn("jsonl", text)).rejects.toThrow("No line of this is a JSON object");
  });

  it("costs by the length of its texts, not more for each long one", async () => {
    const line = "<p>We meet on <b>Friday</b> in the <i>old hall</i> &amp; dance.</p>\n";
    const cpuMsFor = async (entries: number, chars: number) => {
      const body = line.repeat(chars / line.length);
      const items = Array.from({ length: entries }, (_, n) => ({
        id: `${n}`,
        title: `${n}`,
        content_html: body,
      }));
      const feed = { version: "https://jsonfeed.org/version/1.1", title: "T", items };
      return cpuMsDuring(() => readIn("jsonfeed", JSON.stringify(feed)));
    };
    await cpuMsFor(8, 8_000);
    // 450 entries of 64 KB took 36 seconds of processor time, nearly all of it to find where to cut them.
    expect(await cpuMsFor(20, 64_000)).toBeLessThan(2 * (await cpuMsFor(160, 8_000)));
  });

  it.each([
    ["Tea &amp; cake\nat three\r\nin the hall", "Tea & cake\nat three\nin the hall"],
    ["<b>Tea</b>\n and\n cake", "Tea\nand\ncake"],
    ["<p>Tea\nand</p>\n<p>cake</p>", "Tea and\n\ncake"],
  ])("keep their lines as text or markup has them: %j", (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it.each([
    ["tags without an end", "<a".repeat(1_000_000)],
    ["elements within elements", "<div>".repeat(100_000)],
    ["lists within lists", "<ul><li>".repeat(50_000)],
    ["a million paragraphs", "<p>x</p>".repeat(1_000_000)],
  ])("cannot cost more than some text by %s", (_what, text) => {
    expect(plainText(text).length).toBeLessThanOrEqual(1 << 16);
  });
});
