import { folded } from "./fold.ts";
import { LetterTree } from "./letter-tree.ts";
import { ANY, LEXICON } from "./words/index.ts";
import type { Concept } from "./words/words.ts";

/** A word or phrase of the lexicon in a text. Offsets are UTF-16 units of the folded text; sentences count from 0. */
export interface Hit {
  concept: Concept;
  mask: Mask;
  language: string;
  start: number;
  end: number;
  sentence: number;
}

/**
 * Finds the words of the lexicon in a folded text, by walking a tree of letters from every word's start. Time is at
 * most the text's length times the longest phrase, whatever the text says.
 *
 * @returns hits in the order of their start; of several with the same concept, language and start, only the longest
 */
export function conceptsIn(text: string): Hit[] {
  const hits: Hit[] = [];
  const tree = treeOf();
  let sentence = 0;
  let before = APART;
  for (let start = 0; start < text.length; start += 1) {
    const kind = kindOf(text, start);
    const inside = kind === SPACED && before === SPACED;
    before = kind;
    if (inside) continue;
    if (kind === APART && endsSentence(text, start)) sentence += 1;
    if (tree.first(text.charCodeAt(start)) > 0) collectAt(text, start, tree, sentence, hits);
  }
  return hits;
}

function collectAt(
  text: string,
  start: number,
  tree: LetterTree<Entry>,
  sentence: number,
  hits: Hit[],
): void {
  const from = hits.length;
  let node = tree.first(text.charCodeAt(start));
  for (let end = start + 1; node > 0; end += 1) {
    const entries = tree.entriesAt(node);
    if (entries.length > 0) {
      const whole = kindOf(text, end - 1) !== SPACED || !isInWord(text, end);
      for (const { concept, mask, language, prefix } of entries) {
        if (!whole && !prefix) continue;
        let at = from;
        while (at < hits.length && !(hits[at]?.concept === concept && hits[at]?.language === language))
          at += 1;
        hits[at] = { concept, mask, language, start, end, sentence };
      }
    }
    node = end < text.length ? tree.next(node, text.charCodeAt(end)) : 0;
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

/** Kinds of characters. Scripts that put blanks between words are spaced; in others a word may start anywhere. */
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

/** One bit per concept, in two halves of 30, so that two comparisons tell whether several concepts occur. */
interface Mask {
  low: number;
  high: number;
}

const MASKS = new Map<Concept, Mask>();

/** The bit of a concept. */
export function maskOf(concept: Concept): Mask {
  const known = MASKS.get(concept);
  if (known !== undefined) return known;
  const at = MASKS.size;
  const mask = at < 30 ? { low: 1 << at, high: 0 } : { low: 0, high: 1 << (at - 30) };
  MASKS.set(concept, mask);
  return mask;
}

/** A word as the lexicon has it; a prefix also begins longer words. */
interface Entry {
  concept: Concept;
  mask: Mask;
  language: string;
  prefix: boolean;
}

/** Null before the first text: a program that flags nothing need not wait. */
let lexicon: LetterTree<Entry> | null = null;

function treeOf(): LetterTree<Entry> {
  if (lexicon !== null) return lexicon;
  const tree = new LetterTree<Entry>();
  for (const [language, concepts] of Object.entries(LEXICON)) {
    for (const [concept, words] of Object.entries(concepts)) {
      const mask = maskOf(concept as Concept);
      // Folding all words of a concept at once is cheaper than folding each.
      for (const word of folded(words.replaceAll("*", STAR)).split("|")) {
        const prefix = word.endsWith(STAR);
        const entry = { concept: concept as Concept, mask, language, prefix };
        tree.add(prefix ? word.slice(0, -1) : word, entry);
      }
    }
  }
  lexicon = tree;
  return tree;
}

/** Stands for the asterisk while words are folded, since folding takes asterisks for decoration. */
const STAR = "\uFDD0";
