import { convert } from "html-to-text";

/** This many characters of a text are read, and its elements may be nested this deep. */
const MARKUP_CHARS_MAX = 1 << 16;
const MARKUP_DEPTH_MAX = 50;

/** These elements begin a new line. */
const BLOCKS =
  "address|article|aside|blockquote|br|center|dd|div|dl|dt|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|ol|p|pre|section|table|tbody|td|th|thead|tr|ul";
const ELEMENTS = `${BLOCKS}|a|abbr|b|big|body|button|cite|code|details|em|embed|font|head|html|i|iframe|img|input|ins|del|kbd|label|link|mark|meta|object|picture|q|s|script|small|source|span|strike|strong|style|sub|summary|sup|svg|time|title|tt|u|var|video|audio`;
/** Matches a tag of HTML. Other words between angle brackets are text, such as `Vec<String>` or `<anna@example.org>`. */
const TAG = new RegExp(`</?(?:${ELEMENTS})(?=[\\s/>])[^<>]*>`, "i");
const BLOCK = new RegExp(`</?(?:${BLOCKS})(?=[\\s/>])`, "i");
const NO_TAG = new RegExp(`<(?!/?(?:${ELEMENTS})(?=[\\s/>])|!--)`, "gi");
/** These show HTML in a plain text: nobody closes an element in a sentence. */
const CLOSED_TAG = new RegExp(`<br\\s*/?>|</(?:${ELEMENTS})>`, "i");
const ENTITY = /&(#\d+|#x[\da-f]+|[a-z][a-z\d]*);/i;

/**
 * Gives the text without its markup. A text without markup keeps its lines.
 * @param isPlain  the format knows no markup. Many calendars put HTML there all the same; it is read as HTML where it closes an
 *   element
 */
export function plainText(text: string, isPlain = false): string {
  const read = text.slice(0, MARKUP_CHARS_MAX);
  const isHtml = (isPlain ? CLOSED_TAG : TAG).test(read);
  if (!isHtml && !ENTITY.test(read)) return read.trim();
  const escaped = read.replace(isHtml ? NO_TAG : /</g, "&lt;");
  const lines = BLOCK.test(escaped) ? escaped : escaped.replace(/\r?\n/g, "<br>");
  const html = lines.replace(/<\/t[dh]>/gi, " $&");
  const options = {
    wordwrap: false as const,
    selectors: [
      {
        selector: "a",
        options: {
          linkBrackets: ["(", ")"] as [string, string],
          hideLinkHrefIfSameAsText: true,
          pathRewrite: (href: string) => (/^https?:|^[^\s:/]+@/i.test(href) ? href : ""),
        },
      },
      { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: "img", format: "skip" },
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
    ],
    limits: { maxDepth: MARKUP_DEPTH_MAX },
  };
  return convert(html, options).trim();
}

/** Finds the first web address that a link in a text with markup has, or null. */
export const linkInText = (text: string): string | null =>
  /<a\s[^<>]*?\bhref\s*=\s*["']?(https?:\/\/[^"'\s<>]+)/i
    .exec(text.slice(0, MARKUP_CHARS_MAX))?.[1]
    ?.replaceAll("&amp;", "&") ?? null;

/** Escapes a text so that `plainText` gives it back unchanged. */
export const asMarkup = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const GRAPHEMES = new Intl.Segmenter();

/**
 * Cuts a text behind its beginning, with `…` where it is cut, between two characters. Only the character at the cut is
 * looked for: to walk over all of them takes longer than to read the markup.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = GRAPHEMES.segment(text.slice(0, 2 * most)).containing(most - 1)?.index ?? 0;
  return `${text.slice(0, start).trimEnd()}…`;
}
