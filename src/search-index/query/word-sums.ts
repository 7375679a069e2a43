import type { ListBlocks } from "../memory/row-lists.ts";
import { B, K1 } from "../words/bm25.ts";
import { isIn } from "./filter.ts";
import { BLOCK_ROWS, COVERAGE_AT, LENGTHS_AT, SCORES_AT, SumsMemory } from "./sums-memory.ts";

/** Larger than all rows. */
const NO_ROW = 0xffff_ffff;
/** What a text without words would count in the divisor. */
const LEAST_LENGTH = K1 * (1 - B);

/** A word of a query with the list of its rows. */
export interface ListedWord {
  /** Before the first. */
  blocks: ListBlocks;
  /** How rare the word is, times how often it was asked for. */
  factor: number;
  /** True when it counts alike wherever it stands. */
  isFlat: boolean;
  /** Of the query, added to the coverage of each row. */
  share: number;
}

/** Rows that were found without a list, ascending, with their scores. */
export interface FoundRows {
  found: readonly (readonly [row: number, score: number])[];
  at: number;
  share: number;
}

/** Words of each post, and how many it has on average. */
interface Lengths {
  lengths: Uint16Array;
  meanLength: number;
}

/**
 * What the words of a query add up to, for each row that has any of them. Rows are summed up block by block: none of the
 * others costs a number, and the sums at hand never wait for memory. The kernel reads the lists and adds.
 */
export class WordSums {
  readonly #memory = new SumsMemory();
  /** Blocks of rows that were summed up. */
  #blocks = 0;
  count = 0;

  /** Rows with a score, ascending: the first `count`. */
  get rows(): Uint32Array {
    return this.#memory.rows;
  }

  /** Their BM25. */
  get scores(): Float32Array {
    return this.#memory.scores;
  }

  /** The share of the query that stands in them. */
  get coverage(): Float32Array {
    return this.#memory.coverage;
  }

  /**
   * Replaces all sums. Each row gets its scores in the order of `words`: sums of 32-bit numbers depend on it.
   * @param size  number of rows
   * @param among  only these rows need a score; null means all
   * @param beforeBlock  may throw, which ends it
   */
  sum(
    words: readonly (ListedWord | FoundRows)[],
    size: number,
    { lengths, meanLength }: Lengths,
    among: Uint32Array | null,
    beforeBlock: () => void,
  ): void {
    const memory = this.#memory;
    memory.reserve(size, words.length);
    memory.members.fill(0, 0, (size >>> 5) + 1);
    for (const nth of words.keys()) memory.rewind(nth);
    if (among !== null) {
      memory.wanted.set(among);
      memory.wanted[among.length] = NO_ROW;
    }
    const slope = (K1 * B) / meanLength;
    this.#blocks = Math.ceil(size / BLOCK_ROWS);
    this.count = 0;
    let first = 0;
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      beforeBlock();
      const end = start + BLOCK_ROWS;
      if (among === null) memory.block.lengths.set(lengths.subarray(start, end));
      const wanted = first;
      for (; among !== null && (among[first] ?? end) < end; first += 1)
        memory.block.lengths[(among[first] ?? 0) - start] = lengths[among[first] ?? 0] ?? 0;
      for (const [nth, word] of words.entries()) {
        if ("found" in word) this.#addFound(word, end, among);
        else this.#addListed(word, nth, end, slope, among === null ? null : wanted);
      }
      this.#gather(start, Math.min(size, end));
    }
  }

  /** Where a row stands in `rows`, or -1. */
  placeOf(row: number): number {
    const { members, before } = this.#memory;
    const bits = members[row >>> 5] ?? 0;
    const bit = 1 << (row & 31);
    if ((bits & bit) === 0) return -1;
    return (before[row >>> 5] ?? 0) + bitCount(bits & (bit - 1));
  }

  /** The largest score of the rows that pass, 0 when none has one. */
  bestScore(passes: (row: number) => boolean): number {
    const { rows, scores, best, before } = this.#memory;
    const blocks = Array.from({ length: this.#blocks }, (_, block) => block);
    const startOf = (block: number) =>
      block < this.#blocks ? (before[(block * BLOCK_ROWS) >>> 5] ?? 0) : this.count;
    let largest = 0;
    for (const block of blocks.sort((a, b) => (best[b] ?? 0) - (best[a] ?? 0))) {
      if ((best[block] ?? 0) <= largest) break;
      const until = startOf(block + 1);
      for (let at = startOf(block); at < until; at += 1) {
        const score = scores[at] ?? 0;
        if (score > largest && passes(rows[at] ?? 0)) largest = score;
      }
    }
    return largest;
  }

  /** Adds a word's scores to the rows before `end`. @param wanted  place of the first row wanted; null when all are */
  #addListed(word: ListedWord, nth: number, end: number, slope: number, wanted: number | null): void {
    const { blocks, factor, isFlat, share } = word;
    const memory = this.#memory;
    const { kernel, members } = memory;
    const wantedAt = wanted === null ? 0 : memory.wanted.byteOffset + 4 * wanted;
    for (;;) {
      const isRead = kernel.addEntries(
        memory.readerAt(nth),
        end,
        isFlat ? factor : 0,
        isFlat ? 0 : factor * (K1 + 1),
        LEAST_LENGTH,
        slope,
        share,
        LENGTHS_AT,
        SCORES_AT,
        COVERAGE_AT,
        BLOCK_ROWS - 1,
        members.byteOffset,
        wantedAt,
      );
      const block = isRead === 1 ? blocks.next() : null;
      if (block === null) return;
      memory.feed(nth, block);
    }
  }

  #addFound(word: FoundRows, end: number, among: Uint32Array | null): void {
    const { members, block } = this.#memory;
    for (; word.at < word.found.length; word.at += 1) {
      const [row, score] = word.found[word.at] ?? [end, 0];
      if (row >= end) return;
      if (among !== null && !isIn(among, row)) continue;
      members[row >>> 5] = (members[row >>> 5] ?? 0) | (1 << (row & 31));
      const place = row & (BLOCK_ROWS - 1);
      block.scores[place] = (block.scores[place] ?? 0) + score;
      block.coverage[place] = (block.coverage[place] ?? 0) + word.share;
    }
  }

  /** Moves the sums of a block to the end of all, in the order of rows. */
  #gather(start: number, end: number): void {
    const { kernel, rows, scores, coverage, members, before, best } = this.#memory;
    this.count = kernel.gather(
      start,
      end,
      SCORES_AT,
      COVERAGE_AT,
      BLOCK_ROWS - 1,
      members.byteOffset,
      before.byteOffset,
      rows.byteOffset,
      scores.byteOffset,
      coverage.byteOffset,
      this.count,
      best.byteOffset + 4 * (start / BLOCK_ROWS),
    );
  }
}

/** Bits that are set in a number of 32 (Warren, Hacker's Delight). */
function bitCount(bits: number): number {
  let sum = bits - ((bits >>> 1) & 0x5555_5555);
  sum = (sum & 0x3333_3333) + ((sum >>> 2) & 0x3333_3333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
