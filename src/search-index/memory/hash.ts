/** What a name is: a word and a tag of the same letters are different names. */
export const NAME = { word: 1, tag: 2, publisher: 3, parent: 4, id: 6, source: 7 } as const;
export type NameKind = (typeof NAME)[keyof typeof NAME];

/** Both halves of the last hash. A pair in place of an object: this runs for each word of each post. */
export const hashed = { low: 0, high: 0 };

/**
 * A hash of 64 bits, left in `hashed`. Among a million names two share one with a probability of 3 in 10^8. Two
 * multiplicative hashes of 32 bits, mixed as in MurmurHash3's finalizer.
 */
export function hashName(kind: NameKind, name: string): void {
  let low = 0x9e37_79b9 ^ kind;
  let high = 0x85eb_ca6b ^ (kind << 8);
  for (let i = 0; i < name.length; i += 1) {
    const unit = name.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x9e37_79b1);
    high = Math.imul(high ^ unit, 0x5f35_6495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85eb_ca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2_ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85eb_ca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2_ae35);
  hashed.low = low >>> 0;
  hashed.high = high >>> 0;
}
