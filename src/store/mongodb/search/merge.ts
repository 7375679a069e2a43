import type { Match } from "../../../ports/search-index.ts";
import type { Place } from "../../../ports/store/index.ts";
import { fuse } from "../../../search/fuse.ts";

/** What `SearchIndex.match` answers. */
export interface Matches {
  matches: Match[];
  bestWords: number;
}

/**
 * Merges the matches of a small index into those of a large one; no post is in both. Word scores of two indexes share no
 * scale, so the best of each counts as equally good.
 */
export function mergeMatches(large: Matches, small: Matches, limit: number): Matches {
  const bestWords = large.bestWords > 0 ? large.bestWords : small.bestWords;
  const scale = small.bestWords > 0 ? bestWords / small.bestWords : 1;
  const scaled = small.matches.map((match) => ({ ...match, words: match.words * scale }));
  const matches = bestMatches([...large.matches, ...scaled], bestWords, limit);
  return { matches, bestWords };
}

/** The best matches by their fused score, equal ones by id. */
export function bestMatches(matches: readonly Match[], bestWords: number, limit: number): Match[] {
  return matches
    .map((match) => ({ match, score: fuse(match.cosine, match.words, bestWords) }))
    .sort((a, b) => b.score - a.score || (a.match.id < b.match.id ? -1 : 1))
    .slice(0, limit)
    .map(({ match }) => match);
}

/** The first `limit` places of two lists in the same order. */
export function mergePlaces(
  one: readonly Place[],
  other: readonly Place[],
  order: "newest" | "soonest",
  limit: number,
): Place[] {
  const direction = order === "soonest" ? 1 : -1;
  return [...one, ...other]
    .sort((a, b) => direction * (a.at - b.at || (a.id < b.id ? -1 : 1)))
    .slice(0, limit);
}
