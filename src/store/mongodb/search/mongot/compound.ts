import type { Document } from "mongodb";
import type { Question } from "../../../../ports/search-index.ts";
import { clausesOf } from "./filters.ts";
import { clausesOfWords } from "./words.ts";

/** Posts that a question names, so that mongot passes over them; others are taken out of its answer. */
export const NAMED_MAX = 1_000;

/** The part of the matches that is wanted. */
export interface Bounds {
  /** Only what comes after a place of a list. */
  after?: { clause: Document; condition: Document } | undefined;
  /** Ids to pass over. */
  without?: readonly string[];
  /** Ids to choose among. */
  only?: readonly string[];
}

/** The `compound` for `$search`; null when the words hold no letter, so that no post can have them. */
export function compoundOf(
  { filter, words, vector }: Question,
  { after, only, without = [] }: Bounds,
): { compound: Document | null; asksWords: boolean; required: boolean } {
  const { must, mustNot } = clausesOfWords(words);
  const required = (words?.phrases.length ?? 0) > 0;
  const asksWords = words !== null && !(must.length === 0 && mustNot.length > 0);
  if ((asksWords && must.length === 0) || (!asksWords && vector !== null)) {
    return { compound: null, asksWords, required };
  }
  const clauses = clausesOf(filter);
  if (after !== undefined) clauses.push(after.clause);
  if (only !== undefined) clauses.push(oneOf(only));
  const out: Document[] = [];
  for (let at = 0; at < without.length; at += NAMED_MAX) out.push(oneOf(without.slice(at, at + NAMED_MAX)));
  return { compound: { must, mustNot: [...mustNot, ...out], filter: clauses }, asksWords, required };
}

export const oneOf = (ids: readonly string[]): Document => ({ in: { path: "_id", value: [...ids] } });
