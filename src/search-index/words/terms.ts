import { LETTERS } from "../../search/tokens.ts";
import type { IndexedText } from "../indexed-post.ts";
import type { Stems } from "./stems.ts";

/** How much a word counts in each field, in halves: the weights 2, 1 and 1.5 of `bm25()`. */
const WEIGHTS = { title: 4, body: 2, more: 3 } as const;

/** The stems of a text with their weights, and how many words it has. */
export interface Terms {
  weights: ReadonlyMap<string, number>;
  length: number;
}

export function weightedTerms(text: IndexedText, stems: Stems): Terms {
  const weights = new Map<string, number>();
  let length = 0;
  for (const field of ["title", "body", "more"] as const) {
    for (const word of text[field].match(LETTERS) ?? []) {
      for (const stem of stems.of(word)) {
        weights.set(stem, (weights.get(stem) ?? 0) + WEIGHTS[field]);
        length += 1;
      }
    }
  }
  return { weights, length };
}

/** All words of some texts, to be learned at once. */
export function* wordsOfTexts(texts: Iterable<IndexedText>): Generator<string> {
  for (const { title, body, more } of texts) {
    for (const field of [title, body, more]) yield* field.match(LETTERS) ?? [];
  }
}
