import { distanceKm, type Point } from "../distance.ts";

/** The filters of a saved query. Times are epoch milliseconds. */
export interface SavedFilter {
  kinds: readonly string[] | null;
  /** Any of them. */
  tags: readonly string[] | null;
  near: { lat: number; lng: number; radiusKm: number } | null;
  /** Windows ending at or after it. */
  after: number | null;
  /** Windows starting at or before it. */
  before: number | null;
  verifiedOnly: boolean;
  publisherId: string | null;
  /** Only replies of this post. */
  parentId: string | null;
  includeReplies: boolean;
  includeSyndicated: boolean;
}

/** What filters look at in a new post. */
export interface FilteredPost {
  kind: string;
  tags: readonly string[];
  place: Point | null;
  windowStart: number;
  windowEnd: number;
  /** Of the publisher. */
  verified: boolean;
  publisherId: string;
  parentId: string | null;
  syndicated: boolean;
  createdAt: number;
}

/** Bits of `marks`. */
const MARK = { verifiedOnly: 1, firstHandOnly: 2, replies: 4, near: 8, rare: 16 } as const;

/** Filters that few queries have, or that are lists. */
interface Rare {
  tags: readonly string[] | null;
  after: number;
  before: number;
  publisherId: string | null;
  parentId: string | null;
}

const CHUNK = 4_096;

/** The numbers of a row. They lie together, 64 bytes, so that a look at a row that nobody expected costs one wait for memory. */
const FIELD = { createdAt: 0, lat: 1, lng: 2, radiusKm: 3, marks: 4, kinds: 5, round: 6 } as const;
const FIELDS = 8;

interface Chunk {
  numbers: Float64Array;
  rare: (Rare | null)[];
}

/** Half the Earth's circumference over 180 degrees, a hair less than it is: a difference in latitude is at least as far. */
const KM_PER_DEGREE = 111.19;

/**
 * The filters of saved queries by row number, 72 bytes each and some 100 for rare ones, in chunks: to grow copies nothing.
 */
export class Rows {
  readonly #kinds: readonly string[];
  readonly #chunks: Chunk[] = [];

  /** @param kinds  all kinds there are, at most 31 */
  constructor(kinds: readonly string[]) {
    if (kinds.length > 31) throw new RangeError("More kinds than a row has bits for.");
    this.#kinds = kinds;
  }

  set(row: number, filter: SavedFilter, createdAt: number): void {
    while (this.#chunks.length * CHUNK <= row) {
      this.#chunks.push({ numbers: new Float64Array(CHUNK * FIELDS), rare: new Array(CHUNK).fill(null) });
    }
    const { numbers, at, chunk } = this.#at(row);
    const { near, tags, after, before, publisherId, parentId } = filter;
    const isRare =
      tags !== null || after !== null || before !== null || publisherId !== null || parentId !== null;
    const marks =
      (filter.verifiedOnly ? MARK.verifiedOnly : 0) |
      (filter.includeSyndicated ? 0 : MARK.firstHandOnly) |
      (filter.includeReplies ? MARK.replies : 0) |
      (near === null ? 0 : MARK.near) |
      (isRare ? MARK.rare : 0);
    // In the order of FIELD. A `kinds` of 0 stands for any.
    const place = [near?.lat ?? 0, near?.lng ?? 0, near?.radiusKm ?? 0];
    numbers.set([createdAt, ...place, marks, this.#bitsOf(filter.kinds), 0], at);
    chunk.rare[row % CHUNK] = isRare
      ? { tags, after: after ?? -Infinity, before: before ?? Infinity, publisherId, parentId }
      : null;
  }

  clear(row: number): void {
    this.#at(row).chunk.rare[row % CHUNK] = null;
  }

  /** What a row is filed by. */
  placeOf(row: number): {
    near: { lat: number; lng: number; radiusKm: number } | null;
    tags: readonly string[] | null;
    /** Numbers of the kinds, or null for any. */
    kinds: number[] | null;
  } {
    const { numbers, at, chunk } = this.#at(row);
    const bits = numbers[at + FIELD.kinds] ?? 0;
    const isNear = ((numbers[at + FIELD.marks] ?? 0) & MARK.near) !== 0;
    const [lat = 0, lng = 0, radiusKm = 0] = numbers.subarray(at + FIELD.lat);
    return {
      near: isNear ? { lat, lng, radiusKm } : null,
      tags: chunk.rare[row % CHUNK]?.tags ?? null,
      kinds: bits === 0 ? null : [...this.#kinds.keys()].filter((kind) => ((bits >> kind) & 1) === 1),
    };
  }

  kindNumber(kind: string): number {
    return this.#kinds.indexOf(kind);
  }

  kindBit(kind: string): number {
    return this.#bitsOf([kind]);
  }

  /** True at the first call for a row in a round, a number that grows from 1 on. */
  isNew(row: number, round: number): boolean {
    const chunk = this.#chunks[Math.floor(row / CHUNK)];
    const at = (row % CHUNK) * FIELDS + FIELD.round;
    if (chunk === undefined || chunk.numbers[at] === round) return false;
    chunk.numbers[at] = round;
    return true;
  }

  /** True when a post written after the query passes all its filters. */
  passes(row: number, post: FilteredPost, kindBit: number): boolean {
    const chunk = this.#chunks[Math.floor(row / CHUNK)];
    if (chunk === undefined) return false;
    const { numbers } = chunk;
    const at = (row % CHUNK) * FIELDS;
    const marks = numbers[at + FIELD.marks] ?? 0;
    const kinds = numbers[at + FIELD.kinds] ?? 0;
    if (kinds !== 0 && (kinds & kindBit) === 0) return false;
    if ((marks & MARK.near) !== 0 && !isWithin(post.place, numbers, at)) return false;
    if (post.createdAt < (numbers[at + FIELD.createdAt] ?? 0)) return false;
    if ((marks & MARK.verifiedOnly) !== 0 && !post.verified) return false;
    if ((marks & MARK.firstHandOnly) !== 0 && post.syndicated) return false;
    const rare = (marks & MARK.rare) === 0 ? null : (chunk.rare[row % CHUNK] ?? null);
    const parentId = rare?.parentId ?? null;
    if (parentId === null) {
      if (post.parentId !== null && (marks & MARK.replies) === 0) return false;
    } else if (post.parentId !== parentId) return false;
    return rare === null || passesRare(rare, post);
  }

  #bitsOf(kinds: readonly string[] | null): number {
    let bits = 0;
    for (const kind of kinds ?? []) {
      const number = this.#kinds.indexOf(kind);
      if (number >= 0) bits |= 1 << number;
    }
    return bits;
  }

  #at(row: number): { chunk: Chunk; numbers: Float64Array; at: number } {
    const chunk = this.#chunks[Math.floor(row / CHUNK)];
    if (chunk === undefined) throw new RangeError(`There is no row ${row}.`);
    return { chunk, numbers: chunk.numbers, at: (row % CHUNK) * FIELDS };
  }
}

function passesRare(rare: Rare, post: FilteredPost): boolean {
  return (
    (rare.tags === null || rare.tags.some((tag) => post.tags.includes(tag))) &&
    post.windowEnd >= rare.after &&
    post.windowStart <= rare.before &&
    (rare.publisherId === null || rare.publisherId === post.publisherId)
  );
}

function isWithin(place: Point | null, numbers: Float64Array, at: number): boolean {
  if (place === null) return false;
  const lat = numbers[at + FIELD.lat] ?? 0;
  const radiusKm = numbers[at + FIELD.radiusKm] ?? 0;
  if (Math.abs(place.lat - lat) * KM_PER_DEGREE > radiusKm) return false;
  return distanceKm({ lat, lng: numbers[at + FIELD.lng] ?? 0 }, place) <= radiusKm;
}
