/** What a column holds. */
export type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** A column of numbers that grows by being copied. */
export class Column<T extends Numbers> {
  /** Longer than what is in use. */
  view: T;
  readonly #make: new (
    buffer: ArrayBuffer,
  ) => T;
  readonly #bytes: number;

  constructor(make: (new (buffer: ArrayBuffer) => T) & { BYTES_PER_ELEMENT: number }, length = 256) {
    this.#make = make;
    this.#bytes = make.BYTES_PER_ELEMENT;
    this.view = new make(new ArrayBuffer(length * this.#bytes));
  }

  /** Makes room for `length` numbers. */
  reserve(length: number): void {
    if (length <= this.view.length) return;
    const larger = new this.#make(
      new ArrayBuffer(Math.max(length, Math.ceil(this.view.length * 1.25)) * this.#bytes),
    );
    larger.set(this.view as never);
    this.view = larger;
  }

  get buffer(): ArrayBuffer {
    return this.view.buffer as ArrayBuffer;
  }

  /** Takes these bytes in place of its own. */
  adopt(buffer: ArrayBuffer): void {
    if (this.view.buffer !== buffer) this.view = new this.#make(buffer);
  }
}

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
