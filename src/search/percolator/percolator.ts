import { DOT_TO_COSINE } from "../quantize.ts";
import { Buckets, SpreadMap, STRIDE } from "./buckets.ts";
import { circleKeys, EVERYTHING, type Key, kindKey, pointKeys, tagKey, wordKey } from "./keys.ts";
import { CLASSES_MAX, type CodeList, type RecordAddress, Records } from "./records.ts";
import { type FilteredPost, Rows, type SavedFilter } from "./rows.ts";
import { codeLimit } from "./sign-code.ts";

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

/** In place of a word that every post has. */
const NO_GUARD: Key = 0;

/**
 * Many saved queries turned round: which of them may a post answer? Each is filed under one access key for each way in
 * which it can be found: by words under the rarest of them, by meaning or by filters alone under where it looks (cells of
 * the globe), else its tags, else its kinds. A post then meets the buckets of its own keys only. Meaning is compared in
 * two steps, sign codes and exact vectors; see `records.ts`.
 *
 * Filters and cosines are exact. A query with a floor is overlooked with a probability below 1 in 10,000 (see
 * `sign-code.ts`). What is found may still fall short of the rule that decides: words are compared by 32-bit hashes,
 * without order, and exclusions are not looked at.
 */
export class Percolator<T> {
  readonly #dimension: number;
  readonly #classes: number;
  readonly #rows: Rows;
  readonly #records: Records;
  readonly #buckets = new Buckets();
  readonly #entries: (Entry<T> | null)[] = [];
  readonly #byId = new SpreadMap<string, Entry<T>>(wordKey);
  readonly #freeRows: number[] = [];
  /** How often a word was met, in posts and in queries, by the last bits of its hash. Only chooses keys. */
  readonly #met = new Uint32Array(1 << 16);
  /** Number of the post under way: what was decided in this round is not looked at again. */
  #round = 0;
  /** 1 for the last bits of the hashes of this post's words. */
  readonly #saidBits = new Uint8Array(1 << 16);
  #size = 0;

  /**
   * @param options.dimension  of all vectors; a multiple of 16, at most 3,968
   * @param options.kinds  all kinds there are, at most 31
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

  /** Bytes of vectors and codes. The rest is about 400 bytes a query on the heap. */
  get vectorBytes(): number {
    return this.#records.bytes;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id)?.value;
  }

  /** Files a query, or files it anew. */
  add(id: string, query: SavedQuery, value: T): void {
    const { filter, createdAt, required, words, meaning } = query;
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
    this.#rows.set(row, filter, createdAt);
    const entry: Entry<T> = {
      id,
      value,
      row,
      words: [...required, ...(words ?? [])].map(wordKey),
      required: required.length,
      byWords: words !== null,
      wordKey: null,
      record: null,
      floors: (meaning?.floors ?? []).map((floor) => Math.ceil(floor / DOT_TO_COSINE - 1e-6)),
    };
    this.#entries[row] = entry;
    this.#byId.set(id, entry);
    this.#size += 1;
    this.#file(entry, meaning);
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
    const said = this.#listen(post.words);
    const kindBit = this.#rows.kindBit(post.kind);
    const lists: CodeList[] = [];
    const decided: Decided<T>[] = [];
    for (const key of [...said, ...placesOf(post, this.#rows.kindNumber(post.kind))]) {
      const bucket = this.#buckets.get(key);
      if (bucket === undefined) continue;
      const list = bucket.codes[post.postClass];
      if (list !== undefined) lists.push(list);
      const { rows } = bucket;
      for (let at = 0; at < rows.length; at += STRIDE) {
        if (!this.#mayBeSaid(rows[at + 1]) || !this.#mayBeSaid(rows[at + 2])) continue;
        const entry = this.#entries[rows[at] ?? 0];
        if (entry === null || entry === undefined) continue;
        const full = entry.byWords && saysFirst(entry, entry.words.length, said);
        const byMeaning = post.vector !== null && entry.record !== null;
        if (!full && !(byMeaning && saysFirst(entry, entry.required, said))) continue;
        if (!this.#rows.isNew(entry.row, this.#round)) continue;
        if (this.#rows.passes(entry.row, post, kindBit)) decided.push({ entry, full });
      }
    }
    if (post.vector === null) return decided.map(({ entry }) => found(entry, null));
    return this.#withMeaning(post, post.vector, kindBit, decided, lists);
  }

  /** Hashes of a post's words; counts them, and notes their last bits for a first look. */
  #listen(words: Iterable<string>): Set<Key> {
    const said = new Set<Key>();
    for (const word of words) said.add(wordKey(word));
    this.#saidBits.fill(0);
    this.#saidBits[NO_GUARD] = 1;
    for (const key of said) {
      this.#meet(key);
      this.#saidBits[key & 0xffff] = 1;
    }
    return said;
  }

  #mayBeSaid(word: Key = NO_GUARD): boolean {
    return this.#saidBits[word & 0xffff] === 1;
  }

  /** Adds cosines to what words and filters decided, and finds what only meaning finds. */
  #withMeaning(
    post: NewPost,
    vector: Int8Array,
    kindBit: number,
    decided: readonly Decided<T>[],
    lists: readonly CodeList[],
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
    const reached = (row: number, dot: number) => {
      if (!this.#rows.isNew(row, this.#round) || !this.#rows.passes(row, post, kindBit)) return;
      const entry = this.#entries[row];
      if (entry !== null && entry !== undefined) candidates.push(found(entry, dot));
    };
    for (const list of lists) this.#records.reaching(list, reached);
    this.#records.settle(reached);
    return candidates;
  }

  #file(entry: Entry<T>, meaning: SavedQuery["meaning"]): void {
    const { row, required, byWords } = entry;
    for (const word of entry.words) this.#meet(word);
    const choice = required > 0 ? entry.words.slice(0, required) : byWords ? entry.words : [];
    entry.wordKey = this.#rarest(choice);
    if (entry.wordKey !== null) this.#buckets.addRow(entry.wordKey, row, this.#guards(choice, entry.wordKey));
    const keys = isFiledByPlace(entry, meaning !== null) ? this.#placeKeys(row) : [];
    if (byFiltersAlone(entry)) for (const key of keys) this.#buckets.addRow(key, row, [NO_GUARD, NO_GUARD]);
    if (meaning === null) return;
    const lists = byFiltersAlone(entry) ? [] : keys.map((key) => this.#codesOf(key));
    entry.record = this.#records.put(meaning.vector, entry.floors, row, lists[0]?.[0] ?? null);
    for (const [nth, floor] of meaning.floors.entries()) {
      const limit = codeLimit(floor, this.#dimension);
      for (const { [nth]: list } of lists) {
        if (list !== undefined) this.#records.addCode(list, meaning.vector, limit, entry.record);
      }
    }
  }

  #unfile(entry: Entry<T>): void {
    const { row, record } = entry;
    if (entry.wordKey !== null) this.#buckets.removeRow(entry.wordKey, row);
    const keys = isFiledByPlace(entry, record !== null) ? this.#placeKeys(row) : [];
    if (byFiltersAlone(entry)) for (const key of keys) this.#buckets.removeRow(key, row);
    if (record === null) return;
    const lists = byFiltersAlone(entry) ? [] : keys.map((key) => this.#codesOf(key));
    for (const list of lists.flat()) this.#records.removeCode(list, record);
    this.#records.free(record, lists[0]?.[0] ?? null);
    for (const key of keys) this.#buckets.tidy(key);
  }

  /** Where a query looks: cells of the globe, else tags, else kinds, else everywhere. */
  #placeKeys(row: number): Key[] {
    const { near, tags, kinds } = this.#rows.placeOf(row);
    const cells =
      near === null ? null : circleKeys(near, near.radiusKm, kinds?.length === 1 ? (kinds[0] ?? null) : null);
    const keys = cells ?? tags?.map(tagKey) ?? kinds?.map(kindKey) ?? [EVERYTHING];
    return [...new Set(keys)];
  }

  #codesOf(key: Key): readonly CodeList[] {
    const bucket = this.#buckets.open(key);
    if (bucket.codes.length === 0) {
      bucket.codes = Array.from({ length: this.#classes }, () => this.#records.newList());
    }
    return bucket.codes;
  }

  #rarest(words: readonly Key[]): Key | null {
    let rarest: Key | null = null;
    for (const word of words)
      if (rarest === null || this.#timesMet(word) < this.#timesMet(rarest)) rarest = word;
    return rarest;
  }

  /** Two more words that a post must have, rare ones first. */
  #guards(words: readonly Key[], key: Key): [Key, Key] {
    const [first = NO_GUARD, second = NO_GUARD] = words
      .filter((word) => word !== key)
      .sort((a, b) => this.#timesMet(a) - this.#timesMet(b));
    return [first, second];
  }

  #timesMet(word: Key): number {
    return this.#met[word & 0xffff] ?? 0;
  }

  #meet(word: Key): void {
    this.#met[word & 0xffff] = this.#timesMet(word) + 1;
  }
}

/** A query that a post's words and filters let through; `full` when they suffice. */
interface Decided<T> {
  entry: Entry<T>;
  full: boolean;
}

interface Entry<T> {
  id: string;
  value: T;
  row: number;
  /** The required words first. */
  words: readonly Key[];
  /** How many of them are required. */
  required: number;
  /** True when all words find it. */
  byWords: boolean;
  /** The one word it is filed under. */
  wordKey: Key | null;
  record: RecordAddress | null;
  /** Least dot product that finds it by meaning, for each class of posts. */
  floors: readonly number[];
}

/** True when every post that passes the filters is found. */
function byFiltersAlone<T>({ byWords, words }: Entry<T>): boolean {
  return byWords && words.length === 0;
}

/** Required words decide before meaning does, so that such a query needs no second place. */
function isFiledByPlace<T>(entry: Entry<T>, hasMeaning: boolean): boolean {
  return byFiltersAlone(entry) || (hasMeaning && entry.required === 0);
}

function saysFirst<T>({ words }: Entry<T>, count: number, said: ReadonlySet<Key>): boolean {
  for (let at = 0; at < count; at += 1) if (!said.has(words[at] ?? 0)) return false;
  return true;
}

function placesOf(post: NewPost, kind: number): Key[] {
  const cells = post.place === null ? [] : pointKeys(post.place, kind);
  return [...cells, ...post.tags.map(tagKey), kindKey(kind), EVERYTHING];
}

function found<T>({ id, value }: Entry<T>, dot: number | null): Candidate<T> {
  return { id, value, cosine: dot === null ? null : dot * DOT_TO_COSINE };
}
