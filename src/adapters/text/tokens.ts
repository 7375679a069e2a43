import { MANY, MOST, SINGLE, SOME } from "./letter-pairs.ts";

/**
 * What a text costs a model, without its vocabulary of some megabytes. A letter that often follows the one before it
 * within tokens is nearly free; an unusual one begins a token, or several. Natural text of any language is estimated
 * within some thirty percent; `test/mcp/list-budget.test.ts` measures it.
 */

/** Tokens for a letter, by how many tokens of the vocabulary hold it together with the letter before it. */
const AFTER = { none: 1.4, some: 0.6, many: 0.38, most: 0.16 } as const;
/** The same outside ASCII, where fewer tokens share the letters of a language. */
const AFTER_BEYOND_ASCII = { none: 0.9, some: 0.3, many: 0.2, most: 0.12 } as const;
const FIRST_LETTER = 0.5;
/** After a digit or a sign, or a capital after a small letter. */
const LETTER_IN_CODE = 1;
const BLANK = 0.3;
const DIGIT = 0.6;
const SIGN = 1;
/** No token is a longer word: repeated syllables gain nothing from their usual pairs. */
const WORD_LETTERS = 12;
const LATE_LETTER = 0.5;

const single = new Set(SINGLE);
const pairs = new Map([...pairsIn(SOME, "some"), ...pairsIn(MANY, "many"), ...pairsIn(MOST, "most")]);

function pairsIn(groups: string, grade: "some" | "many" | "most"): [string, typeof grade][] {
  return groups.split(" ").flatMap((group) => {
    const [first = "", ...seconds] = group;
    return seconds.map((second): [string, typeof grade] => [first + second, grade]);
  });
}

/** About how many tokens a text takes. */
export function estimatedTokens(text: string): number {
  return walk(text, Number.POSITIVE_INFINITY).tokens;
}

/**
 * The beginning of a text that takes at most `tokens`, cut between characters as people see them, at a blank where one is
 * near. `…` marks the cut.
 */
export function cutToTokens(text: string, tokens: number): string {
  const { end } = walk(text, tokens);
  if (end === text.length) return text;
  const room = walk(text, Math.max(0, tokens - ELLIPSIS_TOKENS)).end;
  const before = graphemeStart(text, room);
  const blank = text.lastIndexOf(" ", before);
  return `${text.slice(0, blank > 0 && before - blank < 20 ? blank : before).trimEnd()}…`;
}

const ELLIPSIS_TOKENS = 1;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Far more than any character that people see as one. */
const GRAPHEME_UNITS = 64;

/** The start of the character that holds this position. */
export function graphemeStart(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const from = Math.max(0, at - GRAPHEME_UNITS);
  const start = /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
  const found = graphemes.segment(text.slice(start, at + GRAPHEME_UNITS)).containing(at - start);
  return found === undefined ? at : start + found.index;
}

/** Adds up tokens until the next character would be one too many. `end` is in UTF-16 units. */
function walk(text: string, most: number): { tokens: number; end: number } {
  let tokens = 0;
  let end = 0;
  let before = "";
  let letters = 0;
  let isWordStart = true;
  let isLower = false;
  for (const char of text) {
    const small = char.toLowerCase();
    const isLetter = LETTER.test(small);
    letters = isLetter ? letters + 1 : 0;
    const price = !isLetter
      ? signTokens(char)
      : before === ""
        ? firstLetterTokens(small, isWordStart)
        : char !== small && isLower
          ? LETTER_IN_CODE
          : letterTokens(small, before, letters);
    if (tokens + price > most) break;
    tokens += price;
    end += char.length;
    before = isLetter ? small : "";
    isWordStart = char === " ";
    isLower = isLetter && char === small;
  }
  return { tokens, end };
}

const LETTER = /[\p{L}\p{M}]/u;

/** A blank is part of the token of its word. */
function firstLetterTokens(letter: string, isWordStart: boolean): number {
  if (letter > "\u007F" && !single.has(letter)) return utf8Length(letter);
  return isWordStart ? FIRST_LETTER : LETTER_IN_CODE;
}

function letterTokens(letter: string, before: string, letters: number): number {
  const isAscii = letter <= "\u007F";
  if (!isAscii && !single.has(letter)) {
    const grade = pairs.get(before + letter);
    return grade === undefined ? utf8Length(letter) : AFTER_BEYOND_ASCII[grade];
  }
  const grade = pairs.get(before + letter) ?? "none";
  const price = (isAscii ? AFTER : AFTER_BEYOND_ASCII)[grade];
  return isAscii && letters > WORD_LETTERS ? Math.max(LATE_LETTER, price) : price;
}

function signTokens(char: string): number {
  if (char === " ") return BLANK;
  if (char >= "0" && char <= "9") return DIGIT;
  if (char <= "\u007F") return SIGN;
  return single.has(char) ? 0.8 : Math.max(1, utf8Length(char) - 1);
}

const utf8Length = (char: string) => {
  const code = char.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
};
