/** Each is a sign that a text gives orders to a model. Offsets are UTF-16 units of the text it was found in. */
export interface Evidence {
  /** Two signs of one kind count as the stronger one. */
  kind: string;
  /** 1 is enough by itself. */
  weight: number;
  start: number;
  end: number;
}

/** Signs further apart than this, in UTF-16 units, do not add up: a long post is not worse for being long. */
const REACH = 500;

/** Gives the largest sum of weights, one per kind, of signs that begin within 500 characters of each other. */
export function scoreOf(evidence: readonly Evidence[]): number {
  const sorted = [...evidence].sort((one, other) => one.start - other.start);
  const latest = new Map<string, Evidence>();
  let best = 0;
  for (const sign of sorted) {
    const before = latest.get(sign.kind);
    const gone = before === undefined || sign.start - before.start > REACH;
    if (gone || sign.weight >= before.weight) latest.set(sign.kind, sign);
    let sum = 0;
    for (const other of latest.values()) if (sign.start - other.start <= REACH) sum += other.weight;
    best = Math.max(best, sum);
  }
  return best;
}
