import { setImmediate as nextTurn } from "node:timers/promises";

/** How long the jobs may hold the event loop, in milliseconds. */
const TURN_MS = 8;

/** Runs small jobs in order; every 8 ms the event loop turns, between `pause` and `resume`. */
export async function inTimeSlices(
  jobs: readonly (() => void)[],
  between: { pause: () => void; resume: () => void },
): Promise<void> {
  let until = performance.now() + TURN_MS;
  for (const job of jobs) {
    if (performance.now() > until) {
      between.pause();
      await nextTurn();
      between.resume();
      until = performance.now() + TURN_MS;
    }
    job();
  }
}
