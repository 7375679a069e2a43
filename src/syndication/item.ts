import type { Kind } from "../schema/post.ts";

/** One entry of a feed, as its format tells it: nothing is cut, cleaned or checked yet. Times are epoch milliseconds. */
export interface FeedItem {
  /** What the source calls it; the same at every fetch, if the source keeps its promises. */
  id: string;
  title: string;
  /** Plain text or HTML. */
  body?: string | null;
  /** By their format, its texts are no HTML. */
  isPlain?: boolean;
  url?: string | null;
  startsAt?: number | null;
  endsAt?: number | null;
  /** True when times are whole days. */
  allDay?: boolean;
  timezone?: string | null | undefined;
  place?: { name: string | null; lat: number | null; lng: number | null } | null | undefined;
  tags?: string[];
  /** Until when it holds, where the source says so. */
  expiresAt?: number | null;
  cancelled?: boolean;
  /** Not for everybody, so that it is not relayed. */
  isPrivate?: boolean;
  /** Default: the kind that the feed's format stands for. */
  kind?: Kind | null;
  free?: boolean | null;
  /** Further facts, as the metadata of a post takes them. */
  metadata?: Record<string, unknown>;
}

/** What a parser needs to know beside the text. */
export interface Reading {
  now: number;
  /** Zone of times without one. */
  timezone: string;
}

/** Entries of a feed that are read at most. */
export const ENTRIES_MAX = 20_000;

export interface Parsed {
  items: FeedItem[];
  unread: string[];
  /** Entries behind the last that was read. */
  beyond: number;
}

/**
 * Reads the entries of a list, each for itself: what is wrong with one costs no other.
 * @param read  null for an entry that holds nothing to show
 */
export function readEach<T>(entries: readonly T[], read: (entry: T) => FeedItem | null): Parsed {
  const items: FeedItem[] = [];
  const unread: string[] = [];
  for (const [at, entry] of entries.slice(0, ENTRIES_MAX).entries()) {
    try {
      const item = read(entry);
      if (item === null) unread.push(`Entry ${at + 1}: it has no title.`);
      else items.push(item);
    } catch (error) {
      unread.push(`Entry ${at + 1}: ${(error as Error).message}`);
    }
  }
  return { items, unread, beyond: Math.max(0, entries.length - ENTRIES_MAX) };
}

/** A format of feeds. */
export interface FeedFormat {
  /** What its entries are, unless they or the operator say otherwise. */
  kind: Kind;
  /** True when a feed holds all that is to come, so that what vanished was withdrawn. False when it holds the newest. */
  isComplete: boolean;
  /**
   * @returns entries in the order of the feed; those that could not be read, each with the reason; and whether it was read
   *   to its end
   * @throws FeedError
   */
  parse(text: string, reading: Reading): Parsed;
}

/** Why a feed was refused, in one line for the operator. */
export class FeedError extends Error {
  /** How long the source asks to wait. */
  readonly retryAfterMs: number;
  /** The source says that the feed is gone for good. */
  readonly gone: boolean;

  constructor(message: string, options: ErrorOptions & { retryAfterMs?: number; gone?: boolean } = {}) {
    super(message, options);
    this.name = "FeedError";
    this.retryAfterMs = options.retryAfterMs ?? 0;
    this.gone = options.gone ?? false;
  }
}
