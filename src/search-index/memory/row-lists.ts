import { FIELD, type Names } from "./names.ts";

/** A page holds whole blocks; 2^18 bytes. */
const PAGE_BITS = 18;
const LIST_PAGE_BYTES = 1 << PAGE_BITS;
const OFFSET = LIST_PAGE_BYTES - 1;
/** A block begins with the address of the next one and its length in bytes, each a u32. */
const HEADER = 8;
const BLOCK_MIN = 16;
const BLOCK_MAX = 4096;
/** An entry takes at most five bytes for the row and one for the weight. */
const ENTRY_MAX = 6;
/** The weight that most words have: once in the body. It takes no byte. */
const COMMON_WEIGHT = 2;

interface Page {
  bytes: Uint8Array;
  words: Uint32Array;
}

/** What the words of a query add up to, for each row. */
export interface WordSums {
  scores: Float32Array;
  coverage: Float32Array;
  /** Rows with a score above 0, each once: the first `count` of these. */
  matched: Uint32Array;
  count: number;
  /** 1 for the rows that are to be scored; null for all. */
  within: Uint8Array | null;
}

/** BM25 (Robertson and Walker 1994) as FTS5 computes it: saturation of a word's count, and the share of a text's length. */
const K1 = 1.2;
const B = 0.75;
/** What a text without words would count in the divisor. */
const LEAST_LENGTH = K1 * (1 - B);

/**
 * The rows of each name, ascending, with a weight of 1…255. Distances between rows are kept, seven bits a byte: about 2.3
 * bytes an entry where impacts of four and one would take 5. Weights are counts of a word and not impacts, so scores stay
 * exact while the number and the mean length of posts change. Lists only grow: what is written stays where it is.
 */
export class RowLists {
  readonly pages: Page[] = [];
  /** Address after the last block. */
  used = BLOCK_MIN;
  readonly #names: Names;
  /** A block, decoded: an entry takes at least one byte. */
  readonly #rows = new Uint32Array(BLOCK_MAX);
  readonly #weights = new Uint8Array(BLOCK_MAX);

  constructor(names: Names) {
    this.#names = names;
  }

  /** Adds a row that is larger than the last one of the list. */
  append(name: number, row: number, weight: number = COMMON_WEIGHT): void {
    const names = this.#names;
    const count = names.get(name, FIELD.count);
    let at = names.get(name, FIELD.write);
    if (at + ENTRY_MAX > names.get(name, FIELD.end)) at = this.#extend(name, at, count);
    const { bytes } = this.#page(at);
    let offset = at & OFFSET;
    const common = weight === COMMON_WEIGHT;
    let rest = (row - names.get(name, FIELD.last)) * 2 + (common ? 0 : 1);
    while (rest >= 128) {
      bytes[offset] = (rest & 127) | 128;
      offset += 1;
      rest >>>= 7;
    }
    bytes[offset] = rest;
    offset += 1;
    if (!common) {
      bytes[offset] = Math.min(255, weight);
      offset += 1;
    }
    names.set(name, FIELD.write, at - (at & OFFSET) + offset);
    names.set(name, FIELD.count, count + 1);
    names.set(name, FIELD.last, row);
  }

  /** Calls `take` for each entry of a list. */
  each(name: number, take: (row: number, weight: number) => void): void {
    this.#decoded(name, (rows, weights, count) => {
      for (let at = 0; at < count; at += 1) take(rows[at] ?? 0, weights[at] ?? 0);
    });
  }

  /** Writes the rows of a list to `out` from `to` on; gives the end of what it wrote. */
  rows(name: number, out: Uint32Array, to: number): number {
    let end = to;
    this.#decoded(name, (rows, _, count) => {
      out.set(rows.subarray(0, count), end);
      end += count;
    });
    return end;
  }

  /**
   * Adds the BM25 score of a word to the score of each post that has it.
   * @param factor  how rare the word is, times how often it was asked for
   * @param lengths  words of each post
   * @param meanLength  of all posts
   * @param share  of the query, added to the coverage of each post that has the word
   */
  score(
    name: number,
    { factor, share }: { factor: number; share: number },
    { lengths, meanLength }: { lengths: Uint16Array; meanLength: number },
    sums: WordSums,
  ): void {
    const word = { share, scale: factor * (K1 + 1), slope: (K1 * B) / meanLength };
    this.#decoded(name, (rows, weights, count) => addBlock(rows, weights, count, word, lengths, sums));
  }

  /** Adds pages until `bytes` are there. */
  reserve(bytes: number): void {
    while (this.pages.length * LIST_PAGE_BYTES < bytes)
      this.pages.push(pageOf(new SharedArrayBuffer(LIST_PAGE_BYTES)));
  }

  /** The first bytes, page by page. */
  blocks(bytes = this.used): Uint8Array[] {
    return this.pages.flatMap((page, at) => {
      const length = Math.min(LIST_PAGE_BYTES, bytes - at * LIST_PAGE_BYTES);
      return length > 0 ? [page.bytes.subarray(0, length)] : [];
    });
  }

  /** Calls `take` for each block of a list; what it is given holds until it returns. */
  #decoded(name: number, take: (rows: Uint32Array, weights: Uint8Array, count: number) => void): void {
    let last = 0;
    this.#blocks(name, (bytes, start, end) => {
      const count = decode(bytes, start, end, last, this.#rows, this.#weights);
      if (count > 0) last = this.#rows[count - 1] ?? 0;
      take(this.#rows, this.#weights, count);
    });
  }

  #blocks(name: number, read: (bytes: Uint8Array, start: number, end: number) => void): void {
    const last = this.#names.get(name, FIELD.start) - HEADER;
    for (let at = this.#names.get(name, FIELD.first); at !== 0; ) {
      const { bytes, words } = this.#page(at);
      const start = (at & OFFSET) + HEADER;
      // Not by the block's own words: in a copy they may know of entries that came later.
      if (at === last) {
        read(bytes, start, start + this.#names.get(name, FIELD.write) - at - HEADER);
        return;
      }
      read(bytes, start, start + (words[((at & OFFSET) >> 2) + 1] ?? 0));
      at = words[(at & OFFSET) >> 2] ?? 0;
    }
  }

  /** A new block at the end of a list, twice as long as the one before; gives where its entries begin. */
  #extend(name: number, write: number, count: number): number {
    const names = this.#names;
    const before = names.get(name, FIELD.end) - names.get(name, FIELD.start);
    const size = count === 0 ? BLOCK_MIN : Math.min(BLOCK_MAX, 2 * (before + HEADER));
    let at = this.used;
    if ((at & OFFSET) + size > LIST_PAGE_BYTES) at = (at | OFFSET) + 1;
    this.used = at + size;
    this.reserve(this.used);
    if (count === 0) names.set(name, FIELD.first, at);
    else {
      const block = names.get(name, FIELD.start) - HEADER;
      const { words } = this.#page(block);
      words[(block & OFFSET) >> 2] = at;
      words[((block & OFFSET) >> 2) + 1] = write - block - HEADER;
    }
    names.set(name, FIELD.start, at + HEADER);
    names.set(name, FIELD.write, at + HEADER);
    names.set(name, FIELD.end, at + size);
    return at + HEADER;
  }

  #page(address: number): Page {
    const page = this.pages[address >>> PAGE_BITS];
    if (page === undefined) throw new RangeError("A list leads out of its memory.");
    return page;
  }
}

/** Adds a word's score to the first `length` rows. One loop of its own: a call for each row takes as long as the sums. */
function addBlock(
  rows: Uint32Array,
  weights: Uint8Array,
  length: number,
  { share, scale, slope }: { share: number; scale: number; slope: number },
  lengths: Uint16Array,
  sums: WordSums,
): void {
  const { scores, coverage, within, matched } = sums;
  let known = sums.count;
  for (let at = 0; at < length; at += 1) {
    const row = rows[at] ?? 0;
    if (within !== null && within[row] === 0) continue;
    // Weights are halves: 2 for once in the body.
    const count = (weights[at] ?? 0) / 2;
    const before = scores[row] ?? 0;
    if (before === 0) {
      matched[known] = row;
      known += 1;
    }
    scores[row] = before + (scale * count) / (count + LEAST_LENGTH + slope * (lengths[row] ?? 0));
    coverage[row] = (coverage[row] ?? 0) + share;
  }
  sums.count = known;
}

/** Writes the entries of a block; gives their number. @param last  the row before the first of them */
function decode(
  bytes: Uint8Array,
  start: number,
  end: number,
  last: number,
  rows: Uint32Array,
  weights: Uint8Array,
): number {
  let row = last;
  let count = 0;
  for (let at = start; at < end; ) {
    let value = bytes[at++] ?? 0;
    if (value >= 128) {
      let byte = value;
      value &= 127;
      for (let shift = 7; byte >= 128; shift += 7) {
        byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
      }
    }
    row += value >>> 1;
    rows[count] = row;
    weights[count] = (value & 1) === 0 ? COMMON_WEIGHT : (bytes[at++] ?? 0);
    count += 1;
  }
  return count;
}

function pageOf(buffer: SharedArrayBuffer): Page {
  return { bytes: new Uint8Array(buffer), words: new Uint32Array(buffer) };
}
