import type { PostInput } from "../schema/post.ts";
import { decoded } from "./decode.ts";
import type { Feed } from "./feed.ts";
import type { Sent } from "./fetch.ts";
import { FeedError, type FeedItem, type Parsed } from "./item.ts";
import { FEED_FORMATS, kindOfText } from "./kinds/index.ts";
import { postOfItem, sourceIdOf } from "./post-of-item.ts";

/** Entries of a feed that are shown at a time: those that begin soonest, or came first in the feed. */
const SHOWN_MAX = 1_000;
const REFUSALS_MAX = 20;

/** An entry that is to be a post. */
export interface Entry {
  /** What the source calls it. */
  id: string;
  input: PostInput;
  /** The source says until when it holds. */
  hasEnd: boolean;
}

/** What a feed holds now. */
export interface Entries {
  /** In the order in which they begin. */
  entries: Entry[];
  /** Ids of all entries, past ones and those that could not be posted included. */
  present: string[];
  /** Ids of those that were called off, or are not for everybody. */
  withdrawn: string[];
  /** Entries that are past. */
  over: number;
  /** Entries above what a feed may have. */
  left: number;
  /** The feed was read to its end, so that what is not present vanished. */
  isWhole: boolean;
  /** Why entries were not taken, the first of them. */
  refused: string[];
}

/**
 * Reads a feed, and makes posts of its entries. Takes long for long feeds: see `FeedReader`.
 * @throws FeedError
 */
export function entriesOf(sent: Sent, feed: Feed, now: number): Entries {
  const { items: read, unread, beyond } = parsed(decoded(sent), feed, now);
  const items = withOwnIds(read);
  const current = items.filter((item) => !isWithdrawn(item) && !isOver(item, now));
  current.sort((a, b) => (a.startsAt ?? 0) - (b.startsAt ?? 0));
  const entries: Entry[] = [];
  const refused = [...unread];
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
    present: items.map(sourceIdOf),
    withdrawn: items.filter(isWithdrawn).map(sourceIdOf),
    over: items.filter((item) => !isWithdrawn(item) && isOver(item, now)).length,
    left: Math.max(0, current.length - SHOWN_MAX) + beyond,
    isWhole: beyond === 0,
    refused:
      refused.length <= REFUSALS_MAX
        ? refused
        : [...refused.slice(0, REFUSALS_MAX), `and ${refused.length - REFUSALS_MAX} more`],
  };
}

/** An operator who names the wrong format learns the right one. */
function parsed(text: string, { kind, timezone }: Feed, now: number): Parsed {
  const meant = kindOfText(text);
  const cure = meant === null || meant === kind ? "" : ` It looks like \`--kind ${meant}\`.`;
  let result: Parsed;
  try {
    result = FEED_FORMATS[kind].parse(text, { now, timezone });
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    throw new FeedError(`${error.message}${cure}`, { cause: error });
  }
  if (result.items.length === 0 && result.unread.length > 0 && cure !== "")
    throw new FeedError(`No entry of this can be read as \`--kind ${kind}\`.${cure}`);
  return result;
}

const isWithdrawn = ({ cancelled, isPrivate }: FeedItem) => cancelled === true || isPrivate === true;
const isOver = ({ startsAt, endsAt, expiresAt }: FeedItem, now: number) =>
  (endsAt ?? startsAt ?? now) < now || (expiresAt ?? now) < now;

/** Where a source calls several things by one id, their titles and addresses tell them apart. */
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
