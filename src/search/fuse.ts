import type { WordQuery } from "../schema/filter.ts";

/** How much the best word score counts beside a cosine of 1. */
const WORD_WEIGHT = 0.3;

/** Up to this many words, a query's word score falls in proportion to the coverage; with more of them, ever less. */
const STRICT_WORDS = 3.5;

/** The lowest meaning that a post with every word of the query may have, whatever the model makes of these words. */
const VOUCHED = 0.5;

/** The highest fused score. */
export const FUSED_MAX = 1 + WORD_WEIGHT;

/**
 * Added to the floor of the cosine when no post has any of a query's words, where a question names no margin of its own.
 * Most such queries are slips of the keyboard, whose cosines with 260 notices reached 0.32 under the default model; a true
 * paraphrase then has to be a close one.
 */
export const UNKNOWN_WORDS_MARGIN = 0.1;

/** Coverage is rounded to this many steps. */
const COVERAGE_STEPS = 1023;

/** How a post meets the words of a query. */
export interface WordMatch {
  /** BM25, above 0; 0 when no word occurs. */
  words: number;
  /** Share of the query that its words make up, weighted by how rare each is: 0…1. */
  coverage: number;
}

/**
 * How much a word counts in the coverage of a query: inverse document frequency, above 0 for every word.
 * @param count  posts with it; a word that stands nowhere counts most
 */
export function coverageWeight(count: number, posts: number): number {
  return Math.log(1 + Math.max(0, posts - count + 0.5) / (count + 0.5));
}

/**
 * How much of a post's word score counts, for each step of its coverage: all of it for a post with all the words. A
 * short query is strict, since one common word of three says little of what is meant; a long one is lenient, since no
 * post has all of its words.
 */
export function coverageFactors(words: WordQuery | null): Float64Array {
  const asked = new Set([...(words?.any ?? []), ...(words?.phrases.flat() ?? [])]).size;
  const made = FACTORS.get(asked);
  if (made !== undefined) return made;
  const exponent = Math.min(1, STRICT_WORDS / Math.max(1, asked));
  const factors = Float64Array.from(
    { length: COVERAGE_STEPS + 1 },
    (_, step) => (step / COVERAGE_STEPS) ** exponent,
  );
  FACTORS.set(asked, factors);
  return factors;
}

/** By the number of words: queries have at most a few hundred. */
const FACTORS = new Map<number, Float64Array>();

/** The lowest meaning that a post with words of this coverage may have. */
const vouchedBy = (coverage: number) => VOUCHED * coverage * coverage;

/** The step of a coverage. A sum of shares may pass 1 by a rounding error. */
const coverageStep = (coverage: number) => Math.min(COVERAGE_STEPS, (coverage * COVERAGE_STEPS + 0.5) | 0);

/**
 * The fused score of a post: its meaning, plus what its words add. A post is never taken to mean less than its words
 * vouch for. So one without a vector competes by its words, and a rare word is found whatever its vector is near to.
 *
 * @param cosine  -1…1, or null when there is no vector
 * @param bestWords  the largest BM25 of the candidates, 0 when no word occurs in any
 * @param factors  of the query, by `coverageFactors`
 * @returns -1…1.3, higher is better
 */
export function fuse(
  cosine: number | null,
  { words, coverage }: WordMatch,
  bestWords: number,
  factors: Float64Array,
): number {
  const vouched = vouchedBy(coverage);
  const meaning = cosine === null ? vouched : Math.max(cosine, vouched);
  if (words === 0 || bestWords === 0) return meaning;
  return meaning + WORD_WEIGHT * (words / bestWords) * (factors[coverageStep(coverage)] ?? 0);
}

/** A fused score as the `relevance` that callers see: 0…1, three decimals. */
export function relevanceOf(score: number): number {
  return Math.round((Math.min(Math.max(score, 0), FUSED_MAX) / FUSED_MAX) * 1000) / 1000;
}
