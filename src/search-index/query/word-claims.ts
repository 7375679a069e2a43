import { COVERAGE_STEPS, coverageStep, fuse, vouchedBy } from "../../search/fuse.ts";
import type { WordArm } from "./words.ts";

/** What the words of a row add to a cosine: `fuse`, worked out once for each step of coverage. */
export class WordClaims {
  readonly arm: WordArm;
  readonly #least: Float64Array;
  /** Times a word score. */
  readonly #rates: Float64Array;

  /** @param factors  see `coverageFactors` */
  constructor(arm: WordArm, bestWords: number, factors: Float64Array) {
    this.arm = arm;
    this.#least = new Float64Array(COVERAGE_STEPS + 1);
    this.#rates = new Float64Array(COVERAGE_STEPS + 1);
    for (let step = 0; step <= COVERAGE_STEPS; step += 1) {
      const coverage = step / COVERAGE_STEPS;
      this.#least[step] = vouchedBy(coverage);
      if (bestWords > 0)
        this.#rates[step] = (fuse(1, { words: bestWords, coverage }, bestWords, factors) - 1) / bestWords;
    }
  }

  /** The fused score of a row with words, but for the rounding of its coverage. */
  fused(row: number, cosine: number): number {
    const step = coverageStep(this.arm.coverage[row] ?? 0);
    return Math.max(cosine, this.#least[step] ?? 0) + this.added(row);
  }

  /** What the words of a row add to its meaning; 0 without words. */
  added(row: number): number {
    const score = this.arm.scores[row] ?? 0;
    return score === 0 ? 0 : (this.#rates[coverageStep(this.arm.coverage[row] ?? 0)] ?? 0) * score;
  }
}
