import { FIELD, type Names } from "./names.ts";

/** A page holds whole blocks; 2^18 bytes. */
const PAGE_BITS = 18;
const LIST_PAGE_BYTES = 1 << PAGE_BITS;
const OFFSET = LIST_PAGE_BYTES - 1;
/** A block begins with the address of the next one and its length in bytes, each a u32. */
const HEADER = 8;
const BLOCK_MIN = 16;
export const BLOCK_MAX = 4096;
/** An entry takes at most five bytes for the row and one for the weight. */
const ENTRY_MAX = 6;
/** The weight that most words have: once in the body. It takes no byte. */
const COMMON_WEIGHT = 2;

interface Page {
  bytes: Uint8Array;
  words: Uint32Array;
}

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
    const blocks = this.blocksOf(name);
    let row = 0;
    for (let bytes = blocks.next(); bytes !== null; bytes = blocks.next()) {
      for (let at = 0; at < bytes.length; ) {
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
        take(row, (value & 1) === 0 ? COMMON_WEIGHT : (bytes[at++] ?? 0));
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

  /** The blocks of a list. */
  blocksOf(name: number): ListBlocks {
    const names = this.#names;
    const last = names.get(name, FIELD.start) - HEADER;
    return new ListBlocks(this.pages, names.get(name, FIELD.first), last, names.get(name, FIELD.write));
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
    return pageAt(this.pages, address);
  }
}

/** The blocks of a list, from the first to the last. The list must not change meanwhile. */
export class ListBlocks {
  readonly #pages: readonly Page[];
  /** Address of the next block; 0 after the last. */
  #next: number;
  readonly #last: number;
  readonly #end: number;

  /** @param last  address of the last block @param end  where its entries end */
  constructor(pages: readonly Page[], first: number, last: number, end: number) {
    this.#pages = pages;
    this.#next = first;
    this.#last = last;
    this.#end = end;
  }

  /** The bytes of the next entries, at most `BLOCK_MAX`; null when there are none. */
  next(): Uint8Array | null {
    const at = this.#next;
    if (at === 0) return null;
    const { bytes, words } = pageAt(this.#pages, at);
    const start = (at & OFFSET) + HEADER;
    // Not by the block's own words: in a copy they may know of entries that came later.
    const isLast = at === this.#last;
    const length = isLast ? this.#end - at - HEADER : (words[((at & OFFSET) >> 2) + 1] ?? 0);
    this.#next = isLast ? 0 : (words[(at & OFFSET) >> 2] ?? 0);
    return bytes.subarray(start, start + length);
  }
}

function pageAt(pages: readonly Page[], address: number): Page {
  const page = pages[address >>> PAGE_BITS];
  if (page === undefined) throw new RangeError("A list leads out of its memory.");
  return page;
}

function pageOf(buffer: SharedArrayBuffer): Page {
  return { bytes: new Uint8Array(buffer), words: new Uint32Array(buffer) };
}
