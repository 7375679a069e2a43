import type { Kind } from "../schema/post.ts";

/** All formats share this form of one entry of a feed; it is not cut, cleaned or checked yet. Times are epoch milliseconds. */
export interface FeedItem {
  /** The source has this id for it; some sources change it at each fetch. */
  id: string;
  title: string;
  /** The body is plain text or HTML. */
  body?: string | null;
  /** True when its format knows no markup. */
  isPlain?: boolean;
  url?: string | null;
  startsAt?: number | null;
  endsAt?: number | null;
  /** True when its times are whole days. */
  allDay?: boolean;
  timezone?: string | null | undefined;
  place?: { name: string | null; lat: number | null; lng: number | null } | null | undefined;
  tags?: string[];
  /** The item is valid until then, if the source says so. */
  expiresAt?: number | null;
  /** An item that is called off, a test, or not for everyone makes no post, and ends the one it had. */
  cancelled?: boolean;
  /** By default it is that of the feed's format. */
  kind?: Kind | null;
  free?: boolean | null;
  /** These are further facts, as the metadata of a post takes them. */
  metadata?: Record<string, unknown>;
}

/** A format needs to know this beside the text. */
export interface Reading {
  now: number;
  /** Times that name no zone are in this one. */
  timezone: string;
}

/** At most this many entries of a feed are read. */
export const ENTRIES_MAX = 20_000;

/** Such an entry could not be read. */
export interface Unread {
  why: string;
  /** The source knows the item by this id; null means that it cannot be read either. */
  id: string | null;
}

export interface Parsed {
  items: FeedItem[];
  unread: Unread[];
  /** This many entries follow the last one that was read. */
  beyond: number;
}

/**
 * Reads the entries of a list. An error in one is named in `unread`, and the others are read.
 * @param read  gives null for an entry without a title
 * @param idOf  gives the id of an entry that cannot be read
 */
export function readEach<T>(
  entries: readonly T[],
  read: (entry: T) => FeedItem | null,
  idOf: (entry: T) => string | null,
): Parsed {
  const items: FeedItem[] = [];
  const unread: Unread[] = [];
  for (const [at, entry] of entries.slice(0, ENTRIES_MAX).entries()) {
    try {
      const item = read(entry);
      if (item === null) throw new FeedError("it has no title.");
      items.push(item);
    } catch (error) {
      unread.push({ why: `Entry ${at + 1}: ${(error as Error).message}`, id: idOf(entry) });
    }
  }
  return { items, unread, beyond: Math.max(0, entries.length - ENTRIES_MAX) };
}

/**
 * Reads a feed of one format.
 * @returns entries in the order of the feed
 * @throws FeedError
 */
export type Parse = (text: string, reading: Reading) => Parsed;

/** Tells the operator in one line why a feed was refused. */
export class FeedError extends Error {
  readonly retryAfterMs: number;
  /** True when the source says that the feed is gone for good. */
  readonly gone: boolean;

  constructor(message: string, options: ErrorOptions & { retryAfterMs?: number; gone?: boolean } = {}) {
    super(message, options);
    this.name = "FeedError";
    this.retryAfterMs = options.retryAfterMs ?? 0;
    this.gone = options.gone ?? false;
  }
}
