import type { WordQuery } from "../schema/filter.ts";
import { dequantize, quantize } from "./vectors.ts";

/** The second pass helps from so many different words on, stop words aside; the meaning of shorter queries drifts off. */
const RERANK_WORDS = 6;

/** Whether a query is long enough for the second pass. */
export const gainsByRerank = ({ any, phrases }: WordQuery): boolean =>
  new Set([...any, ...phrases.flat()]).size >= RERANK_WORDS;

/** How many of the best posts speak for what the query means, and how much they count beside it. */
export const FEEDBACK = { posts: 3, weight: 0.4 } as const;

/**
 * Pseudo-relevance feedback (Rocchio): the query moved towards the best posts of a first ranking,
 * `normalise(query + 0.4 * mean(posts))`. It helps long queries on one subject (+0.01 nDCG@10 over three collections of
 * abstracts) and does notices no harm; five posts did.
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
