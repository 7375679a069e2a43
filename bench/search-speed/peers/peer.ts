import type { IndexedPost } from "../../support/index-under-test.ts";

/** Any engine understands such a question. */
export interface PeerQuestion {
  /** Telling words: none of the engines has to know stop words. */
  words: readonly string[];
  /** The vector is a unit vector, the same as the board's up to its rounding. */
  vector: Float32Array;
  now: number;
  /** Null asks for everything that is not expired. */
  narrow: {
    kinds: readonly string[];
    near: { lat: number; lng: number; radiusKm: number };
    after: number;
    before: number;
  } | null;
}

export interface Peer {
  /** Says where it is not asked as the board is. */
  asymmetry: string;
  add(posts: readonly IndexedPost[]): Promise<void>;
  /** Builds what is built once all posts are there. */
  finish(): Promise<void>;
  /** Finds at most 100 ids, best first, by words and meaning; null where the engine has no vectors. */
  hybrid: ((question: PeerQuestion) => Promise<readonly string[]>) | null;
  /** It does the same by words alone. */
  words(question: PeerQuestion): Promise<readonly string[]>;
}

export const TOP = 100;

/** An engine's one field of text holds all this. */
export const textOf = ({ entry }: IndexedPost) =>
  [entry.title, entry.body, ...entry.tags, entry.placeName ?? ""].join(" ");
