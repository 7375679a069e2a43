import { fusedScores, type Scored } from "../../search/rank.ts";
import { nthLargest } from "../../search/top-rows.ts";

/** The `limit` best by the fused score and those that equal the last of them, in no order. */
export function bestOf(found: Scored<number>, limit: number, factors: Float64Array): Scored<number> {
  const scores = fusedScores(found, found.cosines, factors);
  const least = nthLargest(scores, limit);
  const isKept = (_: number, at: number) => (scores[at] ?? 0) >= least;
  return {
    keys: (found.keys as Uint32Array).filter(isKept),
    cosines: found.cosines.filter(isKept),
    words: found.words.filter(isKept),
    coverage: found.coverage.filter(isKept),
    bestWords: found.bestWords,
  };
}
