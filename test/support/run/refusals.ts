/** What quick tests were refused since the last test. Files in one process share this list. */
export const refused: string[] = [];

/** A stand-in for what a quick test may not do. */
export function refuse(wish: string): () => never {
  return () => {
    refused.push(wish);
    throw new Error(`A quick test may not ${wish}; see vitest.quick.config.ts.`);
  };
}
