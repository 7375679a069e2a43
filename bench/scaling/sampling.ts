/** A distribution of times in milliseconds: log-normal, through a measured middle and 95th percentile. */
export interface Spread {
  p50: number;
  p95: number;
}

/** How many standard deviations of a normal distribution its 95th percentile lies above its middle. */
const Z95 = 1.6449;

/** One time, by a generator of numbers in [0, 1). */
export function sample({ p50, p95 }: Spread, random: () => number): number {
  const sigma = Math.log(p95 / p50) / Z95;
  return p50 * Math.exp(sigma * normal(random));
}

/** Time until the next of independent events that come so often. */
export function sampleGap(perSecond: number, random: () => number): number {
  return (-Math.log(1 - random()) / perSecond) * 1_000;
}

/** Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * How long a question to several shards takes, which ends with the slowest of them.
 *
 * @param shards  how many are asked, by a generator of numbers in [0, 1)
 * @returns percentiles in milliseconds
 */
export function scattered(
  spread: Spread,
  shards: (random: () => number) => number,
  random: () => number,
): Spread & { p99: number } {
  const times = Float64Array.from({ length: SAMPLES }, () => {
    let slowest = 0;
    for (let left = shards(random); left > 0; left -= 1) slowest = Math.max(slowest, sample(spread, random));
    return slowest;
  }).sort();
  const at = (share: number) => times[Math.floor(SAMPLES * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

const SAMPLES = 20_000;

/** How many of `shards` hold at least one of some posts that are spread evenly. */
export function shardsOfPosts(posts: number, shards: number, random: () => number): number {
  const met = new Set<number>();
  for (let left = posts; left > 0; left -= 1) met.add(Math.floor(random() * shards));
  return met.size;
}
