import { COVERAGE_STEPS, vouchedBy, wordRates } from "../../search/fuse.ts";
import type { WordArm } from "./words.ts";

const LEAST = new Float64Array(COVERAGE_STEPS + 1);
for (let step = 0; step <= COVERAGE_STEPS; step += 1) LEAST[step] = vouchedBy(step / COVERAGE_STEPS);

/** What the words of rows add to their cosines: `fuse`, by tables for each step of coverage. */
export class WordClaims {
  readonly arm: WordArm;
  /** What its words add to the meaning of each row; 0 without words. */
  readonly added: Float32Array;

  /** @param bestWords  above 0 @param factors  see `coverageFactors` */
  constructor(arm: WordArm, bestWords: number, factors: Float64Array) {
    const { matched, scores, coverage, spare } = arm;
    this.arm = arm;
    this.added = spare;
    const rates = wordRates(bestWords, factors);
    for (let at = 0; at < matched.length; at += 1) {
      const row = matched[at] ?? 0;
      spare[row] = (rates[stepOf(coverage[row] ?? 0)] ?? 0) * (scores[row] ?? 0);
    }
  }

  /** The fused score of a row with words, but for the rounding of its coverage. */
  fused(row: number, cosine: number): number {
    return Math.max(cosine, LEAST[stepOf(this.arm.coverage[row] ?? 0)] ?? 0) + (this.added[row] ?? 0);
  }
}

/** Sums of shares may pass 1 by a hair. */
const stepOf = (coverage: number) => Math.min(COVERAGE_STEPS, (coverage * COVERAGE_STEPS + 0.5) | 0);
