import { DOT_TO_COSINE } from "../quantize.ts";
import type { RecordNumber } from "./buckets.ts";
import { type Key, wordKey } from "./keys.ts";
import { isPlain, type SavedFilter } from "./rows.ts";

/** What the percolator keeps of one saved query on the heap, and where it filed it. */
export interface Entry<T> {
  id: string;
  value: T;
  row: number;
  /** Only posts written at or after it are found. */
  createdAt: number;
  /** True when no filter of its row has to be looked at; see `rows.ts`. */
  plain: boolean;
  /** Number of the last post for which it was decided. */
  round: number;
  /** The required words first. */
  words: readonly Key[];
  /** How many of them are required. */
  required: number;
  /** True when all words find it. */
  byWords: boolean;
  /** The one word it is filed under. */
  wordKey: Key | null;
  /** Where it is filed by meaning or by filters alone. */
  placeKeys: readonly Key[];
  record: RecordNumber | null;
  /** Least dot product that finds it by meaning, for each class of posts. */
  floors: readonly number[];
}

/** An entry that is not filed yet. */
export function entryOf<T>(
  id: string,
  value: T,
  row: number,
  query: {
    filter: SavedFilter;
    createdAt: number;
    required: readonly string[];
    words: readonly string[] | null;
    meaning: { floors: readonly number[] } | null;
  },
): Entry<T> {
  const { filter, createdAt, required, words, meaning } = query;
  return {
    id,
    value,
    row,
    createdAt,
    plain: isPlain(filter),
    round: 0,
    words: [...required, ...(words ?? [])].map(wordKey),
    required: required.length,
    byWords: words !== null,
    wordKey: null,
    placeKeys: [],
    record: null,
    floors: (meaning?.floors ?? []).map((floor) => Math.ceil(floor / DOT_TO_COSINE - 1e-6)),
  };
}
