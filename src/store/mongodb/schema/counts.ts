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
  /** Whether `counted_tags` has the hour's tags; missing in what an older release counted. */
  tagged?: boolean;
}

/**
 * Collection `counted_tags`: how many active posts that were created in the hour have the tag, at least one. The latest hours
 * are not in it.
 */
interface CountedTagDocument {
  _id: { tag: string; hour: Date };
  posts: number;
}

/** Collection `tag_totals`: the sums of `counted_tags` by tag. */
interface TagTotalDocument {
  _id: string;
  posts: number;
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
  /** The moment of the top tags; null before all hours have their tags. */
  tags_at: Date | null;
  /** The walk over all totals has compared those up to this tag; missing in what an older release kept. */
  tags_walk?: string;
}

export interface CountDocuments {
  counted_hours: CountedHourDocument;
  counted_tags: CountedTagDocument;
  tag_totals: TagTotalDocument;
  count_marks: CountMarkDocument;
  board_counts: BoardCountsDocument;
}
