/**
 * One bit for each component of a vector, set when it is positive, and zeros up to a multiple of 16 bytes. The bits in which
 * two codes differ tell the angle of their vectors, roughly: `angle / 180° * dimension`, as if each component were a random
 * plane between them.
 */
export function signCode(vector: Int8Array, into: Uint8Array): void {
  into.fill(0);
  for (let at = 0; at < vector.length; at += 1) {
    if ((vector[at] ?? 0) > 0) into[at >> 3] = (into[at >> 3] ?? 0) | (1 << (at & 7));
  }
}

export const codeBytes = (dimension: number) => Math.ceil(dimension / 128) * 16;

/**
 * Standard deviations, of as many random planes, by which a limit lies above what is expected. On pairs of real texts
 * (`bench/matching-speed.ts --codes`, all-MiniLM-L6-v2) 2.9 overlooks less than one in 10,000 of those that reach the floor.
 * High floors, where a wide margin costs little, have one that also holds for bge-small, whose floors are all high.
 */
const marginOf = (floor: number) => (floor < 0.65 ? 2.9 : 3.5);

/** In how many bits the codes of two vectors may differ whose cosine reaches `floor`, but for one pair in 10,000. */
export function codeLimit(floor: number, dimension: number): number {
  const share = Math.acos(Math.max(-1, Math.min(1, floor))) / Math.PI;
  return Math.ceil(dimension * share + marginOf(floor) * Math.sqrt(dimension * share * (1 - share)));
}
