/**
 * Repeats a bounded step until it finds nothing or `limit` is reached; resolves to the total.
 * @param step  does at most `most` and resolves to how many it did
 */
export async function inSteps(
  limit: number,
  perStep: number,
  step: (most: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  while (total < limit) {
    const done = await step(Math.min(perStep, limit - total));
    if (done === 0) break;
    total += done;
  }
  return total;
}
