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

/** Turns the cosines of another model into those of the model that the weights were made for: offset + slope · cosine. */
export interface CosineMap {
  offset: number;
  /** Above 0. */
  slope: number;
}
const SAME: CosineMap = { offset: 0, slope: 1 };

/** What the rule keeps of a saved query: small, made once when the query is saved. */
export interface StandingText extends QuerySide {
  /** Cosine with `standingVector` below which no post answers by meaning; Infinity without a vector. */
  floor: number;
  /** For cosines as the model of the vectors has them. */
  map: CosineMap;
  /** Evidence of one more of such a cosine, in logits. */
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
 * @param query.map  for vectors of a model that the weights were not made for
 */
export function standingText(query: {
  text: QueryText;
  kinds: readonly string[] | null;
  hasPlace: boolean;
  vector: Int8Array | null;
  background: PostBackground | null;
  learning: Learning | null;
  map?: CosineMap;
}): StandingText {
  const { vector, learning, map = SAME } = query;
  const side = querySide({ ...query, background: mapped(query.background, map) });
  const slope =
    vector === null || learning === null ? WEIGHTS.cosine * map.slope : moved(vector, learning, map).slope;
  // The spread comes last: fields after it would double the memory of the whole.
  const standing = { floor: Number.POSITIVE_INFINITY, map, slope, learning, ...side };
  if (vector !== null) standing.floor = floorFrom(standing, bestCase(side, null));
  return standing;
}

/** The vector that posts are compared with: the query's own, moved by what was learnt. */
export const standingVector = (vector: Int8Array, learning: Learning | null, map = SAME): Int8Array =>
  learning === null ? vector : moved(vector, learning, map).vector;

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
  const meaningToo = posts.some(
    (post) => !post.relevant && vector !== null && post.vector !== null && hasAllWords(standing, post.text),
  );
  const judgedPosts = posts.map(({ cosine, ...post }) => {
    const evidence = evidenceOf(standing, post.text, cosine ?? -standing.map.offset / standing.map.slope);
    const byWords = !meaningToo && hasAllWords(standing, post.text);
    return { ...post, evidence: byWords ? Math.max(1, evidence) : evidence };
  });
  return { ...learnt(vector, own, judgedPosts, around), meaningToo };
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
 * @returns 0.1 or more, by the scale of the weights' model; Infinity when the query has no vector
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
  if (added >= REFUSED && wordsSuffice(standing) && hasAllWords(standing, post)) return true;
  if (cosine === null || cosine < floor) return false;
  return evidenceOf(standing, post, cosine) + added >= 0;
}

const hasAllWords = ({ words }: StandingText, { speech }: PostText) =>
  words.length > 0 && words.every((word) => says(speech, word));

/** Whether a post with every word answers. Where there is no vector words decide, whatever was learnt. */
const wordsSuffice = ({ learning, floor }: StandingText) =>
  learning?.meaningToo !== true || floor === Number.POSITIVE_INFINITY;

/** What the owner's words add for a post beside the moved vector, in logits. */
function addedBy({ learning }: StandingText, post: PostText): number {
  return learning === null ? 0 : learning.cut + wordsAdd(learning, post);
}

const moved = (vector: Int8Array, learning: Learning, { slope }: CosineMap) =>
  movedVector(vector, learning, WEIGHTS.cosine * slope);

const mapped = (background: PostBackground | null, { offset, slope }: CosineMap) =>
  background && { ...background, meanCosine: offset + slope * background.meanCosine };

/** Logits, without what was learnt but for the slope: above 0 the rule says yes. */
function evidenceOf(standing: StandingText, post: PostText, cosine: number): number {
  const { map, slope } = standing;
  const features = judged(featuresOf(standing, post, map.offset + map.slope * cosine));
  return evidenceBeside(standing, features) + slope * cosine;
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
  const { learning, slope, map } = standing;
  const added = learning === null ? 0 : learning.cut + wordsAddAtMost(learning);
  const floor = -(evidenceBeside(standing, features) + added) / slope - 1e-9;
  return Math.max((LOWEST_COSINE - map.offset) / map.slope, floor);
}
