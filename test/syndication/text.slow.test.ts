import { describe, expect, it } from "vitest";
import { plainText } from "../../src/syndication/text.ts";
import { cpuMsOf } from "../support/run/cpu.ts";
import { ics, read } from "../support/syndication/berlin-feeds.ts";

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
});

describe("a hostile source", () => {
  it("costs by the length of its texts, not more for each long one", () => {
    const line = "<p>We meet on <b>Friday</b> in the <i>old hall</i> &amp; dance.</p>\n";
    const cpuMsFor = (entries: number, chars: number) => {
      const body = line.repeat(chars / line.length);
      const items = Array.from({ length: entries }, (_, n) => ({
        id: `${n}`,
        title: `${n}`,
        content_html: body,
      }));
      const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "T", items });
      return cpuMsOf(() => read(feed, { kind: "jsonfeed" }));
    };
    /** Other threads of this process may work meanwhile. */
    const least = (entries: number, chars: number) =>
      Math.min(cpuMsFor(entries, chars), cpuMsFor(entries, chars));
    cpuMsFor(8, 8_000);
    // 450 entries of 64 KB took 36 seconds of processor time, nearly all of it to find where to cut them.
    expect(least(20, 64_000)).toBeLessThan(2 * least(160, 8_000));
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
