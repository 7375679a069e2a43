import { COVERAGE_STEPS, vouchedBy, wordRates } from "../../search/fuse.ts";
import type { WordArm } from "./words.ts";

const LEAST = new Float64Array(COVERAGE_STEPS + 1);
for (let step = 0; step <= COVERAGE_STEPS; step += 1) LEAST[step] = vouchedBy(step / COVERAGE_STEPS);

/** What the words of rows add to their cosines: `fuse`, by tables for each step of coverage. */
export class WordClaims {
  readonly arm: WordArm;
  readonly rows: Uint32Array;
  /** What its words add to the meaning of each of the rows. */
  readonly added: Float32Array;

  /** @param bestWords  above 0 @param factors  see `coverageFactors` */
  constructor(arm: WordArm, bestWords: number, factors: Float64Array) {
    const { scores, coverage, spare: added } = arm;
    const rates = wordRates(bestWords, factors);
    for (let at = 0; at < added.length; at += 1) {
      added[at] = (rates[stepOf(coverage[at] ?? 0)] ?? 0) * (scores[at] ?? 0);
    }
    this.arm = arm;
    this.rows = arm.rows;
    this.added = added;
  }

  /** The fused score of the row at a place of the arm, but for the rounding of its coverage. */
  fused(at: number, cosine: number): number {
    return Math.max(cosine, this.vouched(at)) + (this.added[at] ?? 0);
  }

  /** The least meaning of the row at a place of the arm. */
  vouched(at: number): number {
    return LEAST[stepOf(this.arm.coverage[at] ?? 0)] ?? 0;
  }
}

/** Sums of shares may pass 1 by a hair. */
const stepOf = (coverage: number) => Math.min(COVERAGE_STEPS, (coverage * COVERAGE_STEPS + 0.5) | 0);
