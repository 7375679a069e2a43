import type { Row } from "./rows.ts";

/** These numbers of `src/search/standing/rule.ts` are fitted. */
export interface Numbers {
  head: number;
  doubling: number;
  close: number;
  wide: number;
}

/** The labelled sets, and our own pairs. */
export type Sets = Readonly<Record<"first" | "second" | "third" | "own", readonly Row[]>>;

const TRIED = {
  head: [0, 0.1, 0.2, 0.3, 0.4, 0.5],
  doubling: [0.01, 0.03, 0.05, 0.07],
};
const CUTS = Array.from({ length: 50 }, (_, i) => 0.1 + i * 0.01);
/** The wide cut is the lowest from which one match in so many of the third set is right. */
const WIDE_PRECISION = 0.225;

export const hardOf = (rows: readonly Row[]) => rows.filter((row) => row.labelled && row.hard);
export const denseOf = (rows: readonly Row[]) => rows.filter((row) => row.query.dense);

/**
 * The numbers with the largest sum of F1 and F2 over the third set, F1 over all and over the hard pairs of the first (half
 * each), F1 over the dense queries of the second, and half the F1 over our own; smoothed over five cuts, so that no single
 * pair decides.
 */
export function fitted({ first, second, third, own }: Sets): Numbers {
  const parts = [
    { rows: third, gain: (s: Scores) => s.f1 + s.f2 },
    { rows: first, gain: (s: Scores) => s.f1 / 2 },
    { rows: hardOf(first), gain: (s: Scores) => s.f1 / 2 },
    { rows: denseOf(second), gain: (s: Scores) => s.f1 },
    { rows: own, gain: (s: Scores) => s.f1 / 2 },
  ];
  let best: { gain: number; numbers: Numbers } | undefined;
  for (const head of TRIED.head) {
    for (const doubling of TRIED.doubling) {
      const numbers = { head, doubling };
      const byPart = parts.map(({ rows, gain }) => scoresByCut(rows, numbers).map(gain));
      const gains = CUTS.map((_, i) => byPart.reduce((sum, some) => sum + (some[i] ?? 0), 0));
      const smooth = gains.map((_, i) => {
        const near = gains.slice(Math.max(0, i - 2), i + 3);
        return near.reduce((sum, gain) => sum + gain, 0) / near.length;
      });
      const gain = Math.max(...smooth);
      if (best !== undefined && gain <= best.gain) continue;
      const close = CUTS[smooth.indexOf(gain)] ?? 0;
      const wideAt = scoresByCut(third, numbers).findIndex(({ precision }) => precision >= WIDE_PRECISION);
      best = { gain, numbers: { ...numbers, close, wide: CUTS[wideAt] ?? close } };
    }
  }
  if (best === undefined) throw new Error("Nothing was tried.");
  return best.numbers;
}

/** Applies the rule beside all words: what cosine and words reach together. */
export const isYes = (row: Row, numbers: Numbers, cut: number): boolean =>
  row.hasAllWords || (row.cosine >= 0.15 && scoreOf(row, numbers) >= cut);

const scoreOf = (row: Row, { head, doubling }: Pick<Numbers, "head" | "doubling">) =>
  row.cosine + head * row.head - doubling * row.doublings;

export interface Scores {
  precision: number;
  recall: number;
  f1: number;
  f2: number;
}

export function scoresOf(judged: readonly Row[], rule: (row: Row) => boolean): Scores {
  const found = judged.filter((row) => row.passes && rule(row));
  return scores(
    found.filter((row) => row.match).length,
    found.length,
    judged.filter((row) => row.match).length,
  );
}

/** Scores each of `CUTS`. */
function scoresByCut(rows: readonly Row[], numbers: Pick<Numbers, "head" | "doubling">): Scores[] {
  const [found, right] = [CUTS.map(() => 0), CUTS.map(() => 0)];
  for (const row of rows) {
    if (!row.passes || (!row.hasAllWords && row.cosine < 0.15)) continue;
    const score = row.hasAllWords ? 1 : scoreOf(row, numbers);
    const at = Math.min(CUTS.length - 1, Math.floor((score - (CUTS[0] ?? 0)) * 100 + 1e-6));
    if (at < 0) continue;
    found[at] = (found[at] ?? 0) + 1;
    if (row.match) right[at] = (right[at] ?? 0) + 1;
  }
  const wanted = rows.filter((row) => row.match).length;
  const all: Scores[] = [];
  let [sum, good] = [0, 0];
  for (let at = CUTS.length - 1; at >= 0; at -= 1) {
    sum += found[at] ?? 0;
    good += right[at] ?? 0;
    all.unshift(scores(good, sum, wanted));
  }
  return all;
}

function scores(right: number, found: number, wanted: number): Scores {
  const f = (beta: number) => ((1 + beta) * right) / Math.max(1, found + beta * wanted);
  return { precision: right / Math.max(1, found), recall: right / Math.max(1, wanted), f1: f(1), f2: f(4) };
}
