/**
 * A post answers a saved query by these four numbers, fitted by `bench/standing-rule.ts`: what the share of the query's
 * words that occur in title or tags adds to the cosine; what each doubling of the posts that pass the filters asks for; and
 * the cut of either breadth where `usual` posts pass. Cosines are those of all-MiniLM-L6-v2 q8.
 */
export const RULE = {
  head: 0.4,
  doubling: 0.05,
  cut: { close: 0.38, wide: 0.23 },
  /** Beyond these bounds the number of posts that pass says no more: it must not shut an open query. */
  passing: { fewest: 4, usual: 64, most: 256 },
} as const;
