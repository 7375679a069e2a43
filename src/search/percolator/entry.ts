import type { Group, RecordNumber } from "./buckets.ts";
import type { Key } from "./keys.ts";

/** Where the percolator filed a saved query, and what its lists do not say of it. */
export interface Entry {
  /** See `percolator.ts`. */
  name: number;
  /** The required ones first; none when those in the list of rows are all. */
  words: readonly Key[];
  /** How many of them are required. */
  required: number;
  /** True when all words find it. */
  byWords: boolean;
  /** Of the buckets that have its row: of its rarest word, or where it looks. */
  rowKeys: readonly Key[];
  /** Of the buckets that have its record. */
  recordKeys: readonly Key[];
  /** `NO_RECORD` without a vector. */
  record: RecordNumber;
  /** The group that its record lies with; null when no group has it. */
  home: Group | null;
}
