import { describe, expect, it } from "vitest";
import {
  bodyText,
  href,
  jsonScript,
  oneLine,
  outLink,
  postCommand,
  safeHref,
  sentence,
  shortHost,
} from "../../../src/adapters/pages/frame/html.ts";
import { calendarLinks } from "../../../src/adapters/pages/frame/layout.ts";
import { chapterHtml } from "../../../src/adapters/pages/frame/prose.ts";
import { Site } from "../../../src/domain/site.ts";

describe("a piece of a page", () => {
  const OUT = 'rel="nofollow ugc noopener noreferrer"';

  it.each([
    ["all of a text that fits, on one line", " ten \n letters\t", 11, "ten letters"],
    ["whole words", "one two three four", 17, "one two three…"],
    ["what fits where the last word begins too early", "abcdefghijklmn opqrstuv", 20, "abcdefghijklmn opqr…"],
    ["the words before where it begins late", "abcdefghijklmno pqrstuv", 20, "abcdefghijklmno…"],
    ["one long word in part", "abcdefghijk", 10, "abcdefghi…"],
    ["nothing that turns a line around", "pay \u202Eevil\u202C \u2066now\u2069", 20, "pay evil now"],
    ["half a sign as none", "a\uD83D b", 20, "a\uFFFD b"],
    [
      "a flag of letters, and no letters without one",
      "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} a\u{E0041}\u{E0062}",
      20,
      "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} a",
    ],
  ])("shows %s", (_name, text, chars, shown) => {
    expect(oneLine(text, chars)).toBe(shown);
  });

  it("makes links of the addresses in a text, and leaves all else as it is", () => {
    const link = (to: string, words = to) => `<a href="${to}" ${OUT}>${words}</a>`;
    const text = "See https://a.example/x?y=1&z=2, (HTTP://b.example/c_(d)) or\nwww.e.example & https://[f";
    const [a, b] = ["https://a.example/x?y=1&amp;z=2", "http://b.example/c_(d)"];
    expect(String(bodyText(text))).toBe(
      `<div class="prose" dir="auto">See ${link(a)}, (${link(b, "HTTP://b.example/c_(d)")}) or\nwww.e.example &amp; https://[f</div>`,
    );
    expect(String(bodyText("Plain <b>"))).toBe('<div class="prose" dir="auto">Plain &lt;b&gt;</div>');
  });

  it.each([
    ["https://www.a.example:8443/x", "https://www.a.example:8443/x", "a.example:8443"],
    ["http://www2.a.example", "http://www2.a.example/", "www2.a.example"],
    ["javascript:alert(1)", null, ""],
    ["ftp://a.example/x", null, "a.example"],
    ["nowhere", null, "nowhere"],
  ])("leads to a web address alone: %s", (url, to, host) => {
    expect([safeHref(url), shortHost(url)]).toEqual([to, host]);
    const words = "<bdi>A &amp; B</bdi>";
    expect(String(outLink(url, "A & B"))).toBe(to === null ? words : `<a href="${to}" ${OUT}>${words}</a>`);
    expect(String(outLink(null, "A & B"))).toBe(words);
  });

  it("leads on with what is filled in alone", () => {
    expect(href("/search", { q: "a b&c", near: "", tags: undefined, kind: "offer" })).toBe(
      "/search?q=a+b%26c&kind=offer",
    );
    expect([href("/search"), href("/search", { q: "" })]).toEqual(["/search", "/search"]);
  });

  it("marks names in a sentence as code, and takes a chapter of ours with lists, bold and links", () => {
    expect(String(sentence("Send `q` or `near` & <b>"))).toBe(
      "Send <code>q</code> or <code>near</code> &amp; &lt;b&gt;",
    );
    const text =
      "**One** is `a<b>` & it's.\n\n- two, [docs](/docs) and [a feed](/feed.xml)\n- **`three`**\n\n\nFour.\n";
    const shown = [
      "<p><b>One</b> is <code>a&lt;b></code> &amp; it's.</p>",
      '<ul><li><p>two, <a href="/docs">docs</a> and <a href="/feed.xml">a feed</a></p></li>',
      "<li><p><b><code>three</code></b></p></li>",
      "</ul>",
      "<p>Four.</p>",
    ].join("\n");
    expect(String(chapterHtml({ id: "numbers", heading: "Numbers", text }))).toBe(
      `<section id="numbers"><h2>Numbers</h2>\n${shown}\n</section>\n`,
    );
    expect(String(chapterHtml({ heading: "", text: "Four." }))).toBe("<section>\n<p>Four.</p>\n</section>\n");
  });

  it("holds data and commands that nothing in them ends", () => {
    expect(String(jsonScript({ a: "</script>&\u2028\u2029\u202E\u2066" }))).toBe(
      '<script type="application/ld+json">{"a":"\\u003c/script\\u003e\\u0026\\u2028\\u2029\\u202e\\u2066"}</script>',
    );
    const command = [
      "curl -X POST https://board.example/api/v1/x \\",
      "  -H &quot;Authorization: Bearer $BOARD_API_KEY&quot; \\",
      "  -H &quot;Content-Type: application/json&quot; \\",
      "  -d &#39;{&quot;q&quot;:&quot;it\\u0027s&quot;}&#39;",
    ].join("\n");
    expect(String(postCommand("to save", "https://board.example/api/v1/x", { q: "it's" }))).toBe(
      `<pre class="copy" tabindex="0" role="group" aria-label="to save"><code>${command}</code></pre>`,
    );
  });

  it("lets a calendar program keep up with what is shown, and gives the file of it", () => {
    const links = (root: string, ...params: [Record<string, string>?, Record<string, string>?]) =>
      [...String(calendarLinks(new Site(root), ...params)).matchAll(/<li><a href="([^"]+)">([^<]+)</g)].map(
        ([, to, words]) => `${to} ${words}`,
      );
    const [subscribe, file] = ["Subscribe in your calendar", "Calendar file"];
    expect(links("https://board.example:8443", { tags: "a,b" })).toEqual([
      `webcal://board.example:8443/calendar.ics?tags=a%2Cb ${subscribe}`,
      `/calendar.ics?tags=a%2Cb ${file}`,
    ]);
    expect(links("http://localhost", { kind: "event" }, { after: "2027-05-01" })).toEqual([
      `webcal://localhost/calendar.ics?kind=event ${subscribe}`,
      `/calendar.ics?after=2027-05-01 ${file}`,
    ]);
    expect(links("http://localhost")).toEqual([
      `webcal://localhost/calendar.ics ${subscribe}`,
      `/calendar.ics ${file}`,
    ]);
  });
});
