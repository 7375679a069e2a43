/** BM25 (Robertson and Walker 1994) as FTS5 computes it: saturation of a word's count, and the share of a text's length. */
export const K1 = 1.2;
export const B = 0.75;

/** A word in more than half of all posts still counts a little, as it does in FTS5: alike wherever it stands. */
export const SCORE_MIN = 1e-6;

/** Inverse document frequency as FTS5 computes it. */
export function rarity(count: number, posts: number): number {
  return Math.max(SCORE_MIN, Math.log((posts - count + 0.5) / (count + 0.5)));
}

/** What a score depends on beside the post: how many posts there are, their words, and those with the term. */
export interface Statistics {
  posts: number;
  words: number;
  count: number;
}

/** @param length  words of the post */
export function bm25(frequency: number, length: number, statistics: Statistics): number {
  const idf = rarity(statistics.count, statistics.posts);
  return (idf * frequency * (K1 + 1)) / (frequency + divisor(length, statistics));
}

/** The weighted count, a multiple of a half, that gave a score. */
export function frequencyOf(score: number, length: number, statistics: Statistics): number {
  const most = rarity(statistics.count, statistics.posts) * (K1 + 1);
  const frequency = (score * divisor(length, statistics)) / Math.max(most - score, Number.EPSILON);
  return Math.max(1, Math.round(frequency * 2)) / 2;
}

const divisor = (length: number, { posts, words }: Statistics) =>
  K1 * (1 - B + (B * length * posts) / Math.max(1, words));
