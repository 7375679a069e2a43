import type { StoredPost } from "../../../ports/store/index.ts";

/** Collection `counted_hours`: the posts created in one hour of UTC, which begins at `_id`. See `../board/counts/`. */
export interface CountedHourDocument {
  _id: Date;
  /** In any state. */
  created: number;
  /** Those live at the time of the count. */
  kinds: Record<StoredPost["kind"], number>;
  syndicated: number;
  /** When the first of those expires: the counts are right until then. */
  next_expiry: Date | null;
}

/** Collection `count_marks`: hours in which something has changed since they were counted. */
interface CountMarkDocument {
  _id: string;
  hours: Date[];
}

/** Collection `board_counts`: one document, the sum of all hours. */
export interface BoardCountsDocument {
  _id: "board";
  /** Raised by each change: of two processes that count at once, one is refused. */
  version: number;
  /** The moment of the figures; null before all hours are counted. */
  at: Date | null;
  /** When hours were counted last: new posts are sought from shortly before. */
  ran_at: Date;
  /** The first hour that the walk over all hours has still to count. */
  walk: Date;
  /** When the first post expires; null when none will. */
  next_expiry: Date | null;
  /** Whether a walk has ended. */
  filled: boolean;
  kinds: Record<StoredPost["kind"], number>;
  syndicated: number;
  /** Posts created by UTC day, the last 31. */
  days: { day: string; posts: number }[];
  publishers: number;
  subscriptions: number;
  /** How many documents these collections had just before: another number says that the ones above may be wrong. */
  sizes: { publishers: number; subscriptions: number };
  top_tags: { tag: string; count: number }[];
  /** When tags were counted, and in how many milliseconds; null before. */
  tags_at: Date | null;
  tags_ms: number;
}

export interface CountDocuments {
  counted_hours: CountedHourDocument;
  count_marks: CountMarkDocument;
  board_counts: BoardCountsDocument;
}
