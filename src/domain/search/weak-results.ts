import type { Question, SearchIndex } from "../../ports/search-index.ts";
import type { Lift } from "../../schema/filter.ts";

/** Matches that fill a page: with fewer, weak results follow. */
const FULL_PAGE = 10;

/** A post on a page of results. */
export interface FoundPost {
  id: string;
  /** 0…1, or null where nothing is ranked. */
  relevance: number | null;
  /** Neither words nor meaning support it well. */
  weak?: true;
}

/**
 * The nearest of the posts that do not match, behind those that do, up to ten on a page. They are no matches: right
 * answers have cosines as low as noise, so a short page may hold them, but nobody is told of them and none is counted.
 * None without a vector, and none beside quoted phrases, which must occur.
 */
export async function weakResults(
  index: SearchIndex,
  { question, lifts }: { question: Question; lifts: readonly Lift[] },
  found: readonly FoundPost[],
  limit: number,
): Promise<FoundPost[]> {
  const missing = Math.min(FULL_PAGE, limit) - found.length;
  const { words, vector } = question;
  if (missing <= 0 || vector === null || (words?.phrases.length ?? 0) > 0) return [];
  const excluded = words?.excluded ?? [];
  const nearest = {
    ...question,
    words: excluded.length === 0 ? null : { any: [], phrases: [], excluded },
    minCosine: -1,
  };
  const except = new Set(found.map(({ id }) => id));
  const ranked = await index.rank(nearest, { limit: missing, except, lifts });
  const most = found.at(-1)?.relevance ?? 1;
  return ranked.map(({ id, relevance }) => ({ id, relevance: Math.min(relevance, most), weak: true }));
}
