import type { Match, Question, RelatedQuestion } from "../../ports/search-index.ts";
import { coverageFactors } from "../../search/fuse.ts";
import { fusedScores, order } from "../../search/rank.ts";
import { COMPETING_BY_MEANING, type Searcher } from "./searcher.ts";

/** See `SearchIndex.match`. */
export function matchesOf(
  searcher: Searcher,
  question: Question,
  page: { limit: number; except: ReadonlySet<string> },
): { matches: Match[]; bestWords: number } {
  const except = new Set(searcher.rowsOf([...page.except]));
  const atLeast = question.words === null ? COMPETING_BY_MEANING : undefined;
  const found = searcher.match(question, { limit: page.limit, except }, atLeast);
  const { keys, cosines, words, coverage, bestWords } = found;
  const factors = coverageFactors(question.words);
  const idsAt = (some: number[]) => searcher.idsOf(some.map((at) => keys[at] ?? 0));
  const places = order(fusedScores(found, cosines, factors), page.limit, idsAt);
  const ids = idsAt(places);
  const matches = places.map((at, n) => {
    const cosine = cosines[at] ?? Number.NaN;
    return {
      id: ids[n] ?? "",
      cosine: Number.isNaN(cosine) ? null : cosine,
      words: words[at] ?? 0,
      coverage: coverage[at] ?? 0,
    };
  });
  return { matches, bestWords };
}

/** See `SearchIndex.related`. */
export function relatedTo(searcher: Searcher, id: string, asked: RelatedQuestion): string[] {
  const [vector = null] = searcher.vectors(searcher.rowsOf([id]));
  if (vector === null) return [];
  const { filter, minCosine, limit } = asked;
  const page = { limit, except: new Set([id]) };
  const { matches } = matchesOf(searcher, { filter, words: null, vector, minCosine }, page);
  return matches.map((match) => match.id);
}
