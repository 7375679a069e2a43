import { LRUCache } from "lru-cache";
import { stemmer } from "stemmer";
import { compoundParts } from "../text/compounds.ts";
import { comparableWords, otherSpellings, WORD_LETTERS_MAX } from "../text/tokens.ts";

/** Cutting a word takes ten times as long as looking it up. */
const STEMS = new LRUCache<string, string>({ max: 50_000, memoMethod: (word) => stemmer(word) });

/** Cuts words as the search index compares them, separated by blanks: a standing query finds what the same search would. */
export const termsOf = (text: string): string => termsOfWords(comparableWords(text));

const termsOfWords = (words: readonly string[]): string =>
  words.map((word) => (word.length > WORD_LETTERS_MAX ? word : STEMS.memo(word))).join(" ");

/** Words and phrases are looked for in a post in this form. */
export interface Speech {
  /** Holds the terms of each text, a blank before and after, the texts on lines of their own. */
  spoken: string;
  single: ReadonlySet<string>;
  /** Holds parts of compounds: they are words of a query, but in no phrase, and exclude nothing. */
  parts: ReadonlySet<string>;
}

export function speechOf(texts: readonly string[]): Speech {
  const words = texts.map(comparableWords);
  const spoken = words.map((some) => ` ${termsOfWords(some)} `).join("\n");
  const others = texts.flatMap((text, at) => otherSpellings(text, words[at])).map(termsOf);
  const parts = compoundParts(words.flat());
  return { spoken, single: new Set([...spoken.split(/\s+/), ...others]), parts };
}

/** Tells whether a word of a query occurs, or is part of a compound. */
export const mentions = (speech: Speech, term: string): boolean =>
  says(speech, term) || speech.parts.has(term);

/** Tells whether these terms occur next to each other in one of the texts. */
export function says({ spoken, single }: Speech, terms: string): boolean {
  return terms.includes(" ") ? spoken.includes(` ${terms} `) : single.has(terms);
}
