import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plainText } from "../../../src/syndication/text.ts";
import { parsed } from "../../support/syndication/parsed-feeds.ts";
import { file, folder, inputs, NOW, read } from "../../support/syndication/utc-feeds.ts";

const rss = (items: string) =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:georss="http://www.georss.org/georss"><channel><title>T</title>${items}</channel></rss>`;

describe("news", () => {
  it("RSS with CDATA, entities, encoded content and a place", () => {
    const { items, unread } = parsed(
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
    const { items } = parsed(
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
    expect(parsed("atom", text).items[0]?.url).toBe(`https://example.org/${page}`);
  });

  it("RDF and JSON Feed", () => {
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>T</title></channel><item rdf:about="https://example.org/3"><title>Old</title><link>https://example.org/3</link></item></rdf:RDF>`;
    expect(parsed("rss", rdf).items[0]).toMatchObject({ title: "Old", url: "https://example.org/3" });
    const json = JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "T",
      items: [{ id: "1", url: "https://example.org/4", title: "New", content_html: "<p>x</p>", tags: ["a"] }],
    });
    expect(parsed("jsonfeed", json).items[0]).toMatchObject({
      id: "1",
      title: "New",
      body: "<p>x</p>",
      tags: ["a"],
    });
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

describe("an alert", () => {
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
