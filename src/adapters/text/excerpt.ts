import { parseQueryText } from "../../search/text/query-text.ts";
import { OTHER_SPELLINGS } from "../../search/text/tokens.ts";
import { visibleLine } from "./untrusted.ts";

/** An excerpt has this size in UTF-8: letters outside ASCII take more bytes, and mostly more room. */
const EXCERPT_BYTES = 240;
/** An excerpt has at least this many characters, also where each takes several bytes. */
const CHARS_MIN = 180;
/** This many characters stand before the first hit of an excerpt. */
const LEAD_CHARS = 60;
/** At most this many hits are looked at: a long text may repeat one word. */
const HITS_MAX = 200;

/** Gives the words of a search, cut short so that other forms of a word match too. */
export function soughtWords(q: string | undefined): string[] {
  if (q === undefined || q === "") return [];
  const { any, phrases } = parseQueryText(q);
  const stems = [...any, ...phrases.flat()].map((word) => {
    const plain = foldedTo(word);
    return plain.length > 5 ? plain.slice(0, -2) : plain;
  });
  return [...new Set(stems)].slice(0, 32);
}

/**
 * Cuts out the part of a text with most of the sought words, or else its beginning, as one line of some 160 to 240
 * characters, as many as 240 bytes hold.
 */
export function excerptOf(body: string, sought: readonly string[]): string {
  const text = visibleLine(body);
  const fitting = Math.floor((EXCERPT_BYTES * text.length) / Math.max(1, Buffer.byteLength(text)));
  const chars = Math.max(CHARS_MIN, fitting);
  if (text.length <= chars) return text;
  const room = chars - 2;
  const hits = hitsOf(foldedTo(text), sought);
  let start = 0;
  let most = 0;
  for (const { at } of hits) {
    const from = Math.max(0, Math.min(at - LEAD_CHARS, text.length - room));
    const within = hits.filter((hit) => hit.at >= from && hit.at < from + room);
    const words = new Set(within.map((hit) => hit.word)).size;
    if (words > most) [start, most] = [from, words];
  }
  return cutOut(text, start, start + room);
}

/**
 * Finds sought words in a text, as `[start, end)` from left to right without overlap. In scripts with blanks, a
 * hit extends to the end of its word.
 */
export function hitRanges(text: string, sought: readonly string[]): [number, number][] {
  const folded = foldedTo(text);
  const ranges: [number, number][] = [];
  for (const { at, word } of hitsOf(folded, sought).sort((a, b) => a.at - b.at)) {
    let end = at + word.length;
    if (SPACED_LETTER.test(word.charAt(0))) while (SPACED_LETTER.test(folded.charAt(end))) end += 1;
    if (at >= (ranges.at(-1)?.[1] ?? 0)) ranges.push([at, end]);
  }
  return ranges;
}

interface Hit {
  at: number;
  word: string;
}

const SPACED_LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;

function hitsOf(folded: string, sought: readonly string[]): Hit[] {
  const hits: Hit[] = [];
  for (const word of sought) {
    const startsWord = SPACED_LETTER.test(word.charAt(0));
    for (
      let at = folded.indexOf(word);
      at !== -1 && hits.length < HITS_MAX;
      at = folded.indexOf(word, at + 1)
    ) {
      if (!startsWord || !SPACED_LETTER.test(folded.charAt(at - 1))) hits.push({ at, word });
    }
  }
  return hits;
}

/** Writes lower case without diacritics. The length stays, and with it all positions: `straße` does not become `strasse`. */
const foldedTo = (text: string): string => text.replace(/[A-Z\u0080-\uFFFF]/g, foldedUnit);

/** Each unit folds to this, made once: an answer may fold a hundred bodies of 8,000 units. */
const FOLDED = new Map<string, string>();

function foldedUnit(unit: string): string {
  const known = FOLDED.get(unit);
  if (known !== undefined) return known;
  const plain = unit.normalize("NFD").charAt(0);
  const lower = plain.toLowerCase();
  const spelled = OTHER_SPELLINGS[lower] ?? lower;
  const folded = spelled.length === 1 ? spelled : plain;
  FOLDED.set(unit, folded);
  return folded;
}

/** Cuts out the text between two positions, moved to a nearby blank; never cuts what people see as one character. */
function cutOut(text: string, from: number, to: number): string {
  let start = from;
  let end = Math.min(to, text.length);
  if (start > 0) {
    const blank = text.indexOf(" ", start);
    if (blank !== -1 && blank - start < 20) start = blank + 1;
    else start = graphemeStart(text, start);
  }
  if (end < text.length) {
    const blank = text.lastIndexOf(" ", end);
    if (end - blank < 20) end = blank;
    else end = graphemeStart(text, end);
  }
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** No character that people see as one has nearly as many. */
const GRAPHEME_UNITS = 64;

/** Finds the start of the character that holds this position. */
function graphemeStart(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const from = Math.max(0, at - GRAPHEME_UNITS);
  const start = /[\uDC00-\uDFFF]/.test(text.charAt(from)) ? from + 1 : from;
  const found = graphemes.segment(text.slice(start, at + GRAPHEME_UNITS)).containing(at - start);
  return found === undefined ? at : start + found.index;
}
