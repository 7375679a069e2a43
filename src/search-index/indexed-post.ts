import type { IndexEntry } from "../ports/search-index.ts";

/** A post's text as the full-text index keeps it: spelled as words are compared. */
export interface IndexedText {
  title: string;
  body: string;
  /** Tags and the name of the place. */
  more: string;
}

/** A post as the index's tables keep it. */
export interface IndexedPost extends Omit<IndexEntry, "title" | "body" | "placeName"> {
  /** A new post gets one above all others; it stays at an edit, and may be given again after a removal. */
  seq: number;
  text: IndexedText;
  vector: Uint8Array | null;
}

/** Bits of a publisher's status. */
export const STATUS = { verified: 1, suspended: 2 } as const;
