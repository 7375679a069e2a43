import type { Match } from "../../../ports/search-index.ts";
import type { Place } from "../../../ports/store/index.ts";
import type { WordQuery } from "../../../schema/filter.ts";
import { coverageFactors, fuse } from "../../../search/fuse.ts";

/** What `SearchIndex.match` answers. */
export interface Matches {
  matches: Match[];
  bestWords: number;
}

/**
 * Merges the matches of a small index into those of a large one; a post in both counts as the small one has it. Word
 * scores of two indexes share no scale, so the best of each counts as equally good.
 */
export function mergeMatches(
  large: Matches,
  small: Matches,
  words: WordQuery | null,
  limit: number,
): Matches {
  const bestWords = large.bestWords > 0 ? large.bestWords : small.bestWords;
  const scale = small.bestWords > 0 ? bestWords / small.bestWords : 1;
  const scaled = small.matches.map((match) => ({ ...match, words: match.words * scale }));
  const matches = bestMatches(onceById([...scaled, ...large.matches]), bestWords, words, limit);
  return { matches, bestWords };
}

/** The best matches by their fused score, equal ones by id. */
export function bestMatches(
  matches: readonly Match[],
  bestWords: number,
  words: WordQuery | null,
  limit: number,
): Match[] {
  const factors = coverageFactors(words);
  return matches
    .map((match) => ({ match, score: fuse(match.cosine, match, bestWords, factors) }))
    .sort((a, b) => b.score - a.score || (a.match.id < b.match.id ? -1 : 1))
    .slice(0, limit)
    .map(({ match }) => match);
}

/** The first `limit` places of two lists in the same order; of a post in both, its place in the first list. */
export function mergePlaces(
  one: readonly Place[],
  other: readonly Place[],
  order: "newest" | "soonest",
  limit: number,
): Place[] {
  const direction = order === "soonest" ? 1 : -1;
  return onceById([...one, ...other])
    .sort((a, b) => direction * (a.at - b.at || (a.id < b.id ? -1 : 1)))
    .slice(0, limit);
}

/** Each post once, as it comes first. */
function onceById<T extends { id: string }>(rows: readonly T[]): T[] {
  const seen = new Set<string>();
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id));
}
