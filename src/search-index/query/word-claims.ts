import { COVERAGE_STEPS, vouchedBy, wordRates } from "../../search/fuse.ts";
import type { WordArm } from "./words.ts";

const LEAST = new Float64Array(COVERAGE_STEPS + 1);
for (let step = 0; step <= COVERAGE_STEPS; step += 1) LEAST[step] = vouchedBy(step / COVERAGE_STEPS);

/** What the words of a row add to a cosine: `fuse`, by tables for each step of coverage. */
export class WordClaims {
  readonly arm: WordArm;
  readonly #scores: Float32Array;
  readonly #coverage: Float32Array;
  readonly #rates: Float64Array;

  /** @param bestWords  above 0 @param factors  see `coverageFactors` */
  constructor(arm: WordArm, bestWords: number, factors: Float64Array) {
    this.arm = arm;
    this.#scores = arm.scores;
    this.#coverage = arm.coverage;
    this.#rates = wordRates(bestWords, factors);
  }

  /** The fused score of a row with words, but for the rounding of its coverage. */
  fused(row: number, cosine: number): number {
    return Math.max(cosine, LEAST[this.#step(row)] ?? 0) + this.added(row);
  }

  /** What the words of a row add to its meaning; 0 without words. */
  added(row: number): number {
    const score = this.#scores[row] ?? 0;
    return score === 0 ? 0 : (this.#rates[this.#step(row)] ?? 0) * score;
  }

  #step(row: number): number {
    // Sums of shares may pass 1 by a hair.
    return Math.min(COVERAGE_STEPS, ((this.#coverage[row] ?? 0) * COVERAGE_STEPS + 0.5) | 0);
  }
}
