import { FIELD, type Names } from "./names.ts";

/** A page holds whole blocks; 2^18 bytes. */
const PAGE_BITS = 18;
const LIST_PAGE_BYTES = 1 << PAGE_BITS;
const OFFSET = LIST_PAGE_BYTES - 1;
/** A block begins with the address of the next one and the length of its entries in bytes, each a u32. */
const HEADER = 8;
/** The first block of a list has this many bytes; each one has twice as many as the one before, up to the most. */
const BLOCK_MIN = 16;
const BLOCK_MAX = 4096;
/** An entry takes at most five bytes for the row and one for the weight. */
const ENTRY_MAX = 6;
/** Most words have this weight: once in the body. It is not kept. */
const COMMON_WEIGHT = 2;

interface Page {
  bytes: Uint8Array;
  words: Uint32Array;
}

/**
 * Keeps the rows of each name, ascending, with a weight of 1…255. Distances between rows are kept, seven bits a byte: about
 * 2.3 bytes an entry where impacts of four and one would take 5. Weights are counts of a word and not impacts, so scores
 * stay exact while the number and the mean length of posts change. Weights lie at the end of a block, the first one last.
 * Lists only grow: what is written stays where it is.
 */
export class RowLists {
  readonly pages: Page[] = [];
  /** The next block has this address. */
  used = BLOCK_MIN;
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  /** Adds a row that is larger than the last one of the list. */
  append(name: number, row: number, weight: number = COMMON_WEIGHT): void {
    const names = this.#names;
    const count = names.get(name, FIELD.count);
    let at = names.get(name, FIELD.write);
    if (at + ENTRY_MAX > names.get(name, FIELD.weights)) at = this.#extend(name, at, count);
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
      const weights = names.get(name, FIELD.weights) - 1;
      bytes[weights & OFFSET] = Math.min(255, weight);
      names.set(name, FIELD.weights, weights);
    }
    names.set(name, FIELD.write, at - (at & OFFSET) + offset);
    names.set(name, FIELD.count, count + 1);
    names.set(name, FIELD.last, row);
  }

  /** Calls `take` for each entry of a list. */
  each(name: number, take: (row: number, weight: number) => void): void {
    const blocks = this.blocksOf(name);
    let row = 0;
    for (let block = blocks.next(); block !== null; block = blocks.next()) {
      const { entries, weights } = block;
      let weightAt = weights.length;
      for (let at = 0; at < entries.length; ) {
        let value = entries[at++] ?? 0;
        if (value >= 128) {
          let byte = value;
          value &= 127;
          for (let shift = 7; byte >= 128; shift += 7) {
            byte = entries[at++] ?? 0;
            value |= (byte & 127) << shift;
          }
        }
        row += value >>> 1;
        take(row, (value & 1) === 0 ? COMMON_WEIGHT : (weights[--weightAt] ?? 0));
      }
    }
  }

  /** Writes the rows of a list to `out` from `to` on; gives the end of what it wrote. */
  rows(name: number, out: Uint32Array, to: number): number {
    let end = to;
    this.each(name, (row) => {
      out[end] = row;
      end += 1;
    });
    return end;
  }

  blocksOf(name: number): ListBlocks {
    const names = this.#names;
    return new ListBlocks(this.pages, {
      first: names.get(name, FIELD.first),
      last: names.get(name, FIELD.start) - HEADER,
      end: names.get(name, FIELD.write),
      weights: names.get(name, FIELD.weights),
    });
  }

  /** Adds pages until `bytes` are there. */
  reserve(bytes: number): void {
    while (this.pages.length * LIST_PAGE_BYTES < bytes)
      this.pages.push(pageOf(new ArrayBuffer(LIST_PAGE_BYTES)));
  }

  /** Gives the first bytes, page by page. */
  blocks(bytes = this.used): Uint8Array[] {
    return this.pages.flatMap((page, at) => {
      const length = Math.min(LIST_PAGE_BYTES, bytes - at * LIST_PAGE_BYTES);
      return length > 0 ? [page.bytes.subarray(0, length)] : [];
    });
  }

  /** Puts a new block at the end of a list; gives where its entries begin. */
  #extend(name: number, write: number, count: number): number {
    const names = this.#names;
    let size = BLOCK_MIN;
    for (const blocks = this.blocksOf(name); blocks.next() !== null; ) size = sizeAfter(size);
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
    names.set(name, FIELD.weights, at + size);
    return at + HEADER;
  }

  #page(address: number): Page {
    return pageAt(this.pages, address);
  }
}

const sizeAfter = (size: number) => Math.min(BLOCK_MAX, 2 * size);

/** A block holds at most `BLOCK_MAX` bytes of them. */
export interface ListBlock {
  entries: Uint8Array;
  /** Entries that have a weight have it here, written from the end. Other bytes may come before them. */
  weights: Uint8Array;
}

/** Holds addresses: of the first and the last block, and in the last one of the end of its entries and of its last weight. */
interface ListPlace {
  first: number;
  last: number;
  end: number;
  weights: number;
}

/** Walks the blocks of a list, from the first to the last. The list must not change meanwhile. */
export class ListBlocks {
  readonly #pages: readonly Page[];
  readonly #list: ListPlace;
  /** The next block has this address; 0 stands behind the last. */
  #next: number;
  /** The block has this many bytes. */
  #size = BLOCK_MIN;

  constructor(pages: readonly Page[], list: ListPlace) {
    this.#pages = pages;
    this.#list = list;
    this.#next = list.first;
  }

  /** Gives the next block; null when there are no more. */
  next(): ListBlock | null {
    const at = this.#next;
    if (at === 0) return null;
    const { last, end, weights } = this.#list;
    const { bytes, words } = pageAt(this.#pages, at);
    const offset = at & OFFSET;
    const start = offset + HEADER;
    const size = this.#size;
    // The block's own words do not count: in a copy they may know of entries that came later.
    const isLast = at === last;
    const until = isLast ? end - at + offset : start + (words[(offset >> 2) + 1] ?? 0);
    const weightsAt = isLast ? weights - at + offset : until;
    this.#next = isLast ? 0 : (words[offset >> 2] ?? 0);
    this.#size = sizeAfter(size);
    return { entries: bytes.subarray(start, until), weights: bytes.subarray(weightsAt, offset + size) };
  }
}

function pageAt(pages: readonly Page[], address: number): Page {
  const page = pages[address >>> PAGE_BITS];
  if (page === undefined) throw new RangeError("A list leads out of its memory.");
  return page;
}

function pageOf(buffer: ArrayBuffer): Page {
  return { bytes: new Uint8Array(buffer), words: new Uint32Array(buffer) };
}
