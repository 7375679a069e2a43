import type { PostInput } from "../schema/post.ts";
import type { Feed } from "./feeds.ts";
import type { Sent } from "./fetch.ts";
import type { FeedItem } from "./item.ts";
import { PARSERS } from "./kinds/parsers.ts";
import { postOfItem, sourceIdOf } from "./post-of-item.ts";

/** This many entries of a feed are posted: those that begin soonest, then the first of the feed. */
const SHOWN_MAX = 1_000;
const REFUSALS_MAX = 20;

/** Holds an entry that is to be a post. */
export interface Entry {
  /** The source has this id for it. */
  id: string;
  input: PostInput;
  /** The source says until when it holds. */
  hasEnd: boolean;
}

/** Holds what a feed has now. Ids are those of the source. */
export interface Entries {
  /** Entries stand in the order in which they begin. */
  entries: Entry[];
  /** Holds ids of all entries, past and refused ones included. */
  present: string[];
  /** Holds ids of entries that could not be read; those of a series begin the ids of its occurrences. */
  unread: string[];
  /** Holds ids of cancelled entries. */
  withdrawn: string[];
  /** Counts entries that are past. */
  over: number;
  /** Counts entries above what a feed may have. */
  left: number;
  /** True when the feed was read to its end and each entry has its id, so an id that is not present has vanished. */
  isWhole: boolean;
  /** Gives reasons for the first refused entries. */
  refused: string[];
}

/**
 * Reads a feed, and makes posts of its entries. A long feed takes seconds: see `FeedReader`.
 * @throws FeedError
 */
export function entriesOf(sent: Sent, feed: Feed, now: number): Entries {
  const { kind, timezone } = feed;
  const { items: read, unread, beyond } = PARSERS[kind](decoded(sent), { now, timezone });
  const items = withOwnIds(read);
  const held = items.filter(({ cancelled }) => cancelled !== true);
  const current = held.filter((item) => !isOver(item, now));
  current.sort((a, b) => (a.startsAt ?? 0) - (b.startsAt ?? 0));
  const entries: Entry[] = [];
  const refused = unread.map(({ why }) => why);
  const unreadIds = unread.flatMap(({ id }) => (id === null ? [] : [sourceIdOf({ id })]));
  for (const item of current.slice(0, SHOWN_MAX)) {
    try {
      const input = postOfItem(item, feed, now);
      entries.push({ id: sourceIdOf(item), input, hasEnd: item.expiresAt != null });
    } catch (error) {
      refused.push(`${item.title.slice(0, 60)}: ${(error as Error).message}`);
    }
  }
  return {
    entries,
    present: [...items.map(sourceIdOf), ...unreadIds],
    unread: unreadIds,
    withdrawn: items.filter(({ cancelled }) => cancelled === true).map(sourceIdOf),
    over: held.length - current.length,
    left: Math.max(0, current.length - SHOWN_MAX) + beyond,
    isWhole: beyond === 0 && unreadIds.length === unread.length,
    refused:
      refused.length <= REFUSALS_MAX
        ? refused
        : [...refused.slice(0, REFUSALS_MAX), `and ${refused.length - REFUSALS_MAX} more`],
  };
}

const isOver = ({ startsAt, endsAt, expiresAt }: FeedItem, now: number) =>
  (endsAt ?? startsAt ?? now) < now || (expiresAt ?? now) < now;

/** Gives entries of one id ids of their own, by title and start or address. */
function withOwnIds(items: readonly FeedItem[]): FeedItem[] {
  const byId = new Map<string, FeedItem[]>();
  for (const item of items) {
    const same = byId.get(item.id);
    if (same === undefined) byId.set(item.id, [item]);
    else same.push(item);
  }
  return [...byId].flatMap(([id, same]) => {
    const distinct = new Map(same.map((item) => [`${item.title} ${item.startsAt ?? item.url ?? ""}`, item]));
    if (distinct.size === 1) return same.slice(0, 1);
    return [...distinct].map(([name, item]) => ({ ...item, id: `${id} ${name}` }));
  });
}

/**
 * Decodes by the charset that a byte order mark, the header or the XML declaration names, else as UTF-8. Where none of them
 * fits, the bytes are read as Windows-1252, in which every byte is a character.
 */
function decoded({ bytes: sent, contentType }: Sent): string {
  const bytes = unfolded(Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength));
  const head = bytes.subarray(0, 200).toString("latin1");
  const named = contentType.match(/charset="?([\w-]+)/i)?.[1];
  const declared = head.match(/^\s*<\?xml[^>]*encoding=["']([\w-]+)/)?.[1];
  const marked = MARKS.find(([mark]) => head.startsWith(mark))?.[1];
  for (const charset of [marked, named, declared, "utf-8"]) {
    if (charset === undefined) continue;
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      // The charset is unknown or does not have these bytes; the next one may fit.
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** Joins the folded lines of a calendar: some programs fold in the middle of a character, which cannot be decoded then. */
function unfolded(bytes: Buffer): Buffer {
  if (!/^(\xEF\xBB\xBF)?\s*BEGIN:VCALENDAR/i.test(bytes.subarray(0, 200).toString("latin1"))) return bytes;
  return Buffer.from(bytes.toString("latin1").replace(/\r?\n[ \t]/g, ""), "latin1");
}

/** These are byte order marks. */
const MARKS: readonly (readonly [string, string])[] = [
  ["\xEF\xBB\xBF", "utf-8"],
  ["\xFF\xFE", "utf-16le"],
  ["\xFE\xFF", "utf-16be"],
];
