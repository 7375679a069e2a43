import type { IndexEntry } from "../ports/search-index.ts";
import { KINDS, type Kind } from "../schema/post.ts";
import { VectorMemory } from "../search/kernel/vector-memory.ts";

/** A post as the index's tables keep it: all but its text. */
export interface IndexedPost extends Omit<IndexEntry, "title" | "body" | "placeName"> {
  /** Grows with every new post and stays at an edit. */
  seq: number;
  vector: Uint8Array | null;
}

/** Bits of `marks`. */
export const MARK = { live: 1, place: 2, vector: 4, syndicated: 8 } as const;
/** Bits of a publisher's status. */
export const STATUS = { verified: 1, suspended: 2 } as const;

const FIRST_CAPACITY = 1024;

/**
 * The fields that filters compare, one number for each post and column: a filter over 100,000 posts is a loop over arrays.
 * Rows are in the order of `seq`; a removed post leaves a dead row until `compact`.
 */
export class Columns {
  readonly vectors: VectorMemory;
  readonly tagNames = new Names();
  readonly publishers = new Names();
  /** Ids of posts that have replies. */
  readonly parents = new Names();
  /** Status of each publisher by its number; unknown ones are neither verified nor suspended. */
  status = new Uint8Array(FIRST_CAPACITY);
  /** How many publishers are suspended. */
  suspended = 0;

  /** Rows in use, dead ones included. */
  size = 0;
  dead = 0;
  ids: string[] = [];
  seq = new Float64Array(FIRST_CAPACITY);
  marks = new Uint8Array(FIRST_CAPACITY);
  /** Bit of the kind, as `kindBit` gives it. */
  kind = new Uint8Array(FIRST_CAPACITY);
  /** Degrees; meaningless without `MARK.place`. */
  lat = new Float64Array(FIRST_CAPACITY);
  lng = new Float64Array(FIRST_CAPACITY);
  windowStart = new Float64Array(FIRST_CAPACITY);
  windowEnd = new Float64Array(FIRST_CAPACITY);
  expiresAt = new Float64Array(FIRST_CAPACITY);
  createdAt = new Float64Array(FIRST_CAPACITY);
  publisher = new Int32Array(FIRST_CAPACITY);
  /** Number in `parents`, or -1 for a top-level post. */
  parent = new Int32Array(FIRST_CAPACITY);
  /** The tags of a row are the `tagCount` numbers of `tags` from `tagsAt` on. */
  tagsAt = new Uint32Array(FIRST_CAPACITY);
  tagCount = new Uint16Array(FIRST_CAPACITY);
  tags = new Uint32Array(FIRST_CAPACITY);
  #tagsUsed = 0;
  readonly #rowOfId = new Map<string, number>();

  constructor(dimension: number) {
    this.vectors = new VectorMemory(dimension);
  }

  rowOf(id: string): number | undefined {
    return this.#rowOfId.get(id);
  }

  hasVector(row: number): boolean {
    return ((this.marks[row] ?? 0) & MARK.vector) !== 0;
  }

  seqsOf(rows: Uint32Array): Float64Array {
    // A loop: `Float64Array.from` with a function takes fifty times as long.
    const seqs = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at += 1) seqs[at] = this.seq[rows[at] ?? 0] ?? 0;
    return seqs;
  }

  /** Adds a post, or replaces the one with the same `seq`. New posts arrive in the order of `seq`. */
  put(post: IndexedPost): void {
    const found = this.#rowOfSeq(post.seq);
    const row = found ?? this.#append(post);
    this.marks[row] =
      MARK.live |
      (post.lat !== null && post.lng !== null ? MARK.place : 0) |
      (post.vector !== null ? MARK.vector : 0) |
      (post.syndicated ? MARK.syndicated : 0);
    this.kind[row] = kindBit(post.kind);
    this.lat[row] = post.lat ?? 0;
    this.lng[row] = post.lng ?? 0;
    this.windowStart[row] = post.windowStart;
    this.windowEnd[row] = post.windowEnd;
    this.expiresAt[row] = post.expiresAt;
    this.createdAt[row] = post.createdAt;
    this.publisher[row] = this.publishers.number(post.publisherId);
    this.parent[row] = post.parentId === null ? -1 : this.parents.number(post.parentId);
    this.#putTags(row, post.tags);
    if (post.vector !== null) {
      const { buffer, byteOffset, byteLength } = post.vector;
      this.vectors.set(row, new Int8Array(buffer, byteOffset, byteLength));
    }
  }

  remove(seq: number): void {
    const row = this.#rowOfSeq(seq);
    if (row === undefined || (this.marks[row] ?? 0) === 0) return;
    const id = this.ids[row] ?? "";
    // The id may have returned under a later `seq`.
    if (this.#rowOfId.get(id) === row) this.#rowOfId.delete(id);
    this.ids[row] = "";
    this.marks[row] = 0;
    this.dead += 1;
  }

  putPublisher(id: string, status: number): void {
    const number = this.publishers.number(id);
    if (number >= this.status.length) this.status = grown(this.status, number + 1);
    const before = this.status[number] ?? 0;
    this.suspended += bitOf(status, STATUS.suspended) - bitOf(before, STATUS.suspended);
    this.status[number] = status;
  }

  /** Drops dead rows and unused tags. Takes about 10 ms for 100,000 rows. */
  compact(): void {
    const tags = this.tags.slice();
    this.#tagsUsed = 0;
    let to = 0;
    for (let row = 0; row < this.size; row += 1) {
      if ((this.marks[row] ?? 0) === 0) continue;
      const at = this.tagsAt[row] ?? 0;
      const own = tags.subarray(at, at + (this.tagCount[row] ?? 0));
      if (to !== row) this.#move(row, to);
      this.#keepTags(to, own);
      to += 1;
    }
    this.size = to;
    this.dead = 0;
    this.ids.length = to;
  }

  #append(post: IndexedPost): number {
    const row = this.size;
    if (row === this.seq.length) this.#grow(Math.ceil(row * 1.5));
    this.size += 1;
    this.seq[row] = post.seq;
    this.ids[row] = post.id;
    this.#rowOfId.set(post.id, row);
    return row;
  }

  #rowOfSeq(seq: number): number | undefined {
    let low = 0;
    let high = this.size;
    // The usual case, a new post, needs no search.
    if (high === 0 || (this.seq[high - 1] ?? 0) < seq) return undefined;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.seq[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return this.seq[low] === seq ? low : undefined;
  }

  #putTags(row: number, tags: readonly string[]): void {
    this.#keepTags(
      row,
      Uint32Array.from(tags, (tag) => this.tagNames.number(tag)),
    );
  }

  #keepTags(row: number, numbers: Uint32Array): void {
    const end = this.#tagsUsed + numbers.length;
    if (end > this.tags.length) this.tags = grown(this.tags, Math.ceil(end * 1.5));
    this.tags.set(numbers, this.#tagsUsed);
    this.tagsAt[row] = this.#tagsUsed;
    this.tagCount[row] = numbers.length;
    this.#tagsUsed = end;
  }

  #move(row: number, to: number): void {
    const id = this.ids[row] ?? "";
    this.ids[to] = id;
    if (this.#rowOfId.get(id) === row) this.#rowOfId.set(id, to);
    for (const name of COLUMNS) this[name][to] = this[name][row] ?? 0;
    if (this.hasVector(row)) this.vectors.move(row, to);
  }

  #grow(capacity: number): void {
    for (const name of [...COLUMNS, "tagsAt", "tagCount"] as const) {
      Object.assign(this, { [name]: grown(this[name], capacity) });
    }
  }
}

/** The columns with a number of their own for each row; `tags` is shared. */
const COLUMNS = [
  ...(["seq", "marks", "kind", "lat", "lng", "windowStart", "windowEnd"] as const),
  ...(["expiresAt", "createdAt", "publisher", "parent"] as const),
];

export function kindBit(kind: Kind): number {
  return 1 << KINDS.indexOf(kind);
}

const bitOf = (bits: number, bit: number) => ((bits & bit) === 0 ? 0 : 1);

/** Numbers for names, in the order of arrival. */
class Names {
  readonly #numbers = new Map<string, number>();

  number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  get size(): number {
    return this.#numbers.size;
  }
}

function grown<T extends Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array>(
  column: T,
  capacity: number,
): T {
  const larger = new (column.constructor as new (length: number) => T)(
    Math.max(capacity, Math.ceil(column.length * 1.5)),
  );
  larger.set(column);
  return larger;
}
