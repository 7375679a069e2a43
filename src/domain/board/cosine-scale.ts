import { type CosineScale, REFERENCE_SCALE } from "../../ports/embedder.ts";
import type { CosineMap } from "../../search/standing-rule/index.ts";

/** What turns a model's cosines into those of the reference: both quantiles of unrelated texts fall together. */
export function toReference({ unrelated }: Pick<CosineScale, "unrelated">): CosineMap {
  const { median, high } = REFERENCE_SCALE.unrelated;
  const slope = (high - median) / (unrelated.high - unrelated.median);
  return { offset: median - slope * unrelated.median, slope };
}
