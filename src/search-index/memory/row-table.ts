import { Column } from "./columns.ts";

const EMPTY = 0;
const REMOVED = 0xffff_ffff;

/** A hash table of rows, at most three quarters full. What a row is found by is kept elsewhere. */
export class RowTable {
  readonly slots = new Column(Uint32Array, 512);
  /** Slots in use, those of removed rows included. */
  used = 0;

  find(hash: number, isIt: (row: number) => boolean): number {
    const { view } = this.slots;
    const mask = view.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const held = view[slot] ?? EMPTY;
      if (held === EMPTY) return -1;
      if (held !== REMOVED && isIt(held - 1)) return held - 1;
    }
  }

  /** @param hashOf  of rows in the table, for when it grows */
  add(hash: number, row: number, hashOf: (row: number) => number): void {
    if (4 * (this.used + 1) > 3 * this.slots.view.length) this.#grow(hashOf);
    const { view } = this.slots;
    const mask = view.length - 1;
    let slot = hash & mask;
    while (view[slot] !== EMPTY) slot = (slot + 1) & mask;
    view[slot] = row + 1;
    this.used += 1;
  }

  remove(hash: number, row: number): void {
    const { view } = this.slots;
    const mask = view.length - 1;
    for (let slot = hash & mask; view[slot] !== EMPTY; slot = (slot + 1) & mask) {
      if (view[slot] === row + 1) view[slot] = REMOVED;
    }
  }

  clear(): void {
    this.slots.view.fill(EMPTY);
    this.used = 0;
  }

  #grow(hashOf: (row: number) => number): void {
    const { view } = this.slots;
    const rows = view.filter((held) => held !== EMPTY && held !== REMOVED);
    let length = view.length;
    while (3 * length < 8 * rows.length) length *= 2;
    const larger = new Uint32Array(new ArrayBuffer(length * 4));
    for (const held of rows) {
      let slot = hashOf(held - 1) & (length - 1);
      while (larger[slot] !== EMPTY) slot = (slot + 1) & (length - 1);
      larger[slot] = held;
    }
    this.slots.adopt(larger.buffer);
    this.used = rows.length;
  }
}

/** Bytes of an id. */
const ID_MAX = 255;
/** The id of each row. */
export class RowIds {
  /** Where an id begins in `bytes`: a length of one byte, then the letters. */
  readonly at = new Column(Uint32Array);
  readonly bytes = new Column(Uint8Array, 4096);
  used = 0;
  /** The bytes as they are read. */
  #buffer: Buffer<ArrayBufferLike> = Buffer.alloc(0);

  of(row: number): string {
    const at = this.at.view[row] ?? 0;
    return this.#all().toString("utf8", at + 1, at + 1 + (this.bytes.view[at] ?? 0));
  }

  /** @param bytes  of an id */
  is(row: number, bytes: Buffer): boolean {
    return this.#bytesOf(row).equals(bytes);
  }

  /** Below 0 when the id of `row` comes before that of `other`, by bytes: no text is made of them. */
  compare(row: number, other: number): number {
    const { view: bytes } = this.bytes;
    const [at, otherAt] = [this.at.view[row] ?? 0, this.at.view[other] ?? 0];
    const [length, otherLength] = [bytes[at] ?? 0, bytes[otherAt] ?? 0];
    const both = Math.min(length, otherLength);
    for (let i = 1; i <= both; i += 1) {
      const difference = (bytes[at + i] ?? 0) - (bytes[otherAt + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  put(row: number, id: string): void {
    const bytes = Buffer.from(id);
    if (bytes.length > ID_MAX) throw new RangeError(`An id has at most ${ID_MAX} bytes.`);
    this.bytes.reserve(this.used + 1 + bytes.length);
    this.at.view[row] = this.used;
    this.bytes.view[this.used] = bytes.length;
    this.bytes.view.set(bytes, this.used + 1);
    this.used += 1 + bytes.length;
  }

  /** Begins anew. @returns a function that keeps the id of a row under its new number, to be called in the order of rows */
  compact(): (row: number, to: number) => void {
    const bytes = this.bytes.view.slice(0, this.used);
    this.used = 0;
    return (row, to) => {
      const at = this.at.view[row] ?? 0;
      const id = bytes.subarray(at, at + 1 + (bytes[at] ?? 0));
      this.bytes.view.set(id, this.used);
      this.at.view[to] = this.used;
      this.used += id.length;
    };
  }

  #bytesOf(row: number): Buffer {
    const at = this.at.view[row] ?? 0;
    return this.#all().subarray(at + 1, at + 1 + (this.bytes.view[at] ?? 0));
  }

  /** The bytes of all ids. */
  #all(): Buffer {
    const { buffer } = this.bytes.view;
    if (this.#buffer.buffer !== buffer) this.#buffer = Buffer.from(buffer);
    return this.#buffer;
  }
}
