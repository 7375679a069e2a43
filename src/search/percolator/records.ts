import { type Kernel, openKernel, PAGE_BYTES } from "../kernel/open-kernel.ts";
import { codeBytes, signCode } from "./sign-code.ts";

/** Layout of the first four pages: the asked vector as i16, its code, a list of records, what the kernel found. */
const QUERY_AT = 0;
const CODE_AT = 8_192;
const LIST_AT = 16_384;
/** How many records one call of the kernel scores. */
const LIST_LENGTH = 16_384;
const FOUND_AT = LIST_AT + 4 * LIST_LENGTH;
const HEAP_AT = 4 * PAGE_BYTES;

/** The kernel may read this many bytes behind a record that it asks for early. */
const READ_AHEAD = 256;
/** Codes of one bucket lie together in blocks that hold 4, 16, 64, 256 or 1,024; a full large one is followed by another. */
const BLOCK_MIN = 4;
const BLOCK_MAX = 1_024;
/** Records are set aside for a bucket in runs, so that what is scanned together lies together. */
const RUN_MAX = 64;

/** Most classes of posts; a record has room for the floors of so many. */
export const CLASSES_MAX = 3;

/** Address of a record: the vector of one saved query, the query's row, and a floor for each class of posts. */
export type RecordAddress = number;

/** Codes of the queries filed in one bucket, each with its limit and its record. */
export interface CodeList {
  /** Addresses of blocks; all but the last are full, and all are of the largest size when there are several. */
  blocks: number[];
  /** Codes that the last block has room for. */
  capacity: number;
  count: number;
  /** Records set aside and not in use. */
  spare: RecordAddress[];
}

/**
 * Vectors of saved queries and lists of their codes in one WebAssembly memory, which grows in place and is scanned by the
 * kernel. All calls of `ask` and the ones that follow it happen in one turn of the event loop.
 */
export class Records {
  readonly #dimension: number;
  readonly #codeBytes: number;
  readonly #recordBytes: number;
  readonly #kernel: Kernel = openKernel();
  readonly #code: Uint8Array;
  /** Views of the whole memory, made anew whenever it grows. */
  #bytes = new Int8Array();
  #shorts = new Uint16Array();
  #words = new Uint32Array();
  /** Where the part begins that was never in use. */
  #top = HEAP_AT;
  /** Freed stretches by their size in bytes. */
  readonly #freed = new Map<number, number[]>();
  /** Records on the kernel's list. */
  #listed = 0;
  /** Where the floors that count stand in a record, in bytes behind the vector. */
  #floorAt = 4;

  /** @param dimension  a multiple of 16, at most 3,968 */
  constructor(dimension: number) {
    if (dimension % 16 !== 0 || dimension <= 0 || dimension > 3_968) {
      throw new RangeError(`Vectors of ${dimension} dimensions do not fit the kernel.`);
    }
    this.#dimension = dimension;
    this.#codeBytes = codeBytes(dimension);
    this.#recordBytes = dimension + 16;
    this.#code = new Uint8Array(this.#codeBytes);
    this.#kernel.memory.grow(HEAP_AT / PAGE_BYTES - 1);
    this.#view();
  }

  /** Bytes in use or freed for use again. */
  get bytes(): number {
    return this.#top;
  }

  /**
   * Keeps a vector.
   *
   * @param floors  dot products from which it is found, for each class of posts
   * @param row  what it is found as
   * @param home  the bucket it is scanned with, when there is one
   */
  put(vector: Int8Array, floors: readonly number[], row: number, home: CodeList | null): RecordAddress {
    const address = home === null ? this.#take(this.#recordBytes) : this.#recordFor(home);
    this.#bytes.set(vector, address);
    this.#words[(address + this.#dimension) / 4] = row;
    for (const [nth, floor] of floors.entries())
      this.#words[(address + this.#dimension) / 4 + 1 + nth] = floor;
    return address;
  }

  /** Gives back a record, after its codes were removed. */
  free(address: RecordAddress, home: CodeList | null): void {
    if (home === null || home.count === 0) {
      this.#give(address, this.#recordBytes);
      for (const spare of home?.spare.splice(0) ?? []) this.#give(spare, this.#recordBytes);
    } else home.spare.push(address);
  }

  newList(): CodeList {
    return { blocks: [], capacity: 0, count: 0, spare: [] };
  }

  /** Files a record under a list. */
  addCode(list: CodeList, vector: Int8Array, limit: number, record: RecordAddress): void {
    this.#makeRoom(list);
    const { at, block, capacity } = this.#place(list, list.count);
    signCode(vector, this.#code);
    this.#bytes.set(this.#code, block + at * this.#codeBytes);
    this.#shorts[this.#limitsAt(block, capacity) / 2 + at] = Math.min(limit, 0xffff);
    this.#words[this.#namesAt(block, capacity) / 4 + at] = record;
    list.count += 1;
  }

  /** Takes a record off a list; the last one moves to its place. */
  removeCode(list: CodeList, record: RecordAddress): void {
    const found = this.#find(list, record);
    if (found === null) return;
    const last = this.#place(list, list.count - 1);
    const width = this.#codeBytes;
    const from = last.block + last.at * width;
    this.#bytes.copyWithin(found.block + found.at * width, from, from + width);
    const limits = (place: Place) => this.#limitsAt(place.block, place.capacity) / 2 + place.at;
    const names = (place: Place) => this.#namesAt(place.block, place.capacity) / 4 + place.at;
    this.#shorts[limits(found)] = this.#shorts[limits(last)] ?? 0;
    this.#words[names(found)] = this.#words[names(last)] ?? 0;
    list.count -= 1;
    if (last.at > 0) return;
    list.blocks.pop();
    this.#give(last.block, this.#blockBytes(last.capacity));
    list.capacity = list.blocks.length === 0 ? 0 : BLOCK_MAX;
  }

  /** Begins a question: a vector to compare with, and the class whose floors count. */
  ask(vector: Int8Array, postClass: number): void {
    this.#floorAt = 4 + 4 * postClass;
    new Int16Array(this.#kernel.memory.buffer, QUERY_AT, this.#dimension).set(vector);
    signCode(vector, this.#code);
    this.#bytes.set(this.#code, CODE_AT);
    this.#listed = 0;
  }

  /** Tells of the records of a list whose dot product reaches their floor; those whose codes are far off are passed over. */
  reaching(list: CodeList, found: (row: number, dot: number) => void): void {
    const { codesWithin } = this.#kernel;
    list.blocks.forEach((block, nth) => {
      const capacity = nth === list.blocks.length - 1 ? list.capacity : BLOCK_MAX;
      const count = Math.min(capacity, list.count - nth * BLOCK_MAX);
      if (this.#listed + count > LIST_LENGTH) this.settle(found);
      const end = codesWithin(
        CODE_AT,
        block,
        this.#limitsAt(block, capacity),
        this.#namesAt(block, capacity),
        count,
        this.#codeBytes,
        LIST_AT + 4 * this.#listed,
      );
      this.#listed = (end - LIST_AT) / 4;
    });
  }

  /** Tells of what `reaching` left for later. */
  settle(found: (row: number, dot: number) => void): void {
    this.#score(0, found);
  }

  /** Tells the dot products of given records, in their order. */
  dots(records: readonly RecordAddress[], found: (row: number, dot: number) => void): void {
    for (let start = 0; start < records.length; start += LIST_LENGTH) {
      const part = records.slice(start, start + LIST_LENGTH);
      this.#words.set(part, LIST_AT / 4);
      this.#listed = part.length;
      this.#score(1, found);
    }
  }

  #score(all: 0 | 1, found: (row: number, dot: number) => void): void {
    const count = this.#listed;
    this.#listed = 0;
    const end = this.#kernel.recordsReaching(
      QUERY_AT,
      LIST_AT,
      count,
      this.#dimension,
      this.#floorAt,
      all,
      FOUND_AT,
    );
    for (let at = FOUND_AT / 4; at < end / 4; at += 2) {
      found(this.#words[at] ?? 0, (this.#words[at + 1] ?? 0) | 0);
    }
  }

  #recordFor(home: CodeList): RecordAddress {
    const spare = home.spare.pop();
    if (spare !== undefined) return spare;
    const run = Math.min(RUN_MAX, 2 ** Math.floor(Math.log2(1 + home.count / 4)));
    const freed = this.#freed.get(this.#recordBytes) ?? [];
    if (freed.length >= run) {
      home.spare.push(...freed.splice(-run));
      return this.#recordFor(home);
    }
    const address = this.#take(run * this.#recordBytes);
    for (let nth = run - 1; nth > 0; nth -= 1) home.spare.push(address + nth * this.#recordBytes);
    return address;
  }

  #makeRoom(list: CodeList): void {
    const { blocks, capacity, count } = list;
    const last = blocks.at(-1);
    if (last === undefined) {
      blocks.push(this.#take(this.#blockBytes(BLOCK_MIN)));
      list.capacity = BLOCK_MIN;
    } else if (capacity === BLOCK_MAX && count === blocks.length * BLOCK_MAX) {
      blocks.push(this.#take(this.#blockBytes(BLOCK_MAX)));
    } else if (capacity < BLOCK_MAX && count === capacity) {
      const larger = capacity * 4;
      const block = this.#take(this.#blockBytes(larger));
      const move = (from: number, bytes: number, to: number) =>
        this.#bytes.copyWithin(to, from, from + bytes);
      move(last, capacity * this.#codeBytes, block);
      move(this.#limitsAt(last, capacity), 2 * capacity, this.#limitsAt(block, larger));
      move(this.#namesAt(last, capacity), 4 * capacity, this.#namesAt(block, larger));
      this.#give(last, this.#blockBytes(capacity));
      blocks[0] = block;
      list.capacity = larger;
    }
  }

  #find(list: CodeList, record: RecordAddress): Place | null {
    for (let nth = 0; nth * BLOCK_MAX < list.count; nth += 1) {
      const { block, capacity } = this.#place(list, nth * BLOCK_MAX);
      const from = this.#namesAt(block, capacity) / 4;
      const at = this.#words
        .subarray(from, from + Math.min(capacity, list.count - nth * BLOCK_MAX))
        .indexOf(record);
      if (at >= 0) return { block, capacity, at };
    }
    return null;
  }

  #place(list: CodeList, index: number): Place {
    const nth = Math.floor(index / BLOCK_MAX);
    const capacity = nth === list.blocks.length - 1 ? list.capacity : BLOCK_MAX;
    return { block: list.blocks[nth] ?? 0, capacity, at: index % BLOCK_MAX };
  }

  #limitsAt(block: number, capacity: number): number {
    return block + capacity * this.#codeBytes;
  }

  #namesAt(block: number, capacity: number): number {
    return block + capacity * (this.#codeBytes + 2);
  }

  #blockBytes(capacity: number): number {
    return capacity * (this.#codeBytes + 6);
  }

  /** A stretch of the memory. Sizes are multiples of 8; few different ones are in use, so that freed ones fit again. */
  #take(bytes: number): number {
    const freed = this.#freed.get(bytes)?.pop();
    if (freed !== undefined) return freed;
    const address = this.#top;
    const missing = address + bytes + READ_AHEAD - this.#bytes.length;
    if (missing > 0) {
      const { memory } = this.#kernel;
      memory.grow(Math.ceil(Math.max(missing, this.#bytes.length / 4) / PAGE_BYTES));
      this.#view();
    }
    this.#top += bytes;
    return address;
  }

  #give(address: number, bytes: number): void {
    const list = this.#freed.get(bytes);
    if (list === undefined) this.#freed.set(bytes, [address]);
    else list.push(address);
  }

  #view(): void {
    const { buffer } = this.#kernel.memory;
    this.#bytes = new Int8Array(buffer);
    this.#shorts = new Uint16Array(buffer);
    this.#words = new Uint32Array(buffer);
  }
}

/** Where one code of a list lies. */
interface Place {
  block: number;
  capacity: number;
  at: number;
}
