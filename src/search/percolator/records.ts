import { type Kernel, openKernel, PAGE_BYTES } from "../kernel/index.ts";
import type { Bucket, Group, RecordNumber } from "./buckets.ts";

/** Layout of the first four pages: the asked vector as i16, a list of records, what the kernel found. Records follow. */
const QUERY_AT = 0;
const LIST_AT = 8_192;
/** How many records one call of the kernel reads. */
const LIST_LENGTH = 16_384;
const FOUND_AT = LIST_AT + 4 * LIST_LENGTH;
const RECORDS_AT = 4 * PAGE_BYTES;

/** Records are reserved for a group in runs, so that what is scanned together lies together. */
const RUN_MAX = 1_024;

/** The most classes of posts there may be: a record has room for this many floors. */
export const CLASSES_MAX = 3;

/**
 * Records of saved queries, each a vector, a name and a floor for each class of posts, in one WebAssembly memory. It
 * grows in place and is scanned by the kernel: about 20 ns a record at 384 dimensions when they lie together, about 100
 * when they do not. `ask` and the calls that follow it happen in one turn of the event loop.
 */
export class Records {
  readonly #dimension: number;
  readonly #recordBytes: number;
  readonly #kernel: Kernel = openKernel();
  /** Views of the whole memory, made again whenever it grows. */
  #bytes: Int8Array = new Int8Array();
  #words: Int32Array = new Int32Array();
  /** How many records there are, in use or not. */
  #made = 0;
  readonly #freed: RecordNumber[] = [];
  #postClass = 0;

  /** @param dimension  a multiple of 16, at most 4,096 */
  constructor(dimension: number) {
    if (dimension % 16 !== 0 || dimension <= 0 || 2 * dimension > LIST_AT - QUERY_AT) {
      throw new RangeError(`Vectors of ${dimension} dimensions do not fit the kernel.`);
    }
    this.#dimension = dimension;
    this.#recordBytes = dimension + 4 * (1 + CLASSES_MAX);
    this.#kernel.memory.grow(RECORDS_AT / PAGE_BYTES - 1);
    this.#view();
  }

  /** Bytes of records in use or free for reuse. */
  get bytes(): number {
    return this.#made * this.#recordBytes;
  }

  /**
   * Keeps a vector.
   *
   * @param floors  dot products from which it is found, for each class of posts
   * @param name  what it is found as, a number below 2^31
   * @param home  the group it is read with, if any
   */
  put(vector: Int8Array, floors: readonly number[], name: number, home: Group | null): RecordNumber {
    const record = home === null ? (this.#freed.pop() ?? this.#make(1)) : this.#recordFor(home);
    const at = RECORDS_AT + record * this.#recordBytes;
    this.#bytes.set(vector, at);
    this.#words.set([name, ...floors], (at + this.#dimension) / 4);
    return record;
  }

  /** Frees a record that was taken out of all groups. */
  free(record: RecordNumber, home: Group | null): void {
    if (home === null) this.#freed.push(record);
    else home.spare.push(record);
    if (home?.records.length === 0) this.#freed.push(...home.spare.splice(0));
  }

  /** Begins a question: a vector to compare with, and the class whose floors count. */
  ask(vector: Int8Array, postClass: number): void {
    this.#postClass = postClass;
    new Int16Array(this.#kernel.memory.buffer, QUERY_AT, this.#dimension).set(vector);
  }

  /**
   * Reports the records of these buckets whose dot product reaches their floor.
   *
   * @param traits  of the post; groups that bar one of them are skipped
   */
  reaching(buckets: readonly Bucket[], traits: number, found: (name: number, dot: number) => void): void {
    const words = this.#words;
    let listed = 0;
    for (const { groups } of buckets) {
      for (const { bars, records } of groups) {
        if ((bars & traits) !== 0) continue;
        for (const record of records) {
          words[LIST_AT / 4 + listed] = record;
          listed += 1;
          if (listed < LIST_LENGTH) continue;
          this.#score(listed, "reaching", found);
          listed = 0;
        }
      }
    }
    this.#score(listed, "reaching", found);
  }

  /** Reports the given records: all of them, or those whose dot product reaches their floor. */
  dots(
    records: readonly RecordNumber[],
    which: "all" | "reaching",
    found: (name: number, dot: number) => void,
  ): void {
    for (let start = 0; start < records.length; start += LIST_LENGTH) {
      const part = records.slice(start, start + LIST_LENGTH);
      this.#words.set(part, LIST_AT / 4);
      this.#score(part.length, which, found);
    }
  }

  #score(count: number, which: "all" | "reaching", found: (name: number, dot: number) => void): void {
    const end = this.#kernel.recordsReaching(
      QUERY_AT,
      RECORDS_AT,
      LIST_AT,
      count,
      this.#dimension,
      this.#recordBytes,
      this.#dimension + 4 * (1 + this.#postClass),
      Number(which === "all"),
      FOUND_AT,
    );
    for (let at = FOUND_AT / 4; at < end / 4; at += 2) found(this.#words[at] ?? 0, this.#words[at + 1] ?? 0);
  }

  #recordFor({ spare, records }: Group): RecordNumber {
    if (spare.length === 0) {
      const run = Math.min(RUN_MAX, 2 ** Math.floor(Math.log2(1 + records.length / 4)));
      if (this.#freed.length >= run) spare.push(...this.#freed.splice(-run));
      else {
        const first = this.#make(run);
        for (let nth = run - 1; nth >= 0; nth -= 1) spare.push(first + nth);
      }
    }
    return spare.pop() ?? 0;
  }

  /** The first of some new records. */
  #make(count: number): RecordNumber {
    const first = this.#made;
    this.#made += count;
    const missing = RECORDS_AT + this.bytes - this.#bytes.length;
    if (missing > 0) {
      this.#kernel.memory.grow(Math.ceil(Math.max(missing, this.#bytes.length / 4) / PAGE_BYTES));
      this.#view();
    }
    return first;
  }

  #view(): void {
    const { buffer } = this.#kernel.memory;
    this.#bytes = new Int8Array(buffer);
    this.#words = new Int32Array(buffer);
  }
}
