import { raw as rawHtml, html as template } from "hono/html";
import { parseUrl } from "../../../platform/parse-url.ts";
import { shellJson, unicodeEscaped } from "../../text/untrusted.ts";

/**
 * Such HTML is ready to send. Only the template below makes it, from literals and escaped values: third-party text cannot
 * become markup on its way through.
 */
export type Html = ReturnType<typeof rawHtml>;

/** `${…}` takes these. Strings are escaped; null, undefined and false print nothing. */
export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

/** Makes every page. Attribute values must be quoted: it escapes `& < > " '`, not spaces. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  // No piece is a promise, so neither is the result.
  return template(strings, ...pieces) as Html;
}

/** Takes markup of this program itself: style, script, inert JSON. It is never third-party text. */
export const trusted = (markup: string): Html => rawHtml(markup);

/**
 * These characters change how their neighbours are read, or carry unseen letters: direction overrides and isolates,
 * interlinear marks, tag characters outside a flag. Joiners and marks that spelling needs stay.
 */
const DISGUISES =
  /(\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{1,6}\u{E007F})|[\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Gives third-party text as people see it, still unescaped. */
export function shownText(text: string): string {
  return text.toWellFormed().replace(DISGUISES, "$1");
}

const GRAPHEMES = new Intl.Segmenter();

/** Shows third-party text as one line of at most `chars` UTF-16 units, for attributes and cards. */
export function oneLine(text: string, chars: number): string {
  const line = shownText(text).replace(/\s+/g, " ").trim();
  if (line.length <= chars) return line;
  // It cuts between two characters as readers see them: flags and families are several.
  const cut = line.slice(0, GRAPHEMES.segment(line.slice(0, 2 * chars)).containing(chars - 1)?.index);
  const blank = cut.lastIndexOf(" ");
  return `${cut.slice(0, blank > chars * 0.7 ? blank : undefined).trimEnd()}…`;
}

/**
 * Shows a line of third-party text inside a line of ours, isolated so that its direction does not reorder ours. Where it
 * fills an element, `dir="auto"` on the element does as much; that attribute does not look into a `bdi`.
 */
export const bdi = (text: string): Html => html`<bdi>${shownText(text)}</bdi>`;

/** Writes a sentence of ours: names between backticks become code. */
export function sentence(text: string, shown: (part: string) => Piece = (part) => part): Html {
  const parts = shownText(text).split("`");
  const isCode = (i: number) => i % 2 === 1 && i < parts.length - 1;
  return html`${parts.map((part, i) => (isCode(i) ? html`<code>${shown(part)}</code>` : shown(part)))}`;
}

/** Gives a web address as an href; null unless http or https, since no template blocks `javascript:`. */
export function safeHref(url: string | null): string | null {
  const parsed = url === null ? null : parseUrl(url);
  return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed.href : null;
}

/** Links to a third-party address; gives only the text where the address is unusable. */
export function outLink(url: string | null, text: string): Html {
  const href = safeHref(url);
  return href === null
    ? bdi(text)
    : html`<a href="${href}" rel="nofollow ugc noopener noreferrer">${bdi(text)}</a>`;
}

/** Gives the host of a web address without `www.`; any other text stays whole. */
export function shortHost(url: string): string {
  return parseUrl(url)?.host.replace(/^www\./, "") ?? url;
}

/** No address goes on behind a quotation mark, or the punctuation of scripts without blanks. */
const ADDRESS = /https?:\/\/[^\s<>"'`“”„«»‹›。、，；：！？「」『』（）【】…]+/giu;
/** Trailing punctuation belongs to the sentence, not to the address, and so do the signs of Markdown around it. */
const BEHIND = /[.,;:!?*_~|’‘—–\]}]$/u;

/** Cuts what follows an address in a text; it keeps a bracket that it opened: `Foo_(bar)`. */
function trimmedAddress(text: string): string {
  const opened = text.split("(").length;
  let closed = text.split(")").length;
  let end = text.length;
  for (; end > 0; end -= 1) {
    const isExtra = text[end - 1] === ")" && closed > opened;
    if (isExtra) closed -= 1;
    else if (!BEHIND.test(text.slice(end - 1, end))) break;
  }
  return text.slice(0, end);
}
const LINKS_MAX = 30;

/**
 * Shows third-party text of several lines. Line breaks show (`white-space: pre-line`), and the first thirty web addresses
 * become links that search engines do not count.
 */
export function bodyText(text: string): Html {
  const shown = shownText(text);
  const pieces: Piece[] = [];
  let end = 0;
  let links = 0;
  for (const match of shown.matchAll(ADDRESS)) {
    if (links === LINKS_MAX) break;
    const address = trimmedAddress(match[0]);
    const href = safeHref(address);
    if (href === null) continue;
    links += 1;
    pieces.push(
      shown.slice(end, match.index),
      html`<a href="${href}" rel="nofollow ugc noopener noreferrer">${address}</a>`,
    );
    end = match.index + address.length;
  }
  return html`<div class="prose" dir="auto">${pieces}${shown.slice(end)}</div>`;
}

/** Puts data inside a script element: escapes `<`, which could end it, line ends of JavaScript, and direction controls. */
export function jsonScript(data: unknown): Html {
  const text = JSON.stringify(data).replace(/[<>&\u2028-\u202E\u2066-\u2069]/g, unicodeEscaped);
  return html`<script type="application/ld+json">${trusted(text)}</script>`;
}

/** Writes a path of this site with its parameters, without empty ones. */
export function href(path: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const kept = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}

/** Shows a text to copy by hand; the script adds a button. */
export function copyBox(label: string, text: string | Html): Html {
  // Scrolling boxes must be reachable by keyboard.
  return html`<pre class="copy" tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`;
}

/** Shows a command by which an agent with a key sends JSON, in a box to copy. */
export const postCommand = (label: string, url: string, input: object): Html =>
  copyBox(
    label,
    `curl -X POST ${url} \\
  -H "Authorization: Bearer $BOARD_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${shellJson(input)}`,
  );
