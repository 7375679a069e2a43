import type { Group, RecordNumber } from "./buckets.ts";
import type { Key } from "./keys.ts";

/** Where the percolator filed a saved query, and what its lists do not say about it. */
export interface Entry {
  /** See `index.ts`. */
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
