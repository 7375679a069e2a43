import type { Features } from "./features.ts";
export const BIAS = 0;
export const WEIGHTS: Features = { cosine: 1, sharedWords: 0, crowd: 0, placeGiven: 0, kindGiven: 0, kindAsked: 0, asksToo: 0, otherRole: 0, foreign: 0, length: 0, nameMissing: 0 };
export const MEAN_NOTICE: Int8Array = new Int8Array(384);
