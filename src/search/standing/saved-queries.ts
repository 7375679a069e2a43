import type { StandingFilter } from "../../schema/filter.ts";
import type { Point } from "../../schema/place.ts";
import { Kind } from "../../schema/post.ts";
import { distanceKm } from "../ranking/distance.ts";
import { VectorMemory } from "../ranking/kernel/vector-memory.ts";
import { DOT_TO_COSINE } from "../ranking/vectors.ts";

/** Holds a saved query: its filters, and the ways a post may answer its text. */
export interface SavedQuery {
  filter: StandingFilter;
  /** Only posts are found whose `writtenNo` reaches it. */
  savedNo: number;
  /** Only replies by others count: in one thread, or to any post of the publisher. */
  replies?: { publisherId: string; thread: string | null };
  /** A post must have these words in any case, such as those of a quoted phrase. */
  required: readonly string[];
  /** A post that has all of them is found by words; if there are none, by filters alone. Null: words find nothing. */
  words: readonly string[] | null;
  /** These are the same words as others write them: all of these do as well. */
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
  /** The post answers one of this publisher. */
  answers: string | null;
  syndicated: boolean;
  writtenNo: number;
}

/** A post is matched against the saved queries by these. */
export interface NewPost extends FilteredPost {
  /** Says these words, in the form that saved queries use. */
  words: Iterable<string>;
  vector: Int8Array | null;
}

/** A post may answer this saved query. */
interface Candidate<T> {
  id: string;
  value: T;
  /** Query or post has no vector where this is null. */
  cosine: number | null;
}

interface Entry<T> {
  id: string;
  value: T;
  query: Omit<SavedQuery, "meaning">;
  /** Its vector lies in this row, if it has one. */
  row: number;
}

/** A query with its text takes about this many bytes on the heap. */
const HEAP_BYTES = 1_300;

/**
 * This is search turned round: which of many saved queries may a post answer? Those whose vector is near enough, which the
 * kernel says of all in one go, and those whose longest word the post says, if it says the others too. Only their filters are
 * asked.
 *
 * Filters and cosines are exact. A candidate may still fail the rule that decides: words have no order here, and
 * exclusions are ignored.
 */
export class SavedQueries<T> {
  readonly #dimension: number;
  readonly #entries = new Map<string, Entry<T>>();
  /** Each stands under its longest word, in either spelling; one that only filters decide under "". */
  readonly #byWord = new Map<string, Set<Entry<T>>>();
  readonly #vectors: VectorMemory;
  /** Holds queries by row. A query is an object far away in memory; what rules out most of them lies in plain lists beside it: */
  readonly #byRow: Entry<T>[] = [];
  /** Meaning finds a query from this dot product on, Infinity without a vector. */
  readonly #floors: number[] = [];
  /** These bits are of the kinds that it asks for. */
  readonly #kinds: number[] = [];
  /** Has this latitude, and the degrees around it, Infinity without a place. */
  readonly #lats: number[] = [];
  readonly #degrees: number[] = [];
  readonly #freeRows: number[] = [];

  /** @param dimension  of all vectors; a multiple of 16 */
  constructor(dimension: number) {
    this.#dimension = dimension;
    this.#vectors = new VectorMemory(dimension);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The queries take about this many bytes in memory. */
  get bytes(): number {
    return this.#byRow.length * this.#dimension + this.size * HEAP_BYTES;
  }

  /** Keeps a query; one of the same id is replaced. @throws RangeError for a vector of another length */
  add(id: string, { meaning, ...query }: SavedQuery, value: T): void {
    if (meaning !== null && meaning.vector.length !== this.#dimension) {
      throw new RangeError(`A vector has ${meaning.vector.length} dimensions, not ${this.#dimension}.`);
    }
    this.remove(id);
    const row = this.#freeRows.pop() ?? this.#byRow.length;
    const entry = { id, value, query, row };
    this.#entries.set(id, entry);
    this.#byRow[row] = entry;
    if (meaning !== null) this.#vectors.set(row, meaning.vector);
    this.#floors[row] = meaning === null ? Infinity : Math.ceil(meaning.floor / DOT_TO_COSINE - 1e-6);
    const { kinds, near } = query.filter;
    this.#kinds[row] = bitsOf(kinds ?? Kind.options);
    this.#lats[row] = near?.lat ?? 0;
    this.#degrees[row] = near === null ? Infinity : near.radiusKm / KM_PER_DEGREE;
    for (const word of filedUnder(query)) {
      const filed = this.#byWord.get(word);
      if (filed === undefined) this.#byWord.set(word, new Set([entry]));
      else filed.add(entry);
    }
  }

  /** Forgets a query, if it is known. */
  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#floors[entry.row] = Infinity;
    this.#freeRows.push(entry.row);
    for (const word of filedUnder(entry.query)) {
      const filed = this.#byWord.get(word);
      filed?.delete(entry);
      if (filed?.size === 0) this.#byWord.delete(word);
    }
  }

  /** Finds the queries that a post may answer, each once, in no particular order. */
  candidates(post: NewPost): Candidate<T>[] {
    const said = new Set(post.words);
    const isSaid = (word: string) => said.has(word);
    const { vector } = post;
    const found = new Map<string, Candidate<T>>();
    const take = ({ id, value, query, row }: Entry<T>, dot?: number) => {
      const { filter, savedNo, replies, required } = query;
      if (post.writtenNo < savedNo || !passes(filter, post)) return;
      if (replies !== undefined && !isReply(replies, post)) return;
      if (!required.every(isSaid)) return;
      const isCompared = vector !== null && this.#floors[row] !== Infinity;
      const cosine = isCompared ? (dot ?? this.#vectors.dot(vector, row)) * DOT_TO_COSINE : null;
      found.set(id, { id, value, cosine });
    };
    if (vector !== null) {
      const rows = this.#rowsFor(post);
      for (const [at, dot] of this.#vectors.dots(vector, rows).entries()) {
        const row = rows[at] ?? 0;
        if (dot >= (this.#floors[row] ?? 0)) take(this.#byRow[row] as Entry<T>, dot);
      }
    }
    for (const word of ["", ...said]) {
      for (const entry of this.#byWord.get(word) ?? []) {
        const { words, respelt = [] } = entry.query;
        if (words?.every(isSaid) || (respelt.length > 0 && respelt.every(isSaid))) take(entry);
      }
    }
    return [...found.values()];
  }

  /** Finds the rows whose kinds and latitude a post fits. */
  #rowsFor(post: NewPost): Uint32Array {
    const kind = bitsOf([post.kind]);
    const lat = post.place?.lat ?? 0;
    const rows: number[] = [];
    for (let row = 0; row < this.#floors.length; row += 1) {
      const isOff = Math.abs((this.#lats[row] ?? 0) - lat) > (this.#degrees[row] ?? 0);
      if (!isOff && ((this.#kinds[row] ?? 0) & kind) !== 0) rows.push(row);
    }
    return Uint32Array.from(rows);
  }
}

const bitsOf = (kinds: readonly Kind[]) =>
  kinds.reduce((bits, kind) => bits | (1 << Kind.options.indexOf(kind)), 0);

/** A post says one of these words if words find the query: the longest is said by the fewest posts. */
function filedUnder({ words, respelt = [] }: Pick<SavedQuery, "words" | "respelt">): string[] {
  const longest = (some: readonly string[]) =>
    some.reduce((one, other) => (other.length > one.length ? other : one), "");
  if (words === null) return [];
  return respelt.length === 0 ? [longest(words)] : [...new Set([longest(words), longest(respelt)])];
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
    (near === null || (post.place !== null && distanceKm(near, post.place) <= near.radiusKm))
  );
}

/** A degree of latitude is a little longer. */
const KM_PER_DEGREE = 111.19;
