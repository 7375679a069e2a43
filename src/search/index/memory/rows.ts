import { KINDS, type Kind } from "../../../schema/post.ts";
import type { IndexedPost } from "../indexed-post.ts";
import { Column } from "./columns.ts";
import { hashed, hashName, NAME } from "./names.ts";
import { RowTable } from "./row-table.ts";
import { TimeOrder } from "./time-order.ts";

/** `marks` has these bits. A post without a start is undated: its window begins when it was written. */
export const MARK = { live: 1, vector: 2, syndicated: 4, reply: 8, undated: 16 } as const;

/**
 * Keeps the fields that filters compare, one number for each post and column. A row keeps its words, tags, publisher and
 * parent for life: a post that changes in one of them gets a new row, and the old one is dead until the memory is
 * compacted.
 */
export class Rows {
  /** Counts rows in use, dead ones included. */
  size = 0;
  /** This many rows fit into every column. */
  #room = 0;
  dead = 0;
  /** Counts the words of all live posts together. */
  words = 0;

  readonly seq = new Column(Float64Array);
  readonly marks = new Column(Uint8Array);
  /** The kind is a bit, as `kindBit` gives it. */
  readonly kind = new Column(Uint8Array);
  /** Latitudes are in degrees, and NaN without a place. */
  readonly lat = new Column(Float64Array);
  readonly lng = new Column(Float64Array);
  readonly windowStart = new Column(Float64Array);
  readonly windowEnd = new Column(Float64Array);
  readonly expiresAt = new Column(Float64Array);
  readonly createdAt = new Column(Float64Array);
  /** A publisher is the number of its name. */
  readonly publisher = new Column(Uint32Array);
  /** A source is the number of its name plus 1, or 0. */
  readonly source = new Column(Uint32Array);
  readonly series = new Column(Uint32Array);
  /** Counts the words of each post, at most 65,535. */
  readonly length = new Column(Uint16Array);
  /** The digest is a hash of all that a row keeps for life. */
  readonly digest = new Column(Uint32Array);
  readonly ids = new RowIds();
  readonly byId = new RowTable();
  readonly bySeq = new RowTable();
  readonly byCreation = new TimeOrder(this.createdAt, this.windowEnd);
  readonly byStart = new TimeOrder(this.windowStart, this.windowEnd);

  /** Lists the columns of one number a row. */
  get each(): readonly Column<Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array>[] {
    return [
      ...[this.seq, this.marks, this.kind, this.lat, this.lng, this.windowStart, this.windowEnd],
      ...[this.expiresAt, this.createdAt, this.publisher, this.length, this.digest, this.ids.at],
      ...[this.source, this.series],
    ];
  }

  get live(): number {
    return this.size - this.dead;
  }

  isLive(row: number): boolean {
    return ((this.marks.view[row] ?? 0) & MARK.live) !== 0;
  }

  hasVector(row: number): boolean {
    return ((this.marks.view[row] ?? 0) & MARK.vector) !== 0;
  }

  /** Finds the row of an id, or -1. */
  rowOf(id: string): number {
    hashName(NAME.id, id);
    const bytes = Buffer.from(id);
    return this.byId.find(hashed.low, (row) => this.ids.is(row, bytes));
  }

  /** Finds the row of a post's number, or -1. */
  rowOfSeq(seq: number): number {
    return this.bySeq.find(hashOfSeq(seq), (row) => this.seq.view[row] === seq);
  }

  idOf(row: number): string {
    return this.ids.of(row);
  }

  /** Adds a row at the end. Its place in the orders of time is left to `keepOrders` when many are added at once. */
  append(
    post: IndexedPost,
    kept: { publisher: number; source: number; series: number; length: number; digest: number },
    many = false,
  ): number {
    const row = this.size;
    this.size += 1;
    if (this.size > this.#room) this.#reserve();
    this.seq.view[row] = post.seq;
    this.marks.view[row] = 0;
    this.publisher.view[row] = kept.publisher;
    this.source.view[row] = kept.source;
    this.series.view[row] = kept.series;
    this.length.view[row] = Math.min(65_535, kept.length);
    this.digest.view[row] = kept.digest;
    this.words += this.length.view[row] ?? 0;
    this.ids.put(row, post.id);
    this.#putFields(row, post);
    this.#enter(row);
    if (!many) {
      this.byCreation.add(row);
      this.byStart.add(row);
    }
    return row;
  }

  #reserve(): void {
    this.#room = Number.POSITIVE_INFINITY;
    for (const column of this.each) {
      column.reserve(this.size);
      this.#room = Math.min(this.#room, column.view.length);
    }
  }

  /** Changes the fields that a row does not keep for life. */
  change(row: number, post: IndexedPost): void {
    const moved = this.windowStart.view[row] !== post.windowStart;
    const recreated = this.createdAt.view[row] !== post.createdAt;
    if (moved) this.byStart.remove(row);
    if (recreated) this.byCreation.remove(row);
    this.#putFields(row, post);
    if (moved) this.byStart.add(row);
    else this.byStart.changed(row);
    if (recreated) this.byCreation.add(row);
  }

  markVector(row: number, hasVector: boolean): void {
    const marks = (this.marks.view[row] ?? 0) & ~MARK.vector;
    this.marks.view[row] = hasVector ? marks | MARK.vector : marks;
  }

  remove(row: number): void {
    if (!this.isLive(row)) return;
    this.byStart.remove(row);
    this.byCreation.remove(row);
    this.byId.remove(hashOfId(this.idOf(row)), row);
    this.bySeq.remove(hashOfSeq(this.seq.view[row] ?? 0), row);
    this.marks.view[row] = 0;
    this.words -= this.length.view[row] ?? 0;
    this.dead += 1;
  }

  /** Sorts both orders of time, after many rows were added. */
  keepOrders(): void {
    const rows = Uint32Array.from({ length: this.size }, (_, row) => row).filter((row) => this.isLive(row));
    this.byCreation.fill(rows.slice());
    this.byStart.fill(rows);
  }

  /**
   * Drops dead rows.
   * @param move  called before a live row moves
   * @returns the new number of each row, or -1
   */
  compact(move: (from: number, to: number) => void): Int32Array {
    const moved = new Int32Array(this.size).fill(-1);
    const keepId = this.ids.compact();
    let to = 0;
    for (let row = 0; row < this.size; row += 1) {
      if (!this.isLive(row)) continue;
      move(row, to);
      for (const column of this.each) column.view[to] = column.view[row] ?? 0;
      keepId(row, to);
      moved[row] = to;
      to += 1;
    }
    this.size = to;
    this.dead = 0;
    this.byId.clear();
    this.bySeq.clear();
    for (let row = 0; row < to; row += 1) this.#enter(row);
    this.keepOrders();
    return moved;
  }

  #enter(row: number): void {
    this.bySeq.add(hashOfSeq(this.seq.view[row] ?? 0), row, (other) => hashOfSeq(this.seq.view[other] ?? 0));
    this.byId.add(hashOfId(this.idOf(row)), row, (other) => hashOfId(this.idOf(other)));
  }

  #putFields(row: number, post: IndexedPost): void {
    this.marks.view[row] =
      MARK.live |
      ((this.marks.view[row] ?? 0) & MARK.vector) |
      (post.syndicated ? MARK.syndicated : 0) |
      (post.parentId !== null ? MARK.reply : 0) |
      (post.windowStart === post.createdAt ? MARK.undated : 0);
    this.kind.view[row] = kindBit(post.kind);
    this.lat.view[row] = post.lat ?? Number.NaN;
    this.lng.view[row] = post.lng ?? Number.NaN;
    this.windowStart.view[row] = post.windowStart;
    this.windowEnd.view[row] = post.windowEnd;
    this.expiresAt.view[row] = post.expiresAt;
    this.createdAt.view[row] = post.createdAt;
  }
}

export function kindBit(kind: Kind): number {
  return 1 << KINDS.indexOf(kind);
}

const hashOfSeq = (seq: number) => Math.imul(seq, 0x9e37_79b1) >>> 4;

function hashOfId(id: string): number {
  hashName(NAME.id, id);
  return hashed.low;
}

/** An id has at most this many bytes. */
const ID_MAX = 255;
/** Keeps the id of each row. */
class RowIds {
  /** An id begins there in `bytes`: a length of one byte, then the letters. */
  readonly at = new Column(Uint32Array);
  readonly bytes = new Column(Uint8Array, 4096);
  used = 0;
  /** Gives the bytes as they are read. */
  #buffer: Buffer<ArrayBufferLike> = Buffer.alloc(0);

  of(row: number): string {
    const at = this.at.view[row] ?? 0;
    return this.#all().toString("utf8", at + 1, at + 1 + (this.bytes.view[at] ?? 0));
  }

  /** @param bytes  of an id */
  is(row: number, bytes: Buffer): boolean {
    return this.#bytesOf(row).equals(bytes);
  }

  /** The result is below 0 when the id of `row` comes before that of `other`, by bytes: no text is made of them. */
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

  /** Begins anew. @returns a function that keeps the id of a row under its new number, to be called in the order of rows */
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

  #bytesOf(row: number): Buffer {
    const at = this.at.view[row] ?? 0;
    return this.#all().subarray(at + 1, at + 1 + (this.bytes.view[at] ?? 0));
  }

  /** Gives the bytes of all ids. */
  #all(): Buffer {
    const { buffer } = this.bytes.view;
    if (this.#buffer.buffer !== buffer) this.#buffer = Buffer.from(buffer);
    return this.#buffer;
  }
}
