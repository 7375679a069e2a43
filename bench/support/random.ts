/** Numbers in 0…1 from a seed (mulberry32), so that two runs see the same. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: () => number, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** Chooses among weighted things. */
export function weightedPlaces(weights: readonly number[]): (random: () => number) => number {
  const sums = new Float64Array(weights.length);
  let sum = 0;
  for (const [place, weight] of weights.entries()) {
    sum += weight;
    sums[place] = sum;
  }
  return (random) => {
    const wanted = random() * sum;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
