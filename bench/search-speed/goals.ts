/** What the index is meant to reach on two cores, in milliseconds: p50 and p95. */
export type Goal = readonly [p50: number, p95: number];

const NARROW_1M: Goal = [4, 10];

/** By the number of posts, then by series. */
const GOALS: Record<number, Record<string, Goal>> = {
  10000: {
    "hybrid+rerank, short": [0.5, 1],
    "hybrid+rerank, long": [1, 2],
    "narrow, short": [0.2, 0.5],
    "narrow, long": [0.2, 0.5],
    newest: [0.1, 0.5],
    soonest: [0.1, 0.5],
  },
  100000: {
    "hybrid+rerank, short": [2.5, 4],
    "hybrid+rerank, long": [5, 8],
    "narrow, short": [0.6, 1.5],
    "narrow, long": [0.6, 1.5],
    newest: [0.2, 0.5],
    soonest: [0.2, 0.5],
    "related to a post": [1, Number.POSITIVE_INFINITY],
  },
  1000000: {
    "hybrid+rerank, short": [15, 25],
    "hybrid+rerank, long": [25, 45],
    "narrow, short": NARROW_1M,
    "narrow, long": NARROW_1M,
    newest: [0.3, 1],
    soonest: [0.3, 1],
    "related to a post": [3, Number.POSITIVE_INFINITY],
  },
};

export const goalOf = (count: number, series: string): Goal | null => GOALS[count]?.[series] ?? null;

/** A goal in a table, with a mark when it is missed; empty where there is none. */
export function goalCell(goal: Goal | null, { p50, p95 }: { p50: number; p95: number }): string {
  if (goal === null) return "";
  const [middle, high] = goal;
  const said = Number.isFinite(high) ? `${middle} / ${high}` : `${middle}`;
  return p50 <= middle && p95 <= high ? said : `${said}, missed`;
}
