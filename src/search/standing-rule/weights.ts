import type { Features } from "./features.ts";

/**
 * Made by `bench/standing-rule.ts --write`: logistic regression with a ridge of 3 over 3974 labelled and unlabelled pairs of
 * the standing-query set and 9099 of `bench/standing-rule/own-pairs.txt` (these count 0.5), for all-MiniLM-L6-v2 q8.
 * Logits by unit of the feature; the cut is in the bias. Not to be changed by hand.
 */
export const WEIGHTS: Features = {
  cosine: 18.302,
  sharedWords: -9.443,
  crowd: -7.281,
  placeGiven: 2.73,
  kindGiven: 1.699,
  kindAsked: 1.412,
  asksToo: -1.991,
  otherRole: -8.909,
  foreign: 2.538,
};

export const BIAS = -5.645;

/** Direction of the mean vector of the 361 notices of our own pairs, as `quantize` gives it. */
export const MEAN_NOTICE: Int8Array = new Int8Array(
  Buffer.from(
    "EBQsDQAI8e7H8AHe4gvo+xjZ+vbp+xYFDRz2BQPgAx3+9jseLtDzDvjj7xYIHQz2Hgz74ALb7/XoAAnpBga1LPPzziMS2PvwEfcB" +
      "+BXSGtDr6fIS+vYcJBXyAATfDNcT/AL+TAwiLw3YAtcj7+j9CvfuBx3/6ywFECL0/ewWFADvHBI3JuzjB+kNF/AQ5f3bKhDwAfHZ" +
      "/RwJ7hvwUhANCwbv6hnyx/Pj6PoBChAMFQIlBOQAuwn1AQwNFO8tHAnwAdn+7RHd7wMu+RUq6fIMIQEH2wwy9w7R5RXI/hX8/AAm" +
      "AvkWDwjqFxckuvEs9dz3OP4CCvcu5xDsKQf/yuvAy/sI6y0n7+MkDO0HJwTr4vUG+RMO4u0JAw/R+QoAEtMvE+nv/e/z7AD48+0D" +
      "NAQC/AnjARcn4RvtFQ38HAoNEgATDPkFHMQaGuwd9QPl/g0L/ffT7goMDAjk+xEn+eXvLP/0Bd3fCu4Q0NXw/wAb4O7w+e3mMxb7" +
      "GP/vCRwP9bUR",
    "base64",
  ),
);
