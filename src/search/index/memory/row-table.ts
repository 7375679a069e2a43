import { Column } from "./columns.ts";

const EMPTY = 0;
const REMOVED = 0xffff_ffff;

/** A hash table of rows is at most three quarters full. What a row is found by is kept elsewhere. */
export class RowTable {
  readonly slots = new Column(Uint32Array, 512);
  /** Counts slots in use, those of removed rows included. */
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
