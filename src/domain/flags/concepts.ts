import { ANY, type Concept, type Entry, KEY_LENGTH, lexiconOf, type Mask } from "./lexicon.ts";

/** A text has a word or phrase of the lexicon there. Offsets are UTF-16 units of the folded text; sentences count from 0. */
export interface Hit {
  concept: Concept;
  mask: Mask;
  language: string;
  start: number;
  end: number;
  sentence: number;
}

/**
 * Finds the words of the lexicon in a folded text, by comparing every word's start with the words that begin so.
 *
 * @returns hits in the order of their start; of several with the same concept, language and start, only the longest
 */
export function conceptsIn(text: string): Hit[] {
  const hits: Hit[] = [];
  const lexicon = lexiconOf();
  let sentence = 0;
  let before = APART;
  for (let start = 0; start < text.length; start += 1) {
    const kind = kindOf(text, start);
    const inside = kind === SPACED && before === SPACED;
    before = kind;
    if (inside) continue;
    if (kind === APART && endsSentence(text, start)) sentence += 1;
    if (text.charCodeAt(start) !== BLANK) collectAt(text, start, lexicon, sentence, hits);
  }
  return hits;
}

function collectAt(
  text: string,
  start: number,
  lexicon: ReadonlyMap<string, readonly Entry[]>,
  sentence: number,
  hits: Hit[],
): void {
  const from = hits.length;
  for (let length = 1; length <= KEY_LENGTH; length += 1) {
    for (const { word, concept, mask, language, prefix } of lexicon.get(text.slice(start, start + length)) ??
      []) {
      const end = start + word.length;
      if (!text.startsWith(word, start)) continue;
      if (!prefix && kindOf(text, end - 1) === SPACED && isInWord(text, end)) continue;
      let at = from;
      while (at < hits.length && !(hits[at]?.concept === concept && hits[at]?.language === language)) at += 1;
      hits[at] = { concept, mask, language, start, end, sentence };
    }
  }
  if (hits.length - from > 1) shareWithEnglish(hits, from);
}

/** A word that means the same in English and elsewhere becomes one word of any language: "ignore", "instructions". */
function shareWithEnglish(hits: Hit[], from: number): void {
  for (let at = from; at < hits.length; at += 1) {
    const english = hits[at];
    if (english?.language !== "en") continue;
    let shared = false;
    for (let other = hits.length - 1; other >= from; other -= 1) {
      const twin = hits[other];
      if (other === at || twin?.concept !== english.concept) continue;
      shared = true;
      english.end = Math.max(english.end, twin.end);
      hits.splice(other, 1);
      if (other < at) at -= 1;
    }
    if (shared) english.language = ANY;
  }
}

function endsSentence(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (ENDS.has(code)) return true;
  // A full stop ends a sentence before a blank; inside names and numbers it does not.
  return code === FULL_STOP && /^(?:\s|['"”»)]|$)/.test(text.slice(at + 1, at + 2));
}

const ENDS: ReadonlySet<number> = new Set(Array.from("!?。！？।\n", (char) => char.charCodeAt(0)));
const FULL_STOP = 0x2e;
const BLANK = 0x20;

/** These are the kinds of characters. Scripts that put blanks between words are spaced; in others a word may start anywhere. */
const [UNKNOWN, APART, UNSPACED, SPACED] = [0, 1, 2, 3];
const KINDS = new Uint8Array(0x10000);

function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (KINDS[code] === UNKNOWN) {
    const char = text.charAt(at);
    const spaced = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d]/u.test(char);
    KINDS[code] = spaced ? SPACED : /[\p{L}\p{M}\p{N}]/u.test(char) ? UNSPACED : APART;
  }
  return KINDS[code] ?? APART;
}

/** Scripts meet without a blank: "你的API" has a word of its own inside. */
const isInWord = (text: string, at: number) => at >= 0 && at < text.length && kindOf(text, at) === SPACED;
