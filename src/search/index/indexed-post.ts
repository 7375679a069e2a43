import type { IndexEntry, IndexText } from "../../ports/search-index.ts";
import { indexable, otherSpellings } from "../text/tokens.ts";

/** Holds a post's text as the full-text index takes it: spelled as words are compared. */
export interface IndexedText {
  title: string;
  body: string;
  /** Holds tags and the name of the place. */
  more: string;
}

/** Shows a post as the index reads it. */
export interface IndexedPost extends Omit<IndexEntry, keyof IndexText> {
  /** A new post gets one above all others; it stays at an edit. */
  seq: number;
  tags: readonly string[];
  text: IndexedText;
  vector: Uint8Array | null;
}

export const STATUS = { verified: 1, suspended: 2 } as const;

export const statusOf = ({ verified, suspended }: { verified: boolean; suspended: boolean }): number =>
  (verified ? STATUS.verified : 0) | (suspended ? STATUS.suspended : 0);

/** An index is of these rows, read on one connection. Posts are those that may be found. */
export interface PostRows {
  /** Gives at most `limit` posts with a larger `seq` than `after`, in order, with their vectors of `model`. */
  posts(model: string | null, after: number, limit: number): IndexedPost[];
  /** Gives the posts that exist, in the order of `seqs`. */
  postsOf(model: string | null, seqs: readonly number[]): IndexedPost[];
  /** Reads the status of these publishers; without `ids`, of all. */
  publishers(ids?: readonly string[]): { id: string; status: number }[];
  /** True when there are at least as many posts. */
  hasPosts(count: number): boolean;
}

/**
 * The full-text index forgets a text exactly as it was added, so a change of what this makes of one comes with a step of
 * `MIGRATIONS` that fills it anew.
 */
export const indexedTextOf = ({ title, body, tags, placeName }: IndexText): IndexedText => ({
  title: spelled(title),
  body: spelled(body),
  more: spelled([...tags, placeName ?? ""].join(" ")),
});

/** Writes text as the index has it: its words, and behind them their other spellings. */
const spelled = (text: string) => [indexable(text), ...otherSpellings(text)].join(" ");
