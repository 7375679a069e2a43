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
import { BIAS, MEAN_NOTICE, WEIGHTS } from "./weights.ts";

export { type PostText, postText } from "./features.ts";

/** Below this cosine meaning never answers, whatever else speaks for a post; 7 % of unrelated pairs reach it. */
const LOWEST_COSINE = 0.2;

/** What the rule keeps of a saved query: small, made once when the query is saved. */
export interface StandingText extends QuerySide {
  /** Cosine below which no post answers by meaning, at least 0.2; Infinity without a vector. */
  floor: number;
  /** True when the floor alone decides about meaning: the weights belong to another model. */
  plain: boolean;
}

/**
 * Prepares a saved query for comparison with posts.
 *
 * @param query.kinds  the filter, or null when any kind will do
 * @param query.vector  of `text.plain`, as `quantize` gives it; null without a model: only words decide then
 * @param query.cut  the cosine that decides under a model the weights were not made for; null: the weights decide
 */
export function standingText(query: {
  text: QueryText;
  kinds: readonly string[] | null;
  hasPlace: boolean;
  vector: Int8Array | null;
  cut?: number | null;
}): StandingText {
  const { vector, cut = null } = query;
  const side = querySide(query, MEAN_NOTICE);
  const floor = vector === null ? Number.POSITIVE_INFINITY : (cut ?? floorFrom(bestCase(side, null)));
  // The spread comes last: fields after it would double the memory of the whole.
  return { floor, plain: cut !== null, ...side };
}

/** Phrases and exclusions, which are filters: every phrase occurs, no excluded word or phrase does. */
export function passesWords({ phrases, excluded }: StandingText, { speech }: PostText): boolean {
  return !excluded.some((terms) => says(speech, terms)) && phrases.every((terms) => says(speech, terms));
}

/**
 * Cosine below which no post answers this query by meaning.
 *
 * @param post  when given, the bound for posts of this kind and language: higher for English ones, since the query's
 *   own bound must allow for foreign posts
 * @returns 0.2 or more; Infinity when the query has no vector
 */
export function floorOf(
  standing: StandingText,
  post: Pick<PostText, "kind" | "foreign"> | null = null,
): number {
  if (post === null || standing.plain || standing.floor === Number.POSITIVE_INFINITY) return standing.floor;
  return floorFrom(bestCase(standing, post));
}

/**
 * Whether a post that passes the filters answers a saved query: all its words occur, or its meaning is near enough,
 * given what else is known of the two. A higher cosine never turns a yes into a no. See docs/matching.md.
 *
 * @param cosine  of the two vectors, or null when one is missing
 */
export function answers(standing: StandingText, post: PostText, cosine: number | null): boolean {
  if (!passesWords(standing, post)) return false;
  const { words, phrases, excluded, floor } = standing;
  // Only phrases or exclusions: they have decided. A text without any word asks for nothing that could be found.
  if (words.length === 0) return phrases.length > 0 || excluded.length > 0;
  if (words.every((word) => says(post.speech, word))) return true;
  if (cosine === null || cosine < floor) return false;
  if (standing.plain) return true;
  return logitOf(judged(featuresOf(standing, post, cosine))) >= 0;
}

/** Above 0 the rule says yes. */
function logitOf(features: Features): number {
  return FEATURES.reduce((sum, name) => sum + WEIGHTS[name] * features[name], BIAS);
}

/** A hair below the cosine at which the features of a best case, whose own cosine is 0, make a yes. */
function floorFrom(features: Features): number {
  return Math.max(LOWEST_COSINE, -logitOf(features) / WEIGHTS.cosine - 1e-9);
}
