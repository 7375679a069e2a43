import type { Lift, PostFilter, WordQuery } from "../../schema/filter.ts";
import { dequantize, quantize } from "./vectors.ts";

/** The rerank pass reads at least this many first-pass matches, so that a short page is more than reshuffled. */
const POOL = 200;

/** Holds found posts, in a column for each fact. `Key` is what an index calls a post by: its id, or a row. */
export interface Scored<Key> {
  keys: ArrayLike<Key>;
  /** It lies in -1…1, and is NaN when the post or the query has no vector. */
  cosines: Float64Array;
  /** BM25 gives a score above 0, or 0 when no word occurs. */
  words: Float64Array;
  /** See `WordMatch.coverage`. */
  coverage: Float64Array;
  /** No match has a larger score in `words`. */
  bestWords: number;
}

type MaybePromise<T> = T | Promise<T>;

export interface Candidates<Key> {
  /** Finds the best `limit` matches by the fused score, in any order; a few more do no harm. */
  match(page: { limit: number; except: ReadonlySet<Key> }): MaybePromise<Scored<Key>>;
  vectors(keys: readonly Key[]): MaybePromise<(Int8Array | null)[]>;
  /** Takes cosines to a vector, NaN where a post has none. */
  cosines(vector: Int8Array, keys: ArrayLike<Key>): MaybePromise<Float64Array>;
  /** Gives 1 for each post that passes a filter, else 0. */
  fits(filter: PostFilter, keys: ArrayLike<Key>): MaybePromise<Uint8Array>;
  idsOf(keys: readonly Key[]): string[];
}

interface RankOptions<Key> {
  rerank?: boolean;
  limit: number;
  /** An earlier part of the same walk returned these. */
  except?: ReadonlySet<Key>;
  lifts?: readonly Lift[];
}

/**
 * Ranks what matches a question: words and meaning fused and, with `rerank`, meaning judged once more by the query moved
 * towards the best posts. Lifts come last: they do not choose those.
 *
 * @param question.vector  meaning of the query
 * @returns best first, equal scores by id; `relevance` is 0…1
 */
export async function rankCandidates<Key>(
  candidates: Candidates<Key>,
  { words, vector }: { words: WordQuery | null; vector: Int8Array | null },
  { rerank = false, limit, except = new Set(), lifts = [] }: RankOptions<Key>,
): Promise<{ id: string; relevance: number }[]> {
  const readsMore = rerank || lifts.length > 0;
  const found = await candidates.match({ limit: readsMore ? Math.max(limit, POOL) : limit, except });
  const factors = coverageFactors(words);
  const scored = (some: Scored<Key>) => ({ found: some, scores: fusedScores(some, some.cosines, factors) });
  const idOf = (key: Key) => candidates.idsOf([key])[0] ?? "";
  let { scores } = scored(found);
  if (rerank && vector !== null && found.keys.length > 0) {
    // A later part of a walk is judged by the same posts as its beginning.
    const first =
      except.size === 0
        ? { found, scores }
        : scored(await candidates.match({ limit: FEEDBACK.posts, except: new Set() }));
    const best = order(first.scores, FEEDBACK.posts, (at) => idOf(first.found.keys[at] as Key));
    const vectors = await candidates.vectors(best.map((at) => first.found.keys[at] as Key));
    const moved = feedback(
      vector,
      vectors.filter((one) => one !== null),
    );
    scores = fusedScores(found, await candidates.cosines(moved, found.keys), factors);
  }
  for (const { filter, weight } of lifts) {
    const fitting = await candidates.fits({ ...ANY_POST, ...filter }, found.keys);
    for (let at = 0; at < scores.length; at += 1) {
      if (fitting[at] === 1) scores[at] = (scores[at] ?? 0) + weight;
    }
  }
  const keyAt = (at: number) => found.keys[at] as Key;
  const places = order(scores, limit, (at) => idOf(keyAt(at)));
  const ids = candidates.idsOf(places.map(keyAt));
  return places.map((at, nth) => ({ id: ids[nth] ?? "", relevance: relevanceOf(scores[at] ?? 0) }));
}

/** Every post passes. */
export const ANY_POST: PostFilter = {
  kinds: null,
  tags: null,
  near: null,
  after: null,
  before: null,
  verifiedOnly: false,
  publisherId: null,
  parentId: null,
  includeReplies: true,
  includeExpired: true,
  includeSyndicated: true,
  now: 0,
  createdUntil: Number.MAX_SAFE_INTEGER,
};

/** Fuses the scores of matches with these cosines; `factors` by `coverageFactors`. */
export function fusedScores(
  { words, coverage, bestWords }: Scored<unknown>,
  cosines: Float64Array,
  factors: Float64Array,
): Float64Array {
  const scores = new Float64Array(words.length);
  for (let at = 0; at < words.length; at += 1) {
    const cosine = cosines[at] ?? Number.NaN;
    const match = { words: words[at] ?? 0, coverage: coverage[at] ?? 0 };
    scores[at] = fuse(Number.isNaN(cosine) ? null : cosine, match, bestWords, factors);
  }
  return scores;
}

/** Scores that differ by less than this part of 1 are equal. */
const STEPS_PER_UNIT = 1e9;

/** Finds the places of the largest scores, best first, equal ones by id. @param idAt  asked for equal scores only */
function order(scores: Float64Array, limit: number, idAt: (place: number) => string): number[] {
  const steps = scores.map((score) => Math.round(score * STEPS_PER_UNIT));
  const ids = new Map<number, string>();
  const known = (place: number) => {
    const id = ids.get(place) ?? idAt(place);
    ids.set(place, id);
    return id;
  };
  return [...steps.keys()]
    .sort((a, b) => (steps[b] ?? 0) - (steps[a] ?? 0) || (known(a) < known(b) ? -1 : 1))
    .slice(0, limit);
}

/** The second pass helps from this many different words on, stop words aside; the meaning of shorter queries drifts off. */
const RERANK_WORDS = 6;

export const gainsByRerank = ({ any, phrases }: WordQuery): boolean =>
  new Set([...any, ...phrases.flat()]).size >= RERANK_WORDS;

/** The best posts speak for what the query means, and weigh this much beside it. */
export const FEEDBACK = { posts: 3, weight: 0.4 } as const;

/**
 * Moves the query towards the best posts of a first ranking by pseudo-relevance feedback (Rocchio), `normalise(query + 0.4
 * * mean(posts))`. It helps long queries on one subject (+0.01 nDCG@10 over three collections of abstracts) and does
 * notices no harm; five posts did.
 *
 * @param query  int8 vector as `quantize` makes it
 * @param posts  int8 vectors of the best posts, best first; those after the third are ignored
 * @returns the query itself when there are no posts
 */
export function feedback(query: Int8Array, posts: readonly Int8Array[]): Int8Array {
  const best = posts.slice(0, FEEDBACK.posts);
  if (best.length === 0) return query;
  const moved = dequantize(query);
  for (const post of best) {
    const vector = dequantize(post);
    for (let i = 0; i < moved.length; i += 1) {
      moved[i] = (moved[i] ?? 0) + (FEEDBACK.weight * (vector[i] ?? 0)) / best.length;
    }
  }
  let squares = 0;
  for (const x of moved) squares += x * x;
  if (squares === 0) return query;
  const length = Math.sqrt(squares);
  for (let i = 0; i < moved.length; i += 1) moved[i] = (moved[i] ?? 0) / length;
  return quantize(moved);
}

/** The best word score counts this much beside a cosine of 1. */
const WORD_WEIGHT = 0.3;

/** Up to this many words, a query's word score falls in proportion to the coverage; with more of them, ever less. */
const STRICT_WORDS = 3.5;

/** A post with every word of the query means at least this much, whatever the model makes of these words. */
const VOUCHED = 0.5;

/** No fused score is higher. */
export const FUSED_MAX = 1 + WORD_WEIGHT;

/**
 * This is added to the floor of the cosine when no post has any of a query's words, where a question names no margin of its
 * own. Most such queries are slips of the keyboard, whose cosines with 260 notices reached 0.32 under the default model; a
 * true paraphrase then has to be a close one.
 */
export const UNKNOWN_WORDS_MARGIN = 0.1;

/** Coverage is rounded to this many steps. */
const COVERAGE_STEPS = 1023;

export interface WordMatch {
  /** BM25 gives a score above 0, or 0 when no word occurs. */
  words: number;
  /** Its words make up this share of the query, weighted by how rare each is: 0…1. */
  coverage: number;
}

/**
 * Tells how much a word counts in the coverage of a query: inverse document frequency, above 0 for every word.
 * @param count  posts with it; a word that stands nowhere counts most
 */
export function coverageWeight(count: number, posts: number): number {
  return Math.log(1 + Math.max(0, posts - count + 0.5) / (count + 0.5));
}

/**
 * Says how much of a post's word score counts, for each step of its coverage: all of it for a post with all the words. A
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

/** Factors are kept by the number of words: queries have at most a few hundred. */
const FACTORS = new Map<number, Float64Array>();

/** Gives the lowest meaning that a post with words of this coverage may have. */
const vouchedBy = (coverage: number) => VOUCHED * coverage * coverage;

/** Steps a coverage. A sum of shares may pass 1 by a rounding error. */
const coverageStep = (coverage: number) => Math.min(COVERAGE_STEPS, (coverage * COVERAGE_STEPS + 0.5) | 0);

/**
 * Fuses the score of a post: its meaning, plus what its words add. A post is never taken to mean less than its words vouch
 * for. So one without a vector competes by its words, and a rare word is found whatever its vector is near to.
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

/** Gives a fused score as the `relevance` that callers see: 0…1, three decimals. */
function relevanceOf(score: number): number {
  return Math.round((Math.min(Math.max(score, 0), FUSED_MAX) / FUSED_MAX) * 1000) / 1000;
}
