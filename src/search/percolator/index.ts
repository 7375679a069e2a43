import type { StandingFilter } from "../../schema/filter.ts";
import { DOT_TO_COSINE } from "../vectors.ts";
import {
  type Bucket,
  Buckets,
  type Group,
  NO_RECORD,
  type RecordNumber,
  ROW_STRIDE,
  SpreadMap,
} from "./buckets.ts";
import { type Candidate, Candidates } from "./candidates.ts";
import { circleKeys, EVERYTHING, type Key, kindKey, pointKeys, tagKey, wordKey } from "./keys.ts";
import { CLASSES_MAX, Records } from "./records.ts";
import { type AskedPost, isPlain, Rows } from "./rows.ts";
import type { FilteredPost } from "./traits.ts";
import { NO_WORD, Vocabulary } from "./vocabulary.ts";

/** A saved query: its filters, and the ways a post may answer its text. */
export interface SavedQuery {
  filter: StandingFilter;
  /** Only posts written at or after it are found. */
  createdAt: number;
  /** Words that a post must have in any case, such as those of a quoted phrase. */
  required: readonly string[];
  /** A post that has all of them is found by words; if there are none, by filters alone. Null: words find nothing. */
  words: readonly string[] | null;
  /** A post whose cosine reaches the floor of its class is found by meaning. Null: meaning finds nothing. */
  meaning: { vector: Int8Array; floors: readonly number[] } | null;
}

/** A post to match against the saved queries. */
export interface NewPost extends FilteredPost {
  /** Every word it says, in the form that saved queries use. */
  words: Iterable<string>;
  vector: Int8Array | null;
  /** Each class of posts has floors of its own, so that the low floors of one do not slow down another. */
  postClass: number;
}

/** Of a query on the heap, its text included, as `bench/matching-speed/memory.ts` measures it. */
const HEAP_BYTES = 1_190;

/** A query's name is its row number with flags above it: what they decide costs no read of memory elsewhere. */
const ROW = (1 << 29) - 1;
/** The words it is filed with are all it has, and they suffice. */
const FEW_WORDS = 1 << 29;
/** Its bars and its age decide its filters. */
const PLAIN = 1 << 30;

/**
 * Search turned round: which of many saved queries may a post answer? Each query is filed under an access key for each
 * way it can be found: by words, under the rarest of them; by meaning or by filters alone, under where it looks (cells
 * of the globe, else its tags, else its kind). A post meets only the buckets of its own keys, and in them skips what
 * one of its traits bars (`traits.ts`). All remaining vectors are compared, which their order in memory makes cheap;
 * see `records.ts`.
 *
 * With many queries, waiting for memory takes longer than any computation. So what every post reads lies together, in
 * flat lists and columns, and what few posts read lies apart; and each loop reads one part of memory, so that its waits
 * overlap.
 *
 * Filters and cosines are exact, and no match is missed. A candidate may still fail the rule that decides: words are
 * compared by 32-bit hashes, without order, and exclusions are ignored.
 */
export class Percolator<T> {
  readonly #dimension: number;
  readonly #classes: number;
  readonly #rows: Rows;
  readonly #records: Records;
  readonly #buckets = new Buckets();
  readonly #vocabulary = new Vocabulary();
  readonly #candidates = new Candidates<T>();
  /** By row. */
  readonly #entries: (Entry | null)[] = [];
  readonly #byId = new SpreadMap<string, Entry>(wordKey);
  readonly #freeRows: number[] = [];
  /** When the newest query was saved: later posts need not be compared with the age of each. */
  #newestAt = Number.NEGATIVE_INFINITY;
  #size = 0;

  /**
   * @param options.dimension  of all vectors; a multiple of 16, at most 4,096
   * @param options.kinds  all kinds there are, at most 7
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

  /** What it takes: vectors and filters to the byte, the rest as it was measured. */
  get bytes(): number {
    return this.#records.bytes + this.#rows.bytes + this.#size * HEAP_BYTES;
  }

  /** Bytes of vectors. */
  get vectorBytes(): number {
    return this.#records.bytes;
  }

  /** Files a query; one of the same id is replaced. */
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
    this.#candidates.set(row, id, value);
    const entry = this.#file(row, query, this.#rows.set(row, filter, createdAt));
    this.#entries[row] = entry;
    this.#byId.set(id, entry);
    this.#newestAt = Math.max(this.#newestAt, createdAt);
    this.#size += 1;
  }

  /** Forgets a query, if it is known. */
  remove(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#unfile(entry);
    this.#byId.delete(id);
    const row = entry.name & ROW;
    this.#rows.clear(row);
    this.#candidates.clear(row);
    this.#entries[row] = null;
    this.#freeRows.push(row);
    this.#size -= 1;
  }

  /** The queries that a post may answer, each once, in no particular order. */
  candidates(newPost: NewPost): Candidate<T>[] {
    const { vector, postClass } = newPost;
    const post = this.#rows.asked(newPost);
    const said = this.#vocabulary.listen(newPost.words);
    const buckets: Bucket[] = [];
    for (const key of [...said, ...placesOf(newPost, this.#rows.kindNumber(newPost.kind))]) {
      const bucket = this.#buckets.get(key);
      if (bucket !== undefined) buckets.push(bucket);
    }
    const decided = this.#decide(buckets, post);
    this.#candidates.begin();
    if (vector === null) {
      for (const { name, full } of decided) if (full) this.#candidates.give(name & ROW, null);
    } else {
      this.#records.ask(vector, postClass);
      this.#compareDecided(decided);
      this.#compareGroups(buckets, post);
    }
    return this.#candidates.given();
  }

  /** The queries whose words let the post through. */
  #decide(buckets: readonly Bucket[], post: AskedPost): Decided[] {
    const names: number[] = [];
    const records: RecordNumber[] = [];
    for (const { rows } of buckets) {
      for (let at = 0; at < rows.length; at += ROW_STRIDE) {
        if (((rows[at + 1] ?? 0) & post.traits) !== 0) continue;
        if (!this.#vocabulary.says(rows[at + 2] ?? NO_WORD)) continue;
        if (!this.#vocabulary.says(rows[at + 3] ?? NO_WORD)) continue;
        names.push(rows[at] ?? 0);
        records.push(rows[at + 4] ?? NO_RECORD);
      }
    }
    const passing = this.#passing(names, post);
    const decided: Decided[] = [];
    for (const [at, name] of names.entries()) {
      if (passing[at] !== true) continue;
      const record = records[at] ?? NO_RECORD;
      if ((name & FEW_WORDS) !== 0) {
        decided.push({ name, record, full: true });
        continue;
      }
      const entry = this.#entries[name & ROW];
      if (entry === null || entry === undefined) continue;
      const full = entry.byWords && this.#vocabulary.saysFirst(entry.words, entry.words.length);
      const half = record !== NO_RECORD && this.#vocabulary.saysFirst(entry.words, entry.required);
      if (full || half) decided.push({ name, record, full });
    }
    return decided;
  }

  /**
   * Gives the queries that words decided in full, with the cosine where there is one. Of those whose words decided only
   * half, it gives the ones that meaning finds.
   */
  #compareDecided(decided: readonly Decided[]): void {
    const full: RecordNumber[] = [];
    const half: RecordNumber[] = [];
    for (const one of decided) {
      if (one.record === NO_RECORD) this.#candidates.give(one.name & ROW, null);
      else (one.full ? full : half).push(one.record);
    }
    const give = (name: number, dot: number) => this.#candidates.give(name & ROW, dot * DOT_TO_COSINE);
    this.#records.dots(full, "all", give);
    this.#records.dots(half, "reaching", give);
  }

  /** Gives the queries that only meaning finds. */
  #compareGroups(buckets: readonly Bucket[], post: AskedPost): void {
    const names: number[] = [];
    const dots: number[] = [];
    this.#records.reaching(buckets, post.traits, (name, dot) => {
      names.push(name);
      dots.push(dot);
    });
    const passing = this.#passing(names, post);
    for (const [at, name] of names.entries()) {
      if (passing[at] === true) this.#candidates.give(name & ROW, (dots[at] ?? 0) * DOT_TO_COSINE);
    }
  }

  /** For each name, whether its filters let a post pass. Plain ones do when every query is older than the post. */
  #passing(names: readonly number[], post: AskedPost): boolean[] {
    const passed = post.createdAt >= this.#newestAt ? PLAIN : 0;
    return names.map((name) => (name & passed) !== 0 || this.#rows.passes(name & ROW, post));
  }

  /** @param bars  of its filters */
  #file(row: number, query: SavedQuery, bars: number): Entry {
    const { filter, meaning } = query;
    const required = query.required.map(wordKey);
    const words = [...required, ...(query.words ?? []).map(wordKey)];
    const byWords = query.words !== null;
    const byFilters = byWords && words.length === 0;
    this.#vocabulary.meet(words);
    const choice = this.#vocabulary.rarestFirst(required.length > 0 ? required : byWords ? words : []);
    const [rarest = null, second = NO_WORD, third = NO_WORD] = choice;
    const few = byWords && choice.length <= 3 && words.every((word) => choice.includes(word));
    const name = row | (few ? FEW_WORDS : 0) | (isPlain(filter) ? PLAIN : 0);
    // Required words decide before meaning does, so that such a query needs no second place.
    const byMeaning = meaning !== null && required.length === 0 && !byFilters;
    const placeKeys = byFilters || byMeaning ? this.#placeKeys(filter) : [];
    const home = byMeaning ? this.#buckets.openGroup(placeKeys[0] ?? EVERYTHING, bars) : null;
    const record =
      meaning === null ? NO_RECORD : this.#records.put(meaning.vector, floorsOf(meaning), name, home);
    if (byMeaning) for (const key of placeKeys) this.#buckets.addRecord(key, record, bars);
    const rowKeys = byFilters ? placeKeys : rarest === null ? [] : [rarest];
    for (const key of rowKeys) this.#buckets.addRow(key, [name, bars, second, third, record]);
    return {
      name,
      words: few ? [] : words,
      required: required.length,
      byWords,
      rowKeys,
      recordKeys: byMeaning ? placeKeys : [],
      record,
      home,
    };
  }

  #unfile({ name, rowKeys, recordKeys, record, home }: Entry): void {
    for (const key of rowKeys) this.#buckets.removeRow(key, name);
    for (const key of recordKeys) this.#buckets.removeRecord(key, record, home?.bars ?? 0);
    if (record !== NO_RECORD) this.#records.free(record, home);
  }

  /** Where a query looks: cells of the globe, else tags, else its kind, else everywhere. */
  #placeKeys({ near, tags, kinds }: StandingFilter): Key[] {
    const kind = kinds?.length === 1 ? this.#rows.kindNumber(kinds[0] ?? "") : null;
    const cells = near === null ? null : circleKeys(near, near.radiusKm, kind);
    return [...new Set(cells ?? tags?.map(tagKey) ?? [kind === null ? EVERYTHING : kindKey(kind)])];
  }
}

/** Where the percolator filed a saved query, and what its lists do not say about it. */
interface Entry {
  /** See `ROW`. */
  name: number;
  /** The required ones first; empty when its row holds them all. */
  words: readonly Key[];
  /** How many of them are required. */
  required: number;
  /** True when all words find it. */
  byWords: boolean;
  /** Keys of the buckets with its row: that of its rarest word, or those of where it looks. */
  rowKeys: readonly Key[];
  /** Keys of the buckets with its record. */
  recordKeys: readonly Key[];
  /** `NO_RECORD` without a vector. */
  record: RecordNumber;
  /** The group that holds its record, or null. */
  home: Group | null;
}

/** A query that a post's words and filters let through. */
interface Decided {
  name: number;
  record: RecordNumber;
  /** True when words alone suffice. */
  full: boolean;
}

function placesOf(post: NewPost, kind: number): Key[] {
  const cells = post.place === null ? [] : pointKeys(post.place, kind);
  return [...cells, ...post.tags.map(tagKey), kindKey(kind), EVERYTHING];
}

/** Least dot products that reach the floors. */
function floorsOf({ floors }: { floors: readonly number[] }): number[] {
  return floors.map((floor) => Math.ceil(floor / DOT_TO_COSINE - 1e-6));
}
