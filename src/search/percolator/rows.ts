import type { StandingFilter } from "../../schema/filter.ts";
import { distanceKm, type Point } from "../distance.ts";
import { type Key, tagKey } from "./keys.ts";
import { barsOf, type FilteredPost, KINDS_MAX, traitsOf } from "./traits.ts";

/** The post being matched. */
export interface AskedPost extends FilteredPost {
  /** Compared with the bars of rows. */
  traits: number;
  tagKeys: readonly Key[];
}

/** Filters that few queries have, or that are lists. */
type Rare = Pick<StandingFilter, "tags" | "publisherId" | "parentId">;

/** Set beside the bars of a row with rare filters, so that other rows skip them. */
const RARE = 1 << 30;

const CHUNK = 4_096;

/** No tag to compare: none is asked for, or several are. */
const NO_TAG: Key = 0;

/** The numbers of a row. They lie together, 64 bytes, so that reading a row at random costs one wait for memory. */
const FIELD = { createdAt: 0, after: 1, before: 2, lat: 3, lng: 4, radiusKm: 5, bars: 6, tag: 7 } as const;
const FIELDS = 8;

interface Chunk {
  numbers: Float64Array;
  rare: (Rare | null)[];
}

/** Kilometres in a degree of latitude, a hair too few: two points are at least this far apart for each degree. */
const KM_PER_DEGREE = 111.19;

/**
 * The filters of saved queries by row number, 72 bytes each and about 100 for rare ones, in chunks, so that growing
 * copies nothing.
 */
export class Rows {
  readonly #kinds: readonly string[];
  readonly #chunks: Chunk[] = [];

  /** @param kinds  all kinds there are, at most 7 */
  constructor(kinds: readonly string[]) {
    if (kinds.length > KINDS_MAX) throw new RangeError("More kinds than a row has bits for.");
    this.#kinds = kinds;
  }

  /** Bytes of all chunks. */
  get bytes(): number {
    return this.#chunks.length * CHUNK * (8 * FIELDS + 8);
  }

  /** @returns the traits that bar a post from the row */
  set(row: number, filter: StandingFilter, createdAt: number): number {
    while (this.#chunks.length * CHUNK <= row) {
      this.#chunks.push({ numbers: new Float64Array(CHUNK * FIELDS), rare: new Array(CHUNK).fill(null) });
    }
    const { numbers, rare } = this.#chunks[Math.floor(row / CHUNK)] as Chunk;
    const { near, after, before, tags, publisherId, parentId } = filter;
    const isRare = tags !== null || publisherId !== null || parentId !== null;
    const bars = barsOf(filter, this.#kinds);
    const times = [createdAt, after ?? Number.NEGATIVE_INFINITY, before ?? Number.POSITIVE_INFINITY];
    // In the order of FIELD. Without a place every distance will do.
    const place = [near?.lat ?? 0, near?.lng ?? 0, near?.radiusKm ?? Number.POSITIVE_INFINITY];
    const tag = tags?.length === 1 ? tagKey(tags[0] ?? "") : NO_TAG;
    numbers.set([...times, ...place, isRare ? bars | RARE : bars, tag], (row % CHUNK) * FIELDS);
    rare[row % CHUNK] = isRare ? { tags, publisherId, parentId } : null;
    return bars;
  }

  clear(row: number): void {
    const chunk = this.#chunks[Math.floor(row / CHUNK)];
    if (chunk !== undefined) chunk.rare[row % CHUNK] = null;
  }

  /** Starts on a post. */
  asked(post: FilteredPost): AskedPost {
    return { ...post, traits: traitsOf(post, this.#kinds), tagKeys: post.tags.map(tagKey) };
  }

  kindNumber(kind: string): number {
    return this.#kinds.indexOf(kind);
  }

  /** True when a post written after the query passes all its filters. */
  passes(row: number, post: AskedPost): boolean {
    const chunk = this.#chunks[Math.floor(row / CHUNK)];
    if (chunk === undefined) return false;
    const { numbers } = chunk;
    const at = (row % CHUNK) * FIELDS;
    const bars = numbers[at + FIELD.bars] ?? 0;
    if ((bars & post.traits) !== 0) return false;
    if (post.createdAt < (numbers[at + FIELD.createdAt] ?? 0)) return false;
    if (post.windowEnd < (numbers[at + FIELD.after] ?? 0)) return false;
    if (post.windowStart > (numbers[at + FIELD.before] ?? 0)) return false;
    if (!isWithin(post.place, numbers, at)) return false;
    const tag = numbers[at + FIELD.tag] ?? NO_TAG;
    if (tag !== NO_TAG && !post.tagKeys.includes(tag)) return false;
    const rare = (bars & RARE) === 0 ? null : (chunk.rare[row % CHUNK] ?? null);
    return rare === null || passesRare(rare, post);
  }
}

/** True when the bars and the time of a query decide, so that its row need not be read. */
export function isPlain({ near, after, before, tags, publisherId, parentId }: StandingFilter): boolean {
  return [near, after, before, tags, publisherId, parentId].every((filter) => filter === null);
}

function passesRare({ tags, publisherId, parentId }: Rare, post: FilteredPost): boolean {
  return (
    (tags === null || tags.some((tag) => post.tags.includes(tag))) &&
    (publisherId === null || publisherId === post.publisherId) &&
    (parentId === null || parentId === post.parentId)
  );
}

/** A row with a place bars posts without one, which was checked before. */
function isWithin(place: Point | null, numbers: Float64Array, at: number): boolean {
  const radiusKm = numbers[at + FIELD.radiusKm] ?? 0;
  if (place === null || radiusKm === Number.POSITIVE_INFINITY) return true;
  const lat = numbers[at + FIELD.lat] ?? 0;
  if (Math.abs(place.lat - lat) * KM_PER_DEGREE > radiusKm) return false;
  return distanceKm({ lat, lng: numbers[at + FIELD.lng] ?? 0 }, place) <= radiusKm;
}
