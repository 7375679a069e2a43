const TURN_MS = 10;

/**
 * Milliseconds until a promise settles, by a clock that stops while this process does not run. A pause in which other
 * processes had the processor counts as one turn.
 */
export async function turnsMsOf(coming: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, TURN_MS);
  try {
    await coming;
  } finally {
    clearInterval(timer);
  }
  return turns * TURN_MS;
}
