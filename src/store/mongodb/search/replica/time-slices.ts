import { setImmediate as nextTurn } from "node:timers/promises";

/** How long the event loop is kept from others at a time, in milliseconds. */
const TURN_MS = 8;

/** Runs small jobs in order; others get their turn every 8 ms, after `pause` and before `resume`. */
export async function inTurns(
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
