import { DOT_TO_COSINE } from "../quantize.ts";
import { type Bucket, Buckets, ROW_STRIDE, SpreadMap } from "./buckets.ts";
import { type Entry, entryOf } from "./entry.ts";
import { circleKeys, EVERYTHING, type Key, kindKey, pointKeys, tagKey, wordKey } from "./keys.ts";
import { CLASSES_MAX, Records } from "./records.ts";
import { type FilteredPost, Rows, type SavedFilter } from "./rows.ts";
import { NO_WORD, NO_WORDS, Vocabulary } from "./vocabulary.ts";

/** A saved query: its filters, and the ways in which a post may answer its text. */
export interface SavedQuery {
  filter: SavedFilter;
  /** Only posts written at or after it are found. */
  createdAt: number;
  /** Words that a post must have in any case, as those of a quoted phrase. */
  required: readonly string[];
  /** A post that has all of them is found by words; with none, by its filters alone. Null: words find nothing. */
  words: readonly string[] | null;
  /** A post whose cosine reaches the floor of its class is found by meaning. Null: meaning finds nothing. */
  meaning: { vector: Int8Array; floors: readonly number[] } | null;
}

/** A post to hold against the saved queries. */
export interface NewPost extends FilteredPost {
  /** Every word it says, in the form in which saved queries give theirs. */
  words: Iterable<string>;
  vector: Int8Array | null;
  /** Each class of posts has floors of its own, so that the low ones of one do not slow down another. */
  postClass: number;
}

export interface Candidate<T> {
  id: string;
  value: T;
  /** Of the two vectors, or null when one is missing. */
  cosine: number | null;
}

/** Set in the name of a record whose row need not be looked at. There are fewer rows. */
const PLAIN = 1 << 30;

/**
 * Many saved queries turned round: which of them may a post answer? Each is filed under one access key for each way in
 * which it can be found: by words under the rarest of them, by meaning or by filters alone under where it looks (cells of
 * the globe, else its tags, else its kind). A post then meets the buckets of its own keys only, and in them passes over
 * what one of its traits bars (`traits.ts`). All vectors that are left are compared, which their order in memory makes
 * cheap; see `records.ts`.
 *
 * Filters and cosines are exact, and nothing is overlooked. What is found may still fall short of the rule that decides:
 * words are compared by 32-bit hashes, without order, and exclusions are not looked at.
 */
export class Percolator<T> {
  readonly #dimension: number;
  readonly #classes: number;
  readonly #rows: Rows;
  readonly #records: Records;
  readonly #buckets = new Buckets();
  readonly #vocabulary = new Vocabulary();
  readonly #entries: (Entry<T> | null)[] = [];
  readonly #byId = new SpreadMap<string, Entry<T>>(wordKey);
  readonly #freeRows: number[] = [];
  /** Number of the post under way: what was decided in this round is not looked at again. */
  #round = 0;
  #size = 0;

  /**
   * @param options.dimension  of all vectors; a multiple of 16, at most 4,096
   * @param options.kinds  all kinds there are, at most 24
   * @param options.classes  how many classes of posts have floors of their own, at most 3
   */
  constructor(options: { dimension: number; kinds: readonly string[]; classes: number }) {
    if (options.classes > CLASSES_MAX)
      throw new RangeError(`There are at most ${CLASSES_MAX} classes of posts.`);
    this.#dimension = options.dimension;
    this.#classes = options.classes;
    this.#rows = new Rows(options.kinds);
    this.#records = new Records(options.dimension);
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes of vectors. The rest is about 600 bytes a query on the heap. */
  get vectorBytes(): number {
    return this.#records.bytes;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id)?.value;
  }

  /** Files a query, or files it anew. */
  add(id: string, query: SavedQuery, value: T): void {
    const { filter, createdAt, meaning } = query;
    if (meaning !== null && meaning.vector.length !== this.#dimension) {
      throw new RangeError(`A vector has ${meaning.vector.length} dimensions, not ${this.#dimension}.`);
    }
    if (meaning !== null && meaning.floors.length !== this.#classes) {
      throw new RangeError(
        `There are ${meaning.floors.length} floors for ${this.#classes} classes of posts.`,
      );
    }
    this.remove(id);
    const row = this.#freeRows.pop() ?? this.#entries.length;
    const entry = entryOf(id, value, row, query);
    this.#entries[row] = entry;
    this.#byId.set(id, entry);
    this.#size += 1;
    this.#file(entry, filter, this.#rows.set(row, filter, createdAt), meaning?.vector ?? null);
  }

  /** Forgets a query; an unknown one is none. */
  remove(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#unfile(entry);
    this.#byId.delete(id);
    this.#rows.clear(entry.row);
    this.#entries[entry.row] = null;
    this.#freeRows.push(entry.row);
    this.#size -= 1;
  }

  /** The queries that a post may answer, each once, in no order. */
  candidates(post: NewPost): Candidate<T>[] {
    this.#round += 1;
    const traits = this.#rows.traitsOf(post);
    const said = this.#vocabulary.listen(post.words);
    const buckets: Bucket[] = [];
    for (const key of [...said, ...placesOf(post, this.#rows.kindNumber(post.kind))]) {
      const bucket = this.#buckets.get(key);
      if (bucket !== undefined) buckets.push(bucket);
    }
    const decided = this.#decide(buckets, post, traits);
    return post.vector === null
      ? decided.map(({ entry }) => found(entry, null))
      : this.#withMeaning(post, post.vector, traits, decided, buckets);
  }

  /** The queries that words and filters let through. Each loop looks at one part of memory, so that its waits overlap. */
  #decide(buckets: readonly Bucket[], post: NewPost, traits: number): Decided<T>[] {
    const open: number[] = [];
    for (const { rows } of buckets) {
      for (let at = 0; at < rows.length; at += ROW_STRIDE) {
        if (((rows[at + 1] ?? 0) & traits) !== 0) continue;
        if (!this.#vocabulary.maySayBoth(rows[at + 2] ?? 0)) continue;
        open.push(rows[at] ?? 0);
      }
    }
    const passing = open.filter((row) => this.#rows.passes(row, post, traits));
    const decided: Decided<T>[] = [];
    for (const row of passing) {
      const entry = this.#entries[row];
      if (entry === null || entry === undefined) continue;
      const full = entry.byWords && this.#vocabulary.saysFirst(entry.words, entry.words.length);
      const byMeaning = post.vector !== null && entry.record !== null;
      if (!full && !(byMeaning && this.#vocabulary.saysFirst(entry.words, entry.required))) continue;
      if (this.#isNew(entry)) decided.push({ entry, full });
    }
    return decided;
  }

  /** Adds cosines to what words and filters decided, and finds what only meaning finds. */
  #withMeaning(
    post: NewPost,
    vector: Int8Array,
    traits: number,
    decided: readonly Decided<T>[],
    buckets: readonly Bucket[],
  ): Candidate<T>[] {
    const candidates: Candidate<T>[] = [];
    const isNear = ({ floors }: Entry<T>, dot: number) =>
      dot >= (floors[post.postClass] ?? Number.POSITIVE_INFINITY);
    this.#records.ask(vector, post.postClass);
    const scored = decided.filter(({ entry }) => entry.record !== null);
    let next = 0;
    this.#records.dots(
      scored.map(({ entry }) => entry.record ?? 0),
      (_, dot) => {
        const { entry, full } = scored[next] ?? {};
        next += 1;
        if (entry !== undefined && (full === true || isNear(entry, dot))) candidates.push(found(entry, dot));
      },
    );
    for (const { entry } of decided) if (entry.record === null) candidates.push(found(entry, null));
    // Again one part of memory after the other.
    const names: number[] = [];
    const dots: number[] = [];
    this.#records.reaching(buckets, traits, (name, dot) => {
      names.push(name);
      dots.push(dot);
    });
    const passing = names.map((name) => (name & PLAIN) !== 0 || this.#rows.passes(name, post, traits));
    for (const [at, name] of names.entries()) {
      if (passing[at] !== true) continue;
      const entry = this.#entries[name & ~PLAIN];
      if (entry === null || entry === undefined || post.createdAt < entry.createdAt) continue;
      if (this.#isNew(entry)) candidates.push(found(entry, dots[at] ?? 0));
    }
    return candidates;
  }

  /** True at the first call for an entry in a round. */
  #isNew(entry: Entry<T>): boolean {
    if (entry.round === this.#round) return false;
    entry.round = this.#round;
    return true;
  }

  #file(entry: Entry<T>, filter: SavedFilter, bars: number, vector: Int8Array | null): void {
    const { row, words, required, byWords, floors } = entry;
    this.#vocabulary.meet(words);
    const choice = required > 0 ? words.slice(0, required) : byWords ? words : [];
    const [rarest = null, second = NO_WORD, third = NO_WORD] = this.#vocabulary.rarestFirst(choice);
    entry.wordKey = rarest;
    if (rarest !== null) this.#buckets.addRow(rarest, row, bars, this.#vocabulary.pair(second, third));
    const byFilters = byWords && words.length === 0;
    // Required words decide before meaning does, so that such a query needs no second place.
    const byMeaning = vector !== null && required === 0 && !byFilters;
    if (byFilters || byMeaning) entry.placeKeys = this.#placeKeys(filter);
    if (byFilters) for (const key of entry.placeKeys) this.#buckets.addRow(key, row, bars, NO_WORDS);
    if (vector === null) return;
    const name = entry.plain ? row | PLAIN : row;
    entry.record = this.#records.put(vector, floors, name, byMeaning ? this.#homeOf(entry) : null);
    if (byMeaning) for (const key of entry.placeKeys) this.#buckets.addRecord(key, entry.record, bars);
  }

  #unfile(entry: Entry<T>): void {
    const { row, record, wordKey, placeKeys } = entry;
    const keys = wordKey === null ? placeKeys : [wordKey, ...placeKeys];
    for (const key of keys) {
      this.#buckets.removeRow(key, row);
      if (record !== null) this.#buckets.removeRecord(key, record);
    }
    if (record !== null) this.#records.free(record, this.#homeOf(entry));
    for (const key of keys) this.#buckets.tidy(key);
  }

  /** The bucket that a query's record lies with. */
  #homeOf({ placeKeys: [key] }: Entry<T>): Bucket | null {
    return key === undefined ? null : this.#buckets.open(key);
  }

  /** Where a query looks: cells of the globe, else tags, else its kind, else everywhere. */
  #placeKeys({ near, tags, kinds }: SavedFilter): Key[] {
    const kind = kinds?.length === 1 ? this.#rows.kindNumber(kinds[0] ?? "") : null;
    const cells = near === null ? null : circleKeys(near, near.radiusKm, kind);
    return [...new Set(cells ?? tags?.map(tagKey) ?? [kind === null ? EVERYTHING : kindKey(kind)])];
  }
}

/** A query that a post's words and filters let through; `full` when they suffice. */
interface Decided<T> {
  entry: Entry<T>;
  full: boolean;
}

function placesOf(post: NewPost, kind: number): Key[] {
  const cells = post.place === null ? [] : pointKeys(post.place, kind);
  return [...cells, ...post.tags.map(tagKey), kindKey(kind), EVERYTHING];
}

function found<T>({ id, value }: Entry<T>, dot: number | null): Candidate<T> {
  return { id, value, cosine: dot === null ? null : dot * DOT_TO_COSINE };
}
