import { isStopWord } from "./stop-words.ts";

/** Shorter words have too many neighbours. */
export const CORRECTED_MIN = 4;
/** From this length on, a word may hold two slips. */
const TWO_SLIPS_FROM = 8;
/** A word that is two slips away must stand in as many posts: one alone may be another's slip. */
const TWO_SLIPS_POSTS = 2;

export const slipsIn = (word: string): number => (word.length < TWO_SLIPS_FROM ? 1 : 2);

/** This many posts have this word of the board. */
export interface BoardWord {
  word: string;
  posts: number;
}

/**
 * Finds the word that was most likely meant: the one with the fewest slips between them, then the one of the most posts,
 * then the first by alphabet. A word that is only longer by an ending ("joinery", "joiner") is no slip.
 *
 * @param candidates  with the same first letter
 * @returns null when none is near enough
 */
export function meantWord(typed: string, candidates: Iterable<BoardWord>): string | null {
  const allowed = slipsIn(typed);
  const isEnding = (word: string) => typed.startsWith(word) && typed.at(-1) !== typed.at(-2);
  const [best] = [...candidates]
    .map((candidate) => ({ ...candidate, slips: slipsBetween(typed, candidate.word, allowed) }))
    .filter(({ word, posts, slips }) => {
      if (slips === 0 || slips > allowed || isStopWord(word)) return false;
      return !isEnding(word) && (slips === 1 || posts >= TWO_SLIPS_POSTS);
    })
    .sort((a, b) => a.slips - b.slips || b.posts - a.posts || (a.word < b.word ? -1 : 1));
  return best?.word ?? null;
}

/** Counts letters left out, added, replaced, or exchanged with their neighbour (optimal string alignment; Damerau 1964). */
export function slipsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    if (Math.min(...row, ...last) > most) return most + 1;
    [before, last] = [last, row];
  }
  return Math.min(last[b.length] ?? 0, most + 1);
}
