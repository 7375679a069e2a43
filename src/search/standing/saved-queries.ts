import type { StandingFilter } from "../../schema/filter.ts";
import type { Point } from "../../schema/place.ts";
import type { Kind } from "../../schema/post.ts";
import { distanceKm } from "../ranking/distance.ts";
import { VectorMemory } from "../ranking/kernel/vector-memory.ts";
import { DOT_TO_COSINE } from "../ranking/vectors.ts";

/** A saved query: its filters, and the ways a post may answer its text. */
export interface SavedQuery {
  filter: StandingFilter;
  /** Only posts are found whose `writtenNo` reaches it. */
  savedNo: number;
  /** Only replies by others: in one thread, or to any post of the publisher. */
  replies?: { publisherId: string; thread: string | null };
  /** Words that a post must have in any case, such as those of a quoted phrase. */
  required: readonly string[];
  /** A post that has all of them is found by words; if there are none, by filters alone. Null: words find nothing. */
  words: readonly string[] | null;
  /** The same words as others write them: all of these do as well. */
  respelt?: readonly string[];
  /** A post whose cosine reaches the floor is found by meaning. Null: meaning finds nothing. */
  meaning: { vector: Int8Array; floor: number } | null;
}

/** Filters read no more of a new post. */
interface FilteredPost {
  kind: Kind;
  tags: readonly string[];
  place: Point | null;
  windowStart: number;
  windowEnd: number;
  verified: boolean;
  publisherId: string;
  parentId: string | null;
  /** The publisher of the post that it answers. */
  answers: string | null;
  syndicated: boolean;
  writtenNo: number;
}

/** A post to match against the saved queries. */
export interface NewPost extends FilteredPost {
  /** Every word it says, in the form that saved queries use. */
  words: Iterable<string>;
  vector: Int8Array | null;
}

/** A saved query that a post may answer. */
interface Candidate<T> {
  id: string;
  value: T;
  /** Null when the query or the post has no vector. */
  cosine: number | null;
}

interface Entry<T> {
  id: string;
  value: T;
  query: Omit<SavedQuery, "meaning">;
  /** Null without a vector. */
  meaning: Meaning | null;
}

interface Meaning {
  row: number;
  floor: number;
}

/** About what a query with its text takes on the heap. */
const HEAP_BYTES = 1_300;

/**
 * This is search turned round: which of many saved queries may a post answer? It looks at each: first at its filters, then at
 * its words, and at last at its vector, if words did not decide. The kernel compares the vectors that are left in one go.
 *
 * Filters and cosines are exact. A candidate may still fail the rule that decides: words have no order here, and
 * exclusions are ignored.
 */
export class SavedQueries<T> {
  readonly #dimension: number;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #vectors: VectorMemory;
  /** Rows of vectors: how many there were at most, and which of them are free again. */
  #rows = 0;
  readonly #freeRows: number[] = [];

  /** @param dimension  of all vectors; a multiple of 16 */
  constructor(dimension: number) {
    this.#dimension = dimension;
    this.#vectors = new VectorMemory(dimension);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** About how many bytes the queries take in memory. */
  get bytes(): number {
    return this.#rows * this.#dimension + this.size * HEAP_BYTES;
  }

  /** Keeps a query; one of the same id is replaced. @throws RangeError for a vector of another length */
  add(id: string, { meaning, ...query }: SavedQuery, value: T): void {
    if (meaning !== null && meaning.vector.length !== this.#dimension) {
      throw new RangeError(`A vector has ${meaning.vector.length} dimensions, not ${this.#dimension}.`);
    }
    this.remove(id);
    const row = meaning === null ? null : this.#keep(meaning.vector);
    const kept = meaning === null || row === null ? null : { row, floor: meaning.floor };
    this.#entries.set(id, { id, value, query, meaning: kept });
  }

  /** Forgets a query, if it is known. */
  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    if (entry.meaning !== null) this.#freeRows.push(entry.meaning.row);
  }

  /** The queries that a post may answer, each once, in no particular order. */
  candidates(post: NewPost): Candidate<T>[] {
    const said = new Set(post.words);
    const isSaid = (word: string) => said.has(word);
    const found: Candidate<T>[] = [];
    const toCompare: { entry: Entry<T>; meaning: Meaning; hasWords: boolean }[] = [];
    for (const entry of this.#entries.values()) {
      const { filter, savedNo, replies, required, words, respelt = [] } = entry.query;
      const { meaning } = entry;
      const isCompared = meaning !== null && post.vector !== null;
      if (words === null && !isCompared) continue;
      if (replies !== undefined && !isReply(replies, post)) continue;
      if (post.writtenNo < savedNo || !passes(filter, post) || !required.every(isSaid)) continue;
      const hasWords = words?.every(isSaid) === true || (respelt.length > 0 && respelt.every(isSaid));
      if (isCompared) toCompare.push({ entry, meaning, hasWords });
      else if (hasWords) found.push({ id: entry.id, value: entry.value, cosine: null });
    }
    if (post.vector === null) return found;
    const dots = this.#vectors.dots(
      post.vector,
      Uint32Array.from(toCompare, ({ meaning }) => meaning.row),
    );
    for (const [at, { entry, meaning, hasWords }] of toCompare.entries()) {
      const dot = dots[at] ?? 0;
      const isNear = dot >= Math.ceil(meaning.floor / DOT_TO_COSINE - 1e-6);
      if (isNear || hasWords) found.push({ id: entry.id, value: entry.value, cosine: dot * DOT_TO_COSINE });
    }
    return found;
  }

  #keep(vector: Int8Array): number {
    const free = this.#freeRows.pop();
    const row = free ?? this.#rows;
    if (free === undefined) this.#rows += 1;
    this.#vectors.set(row, vector);
    return row;
  }
}

function isReply({ publisherId, thread }: NonNullable<SavedQuery["replies"]>, post: FilteredPost): boolean {
  if (post.parentId === null || post.publisherId === publisherId) return false;
  return thread === null ? post.answers === publisherId : post.parentId === thread;
}

/** True when a post passes all filters; the cheapest are asked first. */
function passes(filter: StandingFilter, post: FilteredPost): boolean {
  const { kinds, tags, near, after, before, publisherId, parentId } = filter;
  return (
    (kinds === null || kinds.includes(post.kind)) &&
    (!filter.verifiedOnly || post.verified) &&
    (filter.includeSyndicated || !post.syndicated) &&
    (parentId === null ? post.parentId === null || filter.includeReplies : parentId === post.parentId) &&
    (publisherId === null || publisherId === post.publisherId) &&
    (after === null || post.windowEnd >= after) &&
    (before === null || post.windowStart <= before) &&
    (tags === null || tags.some((tag) => post.tags.includes(tag))) &&
    (near === null || (post.place !== null && isWithin(near, post.place)))
  );
}

/** A degree of latitude is a little longer. */
const KM_PER_DEGREE = 111.19;

/** Most places differ in latitude alone by more than the radius. */
const isWithin = (near: NonNullable<StandingFilter["near"]>, place: Point) =>
  Math.abs(near.lat - place.lat) * KM_PER_DEGREE <= near.radiusKm && distanceKm(near, place) <= near.radiusKm;
