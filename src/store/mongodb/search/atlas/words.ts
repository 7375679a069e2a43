import type { Document } from "mongodb";
import type { WordQuery } from "../../../../schema/filter.ts";
import { PART_WEIGHT } from "../../../../search/text/compounds.ts";
import { slipsIn } from "../../../../search/text/spelling.ts";
import { indexable, withSigns } from "../../../../search/text/tokens.ts";

/** These fields have words with these weights, the same as in the embedded index. */
const FIELDS: readonly { path: string | string[]; boost: number }[] = [
  { path: "title", boost: 2 },
  { path: "body", boost: 1 },
  { path: ["tags", "place.name"], boost: 1.5 },
];
const ALL = ["title", "body", "tags", "place.name"];

/** Puts the words of a query as parts of a `compound`. */
export interface WordClauses {
  /** These clauses are scored; there are none without words. */
  must: Document[];
  mustNot: Document[];
}

export function clausesOfWords(words: WordQuery | null): WordClauses {
  if (words === null) return { must: [], mustNot: [] };
  // A word that is said twice counts twice.
  const any = [...words.any, ...words.phrases.flat(), ...(words.respelt ?? [])];
  return {
    must: any.length === 0 ? [] : [anyOf(any, words.publishers), ...words.phrases.map(phrase)],
    mustNot: words.excluded.map(phrase),
  };
}

/** Finds a post with a word, in any field. */
export function clauseOfWord(word: string): Document {
  const clause = { query: withSigns(word), path: ALL };
  return isSeveral(word) ? { phrase: clause } : { text: clause };
}

/** Finds a post with a word of nearly this spelling, from the second letter on. */
export const clauseOfNear = (word: string): Document => ({
  text: { query: word, path: ALL, fuzzy: { maxEdits: slipsIn(word), prefixLength: 1 } },
});

/** Finds a post with any of the words, scored by all of them, or of one of the publishers. */
function anyOf(words: readonly string[], publishers: readonly string[] = []): Document {
  // mongot splits a word of a script without spaces into several terms, which must be adjacent.
  const single = words.filter((word) => !isSeveral(word));
  const several = words.filter(isSeveral);
  const should = FIELDS.flatMap(({ path, boost }) => {
    const score = { boost: { value: boost } };
    return [
      ...(single.length === 0 ? [] : [{ text: { query: single.join(" "), path, score } }]),
      ...several.map((word) => ({ phrase: { query: word, path, score } })),
    ];
  });
  const byName = {
    in: { path: "publisher_id", value: publishers, score: { boost: { value: PART_WEIGHT } } },
  };
  return {
    compound: { should: [...should, ...(publishers.length > 0 ? [byName] : [])], minimumShouldMatch: 1 },
  };
}

const isSeveral = (word: string) => indexable(word).trim().includes(" ");

const phrase = (words: readonly string[]): Document => ({ phrase: { query: words.join(" "), path: ALL } });
