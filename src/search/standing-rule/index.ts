import type { PostBackground } from "../../schema/subscription.ts";
import type { QueryText } from "../query-text.ts";
import {
  bestCase,
  FEATURES,
  type Features,
  featuresOf,
  judged,
  type PostText,
  type QuerySide,
  querySide,
} from "./features.ts";
import { says } from "./terms.ts";
import { BIAS, WEIGHTS } from "./weights.ts";

export { type PostText, postText } from "./features.ts";

/** Below this cosine meaning never answers, whatever else speaks for a post. */
const LOWEST_COSINE = 0.1;

/** Turns the cosines of another model into those of the model that the weights were made for: offset + slope · cosine. */
export interface CosineMap {
  offset: number;
  /** Above 0. */
  slope: number;
}
const SAME: CosineMap = { offset: 0, slope: 1 };

/** What the rule keeps of a saved query: small, made once when the query is saved. */
export interface StandingText extends QuerySide {
  /** Cosine below which no post answers by meaning; Infinity without a vector. */
  floor: number;
  /** For cosines as the model of the vectors has them. */
  map: CosineMap;
}

/**
 * Prepares a saved query for comparison with posts.
 *
 * @param query.kinds  the filter, or null when any kind will do
 * @param query.vector  of `text.plain`, as `quantize` gives it; null without a model: only words decide then
 * @param query.background  what the board's posts are to the query, null before they were counted
 * @param query.map  for vectors of a model that the weights were not made for
 */
export function standingText(query: {
  text: QueryText;
  kinds: readonly string[] | null;
  hasPlace: boolean;
  vector: Int8Array | null;
  background: PostBackground | null;
  map?: CosineMap;
}): StandingText {
  const { vector, map = SAME } = query;
  const side = querySide({ ...query, background: mapped(query.background, map) });
  // The spread comes last: fields after it would double the memory of the whole.
  const standing = { floor: Number.POSITIVE_INFINITY, map, ...side };
  if (vector !== null) standing.floor = floorFrom(standing, bestCase(side, null));
  return standing;
}

/** Phrases and exclusions, which are filters: every phrase occurs, no excluded word or phrase does. */
export function passesWords({ phrases, excluded }: StandingText, { speech }: PostText): boolean {
  return !excluded.some((terms) => says(speech, terms)) && phrases.every((terms) => says(speech, terms));
}

/**
 * Cosine below which no post answers this query by meaning.
 *
 * @param post  when given, the bound for posts of this kind: higher where the query does not ask for it
 * @returns 0.1 or more, by the scale of the weights' model; Infinity when the query has no vector
 */
export function floorOf(standing: StandingText, post: Pick<PostText, "kind"> | null = null): number {
  if (post === null || standing.floor === Number.POSITIVE_INFINITY) return standing.floor;
  return floorFrom(standing, bestCase(standing, post));
}

/**
 * Whether a post that passes the filters answers a saved query: all its words occur, or its meaning is near enough,
 * given what else is known of the two. A higher cosine never turns a yes into a no. See docs/matching.md.
 *
 * @param cosine  of the post's vector and the query's, or null when one is missing
 */
export function answers(standing: StandingText, post: PostText, cosine: number | null): boolean {
  if (!passesWords(standing, post)) return false;
  const { words, phrases, excluded, floor } = standing;
  // Only phrases or exclusions: they have decided. A text without any word asks for nothing that could be found.
  if (words.length === 0) return phrases.length > 0 || excluded.length > 0;
  if (hasAllWords(standing, post)) return true;
  if (cosine === null || cosine < floor) return false;
  return evidenceOf(standing, post, cosine) >= 0;
}

const hasAllWords = ({ words, respelt }: StandingText, { speech }: PostText) =>
  [words, respelt].some((spelling) => spelling.length > 0 && spelling.every((word) => says(speech, word)));

const mapped = (background: PostBackground | null, { offset, slope }: CosineMap) =>
  background && { ...background, meanCosine: offset + slope * background.meanCosine };

/** Logits: above 0 the rule says yes. */
function evidenceOf(standing: StandingText, post: PostText, cosine: number): number {
  const { map } = standing;
  const features = judged(featuresOf(standing, post, map.offset + map.slope * cosine));
  return evidenceBeside(standing, features) + WEIGHTS.cosine * map.slope * cosine;
}

/** The evidence that no difference of cosines changes. */
function evidenceBeside({ map }: StandingText, features: Features): number {
  return OTHERS.reduce(
    (sum, name) => sum + WEIGHTS[name] * features[name],
    BIAS + WEIGHTS.cosine * map.offset,
  );
}

const OTHERS = FEATURES.filter((name) => name !== "cosine");

/** A hair below the cosine at which the features of a best case make a yes. */
function floorFrom(standing: StandingText, features: Features): number {
  const { map } = standing;
  const floor = -evidenceBeside(standing, features) / (WEIGHTS.cosine * map.slope) - 1e-9;
  return Math.max((LOWEST_COSINE - map.offset) / map.slope, floor);
}
