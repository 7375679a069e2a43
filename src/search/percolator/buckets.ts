import type { Key } from "./keys.ts";
import type { CodeList } from "./records.ts";

/** The saved queries of one access key. */
export interface Bucket {
  /** Rows that are looked at whenever the key occurs, three numbers each: the row and its two guards. */
  rows: number[];
  /** Rows that are looked at when their codes are near: a list for each class of posts; none when there are none. */
  codes: readonly CodeList[];
}

/** Numbers for each row of a bucket. */
export const STRIDE = 3;

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

/** Buckets by key; empty ones are dropped. */
export class Buckets {
  // The high bits: the map itself looks at the low ones.
  readonly #buckets = new SpreadMap<Key, Bucket>((key) => key >>> 24);

  get(key: Key): Bucket | undefined {
    return this.#buckets.get(key);
  }

  open(key: Key): Bucket {
    const found = this.#buckets.get(key);
    if (found !== undefined) return found;
    const bucket: Bucket = { rows: [], codes: [] };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Drops a bucket that holds nothing any more. */
  tidy(key: Key): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    if (bucket.codes.every((list) => list.count === 0)) bucket.codes = [];
    if (bucket.rows.length === 0 && bucket.codes.length === 0) this.#buckets.delete(key);
  }

  /**
   * Files a row.
   *
   * @param guards  further words without which a post need not look at the row: told from its bucket, which lies together in
   *   memory, most rows are passed over without a visit
   */
  addRow(key: Key, row: number, guards: readonly [Key, Key]): void {
    this.open(key).rows.push(row, ...guards);
  }

  removeRow(key: Key, row: number): void {
    const rows = this.#buckets.get(key)?.rows ?? [];
    for (let at = 0; at < rows.length; at += STRIDE) {
      if (rows[at] !== row) continue;
      const last = rows.splice(-STRIDE);
      if (at < rows.length) for (let n = 0; n < STRIDE; n += 1) rows[at + n] = last[n] ?? 0;
      break;
    }
    this.tidy(key);
  }
}
