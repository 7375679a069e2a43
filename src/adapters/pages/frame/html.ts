import { raw as rawHtml, html as template } from "hono/html";

/**
 * HTML that is ready to send. Only the template below makes it, from literals and from values that it escaped; so a
 * text of a third party cannot become markup by passing through here.
 */
export type Html = ReturnType<typeof rawHtml>;

/** What may stand in `${…}`. Strings are escaped; null, undefined and false leave nothing. */
export type Piece = Html | string | number | null | undefined | false | readonly Piece[];

/** The template of every page. Attribute values must be quoted: it escapes `& < > " '`, not spaces. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  // Pieces are never promises, so that the answer is none either.
  return template(strings, ...pieces) as Html;
}

/** Markup written by this program itself: style, script, JSON that was made inert. Never a text of anybody else. */
export const trusted = (markup: string): Html => rawHtml(markup);

/**
 * What changes how the characters around it are read, or carries letters nobody sees: direction overrides and
 * isolates, interlinear marks, tag characters outside of a flag. Joiners and marks that spelling needs stay.
 */
const DISGUISES =
  /(\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{1,6}\u{E007F})|[\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Third-party text as it is shown to people, still unescaped. Flags tell them when something was hidden in it. */
export function shownText(text: string): string {
  return text.toWellFormed().replace(DISGUISES, "$1");
}

/** Third-party text of any length as one line of at most `chars` UTF-16 units, for attributes and cards. */
export function oneLine(text: string, chars: number): string {
  const line = shownText(text).replace(/\s+/g, " ").trim();
  if (line.length <= chars) return line;
  const cut = line
    .slice(0, chars - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  const blank = cut.lastIndexOf(" ");
  return `${cut.slice(0, blank > chars * 0.7 ? blank : undefined).trimEnd()}…`;
}

/**
 * One line of third-party text inside a line of ours: isolated, so that its direction does not reorder ours. Where it is
 * all of an element, `dir="auto"` on that does as much, and does not look into a `bdi`.
 */
export const bdi = (text: string): Html => html`<bdi>${shownText(text)}</bdi>`;

/** A sentence of ours in which backticks mark names: `near` becomes code. Whatever it repeats is escaped. */
export function sentence(text: string): Html {
  const parts = shownText(text).split("`");
  return html`${parts.map((part, i) => (i % 2 === 1 && i < parts.length - 1 ? html`<code>${part}</code>` : part))}`;
}

/** A web address as an href, or null for anything but http and https: no template blocks `javascript:`. */
export function safeHref(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : null;
}

/** A link to a place that a third party named. Without a usable address the text stands alone. */
export function outLink(url: string | null, text: string): Html {
  const href = safeHref(url);
  return href === null
    ? bdi(text)
    : html`<a href="${href}" rel="nofollow ugc noopener noreferrer">${bdi(text)}</a>`;
}

/** Host of a web address as it is written, without `www.`; the whole text when it is no address. */
export function shortHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host.replace(/^www\./, "") : url;
}

/** Trailing punctuation belongs to the sentence, not to the address. */
const ADDRESS = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}…]/giu;
const LINKS_MAX = 30;

/**
 * Third-party text of several lines: nothing in it is markup, line breaks show (`white-space: pre-line`), and web
 * addresses become links that search engines do not count. After thirty links, addresses stay text.
 */
export function bodyText(text: string): Html {
  const shown = shownText(text);
  const pieces: Piece[] = [];
  let end = 0;
  let links = 0;
  for (const match of shown.matchAll(ADDRESS)) {
    if (links === LINKS_MAX) break;
    const href = safeHref(match[0]);
    if (href === null) continue;
    links += 1;
    pieces.push(
      shown.slice(end, match.index),
      html`<a href="${href}" rel="nofollow ugc noopener noreferrer">${match[0]}</a>`,
    );
    end = match.index + match[0].length;
  }
  return html`<div class="prose" dir="auto">${pieces}${shown.slice(end)}</div>`;
}

/** Data inside a script element: `<`, the line ends of JavaScript and direction controls are escaped, so that nothing ends the element. */
export function jsonScript(data: unknown): Html {
  const text = JSON.stringify(data).replace(
    /[<>&\u2028-\u202E\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return html`<script type="application/ld+json">${trusted(text)}</script>`;
}

/** A path of this site with parameters; empty ones are left out. */
export function href(path: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const kept = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
}
