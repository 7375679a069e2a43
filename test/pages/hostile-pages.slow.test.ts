import { beforeAll, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { dataOf, getPage, problemsOf } from "../support/texts/html.ts";
import { prose } from "../support/texts/prose.ts";
import { HOSTILE_TEXTS } from "../support/texts/xss.ts";

const encoded = encodeURIComponent;

describe("pages with hostile texts", () => {
  const board = useTestBoard();
  const pages: { path: string; text: string; isChecked: boolean }[] = [];
  beforeAll(async () => {
    expect(HOSTILE_TEXTS.length).toBeGreaterThanOrEqual(60);
    const { key: own } = await register(board, "</title><script>window.pwned=1</script>");
    const { id: thread } = await write(board, own, { kind: "thread" });
    for (const [n, text] of HOSTILE_TEXTS.entries()) {
      const registered = await call(board, "POST /publishers", {
        name: text,
        description: text,
        url: `https://evil.example/?q=${encoded(text)}#'"><b>`,
        accept_terms: true,
      });
      const { id, api_key: key } = registered.body.data;
      const post = await write(board, key, {
        title: text,
        body: `${prose()}\n${text} https://evil.example/${text}`,
        tags: [[...text].slice(0, 40).join("")],
        location: { name: text, lat: 52 + n / 100, lng: 13 },
        metadata: { [text]: text, isEscaped: true },
        url: `https://evil.example/'"><b>${encoded(text)}`,
        source_url: `https://evil.example/?'"><b>`,
        kind: "thread",
      });
      await write(board, own, { parent_id: thread, title: text, body: `${prose()} ${text}` });
      const q = encoded(text);
      const paths = [
        `/publishers/${id}`,
        `/search?q=${q}&tags=${q.slice(0, 40).replace(/%[^%]?$/, "")}`,
        `/search?q=${q}&near=${q}&sort=${q}&publisher=${q}&thread=${q}&${q}=1`,
        `/search?publisher=${q}&thread=${q}`,
        `/p/${q}`,
        `/${q}`,
      ];
      // The validator takes long. It reads every post, and each of the other pages with some of the texts.
      for (const [at, path] of [`/p/${post.id}`, ...paths].entries()) {
        const isChecked = at === 0 || at === 1 + (n % paths.length);
        pages.push({ path, isChecked, text: (await getPage(board, path)).text });
      }
    }
    for (const path of ["/", "/search", "/search?limit=100", `/p/${thread}`])
      pages.push({ path, isChecked: true, text: (await getPage(board, path)).text });
  });

  it("add no element, attribute or address to ours", () => {
    for (const { text, path } of pages) expect(foreignMarkup(text), path).toEqual([]);
  });

  it("leave pages valid, and their data readable", async () => {
    for (const { text, path, isChecked } of pages) {
      if (!text.startsWith("<!DOCTYPE")) continue;
      dataOf(text);
      if (isChecked) expect(await problemsOf(text), path).toEqual([]);
    }
  });

  it("do not reorder the text around them", () => {
    for (const { text, path } of pages) expect(text, path).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  });
});

const ELEMENTS = new Set(
  `!doctype html head meta title link script body a header div b nav ul li main footer p fieldset legend label input h1 h2
  h3 search form button dl dt dd section aside ol article time span bdi figure figcaption svg rect path text circle pre
  code details summary select option datalist textarea br mark`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `lang charset name content rel href type title media property class id src dir datetime aria-label aria-current
  aria-hidden tabindex role action method value placeholder maxlength inputmode for checked selected required rows
  autocomplete list viewbox x y width height d cx cy r text-anchor html`.split(/\s+/),
);

/** What our links lead to: this board, the web, the board's own calendars, and a point on the map. */
const ADDRESSES = /^(\/(?!\/)|#|https?:\/\/|webcal:\/\/127\.0\.0\.1:\d+\/|geo:-?[\d.]+,-?[\d.]+$)/;

/** Elements, attributes and link targets that no page of ours has. Texts are escaped, so that every `<` begins a tag. */
function foreignMarkup(html: string): string[] {
  const found: string[] = [];
  for (const [tag, name = ""] of html.matchAll(/<\/?([^\s>/]*)[^>]*>?/g)) {
    if (!ELEMENTS.has(name.toLowerCase())) found.push(tag);
    for (const [, attribute = "", value = ""] of tag.matchAll(/\s([^\s=>"]+)(?:="([^"]*)")?/g)) {
      if (attribute !== "/" && !ATTRIBUTES.has(attribute.toLowerCase())) found.push(`${attribute} in ${tag}`);
      if (/^(href|src|action)$/.test(attribute) && !ADDRESSES.test(value)) found.push(tag);
    }
  }
  return found;
}
