import { BLOCK_ROWS, type CodeLayout, TOGETHER } from "./comparison.ts";
import type { Kernel } from "./index.ts";

/** With fewer rows, comparing all of every code takes hardly longer. */
const ROWS_MIN = 100_000;
/**
 * The share of rows whose codes are compared whole. Of a million texts' nearest five by meaning 0.999 were among them, of
 * the nearest hundred 0.996; a hundredth had 0.9996 and 0.998, and took a quarter longer.
 */
const SHARE = 1 / 200;
/** If a larger share of the rows is wanted, some of them would not be among the sifted. */
const WANTED_MAX = 1 / 400;
/** One block in so many tells how alike a share of the beginnings is. */
const SAMPLED = 16;
/** Of a row that was sifted: its number and in how many bits its code differs, two u32. */
const PAIR = 2;

/**
 * Finds the rows whose codes differ least from a query's by two looks: at the beginning of every code, a third of the bytes of
 * 384 bits, and at the whole of those that begin most like the query's. It takes half as long as comparing all of every code.
 */
export class Sifter {
  readonly #kernel: Kernel;
  readonly #layout: CodeLayout;

  /** @param kernel  over the memory of the codes */
  constructor(kernel: Kernel, layout: CodeLayout) {
    this.#kernel = kernel;
    this.#layout = layout;
  }

  /**
   * @param desk  has the query's code
   * @param room  numbers of the desk that are free: two for each row of a block at least
   * @param wanted.size  number of rows
   * @param wanted.most  at least as many rows are found
   * @param wanted.beforeBlock  called before each block of rows; may throw, which ends it, and may ask for other rows
   * @returns ascending rows; null when too many are wanted, and when the codes begin too much alike
   */
  nearest(
    desk: { nth: number; at: number },
    room: Uint32Array,
    { size, most, beforeBlock = () => {} }: { size: number; most: number; beforeBlock?: () => void },
  ): Uint32Array | null {
    if (size < ROWS_MIN || most > size * WANTED_MAX) return null;
    const layout = this.#layout;
    const counts = new Uint32Array(
      this.#kernel.memory.buffer,
      layout.countsAt(desk.nth, 0),
      layout.differences,
    );
    const last = this.#beginningsUpTo(desk, size, counts);
    counts.fill(0);
    const pieces: Uint32Array[] = [];
    let to = room.byteOffset;
    const take = () => {
      pieces.push(room.slice(0, (to - room.byteOffset) / room.BYTES_PER_ELEMENT));
      to = room.byteOffset;
    };
    const fullAt = room.byteOffset + room.byteLength - PAIR * room.BYTES_PER_ELEMENT * BLOCK_ROWS;
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      beforeBlock();
      if (to > fullAt) take();
      const count = Math.min(BLOCK_ROWS, TOGETHER * Math.ceil((size - start) / TOGETHER));
      const [firsts, rests] = [layout.firstAt(start), layout.restAt(start)];
      const { restWidth } = layout;
      to = this.#kernel.sift(desk.at, firsts, rests, count, restWidth, last, start, counts.byteOffset, to);
    }
    take();
    const bits = reaching(counts, most);
    const found = new Uint32Array(counts.subarray(0, bits + 1).reduce((sum, count) => sum + count, 0));
    let end = 0;
    for (const pairs of pieces) {
      for (let at = 0; at < pairs.length; at += PAIR) {
        const row = pairs[at] ?? 0;
        // Behind the last row there may be codes of others that are gone.
        if ((pairs[at + 1] ?? 0) > bits || row >= size) continue;
        found[end] = row;
        end += 1;
      }
    }
    return end < most ? null : found.subarray(0, end);
  }

  /** In how many bits the first bytes of a code may differ to be among the share, judged by some blocks. */
  #beginningsUpTo(desk: { nth: number; at: number }, size: number, counts: Uint32Array): number {
    const layout = this.#layout;
    counts.fill(0);
    let sampled = 0;
    for (let start = 0; start + BLOCK_ROWS <= size; start += SAMPLED * BLOCK_ROWS) {
      const [firsts, out] = [layout.firstAt(start), layout.differencesAt(desk.nth, start)];
      this.#kernel.differences(desk.at, firsts, firsts, BLOCK_ROWS, 0, counts.byteOffset, out);
      sampled += BLOCK_ROWS;
    }
    return reaching(counts, sampled * SHARE);
  }
}

/** The first number up to which the counts add up to at least `most`, or the last one. */
export function reaching(counts: Uint32Array, most: number): number {
  let found = 0;
  let step = -1;
  while (step < counts.length - 1 && found < most) {
    step += 1;
    found += counts[step] ?? 0;
  }
  return step;
}
