import { z } from "zod";
import { type CosineScale, REFERENCE_SCALE } from "../../ports/embedder.ts";
import type { CosineMap } from "../../search/standing-rule/index.ts";

/** What was measured of a model on a board's posts, as the store keeps it. */
export const MeasuredScale = z.object({
  /** The model it belongs to. */
  model: z.string(),
  /** Posts on the board then. */
  posts: z.int(),
  /** Pairs of a post's title and another post that were compared. */
  pairs: z.int(),
  minCosine: z.number(),
  margin: z.number(),
  unrelated: z.object({ median: z.number(), high: z.number() }),
});
export type MeasuredScale = z.infer<typeof MeasuredScale>;

/** A model whose cosines lie closer together tells nothing. */
const SPREAD_MIN = 0.005;

/**
 * A scale from the cosines of unrelated texts. Two quantiles tell where these lie and how far they spread, and neither
 * is moved by the few pairs that happen to be about the same. The thresholds lie as many such spreads above the median
 * as they do under the reference model.
 * @param cosines  of titles, as queries, with other posts; sorted in place
 */
export function scaleFrom(cosines: Float64Array): Omit<MeasuredScale, "model" | "posts"> {
  cosines.sort();
  const quantile = (share: number) => cosines[Math.floor(share * (cosines.length - 1))] ?? 0;
  const median = quantile(0.5);
  const unrelated = { median, high: Math.max(quantile(0.9), median + SPREAD_MIN) };
  const { offset, slope } = toReference({ unrelated });
  return {
    pairs: cosines.length,
    minCosine: rounded(Math.min(1, (REFERENCE_SCALE.minCosine - offset) / slope)),
    margin: rounded(REFERENCE_SCALE.margin / slope),
    unrelated: { median: rounded(unrelated.median), high: rounded(unrelated.high) },
  };
}

/** What turns a model's cosines into those of the reference: both quantiles of unrelated texts fall together. */
export function toReference({ unrelated }: Pick<CosineScale, "unrelated">): CosineMap {
  const { median, high } = REFERENCE_SCALE.unrelated;
  const slope = (high - median) / (unrelated.high - unrelated.median);
  return { offset: median - slope * unrelated.median, slope };
}

const rounded = (cosine: number) => Math.round(cosine * 1e4) / 1e4;
