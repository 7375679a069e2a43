import { COVERAGE_STEPS, coverageStep, vouchedBy, wordRates } from "../../search/fuse.ts";
import type { WordArm } from "./words.ts";

const LEAST = new Float64Array(COVERAGE_STEPS + 1);
for (let step = 0; step <= COVERAGE_STEPS; step += 1) LEAST[step] = vouchedBy(step / COVERAGE_STEPS);

/** What the words of rows add to their cosines: `fuse`, by tables for each step of coverage. */
export class WordClaims {
  readonly arm: WordArm;
  /** What one unit of a word score adds. */
  readonly rates: Float64Array;
  /** The least meaning of a row. */
  readonly least = LEAST;

  /** @param bestWords  above 0 @param factors  see `coverageFactors` */
  constructor(arm: WordArm, bestWords: number, factors: Float64Array) {
    this.arm = arm;
    this.rates = wordRates(bestWords, factors);
  }

  /** The fused score of the row at a place of the arm, but for the rounding of its coverage. */
  fused(at: number, cosine: number): number {
    const { scores, coverage } = this.arm;
    const step = coverageStep(coverage[at] ?? 0);
    return Math.max(cosine, this.least[step] ?? 0) + (this.rates[step] ?? 0) * (scores[at] ?? 0);
  }
}
