const TURN_MS = 10;

/**
 * Milliseconds until something has come, by a clock that stands still while this process does: of a pause in which others had
 * the processor, one turn counts.
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
