import { z } from "zod";

/** Matches C0 and C1 controls except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this expression is for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Thirty are more than any language puts on one letter (UAX #15, Stream-Safe Text Format). */
const PILED_MARKS = /(\p{M}{30})\p{M}+/gu;

/** Gives text of several lines as the board keeps it: NFC, LF line ends, no control characters, no piles of marks, trimmed. */
export function cleanMultiline(sent: string): string {
  return withoutPiles(sent.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n").replace(CONTROLS, ""))
    .normalize("NFC")
    .trim();
}

/** Gives text of one line as the board keeps it: like `cleanMultiline`, with every run of line breaks and tabs as one space. */
export function cleanLine(sent: string): string {
  return cleanMultiline(sent).replace(/[\n\t]+/g, " ");
}

/** Keeps at most thirty marks in a row. */
export const withoutPiles = (text: string) => text.replace(PILED_MARKS, "$1");

/**
 * Puts a blank for each Arabic phrase that is one character. Its compatibility form has up to 18 letters, so a short text
 * of them would become an expensive one.
 */
export const withoutLigatures = (text: string) => text.replace(/[\uFDF0-\uFDFD]/g, " ");

/** Counts Unicode code points, as every limit of the board does. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Takes a string of one line, 1 to `max` code points after cleaning. */
export const line = (max: number) => bounded(max, cleanLine, 1);

/** Takes a string of several lines, 1 to `max` code points after cleaning. */
export const multiline = (max: number) => bounded(max, cleanMultiline, 1);

/** The text may be empty after cleaning, unlike that of `line`. */
export const optionalLine = (max: number) => bounded(max, cleanLine, 0);

/** The text may be empty after cleaning, unlike that of `multiline`. */
export const optionalMultiline = (max: number) => bounded(max, cleanMultiline, 0);

/** Matches blanks, and characters that draw nothing: a title of them would be a line without anything to read or to click. */
const BLANK = /^[\p{Default_Ignorable_Code_Point}\p{Z}\p{C}\u2800]*$/u;

function bounded(max: number, clean: (sent: string) => string, min: 0 | 1) {
  return z
    .string()
    .refine((sent) => sent.isWellFormed(), {
      params: { code: "lone_surrogate" },
      error: "Contains half of a surrogate pair; send well-formed Unicode.",
      abort: true,
    })
    .refine((sent) => codePoints(clean(sent)) <= max, {
      params: { code: "too_big" },
      error: ({ input }) => `Has ${codePoints(clean(String(input)))} characters; at most ${max} are allowed.`,
    })
    .refine((sent) => min === 0 || !BLANK.test(sent), {
      params: { code: "too_small" },
      error: "Must not be empty.",
    })
    .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max });
}

/** A model reads these words of a post, and saved queries look for words in them. */
export interface PostParts {
  title: string;
  body: string;
  tags: readonly string[];
  placeName: string | null;
}

/** Writes a count and its noun: `1 post`, `2 posts`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
