import { NATION_FLAG } from "../../domain/flags/hidden-unicode.ts";

/**
 * Third-party text goes into a model here. Strangers write the posts, and models trust what the board prints around them:
 * so nothing in a post may be invisible, or look like the frame.
 *
 * A line becomes a JSON string, and every line of a longer text gets `> ` in front: neither has an end that text could
 * forge. Some hosts show the answer as Markdown: nothing in a post may make them load an address by itself.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: vertical tabs and form feeds break lines for some readers
const LINE_BREAKS = /\r\n?|[\u000B\u000C\u0085\u2028\u2029]/g;

/**
 * A model sees these characters and a person does not: controls, bidi overrides, zero-width and tag characters, variation
 * selectors, fillers. The number signs of Arabic and Kaithi are format characters, but visible.
 */
const HIDDEN =
  /[[\p{Cc}\p{Cf}\p{DI}\u2800]--[\t\n\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]]/v;
/**
 * Joiners and selectors stay inside emoji, which are recognised by the properties of their parts: the runtime's own list
 * (`\p{RGI_Emoji}`) takes ten milliseconds for a body of joined pictures, and an answer may show a hundred bodies. No
 * emoji joins more than four.
 */
const PICTURE = /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?/v.source;
const EMOJI = [NATION_FLAG.source, `${PICTURE}(?:\\u200D${PICTURE}){0,3}`, "[0-9#*]\\uFE0F\\u20E3"].join("|");
const HIDDEN_OR_BREAK = new RegExp(`${HIDDEN.source}|[\\u2028\\u2029]`, "gv");
const HIDDEN_OR_EMOJI = new RegExp(`(${EMOJI})|${HIDDEN.source}`, "gv");

/** Markdown, and the HTML in it, shows by itself what lies elsewhere where one of these stands; a link waits for a click. */
const SHOWN_FROM_ELSEWHERE =
  /!(?=\[)|<(?=(?:img|image|picture|source|video|audio|track|i?frame|object|embed|svg|link|style|script|input|body|table|t[dh]|base|meta)\b)/gi;

/** Makes a text visible, with LF between lines. A backslash keeps images from being shown, also inside of a JSON string. */
export function visible(text: string): string {
  const lines = text.toWellFormed().replace(LINE_BREAKS, "\n").replace(SHOWN_FROM_ELSEWHERE, "$&\\");
  return HIDDEN.test(lines) ? lines.replace(HIDDEN_OR_EMOJI, "$1") : lines;
}

/** Makes a text visible as one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, " ").trim();
}

/** Puts a line of third-party text inside the board's own: a JSON string cannot end early. */
export function quotedLine(text: string): string {
  return JSON.stringify(visibleLine(text));
}

/** Puts `> ` before each line of third-party text. */
export function quotedBlock(text: string, indent = ""): string {
  return visible(text)
    .trim()
    .split("\n")
    .map((line) => `${indent}> ${line.trimEnd()}`)
    .join("\n");
}

/** A value of this form needs no quotes: an id, a number, a date, a URL, a plain word. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_.:/@+=?&%~#-]*$/u;

/** Writes a plain word as it is, any other text as a JSON string. */
export function wordOrQuoted(text: string): string {
  const line = visibleLine(text);
  return PLAIN.test(line) ? line : JSON.stringify(line);
}

/** Gives a JSON value with all strings and keys visible, and no null members. */
export function visibleValue(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(visibleValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([key, member]) => [visible(key), visibleValue(member)]),
  );
}

/** Writes a value as one line of JSON. Invisible characters are escaped rather than removed: it parses to the same value. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN_OR_BREAK, unicodeEscaped);
}

/** Writes each UTF-16 unit as JSON and JavaScript escape it. */
export const unicodeEscaped = (text: string): string =>
  text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Writes a JSON value in single quotes for a shell. Nothing in it can leave the quotes, hide, or reorder what the reader
 * sees: the value may come from an address that a stranger made.
 */
export function shellJson(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /['\u007F-\u009F\u00AD\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F]/g,
    unicodeEscaped,
  );
  return `'${text}'`;
}
