import { compoundParts, partNamed } from "../../text/compounds.ts";
import { LETTERS } from "../../text/tokens.ts";
import type { IndexedText } from "../indexed-post.ts";
import type { Stems } from "./stems.ts";

/** A word counts this much in each field, in halves: the weights 2, 1 and 1.5 of `bm25()`. */
const WEIGHTS = { title: 4, body: 2, more: 3 } as const;

/** A text has these stems with their weights, and this many words. */
export interface Terms {
  weights: ReadonlyMap<string, number>;
  length: number;
}

export function weightedTerms(words: WordsOfText, stems: Stems): Terms {
  const weights = new Map<string, number>();
  let length = 0;
  for (const field of ["title", "body", "more"] as const) {
    for (const word of words[field]) {
      for (const stem of stems.of(word)) {
        weights.set(stem, (weights.get(stem) ?? 0) + WEIGHTS[field]);
        length += 1;
      }
    }
  }
  // Parts make a text no longer, and are in no phrase.
  for (const part of compoundParts([...words.title, ...words.body, ...words.more]))
    weights.set(partNamed(part), WEIGHTS.body);
  return { weights, length };
}

/** Holds the words of each field of a text, in order. */
export type WordsOfText = Readonly<Record<keyof IndexedText, readonly string[]>>;

export function wordsOfText({ title, body, more }: IndexedText): WordsOfText {
  return {
    title: title.match(LETTERS) ?? [],
    body: body.match(LETTERS) ?? [],
    more: more.match(LETTERS) ?? [],
  };
}
