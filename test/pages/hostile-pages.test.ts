import { beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { call } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";
import { dataOf, getPage, problemsOf } from "../support/texts/html.ts";
import { HOSTILE_TEXTS } from "../support/texts/xss.ts";

describe("pages with hostile texts", () => {
  const pages: { text: string; path: string }[] = [];
  beforeAll(async () => {
    expect(HOSTILE_TEXTS.length).toBeGreaterThanOrEqual(60);
    const hostile = await startBoard();
    for (const text of HOSTILE_TEXTS) {
      const registered = await call(hostile, "POST /publishers", {
        name: text,
        description: text,
        url: `https://evil.example/?q=${encodeURIComponent(text)}#'"><b>`,
        accept_terms: true,
      });
      const { id, api_key: key } = registered.body.data;
      const fields = {
        title: text,
        body: `${text}\n${text} https://evil.example/${text}`,
        tags: [[...text].slice(0, 40).join("")],
        location: { name: text, lat: 52 + Math.random(), lng: 13 + Math.random() },
        metadata: { [text]: text, isEscaped: true },
        url: `https://evil.example/'"><b>${encodeURIComponent(text)}`,
        source_url: `https://evil.example/?'"><b>`,
        kind: "thread",
      };
      const post = await write(hostile, key, fields);
      await write(hostile, key, { ...fields, parent_id: post.id });
      const encoded = encodeURIComponent(text);
      for (const path of [
        `/p/${post.id}`,
        `/publishers/${id}`,
        `/search?q=${encoded}&tags=${encoded.slice(0, 40).replace(/%[^%]?$/, "")}`,
        `/search?q=${encoded}&near=${encoded}&sort=${encoded}&publisher=${encoded}&thread=${encoded}&${encoded}=1`,
        `/search?publisher=${encoded}&thread=${encoded}`,
        `/p/${encoded}`,
        `/${encoded}`,
      ]) {
        pages.push({ path, text: (await getPage(hostile, path)).text });
      }
    }
    for (const path of ["/", "/search", "/search?limit=100"]) {
      pages.push({ path, text: (await getPage(hostile, path)).text });
    }
    await hostile.stop();
  });

  it("add no element, attribute or address to ours", () => {
    for (const { text, path } of pages) expect(foreignMarkup(text), path).toEqual([]);
  });

  it("leave every page valid, and its data readable", async () => {
    for (const { text, path } of pages) {
      if (!text.startsWith("<!DOCTYPE")) continue;
      dataOf(text);
      expect(await problemsOf(text), path).toEqual([]);
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
