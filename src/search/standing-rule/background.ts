import type { PostBackground } from "../../schema/subscription.ts";

/** What decides how many posts pass before a board has any. */
export interface Narrowing {
  hasPlace: boolean;
  kinds: readonly string[] | null;
}

/** Below this many posts a board's share of passing ones counts as if there were this many: the sets have 260 and more. */
const FEW_POSTS = 200;
/** A count speaks for `passing` within these bounds, about those of the labelled sets. */
const PASSING = { min: 3, max: 1000 } as const;
/** A board without posts speaks as this many posts of the labelled sets would. */
const PRIOR = { posts: 20, meanCosine: 0.15, shareNearPlace: 0.06, kinds: 5 } as const;

/** How many posts a query has to choose from: those that pass its filters, or would on a board of 200 posts. */
export function passingOf(background: PostBackground | null, { hasPlace, kinds }: Narrowing): number {
  const { posts, passing } = background ?? NO_POSTS;
  const usual = (hasPlace ? PRIOR.shareNearPlace : 1) * ((kinds?.length ?? PRIOR.kinds) / PRIOR.kinds);
  const share = (passing + PRIOR.posts * usual) / (posts + PRIOR.posts);
  const expected = passing + Math.max(0, FEW_POSTS - posts) * share;
  return Math.min(PASSING.max, Math.max(PASSING.min, expected));
}

/** Mean cosine of a query with the posts that pass its filters, drawn towards that of the labelled sets by few posts. */
export function levelOf(background: PostBackground | null): number {
  const { compared, meanCosine } = background ?? NO_POSTS;
  return (compared * meanCosine + PRIOR.posts * PRIOR.meanCosine) / (compared + PRIOR.posts);
}

const NO_POSTS: PostBackground = { posts: 0, passing: 0, compared: 0, meanCosine: 0 };
