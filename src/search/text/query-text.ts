import type { WordQuery } from "../../schema/filter.ts";
import { type AskedBounds, askedBounds } from "./asked-bounds.ts";
import { withoutStopWords } from "./stop-words.ts";
import { joinedNumbers, respelt, wordsOf } from "./tokens.ts";

/** A search text asks by words for the index, and by a text for the embedding. */
export interface QueryText extends WordQuery {
  /** The embedding gets the text as a person would say it: no operators, nothing excluded. */
  plain: string;
  /** These phrases and exclusions go beyond what a query may have, as typed: nothing looks at them. */
  unread: readonly string[];
  /** Its words ask this of prices, and do not want that; these words are none of the others. */
  bounds: Pick<AskedBounds, "price" | "unwanted">;
}

/** One query may hold this many of each: each costs about as much as a plain query. Equal ones count once. */
export const PHRASES_MAX = 4;
export const EXCLUDED_MAX = 8;
/** A phrase is looked for by so many words at its beginning. */
const PHRASE_WORDS = 16;

/** Each word costs one posting list per query; 500 characters of prose hold fewer than these. */
const MAX_WORDS = 64;
/** Phones and editors make these of a hyphen, before a word or a phrase. */
const DASH = /(^|\s)[\u2010-\u2013\u2212](?=[\p{L}"“])/gu;
/** Callers may send a tenth of it; of a longer text only the beginning counts. */
const MAX_CHARS = 5000;

/**
 * Parses the `q` of a search: words, `"quoted phrases"`, `-excluded` words and `-"excluded phrases"`. Every input has a
 * meaning: a quote that is not closed is a blank, and so is one in the middle of a word (5" nails); a hyphen excludes
 * only at the start of a word (e-mail is e and mail).
 */
export function parseQueryText(q: string): QueryText {
  const any: string[] = [];
  const others: string[] = [];
  const phrases: string[][] = [];
  const excluded: string[][] = [];
  const plain: string[] = [];
  const unread: string[] = [];
  const add = (list: string[][], words: readonly string[], most: number, text: string) => {
    const phrase = words.slice(0, PHRASE_WORDS);
    if (list.some((other) => other.join(" ") === phrase.join(" "))) return;
    if (list.length < most) list.push(phrase);
    else unread.push(text);
  };
  const { rest, subject, ...bounds } = askedBounds(q.slice(0, MAX_CHARS).replace(DASH, "$1-"));
  for (const { text, negated, before } of partsOf(joinedNumbers(subject)))
    plain.push(before, negated ? " " : text);
  for (const { text, quoted, negated } of partsOf(joinedNumbers(rest))) {
    const words = wordsOf(text);
    if (words.length === 0) continue;
    const otherWords = wordsOf(respelt(text.replace(/^-+/, "")));
    if (negated) {
      add(excluded, words, EXCLUDED_MAX, text);
      if (otherWords.join(" ") !== words.join(" ")) add(excluded, otherWords, EXCLUDED_MAX, text);
    } else if (quoted) add(phrases, words, PHRASES_MAX, text);
    else {
      any.push(...words);
      others.push(...otherWords);
    }
  }
  const content = withoutStopWords(any);
  // With a phrase, a lone "the" beside it would only add noise.
  const kept = content.length > 0 || phrases.length > 0 ? content : any;
  const asked = kept.length > 0 || phrases.length > 0;
  const isRespelt = others.join(" ") !== any.join(" ");
  return {
    any: kept.slice(0, MAX_WORDS),
    respelt: isRespelt ? withoutStopWords(others).slice(0, MAX_WORDS) : [],
    phrases,
    excluded,
    unread,
    bounds,
    plain: asked ? plain.join("").replace(/\s+/g, " ").trim() : "",
  };
}

/** True of a query that asks for nothing but the absence of words: every other post answers it. */
export const onlyExcludes = ({ any, phrases, excluded }: WordQuery): boolean =>
  any.length === 0 && phrases.length === 0 && excluded.length > 0;

/** Tells where a word of a text stands. */
export interface PlacedWord {
  word: string;
  start: number;
}

/**
 * Finds words that may be slips of the keyboard, as typed: letters of the Latin script only, neither quoted nor excluded,
 * no part of an address or a code, and no name: in capitals, or short with a capital within the text.
 */
export function doubtfulWords(q: string): PlacedWord[] {
  const words: PlacedWord[] = [];
  for (const { text, quoted, negated, start } of partsOf(q)) {
    if (quoted || negated || /[\p{N}@/\\_#]|\w[.:]\w/u.test(text)) continue;
    for (const match of text.matchAll(/[\p{L}\p{M}]+/gu)) {
      const [word] = match;
      const at = start + match.index;
      if (/^\p{Script=Latin}+$/u.test(word) && !isName(word, at)) words.push({ word, start: at });
    }
  }
  return words;
}

/** A name as long as this has few neighbours. */
const NAME_MIN = 8;

function isName(word: string, start: number): boolean {
  if (word === word.toLowerCase()) return false;
  return word === word.toUpperCase() || (start > 0 && word.length < NAME_MIN);
}

interface Part {
  text: string;
  start: number;
  quoted: boolean;
  negated: boolean;
  /** This text stands between the previous part and this one, without quotes. */
  before: string;
}

/** Matches a quoted phrase at the start of a word, or a run without blanks, brackets and commas. */
const PART = /(?<![^\s"()[\]{},;])(?<sign>-*)"(?<phrase>[^"]*)"|(?<run>[^\s"()[\]{},;]+)/gu;

function* partsOf(q: string): Generator<Part> {
  const straight = q.slice(0, MAX_CHARS).replace(/[“”„‟«»＂]/gu, '"');
  let end = 0;
  for (const match of straight.matchAll(PART)) {
    const before = straight.slice(end, match.index).replaceAll('"', " ");
    end = match.index + match[0].length;
    const { sign, phrase, run } = match.groups ?? {};
    if (phrase !== undefined)
      yield { text: phrase, start: match.index, quoted: true, negated: sign !== "", before };
    else if (run !== undefined) {
      const starts = match.index === 0 || /[\s([{]/.test(straight[match.index - 1] ?? "");
      yield { text: run, start: match.index, quoted: false, negated: starts && run.startsWith("-"), before };
    }
  }
}
