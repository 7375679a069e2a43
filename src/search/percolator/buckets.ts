import type { Key } from "./keys.ts";

/** What `Records` keeps of one saved query that meaning finds. */
export type RecordNumber = number;

/** The saved queries of one access key, as flat lists: what lies together in memory is passed over quickly. */
export interface Bucket {
  /** Queries found by words or by filters alone, `ROW_STRIDE` numbers each: row, the bars of its filters, two of its words as one number (`Vocabulary.pair`). */
  rows: number[];
  /** Queries found by meaning, `RECORD_STRIDE` numbers each, by rising record: record, the bars of its filters. */
  records: number[];
  /** Records set aside for queries to come, so that those of a bucket lie together. */
  spare: RecordNumber[];
}

export const ROW_STRIDE = 3;
export const RECORD_STRIDE = 2;

/** Grown one after the other, 256 small maps never copy many entries at once, as one large one does. */
const SHARDS = 256;

/** A map in many parts. `hashOf` need not be perfect; it spreads. */
export class SpreadMap<K, V> {
  readonly #parts: Map<K, V>[] = Array.from({ length: SHARDS }, () => new Map());
  readonly #hashOf: (key: K) => number;

  constructor(hashOf: (key: K) => number) {
    this.#hashOf = hashOf;
  }

  get(key: K): V | undefined {
    return this.#part(key).get(key);
  }

  set(key: K, value: V): void {
    this.#part(key).set(key, value);
  }

  delete(key: K): void {
    this.#part(key).delete(key);
  }

  #part(key: K): Map<K, V> {
    return this.#parts[this.#hashOf(key) & (SHARDS - 1)] as Map<K, V>;
  }
}

/** Buckets by key. */
export class Buckets {
  // The high bits: the map itself looks at the low ones.
  readonly #buckets = new SpreadMap<Key, Bucket>((key) => key >>> 24);

  get(key: Key): Bucket | undefined {
    return this.#buckets.get(key);
  }

  open(key: Key): Bucket {
    const found = this.#buckets.get(key);
    if (found !== undefined) return found;
    const bucket: Bucket = { rows: [], records: [], spare: [] };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Drops a bucket that holds nothing any more. */
  tidy(key: Key): void {
    const bucket = this.#buckets.get(key);
    if (bucket?.rows.length === 0 && bucket.records.length === 0) this.#buckets.delete(key);
  }

  /**
   * Files a row.
   *
   * @param words  a pair of further words without which a post need not look at the row
   */
  addRow(key: Key, row: number, bars: number, words: number): void {
    this.open(key).rows.push(row, bars, words);
  }

  removeRow(key: Key, row: number): void {
    const rows = this.#buckets.get(key)?.rows ?? [];
    for (let at = 0; at < rows.length; at += ROW_STRIDE) {
      if (rows[at] !== row) continue;
      const last = rows.splice(-ROW_STRIDE);
      if (at < rows.length) for (const [nth, number] of last.entries()) rows[at + nth] = number;
      break;
    }
  }

  addRecord(key: Key, record: RecordNumber, bars: number): void {
    const { records } = this.open(key);
    const at = placeOf(records, record);
    if (at === records.length) records.push(record, bars);
    else records.splice(at, 0, record, bars);
  }

  removeRecord(key: Key, record: RecordNumber): void {
    const records = this.#buckets.get(key)?.records ?? [];
    const at = placeOf(records, record);
    if (records[at] === record) records.splice(at, RECORD_STRIDE);
  }
}

/** Where a record stands or would stand. */
function placeOf(records: readonly number[], record: RecordNumber): number {
  let [from, to] = [0, records.length / RECORD_STRIDE];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((records[middle * RECORD_STRIDE] ?? 0) < record) from = middle + 1;
    else to = middle;
  }
  return from * RECORD_STRIDE;
}
