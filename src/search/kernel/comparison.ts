import { type Kernel, type KernelMemory, openKernel, PAGE_BYTES } from "./index.ts";

/** Codes per call of the kernel, a power of two. */
const BLOCK_BITS = 12;
export const BLOCK_ROWS = 1 << BLOCK_BITS;
/**
 * Comparisons whose differences have a place: that of a search, that of another in a pause of it, one that was begun and
 * not needed, one that the second thread is late with, and that of a thread that the codes are lent to.
 */
export const DESKS = 5;
/** Bytes of a difference. Those of a block lie behind its codes, the ones of each desk for themselves. */
const DIFFERENCE_BYTES = 2;
/** More than two codes can differ. */
const NEVER = 0xffff;
/** The kernel takes four at a time. */
export const TOGETHER = 4;
/** A chunk has this many blocks, or more where there would be too many chunks: 32,768 rows take 0.2 ms. */
const CHUNK_BLOCKS = 8;
const CHUNKS_MAX = 64;
/** A chunk that the second thread is late with is compared here after so long: its thread may have got no processor. */
const LATE_MS = 2;

/** Numbers in `Comparison.turns`: the next chunk, how far the second thread is, then 1 for each chunk that is done. */
const NEXT = 0;
const SECOND = 1;
const DONE = 2;
/** How far the second thread is; closed before it began, it leaves a comparison alone. */
const STATE = { waiting: 0, working: 1, finished: 2, closed: 3 } as const;

/** Bytes at the beginning of each code that lie side by side: most searches by meaning alone read no others. */
export const FIRST_BYTES = 16;

/** Where codes and what is noted of them lie: threads that share a memory agree on it. */
export class CodeLayout {
  /** Bytes of a code. */
  readonly width: number;
  /** Bytes of it behind the first ones. */
  readonly restWidth: number;
  /** Numbers that count how often each difference occurs. */
  readonly differences: number;
  readonly #ownBytes: number;
  readonly #deskBytes: number;

  /** @param ownBytes  at the beginning of each desk, for its search alone; the query's code comes first */
  constructor(dimension: number, ownBytes: number) {
    this.width = FIRST_BYTES * Math.ceil(dimension / (8 * FIRST_BYTES));
    this.restWidth = this.width - FIRST_BYTES;
    this.differences = dimension + 1;
    this.#ownBytes = ownBytes;
    const counts = 4 * this.differences * (CHUNKS_MAX + 1);
    this.#deskBytes = PAGE_BYTES * Math.ceil((ownBytes + counts) / PAGE_BYTES);
  }

  deskAt(desk: number): number {
    return desk * this.#deskBytes;
  }

  /** Where the first bytes of a row's code lie. */
  firstAt(row: number): number {
    return this.#blockAt(row) + (row & (BLOCK_ROWS - 1)) * FIRST_BYTES;
  }

  /** Where the rest of it lies, behind the first bytes of its whole block. */
  restAt(row: number): number {
    return this.#blockAt(row) + BLOCK_ROWS * FIRST_BYTES + (row & (BLOCK_ROWS - 1)) * this.restWidth;
  }

  /** Where the codes of whole blocks end. */
  endOf(rows: number): number {
    return this.#blockAt(BLOCK_ROWS * Math.ceil(rows / BLOCK_ROWS));
  }

  /** Where the differences of a row's block begin. */
  differencesAt(desk: number, row: number): number {
    return this.#blockAt(row) + BLOCK_ROWS * (this.width + desk * DIFFERENCE_BYTES);
  }

  /** The place of a row's difference in a view of all numbers of its size. */
  differenceOf(desk: number, row: number): number {
    return this.differencesAt(desk, row) / DIFFERENCE_BYTES + (row & (BLOCK_ROWS - 1));
  }

  /** Where the differences of a chunk are counted. */
  countsAt(desk: number, chunk: number): number {
    return this.deskAt(desk) + this.#ownBytes + 4 * this.differences * chunk;
  }

  /** A block has its codes and, behind them, their differences. */
  #blockAt(row: number): number {
    const bytes = BLOCK_ROWS * (this.width + DIFFERENCE_BYTES * DESKS);
    return DESKS * this.#deskBytes + (row >>> BLOCK_BITS) * bytes;
  }
}

/** The codes of all rows beside that of a query, which lies at the beginning of a desk. Threads share it as it is. */
export interface Comparison {
  desk: number;
  /** Number of rows. */
  size: number;
  turns: SharedArrayBuffer;
}

const chunkRows = (size: number) =>
  BLOCK_ROWS * Math.max(CHUNK_BLOCKS, Math.ceil(size / BLOCK_ROWS / CHUNKS_MAX));
const chunksOf = (size: number) => Math.ceil(size / chunkRows(size));

export function newComparison(desk: number, size: number): Comparison {
  return { desk, size, turns: new SharedArrayBuffer(4 * (DONE + chunksOf(size))) };
}

/** Notes for rows in how many bits their codes differ from a query's: two threads take chunks of them in turn. */
export class Comparer {
  readonly #memory: KernelMemory;
  readonly #kernel: Kernel;
  readonly #layout: CodeLayout;

  constructor(memory: KernelMemory, layout: CodeLayout) {
    this.#memory = memory;
    this.#kernel = openKernel(memory);
    this.#layout = layout;
  }

  /** What the second thread does. @returns the number of chunks that it took */
  help(comparison: Comparison): number {
    const turns = new Int32Array(comparison.turns);
    if (Atomics.compareExchange(turns, SECOND, STATE.waiting, STATE.working) !== STATE.waiting) return 0;
    const taken = this.#take(comparison, () => {});
    Atomics.store(turns, SECOND, STATE.finished);
    return taken;
  }

  /**
   * What the search does: all that the second thread has not done in time.
   * @param beforeBlock  called once at least; may throw, which ends it, and may compare with another query
   * @returns how often each difference occurs
   */
  finish(comparison: Comparison, beforeBlock: () => void): Uint32Array {
    const { desk, size } = comparison;
    const turns = new Int32Array(comparison.turns);
    // Nobody may wait any more when the second thread has done it all.
    if (this.#take(comparison, beforeBlock) === 0) beforeBlock();
    const late: number[] = [];
    const until = performance.now() + LATE_MS;
    for (let chunk = 0; chunk < chunksOf(size); chunk += 1) {
      if (Atomics.load(turns, DONE + chunk) === 1) continue;
      const isDone =
        Atomics.wait(turns, DONE + chunk, 0, Math.max(0, until - performance.now())) !== "timed-out";
      if (!isDone) late.push(chunk);
    }
    const counts = new Uint32Array(
      this.#memory.buffer,
      this.#layout.countsAt(desk, CHUNKS_MAX),
      this.#layout.differences,
    );
    counts.fill(0);
    for (const chunk of late) this.#compare(comparison, chunk, CHUNKS_MAX, beforeBlock);
    for (let chunk = 0; chunk < chunksOf(size); chunk += 1) {
      if (late.includes(chunk)) continue;
      const some = new Uint32Array(this.#memory.buffer, this.#layout.countsAt(desk, chunk), counts.length);
      for (let bits = 0; bits < counts.length; bits += 1)
        counts[bits] = (counts[bits] ?? 0) + (some[bits] ?? 0);
    }
    return counts;
  }

  #take(comparison: Comparison, beforeBlock: () => void): number {
    const turns = new Int32Array(comparison.turns);
    for (let taken = 0; ; taken += 1) {
      const chunk = Atomics.add(turns, NEXT, 1);
      if (chunk >= chunksOf(comparison.size)) return taken;
      const { buffer } = this.#memory;
      new Uint32Array(buffer, this.#layout.countsAt(comparison.desk, chunk), this.#layout.differences).fill(
        0,
      );
      this.#compare(comparison, chunk, chunk, beforeBlock);
      Atomics.store(turns, DONE + chunk, 1);
      Atomics.notify(turns, DONE + chunk);
    }
  }

  /** @param counter  number of the chunk whose counts are added to */
  #compare({ desk, size }: Comparison, chunk: number, counter: number, beforeBlock: () => void): void {
    const layout = this.#layout;
    const { restWidth } = layout;
    const [query, countsAt] = [layout.deskAt(desk), layout.countsAt(desk, counter)];
    const end = Math.min(size, (chunk + 1) * chunkRows(size));
    for (let start = chunk * chunkRows(size); start < end; start += BLOCK_ROWS) {
      beforeBlock();
      const count = Math.min(BLOCK_ROWS, size - start);
      const all = TOGETHER * Math.ceil(count / TOGETHER);
      const at = layout.differencesAt(desk, start);
      const [firsts, rests] = [layout.firstAt(start), layout.restAt(start)];
      this.#kernel.differences(query, firsts, rests, all, restWidth, countsAt, at);
      if (count === BLOCK_ROWS) continue;
      const block = new Uint16Array(this.#memory.buffer, at, BLOCK_ROWS);
      const counts = new Uint32Array(this.#memory.buffer, countsAt, layout.differences);
      for (const none of block.subarray(count, all)) counts[none] = (counts[none] ?? 0) - 1;
      block.fill(NEVER, count);
    }
  }
}

/** Lets no thread take another chunk. */
export function closeComparison(comparison: Comparison): void {
  const turns = new Int32Array(comparison.turns);
  Atomics.compareExchange(turns, SECOND, STATE.waiting, STATE.closed);
  Atomics.store(turns, NEXT, chunksOf(comparison.size));
}

/** True while the second thread may still write into the comparison's desk. */
export function isAtWork({ turns }: Comparison): boolean {
  return Atomics.load(new Int32Array(turns), SECOND) === STATE.working;
}

/** True while the second thread may write into the comparison's desk, or begin to. */
export function isOpen({ turns }: Comparison): boolean {
  return Atomics.load(new Int32Array(turns), SECOND) <= STATE.working;
}

/** Says that the second thread has ended, and will not write any more. */
export function releaseComparison({ turns }: Comparison): void {
  Atomics.store(new Int32Array(turns), SECOND, STATE.finished);
}
