import { Column } from "./columns.ts";

/** A word and a tag of the same letters are different names. */
export const NAME = { word: 1, tag: 2, publisher: 3, parent: 4, id: 6, source: 7, series: 8 } as const;
export type NameKind = (typeof NAME)[keyof typeof NAME];

/** Holds both halves of the last hash. A pair in place of an object: this runs for each word of each post. */
export const hashed = { low: 0, high: 0 };

/** Makes a hash of 64 bits, left in `hashed`. */
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

/** A name has these fields, each a u32. */
export const FIELD = {
  low: 0,
  high: 1,
  /** The first block of its rows has this address; 0 stands for none. */
  first: 2,
  /** These tell where the entries of the last block begin, where the next one is written, and where its last weight lies. */
  start: 3,
  write: 4,
  weights: 5,
  /** A list counts its rows, dead ones included, and ends with the last of them. */
  count: 6,
  last: 7,
  /** A publisher has bits of `STATUS`. */
  status: 8,
} as const;
const FIELDS = 9;

/**
 * Lists the rows of words, tags, publishers, parents, sources and series. Only hashes are kept: nothing here, nor in a
 * snapshot, can be read as text.
 */
export class Names {
  /** Each name has `FIELDS` numbers. */
  readonly fields = new Column(Uint32Array, 256 * FIELDS);
  /** The hash table holds numbers of names plus 1, and is at most three quarters full. */
  readonly slots = new Column(Uint32Array, 1024);
  size = 0;

  /** Counts the numbers in `fields`. */
  get fieldsUsed(): number {
    return this.size * FIELDS;
  }

  /** Finds the number of a name, or -1. */
  find(kind: NameKind, name: string): number {
    hashName(kind, name);
    const { view: slots } = this.slots;
    return (slots[this.#slot()] ?? 0) - 1;
  }

  /** Gives the number of a name, a new one if need be. */
  number(kind: NameKind, name: string): number {
    hashName(kind, name);
    const slot = this.#slot();
    const found = (this.slots.view[slot] ?? 0) - 1;
    return found >= 0 ? found : this.#add(slot);
  }

  get(number: number, field: number): number {
    return this.fields.view[number * FIELDS + field] ?? 0;
  }

  set(number: number, field: number, value: number): void {
    this.fields.view[number * FIELDS + field] = value;
  }

  /** Takes over the hash of another table's name, without its rows. */
  copy(from: Names, number: number): number {
    hashed.low = from.get(number, FIELD.low);
    hashed.high = from.get(number, FIELD.high);
    const copied = this.#add(this.#slot());
    this.set(copied, FIELD.status, from.get(number, FIELD.status));
    return copied;
  }

  /** Adds the name hashed last. @returns its number */
  #add(slot: number): number {
    const number = this.size;
    this.size += 1;
    this.fields.reserve(this.size * FIELDS);
    this.fields.view.fill(0, number * FIELDS, this.size * FIELDS);
    this.set(number, FIELD.low, hashed.low);
    this.set(number, FIELD.high, hashed.high);
    this.slots.view[slot] = number + 1;
    if (4 * this.size > 3 * this.slots.view.length) this.#rehash();
    return number;
  }

  /** Finds the slot of the name hashed last, or the free one where it belongs. */
  #slot(): number {
    const { view: slots } = this.slots;
    const { view: fields } = this.fields;
    const { low, high } = hashed;
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const number = (slots[slot] ?? 0) - 1;
      if (number < 0) return slot;
      const at = number * FIELDS;
      if (fields[at] === low && fields[at + 1] === high) return slot;
    }
  }

  #rehash(): void {
    const slots = new Uint32Array(new ArrayBuffer(this.slots.view.length * 2 * 4));
    const mask = slots.length - 1;
    for (let number = 0; number < this.size; number += 1) {
      let slot = this.get(number, FIELD.low) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.slots.adopt(slots.buffer);
  }
}
