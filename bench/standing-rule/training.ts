import { FEATURES } from "../../src/search/standing-rule/features.ts";
import { dot, type Example, fitLogistic, type Line } from "./fit.ts";
import type { Row } from "./rows.ts";

export const RIDGE = 3;
/** Weight in training of a pair of our own beside a labelled one. */
export const OWN_WEIGHT = 0.5;
const LOWEST_COSINE = 0.1;
/** The bound on the cosine relies on them: they give the best case of every feature. */
const SIGNS: Record<(typeof FEATURES)[number], number> = {
  cosine: 1,
  sharedWords: -1,
  kindAsked: 1,
  passing: -1,
  level: -1,
};
/** Cuts that are tried, in logits. */
const CUTS = Array.from({ length: 160 }, (_, i) => -4 + i * 0.05);

export type Rule = (row: Row) => boolean;

/** Pairs to train with. */
export interface Part {
  rows: readonly Row[];
  weight: number;
  /** How good a rule is on these pairs, 0 and more; null when they have no say in the cut. */
  gain: ((rows: readonly Row[], rule: Rule) => number) | null;
}

/** F1 over all pairs and over the hard ones: for a set whose labelled pairs are most of what passes. */
export const gainOfBoth: Part["gain"] = (rows, rule) =>
  scoresOf(rows, rule).f1 + scoresOf(hardOf(rows), rule).f1;
/** Twice the F1 over the densely labelled queries: for a set like a busy town. */
export const gainOfDense: Part["gain"] = (rows, rule) => 2 * scoresOf(denseOf(rows), rule).f1;

export const hardOf = (rows: readonly Row[]) => rows.filter((row) => row.labelled && row.hard);
export const denseOf = (rows: readonly Row[]) => rows.filter((row) => row.query.dense);

/** Weights, and a bias that includes the cut: the cut is at 0. */
export function lineOf(parts: readonly Part[]): Line {
  const examples = parts.flatMap(({ rows, weight }) =>
    rows.filter((row) => row.passes).map(({ x, match }): Example => ({ x, match, weight })),
  );
  const line = fitLogistic(
    examples,
    FEATURES.map((name) => SIGNS[name]),
    RIDGE,
  );
  return { ...line, bias: line.bias - cutOf(line, parts) };
}

export function ruleOf({ weights, bias }: Line): Rule {
  return (row) => row.byWords || (row.cosine >= LOWEST_COSINE && dot(weights, row.judgedX) + bias >= 0);
}

/** Where the sum of gains is best, smoothed over seven steps of 0.05 so that no single pair decides. */
function cutOf({ weights, bias }: Line, parts: readonly Part[]): number {
  const gains = CUTS.map(() => 0);
  for (const { rows, gain } of parts) {
    if (gain === null) continue;
    const logits = new Map(rows.map((row) => [row, dot(weights, row.judgedX) + bias]));
    for (const [i, cut] of CUTS.entries()) {
      const rule: Rule = (row) =>
        row.byWords || (row.cosine >= LOWEST_COSINE && (logits.get(row) ?? 0) >= cut);
      gains[i] = (gains[i] ?? 0) + gain(rows, rule);
    }
  }
  const smooth = gains.map((_, i) => {
    const near = gains.slice(Math.max(0, i - 3), i + 4);
    return near.reduce((sum, gain) => sum + gain, 0) / near.length;
  });
  return CUTS[smooth.indexOf(Math.max(...smooth))] ?? 0;
}

export function scoresOf(judged: readonly Row[], rule: Rule) {
  const found = judged.filter((row) => row.passes && rule(row));
  const right = found.filter((row) => row.match).length;
  const wanted = judged.filter((row) => row.match).length;
  const precision = right / Math.max(1, found.length);
  const recall = right / Math.max(1, wanted);
  return { precision, recall, f1: (2 * right) / Math.max(1, found.length + wanted) };
}
