import type { Learning, PostBackground } from "../../schema/subscription.ts";
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
import {
  describeLearning,
  type JudgedPost,
  learnt,
  movedVector,
  type PostAround,
  wordsAdd,
  wordsAddAtMost,
} from "./learning.ts";
import { says } from "./terms.ts";
import { BIAS, WEIGHTS } from "./weights.ts";

export { type PostText, postText } from "./features.ts";

/** Below this cosine meaning never answers, whatever else speaks for a post. */
const LOWEST_COSINE = 0.1;

/** What the rule keeps of a saved query: small, made once when the query is saved. */
export interface StandingText extends QuerySide {
  /** Cosine with `standingVector` below which no post answers by meaning, at least 0.1; Infinity without a vector. */
  floor: number;
  /** The cosine that decides alone, because the weights belong to another model; null: the weights decide. */
  plainCut: number | null;
  /** Evidence of a cosine of 1, in logits. */
  slope: number;
  learning: Learning | null;
}

/** Learnt evidence below which a post is refused although every word occurs. */
const REFUSED = -1;

/**
 * Prepares a saved query for comparison with posts.
 *
 * @param query.kinds  the filter, or null when any kind will do
 * @param query.vector  of `text.plain`, as `quantize` gives it; null without a model: only words decide then
 * @param query.background  what the board's posts are to the query, null before they were counted
 * @param query.learning  what it learnt from its owner's words, null before there were any
 * @param query.cut  the cosine that decides under a model the weights were not made for; null: the weights decide
 */
export function standingText(query: {
  text: QueryText;
  kinds: readonly string[] | null;
  hasPlace: boolean;
  vector: Int8Array | null;
  background: PostBackground | null;
  learning: Learning | null;
  cut?: number | null;
}): StandingText {
  const { vector, learning, cut = null } = query;
  const side = querySide(query);
  const slope = vector === null || learning === null ? WEIGHTS.cosine : moved(vector, learning).slope;
  // The spread comes last: fields after it would double the memory of the whole.
  const standing = { floor: Number.POSITIVE_INFINITY, plainCut: cut, slope, learning, ...side };
  if (vector !== null) standing.floor = floorFrom(standing, bestCase(side, null));
  return standing;
}

/** The vector that posts are compared with: the query's own, moved by what was learnt. */
export const standingVector = (vector: Int8Array, learning: Learning | null): Int8Array =>
  learning === null ? vector : moved(vector, learning).vector;

/** A sentence about what a saved query learnt. */
export const learningInWords = (learning: Learning): string => describeLearning(learning, WEIGHTS.cosine);

/**
 * What a saved query learns when its owner has judged posts; all of them, not only the latest. See docs/matching.md.
 *
 * @param standing  made without learning
 * @param vector  of the query, or null
 * @param posts.cosine  with the query's own vector, or null when one is missing
 * @param around  some posts that pass the query's filters
 */
export function learningFrom(
  standing: StandingText,
  vector: Int8Array | null,
  posts: readonly (Omit<JudgedPost, "evidence"> & { cosine: number | null })[],
  around: readonly PostAround[],
): Omit<Learning, "judged"> {
  const own = new Set(standing.words.flatMap((terms) => terms.split(" ")));
  const judgedPosts = posts.map(({ cosine, ...post }) => {
    const evidence = evidenceOf(standing, featuresOf(standing, post.text, cosine ?? 0));
    return { ...post, evidence: hasAllWords(standing, post.text) ? Math.max(1, evidence) : evidence };
  });
  return learnt(vector, own, judgedPosts, around);
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
 * @returns 0.1 or more; Infinity when the query has no vector
 */
export function floorOf(
  standing: StandingText,
  post: Pick<PostText, "kind" | "foreign"> | null = null,
): number {
  if (post === null || standing.floor === Number.POSITIVE_INFINITY) return standing.floor;
  return floorFrom(standing, bestCase(standing, post));
}

/**
 * Whether a post that passes the filters answers a saved query: all its words occur, or its meaning is near enough,
 * given what else is known of the two. A higher cosine never turns a yes into a no. See docs/matching.md.
 *
 * @param cosine  of the post's vector and `standingVector`, or null when one is missing
 */
export function answers(standing: StandingText, post: PostText, cosine: number | null): boolean {
  if (!passesWords(standing, post)) return false;
  const { words, phrases, excluded, floor } = standing;
  // Only phrases or exclusions: they have decided. A text without any word asks for nothing that could be found.
  if (words.length === 0) return phrases.length > 0 || excluded.length > 0;
  const added = addedBy(standing, post);
  if (added >= REFUSED && hasAllWords(standing, post)) return true;
  if (cosine === null || cosine < floor) return false;
  return evidenceOf(standing, featuresOf(standing, post, cosine)) + added >= 0;
}

const hasAllWords = ({ words }: StandingText, { speech }: PostText) =>
  words.length > 0 && words.every((word) => says(speech, word));

/** What the owner's words add for a post beside the moved vector, in logits. */
function addedBy({ learning }: StandingText, post: PostText): number {
  return learning === null ? 0 : learning.cut + wordsAdd(learning, post);
}

const moved = (vector: Int8Array, learning: Learning) => movedVector(vector, learning, WEIGHTS.cosine);

/** Logits, without what was learnt but for the slope: above 0 the rule says yes. */
function evidenceOf({ plainCut, slope }: StandingText, features: Features): number {
  const ofMeaning = slope * features.cosine;
  if (plainCut !== null) return ofMeaning - WEIGHTS.cosine * plainCut;
  const { cosine: _cosine, ...rest } = judged(features);
  return OTHERS.reduce((sum, name) => sum + WEIGHTS[name] * rest[name], BIAS + ofMeaning);
}

const OTHERS = FEATURES.filter((name) => name !== "cosine");

/** A hair below the cosine at which the features of a best case, whose own cosine is 0, make a yes. */
function floorFrom(standing: StandingText, features: Features): number {
  const { learning, slope, plainCut } = standing;
  const added = learning === null ? 0 : learning.cut + wordsAddAtMost(learning);
  const floor = -(evidenceOf(standing, features) + added) / slope - 1e-9;
  return plainCut === null ? Math.max(LOWEST_COSINE, floor) : floor;
}
