import { SignCodes } from "../../ranking/kernel/sign-codes.ts";
import { VectorMemory } from "../../ranking/kernel/vector-memory.ts";
import { type IndexedPost, STATUS } from "../indexed-post.ts";
import type { Terms } from "../words/terms.ts";
import { Column } from "./columns.ts";
import { FIELD, hashed, hashName, NAME, type NameKind, Names } from "./names.ts";
import { RowLists } from "./row-lists.ts";
import { Rows } from "./rows.ts";

/** The mean of this many vectors is the centre of the codes. */
const CENTRE_SAMPLE = 20_000;
/** This many rows are looked at to learn whether most have a vector. */
const GLANCED = 256;

/** A memory changes its own shape at these. Only benches and tests choose others. */
export const MEMORY_LIMITS = {
  /**
   * Sign codes pay from this many posts on: they find the nearest of 100,000 in a quarter of the time that all vectors
   * take. Among 10,000 they win nothing where words are asked for too, since a third of all vectors is compared then.
   */
  codesFrom: 20_000,
  /** Dead rows are dropped when there are more than this, and more than a quarter of all. */
  deadRows: 1000,
};

/**
 * Searches read nothing else: columns for filters, lists of rows for words, tags, publishers and threads, vectors and their sign
 * codes.
 */
export class PostMemory {
  readonly rows = new Rows();
  names = new Names();
  lists = new RowLists(this.names);
  readonly vectors: VectorMemory;
  readonly codes: SignCodes;
  /** The sign codes have this centre; there are none while it is empty. */
  readonly centre: Column<Uint8Array>;
  /** Counts rows with a sign code. */
  coded = 0;
  /** Counts publishers suspended now. */
  suspended = 0;
  /** This was the last change that is in here. */
  change = 0;
  /** Grows with every change of a list: counts of live rows are then out of date. */
  version = 0;
  /** Grows whenever rows get other numbers. */
  moves = 0;
  /** Each stem that no post had before is told. */
  onNewWord: ((stem: string) => void) | null = null;
  readonly #liveCounts = new Map<number, number>();
  #countedAt = 0;
  readonly #limits: typeof MEMORY_LIMITS;

  constructor(dimension: number, limits = MEMORY_LIMITS) {
    this.#limits = limits;
    this.vectors = new VectorMemory(dimension);
    this.codes = new SignCodes(dimension);
    this.centre = new Column(Uint8Array, dimension);
  }

  get dimension(): number {
    return this.vectors.dimension;
  }

  /** Adds a post, or replaces the one with the same `seq`. @param terms  of its text @param many  see `Rows.append` */
  put(post: IndexedPost, terms: Terms, many = false): void {
    const digest = digestOf(post, terms);
    let row = this.rows.rowOfSeq(post.seq);
    if (row >= 0 && this.rows.digest.view[row] !== digest) {
      this.#bury(row);
      row = -1;
    }
    if (row >= 0) this.rows.change(row, post);
    else row = this.#append(post, terms, digest, many);
    this.#setVector(row, post.vector);
  }

  remove(seq: number): void {
    const row = this.rows.rowOfSeq(seq);
    if (row >= 0) this.#bury(row);
  }

  putPublisher(id: string, status: number): void {
    const name = this.names.number(NAME.publisher, id);
    const before = this.names.get(name, FIELD.status);
    this.suspended += bitOf(status, STATUS.suspended) - bitOf(before, STATUS.suspended);
    this.names.set(name, FIELD.status, status);
  }

  liveCount(name: number): number {
    if (this.rows.dead === 0) return this.names.get(name, FIELD.count);
    if (this.#countedAt !== this.version) this.#liveCounts.clear();
    this.#countedAt = this.version;
    const known = this.#liveCounts.get(name);
    if (known !== undefined) return known;
    let count = 0;
    this.lists.each(name, (row) => {
      if (this.rows.isLive(row)) count += 1;
    });
    // Lists grow meanwhile, so what is kept counts for as long as nothing changes.
    this.#liveCounts.set(name, count);
    return count;
  }

  /** Drops dead rows when there are many. @returns whether it did */
  tidy(): boolean {
    const { dead, size } = this.rows;
    if (dead <= this.#limits.deadRows || dead <= size / 4) return false;
    this.compact();
    return true;
  }

  /** Makes sign codes for all vectors, once there are enough. */
  encode(): void {
    const { rows, vectors, codes } = this;
    if (rows.live < this.#limits.codesFrom || this.coded > 0 || !this.#mostHaveVectors()) return;
    const sample = Math.min(rows.size, CENTRE_SAMPLE);
    const sums = new Float64Array(this.dimension);
    let counted = 0;
    for (let i = 0; i < sample; i += 1) {
      const row = Math.floor((i * rows.size) / sample);
      if (!rows.hasVector(row)) continue;
      const vector = vectors.get(row);
      for (let at = 0; at < vector.length; at += 1) sums[at] = (sums[at] ?? 0) + (vector[at] ?? 0);
      counted += 1;
    }
    if (counted === 0) return;
    const centre = this.centreVector();
    for (let at = 0; at < centre.length; at += 1) centre[at] = Math.round((sums[at] ?? 0) / counted);
    for (let row = 0; row < rows.size; row += 1)
      if (rows.hasVector(row)) codes.set(row, vectors.get(row), centre);
    this.coded = rows.size;
  }

  /** Tells by a glance at a few rows: it is asked after each change while a large board is embedded. */
  #mostHaveVectors(): boolean {
    let count = 0;
    for (let i = 0; i < GLANCED; i += 1) {
      if (this.rows.hasVector(Math.floor((i * this.rows.size) / GLANCED))) count += 1;
    }
    return count > GLANCED / 2;
  }

  centreVector(): Int8Array {
    return new Int8Array(this.centre.buffer, 0, this.dimension);
  }

  #append(post: IndexedPost, terms: Terms, digest: number, many: boolean): number {
    const { names, lists, rows } = this;
    const publisher = names.number(NAME.publisher, post.publisherId);
    const source = post.source === null ? 0 : names.number(NAME.source, post.source) + 1;
    const series = post.series === null ? 0 : names.number(NAME.series, post.series) + 1;
    const row = rows.append(post, { publisher, source, series, length: terms.length, digest }, many);
    for (const [stem, weight] of terms.weights) {
      const known = names.size;
      lists.append(names.number(NAME.word, stem), row, weight);
      if (names.size > known) this.onNewWord?.(stem);
    }
    for (const [kind, name] of namesOf(post)) lists.append(names.number(kind, name), row);
    this.version += 1;
    return row;
  }

  #setVector(row: number, bytes: Uint8Array | null): void {
    const hadVector = this.rows.hasVector(row);
    this.rows.markVector(row, bytes !== null);
    if (bytes === null) {
      if (hadVector) this.#clearVectors(row, row + 1);
      return;
    }
    const vector = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.vectors.set(row, vector);
    if (this.coded === 0) return;
    this.codes.set(row, vector, this.centreVector());
    this.coded = Math.max(this.coded, row + 1);
  }

  /** A vector that came while a snapshot was written is in its file without the row's mark, and may be gone since. */
  clearUnmarkedVectors(): void {
    for (let row = 0; row < this.rows.size; row += 1) {
      if (!this.rows.hasVector(row)) this.#clearVectors(row, row + 1);
    }
  }

  /** Puts zeros in place of vectors that are gone: searches would compare their bytes, and snapshots hold them. */
  #clearVectors(from: number, to: number): void {
    const zeros = new Int8Array(this.dimension);
    const centre = this.centreVector();
    for (let row = from; row < to; row += 1) {
      this.vectors.set(row, zeros);
      if (this.coded > 0) this.codes.set(row, centre, centre);
    }
  }

  #bury(row: number): void {
    this.rows.remove(row);
    this.version += 1;
  }

  /** Drops dead rows, and names without rows. Takes about half a second for a million posts. */
  compact(): void {
    const { rows, vectors } = this;
    const { size } = rows;
    const moved = rows.compact((from, to) => {
      if (from === to) return;
      if (!rows.hasVector(from)) return this.#clearVectors(to, to + 1);
      const vector = vectors.get(from);
      vectors.set(to, vector);
      if (this.coded > 0) this.codes.set(to, vector, this.centreVector());
    });
    this.#clearVectors(rows.size, size);
    if (this.coded > 0) this.coded = rows.size;
    const names = new Names();
    const lists = new RowLists(names);
    const copied = new Map<number, number>();
    for (let name = 0; name < this.names.size; name += 1) {
      let copy = this.names.get(name, FIELD.status) === 0 ? -1 : names.copy(this.names, name);
      this.lists.each(name, (row, weight) => {
        const to = moved[row] ?? -1;
        if (to < 0) return;
        if (copy < 0) copy = names.copy(this.names, name);
        lists.append(copy, to, weight);
      });
      if (copy >= 0) copied.set(name, copy);
    }
    for (let row = 0; row < rows.size; row += 1) {
      rows.publisher.view[row] = copied.get(rows.publisher.view[row] ?? 0) ?? 0;
      for (const { view } of [rows.source, rows.series])
        view[row] = (copied.get((view[row] ?? 0) - 1) ?? -1) + 1;
    }
    this.names = names;
    this.lists = lists;
    this.version += 1;
    this.moves += 1;
  }
}

/** A post is found in the lists of these names, beside its words. */
function* namesOf(post: IndexedPost): Generator<[NameKind, string]> {
  for (const tag of new Set(post.tags)) yield [NAME.tag, tag];
  yield [NAME.publisher, post.publisherId];
  if (post.source !== null) yield [NAME.source, post.source];
  if (post.series !== null) yield [NAME.series, post.series];
  if (post.parentId !== null) yield [NAME.parent, post.parentId];
}

/** Hashes everything that a row keeps for life; the order of words does not count. */
function digestOf(post: IndexedPost, { weights, length }: Terms): number {
  let digest = length;
  const add = (kind: NameKind, name: string, weight: number) => {
    hashName(kind, name);
    digest = (digest + Math.imul(hashed.low ^ weight, 0x9e37_79b1)) >>> 0;
  };
  for (const [stem, weight] of weights) add(NAME.word, stem, weight);
  for (const [kind, name] of namesOf(post)) add(kind, name, 0);
  add(NAME.id, post.id, 0);
  return digest;
}

const bitOf = (bits: number, bit: number) => ((bits & bit) === 0 ? 0 : 1);
