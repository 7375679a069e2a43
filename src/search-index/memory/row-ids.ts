import { Column } from "./columns.ts";

/** Bytes of an id. */
const ID_MAX = 255;
/** Up to this many rows the ids of an answer are kept as text, some 35 bytes each: a small board is asked for most of them. */
const TEXT_MAX = 30_000;

/** The id of each row. */
export class RowIds {
  /** Where an id begins in `bytes`: a length of one byte, then the letters. */
  readonly at = new Column(Uint32Array);
  readonly bytes = new Column(Uint8Array, 4096);
  used = 0;
  /** The bytes as they are read. */
  #buffer: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  /** Ids on their way into text. */
  #text = Buffer.alloc(0);
  /** Ids that are text already; see `TEXT_MAX`. */
  #texts: string[] = [];

  of(row: number): string {
    return this.#bytesOf(row).toString("utf8");
  }

  /** @param bytes  of an id */
  is(row: number, bytes: Buffer): boolean {
    return this.#bytesOf(row).equals(bytes);
  }

  /** The ids of many rows. @param size  number of all rows */
  many(rows: readonly number[], size: number): string[] {
    if (size > TEXT_MAX) return this.#read(rows);
    if (this.#texts.length === 0) this.#texts = new Array(TEXT_MAX);
    const texts = this.#texts;
    const unknown = rows.filter((row) => texts[row] === undefined);
    for (const [n, id] of this.#read(unknown).entries()) texts[unknown[n] ?? 0] = id;
    return rows.map((row) => texts[row] ?? "");
  }

  /** Below 0 when the id of `row` comes before that of `other`, by bytes: no text is made of them. */
  compare(row: number, other: number): number {
    const { view: bytes } = this.bytes;
    const [at, otherAt] = [this.at.view[row] ?? 0, this.at.view[other] ?? 0];
    const [length, otherLength] = [bytes[at] ?? 0, bytes[otherAt] ?? 0];
    const both = Math.min(length, otherLength);
    for (let i = 1; i <= both; i += 1) {
      const difference = (bytes[at + i] ?? 0) - (bytes[otherAt + i] ?? 0);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  put(row: number, id: string): void {
    const bytes = Buffer.from(id);
    if (bytes.length > ID_MAX) throw new RangeError(`An id has at most ${ID_MAX} bytes.`);
    this.bytes.reserve(this.used + 1 + bytes.length);
    this.at.view[row] = this.used;
    this.bytes.view[this.used] = bytes.length;
    this.bytes.view.set(bytes, this.used + 1);
    this.used += 1 + bytes.length;
  }

  /** Begins anew. @returns keeps the id of a row, under its new number; to be called in the order of rows */
  compact(): (row: number, to: number) => void {
    const bytes = this.bytes.view.slice(0, this.used);
    this.used = 0;
    return (row, to) => {
      const at = this.at.view[row] ?? 0;
      const id = bytes.subarray(at, at + 1 + (bytes[at] ?? 0));
      this.bytes.view.set(id, this.used);
      this.at.view[to] = this.used;
      this.used += id.length;
    };
  }

  /** Rows have other ids now. */
  forgetTexts(): void {
    this.#texts = [];
  }

  #bytesOf(row: number): Buffer {
    const at = this.at.view[row] ?? 0;
    if (this.#buffer.buffer !== this.bytes.buffer) this.#buffer = Buffer.from(this.bytes.buffer);
    return this.#buffer.subarray(at + 1, at + 1 + (this.bytes.view[at] ?? 0));
  }

  /** Their bytes become text at once, which takes half the time of one by one. */
  #read(rows: readonly number[]): string[] {
    const { view: bytes } = this.bytes;
    const { view: starts } = this.at;
    if (this.#text.length < rows.length * ID_MAX) this.#text = Buffer.alloc(rows.length * ID_MAX);
    const text = this.#text;
    // In loops of their own: so the processor waits for many rows at once.
    const froms = new Uint32Array(rows.length);
    for (let n = 0; n < froms.length; n += 1) froms[n] = starts[rows[n] ?? 0] ?? 0;
    const lengths = new Uint8Array(rows.length);
    for (let n = 0; n < lengths.length; n += 1) lengths[n] = bytes[froms[n] ?? 0] ?? 0;
    const ends = new Uint32Array(rows.length);
    let length = 0;
    let all = 0;
    for (let n = 0; n < ends.length; n += 1) {
      const from = (froms[n] ?? 0) + 1;
      const count = lengths[n] ?? 0;
      for (let i = 0; i < count; i += 1) {
        const byte = bytes[from + i] ?? 0;
        text[length + i] = byte;
        all |= byte;
      }
      length += count;
      ends[n] = length;
    }
    // Other letters take several bytes.
    if (all >= 128) return rows.map((row) => this.of(row));
    const letters = text.toString("latin1", 0, length);
    const ids: string[] = [];
    for (let n = 0; n < ends.length; n += 1) ids.push(letters.slice(n === 0 ? 0 : ends[n - 1], ends[n]));
    return ids;
  }
}
