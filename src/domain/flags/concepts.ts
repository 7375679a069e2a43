import { folded } from "./fold.ts";
import { LEXICON } from "./words/index.ts";
import type { Concept } from "./words/words.ts";

/** A word or phrase of the lexicon in a text. Offsets are UTF-16 units of the folded text; sentences count from 0. */
export interface Hit {
  concept: Concept;
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
  let sentence = 0;
  for (let start = 0; start < text.length; start += 1) {
    const char = text.charAt(start);
    if (endsSentence(text, start)) sentence += 1;
    const child = ROOT.next.get(char);
    if (child === undefined) continue;
    if (kindOf(text, start) === SPACED && isInWord(text, start - 1)) continue;
    collectAt(text, start, child, sentence, hits);
  }
  return hits;
}

function collectAt(text: string, start: number, first: Node, sentence: number, hits: Hit[]): void {
  const from = hits.length;
  let node: Node | undefined = first;
  for (let end = start + 1; node !== undefined; end += 1) {
    if (node.entries.length > 0) {
      const whole = kindOf(text, end - 1) !== SPACED || !isInWord(text, end);
      for (const { concept, language, prefix } of node.entries) {
        if (!whole && !prefix) continue;
        let at = from;
        while (at < hits.length && !(hits[at]?.concept === concept && hits[at]?.language === language))
          at += 1;
        hits[at] = { concept, language, start, end, sentence };
      }
    }
    node = end < text.length ? node.next.get(text.charAt(end)) : undefined;
  }
}

function endsSentence(text: string, at: number): boolean {
  const char = text.charAt(at);
  if ("!?。！？।\n".includes(char)) return true;
  // A full stop ends a sentence before a blank; inside names and numbers it does not.
  return char === "." && /^(?:\s|['"”»)]|$)/.test(text.slice(at + 1, at + 2));
}

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

const isInWord = (text: string, at: number) => at >= 0 && at < text.length && kindOf(text, at) !== APART;

/** A bit for each concept, so that one comparison tells whether several occur. */
export const bitOf = (concept: Concept) => BITS.get(concept) ?? 0;

const BITS = new Map<Concept, number>();

interface Node {
  next: Map<string, Node>;
  entries: { concept: Concept; language: string; prefix: boolean }[];
}

const ROOT = treeOf();

function treeOf(): Node {
  const root: Node = { next: new Map(), entries: [] };
  for (const [language, concepts] of Object.entries(LEXICON)) {
    for (const [concept, words] of Object.entries(concepts)) {
      if (!BITS.has(concept as Concept)) BITS.set(concept as Concept, 1 << BITS.size);
      for (const word of words.split("|")) {
        const prefix = word.endsWith("*");
        const node = nodeOf(root, folded(prefix ? word.slice(0, -1) : word));
        node.entries.push({ concept: concept as Concept, language, prefix });
      }
    }
  }
  return root;
}

function nodeOf(root: Node, word: string): Node {
  let node = root;
  for (let at = 0; at < word.length; at += 1) {
    const char = word.charAt(at);
    const child = node.next.get(char) ?? { next: new Map(), entries: [] };
    node.next.set(char, child);
    node = child;
  }
  return node;
}
