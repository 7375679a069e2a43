const WORDS =
  `anchor bridge candle drum engine fountain garden harp island jacket kite lantern mirror needle oven piano quilt
river saddle tower umbrella violin window yard zebra acorn basket canal desert elbow feather glacier hammer iron jungle
kettle ladder meadow nectar orchard pepper quarry ribbon silver thunder valley walnut yogurt bamboo cobalt dolphin ember
falcon granite harvest ivory jasmine kernel lagoon marble nutmeg opal prairie quartz raven saffron timber velvet willow`.split(
    /\s+/,
  );

/**
 * The text of the nth post of a test: titles and bodies that no two posts share, so that none is taken for a
 * near-duplicate.
 */
export function distinctText(n: number): { title: string; body: string } {
  const words = (from: number, count: number) =>
    Array.from(
      { length: count },
      (_, i) => WORDS[(((n + 1) * (7 * (i + from) + 3) + (i + from) ** 3) * 31) % WORDS.length],
    );
  return { title: `${words(0, 4).join(" ")} ${n}`, body: `${words(5, 16).join(" ")}.` };
}
