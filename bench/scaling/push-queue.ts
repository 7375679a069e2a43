import { type Spread, sample, sampleGap } from "./sampling.ts";

/** Pushes of a whole board, whatever the number of its instances. */
export interface PushLoad {
  /** Pushes that become due in a second, as independent events. */
  perSecond: number;
  /** A claim of one push; of several, each further one takes a little longer. One at a time over all instances. */
  claim: Spread;
  furtherMs: number;
  /** From the claim to the receiver's answer. */
  attempt: Spread;
  settle: Spread;
  /** Attempts under way at a time. */
  places: number;
}

const SIMULATED_MS = 120_000;
/** The queue starts empty: what came first says little. */
const WARM_UP_MS = 20_000;

/**
 * Plays two minutes of the outbox: claims follow one another, each takes what is due as far as there are places, and a
 * place is free again when its push is settled.
 *
 * @returns how long a push waits until it is claimed, in milliseconds; what still waits at the end counts as waiting since
 *   it became due
 */
export function pushWaits(load: PushLoad, random: () => number): { p50: number; p95: number } {
  const due: number[] = [];
  for (let at = sampleGap(load.perSecond, random); at < SIMULATED_MS; ) {
    due.push(at);
    at += sampleGap(load.perSecond, random);
  }
  const waits: number[] = [];
  let ends: number[] = [];
  let next = 0;
  let clock = 0;
  while (next < due.length && clock < SIMULATED_MS) {
    ends = ends.filter((end) => end > clock);
    // Nothing to do before something is due and a place is free.
    const free = ends.length < load.places ? clock : Math.min(...ends);
    clock = Math.max(free, due[next] ?? 0);
    ends = ends.filter((end) => end > clock);
    let taken = 0;
    while (taken < load.places - ends.length && (due[next + taken] ?? Number.POSITIVE_INFINITY) <= clock) {
      taken += 1;
    }
    const claimedAt = clock + sample(load.claim, random) + (taken - 1) * load.furtherMs;
    for (const at of due.slice(next, next + taken)) {
      if (at >= WARM_UP_MS) waits.push(claimedAt - at);
      ends.push(claimedAt + sample(load.attempt, random) + sample(load.settle, random));
    }
    next += taken;
    clock = claimedAt;
  }
  for (const at of due.slice(next)) if (at >= WARM_UP_MS) waits.push(SIMULATED_MS - at);
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor(waits.length * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

/** The largest whole number of pushes a second of which 95 % wait less than a bound, found by halving. */
export function pushesPerSecondMax(
  load: Omit<PushLoad, "perSecond">,
  waitMsMax: number,
  random: () => () => number,
): number {
  let [low, high] = [1, 10_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (pushWaits({ ...load, perSecond: middle }, random()).p95 < waitMsMax) low = middle;
    else high = middle;
  }
  return low;
}
