/** The answers of one method to all queries of a collection. */
export interface SavedQuality {
  collection: string;
  method: string;
  minCosine: number;
  ndcg10: number;
  /** By query: ids, best first, each with its exact score; null when the exact ranking does not have it. */
  run: Record<string, [id: string, score: number | null][]>;
}

/** Posts whose scores differ by less may change places: word scores are kept to a millionth. */
const TIE = 1e-6;

/**
 * Where two runs differ: in the order of a query's ids, ties aside, or in the first three digits of the mean nDCG@10.
 * @returns `queries` says how many were compared
 */
export function differences(
  before: readonly SavedQuality[],
  after: readonly SavedQuality[],
): { queries: number; lines: string[] } {
  const lines: string[] = [];
  let queries = 0;
  const keyOf = (one: SavedQuality) => `${one.collection} ${one.method} ${one.minCosine}`;
  const later = new Map(after.map((one) => [keyOf(one), one]));
  for (const earlier of before) {
    const now = later.get(keyOf(earlier));
    if (now === undefined) {
      lines.push(`${keyOf(earlier)}: not measured`);
      continue;
    }
    const [was, is] = [earlier.ndcg10.toFixed(3), now.ndcg10.toFixed(3)];
    if (was !== is) lines.push(`${keyOf(earlier)}: nDCG@10 ${was} before, ${is} now`);
    for (const [query, ids] of Object.entries(earlier.run)) {
      queries += 1;
      const difference = firstDifference(ids, now.run[query] ?? []);
      if (difference !== null) lines.push(`${keyOf(earlier)}, query ${query}: ${difference}`);
    }
  }
  return { queries, lines };
}

type Run = SavedQuality["run"][string];

function firstDifference(before: Run, after: Run): string | null {
  for (let rank = 0; rank < Math.max(before.length, after.length); rank += 1) {
    const [was, wasScore] = before[rank] ?? [];
    const [is, isScore] = after[rank] ?? [];
    if (was === is) continue;
    const tied =
      typeof wasScore === "number" && typeof isScore === "number" && Math.abs(wasScore - isScore) < TIE;
    if (!tied) return `rank ${rank + 1} was ${was ?? "none"} (${wasScore}), is ${is ?? "none"} (${isScore})`;
  }
  return null;
}
