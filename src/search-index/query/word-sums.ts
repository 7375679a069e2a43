import type { ListReader } from "../memory/row-lists.ts";

/** Rows summed up at a time, a power of two: their sums stay in the processor's nearest memory. */
const BLOCK_ROWS = 8192;

/** BM25 (Robertson and Walker 1994) as FTS5 computes it: saturation of a word's count, and the share of a text's length. */
const K1 = 1.2;
const B = 0.75;
/** What a text without words would count in the divisor. */
const LEAST_LENGTH = K1 * (1 - B);

/** A word of a query with the list of its rows. */
export interface ListedWord {
  /** Before the first block. */
  reader: ListReader;
  /** How many entries of the reader's block are summed up. */
  at: number;
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
 * others costs a number, and the sums at hand never wait for memory.
 */
export class WordSums {
  /** Rows with a score, ascending, with their BM25 and the share of the query that stands in them: the first `count`. */
  rows = new Uint32Array(0);
  scores = new Float32Array(0);
  coverage = new Float32Array(0);
  count = 0;
  /** Numbers that each of these can hold. */
  #room = 0;
  /** A bit for each row that is in `rows`, and how many of these come before each 32 rows. */
  #members = new Uint32Array(0);
  #before = new Uint32Array(0);
  /** A bit for each row that may get a score. */
  #within = new Uint32Array(0);
  /** Zeros but while a block is summed up. */
  readonly #block: Block = {
    scores: new Float32Array(BLOCK_ROWS),
    coverage: new Float32Array(BLOCK_ROWS),
  };

  /**
   * Replaces all sums. Each row gets its scores in the order of `words`: sums of 32-bit numbers depend on it.
   * @param size  number of rows
   * @param among  only these rows need a score; null means all
   * @param beforeBlock  may throw, which ends it
   */
  sum(
    words: readonly (ListedWord | FoundRows)[],
    size: number,
    lengths: Lengths,
    among: Uint32Array | null,
    beforeBlock: () => void,
  ): void {
    this.#reserve(size);
    if (among !== null) this.#allow(among, size);
    const sums = { ...this.#block, members: this.#members, within: among === null ? null : this.#within };
    for (let start = 0; start < size; start += BLOCK_ROWS) {
      beforeBlock();
      const end = start + BLOCK_ROWS;
      for (const word of words) {
        if ("found" in word) addFound(word, end, sums);
        else addListed(word, end, lengths, sums);
      }
      this.#gather(start, Math.min(size, end));
    }
  }

  /** Where a row stands in `rows`, or -1. */
  placeOf(row: number): number {
    const members = this.#members[row >>> 5] ?? 0;
    const bit = 1 << (row & 31);
    if ((members & bit) === 0) return -1;
    return (this.#before[row >>> 5] ?? 0) + bitCount(members & (bit - 1));
  }

  #reserve(size: number): void {
    if (this.#room < size) {
      this.#room = Math.ceil(size * 1.25);
      this.rows = new Uint32Array(this.#room);
      this.scores = new Float32Array(this.#room);
      this.coverage = new Float32Array(this.#room);
      const groups = (this.#room >>> 5) + 1;
      this.#members = new Uint32Array(groups);
      this.#before = new Uint32Array(groups);
      this.#within = new Uint32Array(groups);
    }
    this.#members.fill(0, 0, (size >>> 5) + 1);
    this.count = 0;
  }

  #allow(rows: Uint32Array, size: number): void {
    const within = this.#within;
    within.fill(0, 0, (size >>> 5) + 1);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      within[row >>> 5] = (within[row >>> 5] ?? 0) | (1 << (row & 31));
    }
  }

  /** Moves the sums of a block to the end of all, in the order of rows; `start` and `end` are multiples of 32. */
  #gather(start: number, end: number): void {
    const { rows, scores, coverage } = this;
    const members = this.#members;
    const before = this.#before;
    const block = this.#block;
    let { count } = this;
    for (let group = start >>> 5; group << 5 < end; group += 1) {
      before[group] = count;
      for (let bits = members[group] ?? 0; bits !== 0; bits &= bits - 1) {
        const row = (group << 5) | (31 - Math.clz32(bits & -bits));
        const at = row & (BLOCK_ROWS - 1);
        rows[count] = row;
        scores[count] = block.scores[at] ?? 0;
        coverage[count] = block.coverage[at] ?? 0;
        block.scores[at] = 0;
        block.coverage[at] = 0;
        count += 1;
      }
    }
    this.count = count;
  }
}

/** Sums of one block of rows. */
interface Block {
  scores: Float32Array;
  coverage: Float32Array;
}

/** Where sums go: `members` gets a bit for each row with a score; null as `within` lets every row have one. */
interface Sums extends Block {
  members: Uint32Array;
  within: Uint32Array | null;
}

/** Adds a word's scores to the rows before `end`. */
function addListed(word: ListedWord, end: number, { lengths, meanLength }: Lengths, sums: Sums): void {
  const { reader, factor, isFlat, share } = word;
  const scale = isFlat ? 0 : factor * (K1 + 1);
  const slope = (K1 * B) / meanLength;
  for (;;) {
    if (word.at === reader.count) {
      word.at = 0;
      if (!reader.next()) return;
    }
    const { rows, weights, count } = reader;
    word.at = addEntries(
      rows,
      weights,
      word.at,
      count,
      end,
      isFlat ? factor : 0,
      scale,
      slope,
      share,
      lengths,
      sums,
    );
    if (word.at < count) return;
  }
}

/** Adds the entries from `at` on whose rows are before `end`; gives the first that is not. One loop without calls. */
function addEntries(
  rows: Uint32Array,
  weights: Uint8Array,
  from: number,
  count: number,
  end: number,
  base: number,
  scale: number,
  slope: number,
  share: number,
  lengths: Uint16Array,
  { scores, coverage, members, within }: Sums,
): number {
  let at = from;
  for (; at < count; at += 1) {
    const row = rows[at] ?? 0;
    if (row >= end) break;
    const group = row >>> 5;
    const bit = 1 << (row & 31);
    if (within !== null && ((within[group] ?? 0) & bit) === 0) continue;
    members[group] = (members[group] ?? 0) | bit;
    // Weights are halves: 2 for once in the body.
    const times = (weights[at] ?? 0) / 2;
    const place = row & (BLOCK_ROWS - 1);
    scores[place] =
      (scores[place] ?? 0) + base + (scale * times) / (times + LEAST_LENGTH + slope * (lengths[row] ?? 0));
    coverage[place] = (coverage[place] ?? 0) + share;
  }
  return at;
}

function addFound(word: FoundRows, end: number, { scores, coverage, members, within }: Sums): void {
  for (; word.at < word.found.length; word.at += 1) {
    const [row, score] = word.found[word.at] ?? [end, 0];
    if (row >= end) return;
    const group = row >>> 5;
    const bit = 1 << (row & 31);
    if (within !== null && ((within[group] ?? 0) & bit) === 0) continue;
    members[group] = (members[group] ?? 0) | bit;
    const place = row & (BLOCK_ROWS - 1);
    scores[place] = (scores[place] ?? 0) + score;
    coverage[place] = (coverage[place] ?? 0) + word.share;
  }
}

/** Bits that are set in a number of 32 (Warren, Hacker's Delight). */
function bitCount(bits: number): number {
  let sum = bits - ((bits >>> 1) & 0x5555_5555);
  sum = (sum & 0x3333_3333) + ((sum >>> 2) & 0x3333_3333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
