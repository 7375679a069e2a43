import { BoardError } from "../../board/failures.ts";
import { DAY_MS } from "../../platform/time.ts";
import { windowOf } from "../../ports/index-entry.ts";
import type { Store, StoredPost } from "../../ports/store/index.ts";
import type { PostFilter } from "../../schema/filter.ts";
import type { Post } from "../../schema/post.ts";
import type { SearchQuery } from "../../schema/query.ts";
import { filterOf, textOfQuery } from "../search/query.ts";
import { hiddenAmong, type Posts } from "./index.ts";

/** This is all that may still be said about a hidden or removed post: that it is cancelled. */
export interface CancelledEntry {
  id: string;
  startsAt: number;
  endsAt: number | null;
  createdAt: number;
  changedAt: number;
}

/** Calendars keep what is over for this long, and say that a post was removed, unless it is erased before. */
const KEPT_DAYS = 30;
/** This many removals are read for one calendar, and this many shown in it. */
const LOOKED_AT = 500;
const TOLD = 50;

/**
 * Finds what was removed lately and would be in the calendar of a query, latest removal first. Words, tags and place of a
 * removed post are gone, so a query that asks for these gets none.
 */
export async function cancelledEntries(
  query: SearchQuery,
  now: number,
  store: Store,
): Promise<CancelledEntry[]> {
  const filter = filterOf(query, now);
  if (textOfQuery(query) !== null || filter.tags !== null || filter.near !== null) return [];
  if (query.sort === "soonest") filter.after ??= keptFrom(now);
  const removed = (await store.posts.lastRemoved(keptFrom(now), LOOKED_AT)).filter((post) =>
    wasIn(post, filter),
  );
  const publishers = await store.publishers.many([...new Set(removed.map((post) => post.publisherId))]);
  const shown = new Set(
    publishers
      .filter(
        ({ suspendedAt, verifiedAt }) =>
          suspendedAt === null && (!filter.verifiedOnly || verifiedAt !== null),
      )
      .map(({ id }) => id),
  );
  return removed
    .filter(({ publisherId }) => shown.has(publisherId))
    .slice(0, TOLD)
    .map(({ id, startsAt, endsAt, createdAt, removedAt }) => ({
      ...{ id, startsAt: startsAt ?? createdAt, endsAt, createdAt },
      changedAt: removedAt,
    }));
}

/** A calendar keeps what is over from then on: a program that reads it again would drop what is missing. */
const keptFrom = (now: number) => now - KEPT_DAYS * DAY_MS;

/** Searches for what a calendar keeps of the past beside what is to come; null where its days are chosen. */
export function pastOf(query: SearchQuery, now: number): SearchQuery | null {
  if (query.after !== undefined || query.before !== undefined || query.cursor !== undefined) return null;
  const moment = (at: number) => ({ from: at, to: at, local: false, text: "" });
  return { ...query, after: moment(keptFrom(now)), before: moment(now), include_expired: true };
}

function wasIn(post: StoredPost, filter: PostFilter): boolean {
  const { windowStart, windowEnd } = windowOf(post);
  return (
    (filter.kinds === null || filter.kinds.includes(post.kind)) &&
    (filter.publisherId === null || filter.publisherId === post.publisherId) &&
    (filter.parentId === null
      ? filter.includeReplies || post.parentId === null
      : filter.parentId === post.parentId) &&
    (filter.includeSyndicated || !post.syndicated) &&
    (filter.includeExpired || post.expiresAt > filter.now) &&
    windowEnd >= (filter.after ?? windowEnd) &&
    windowStart <= (filter.before ?? windowStart)
  );
}

/** Makes a post an entry of a calendar, in any state the store knows. */
export async function calendarEntry(
  id: string,
  parts: { store: Store; posts: Posts },
): Promise<{ post: Post } | { cancelled: CancelledEntry }> {
  const row = await parts.store.posts.get(id);
  if (row === null) throw new BoardError("post_not_found");
  const { startsAt, endsAt, createdAt, updatedAt } = row;
  const isRemoved = row.state === "removed";
  if (isRemoved || (await hiddenAmong(parts.store, [row])).has(id)) {
    if (startsAt === null) throw new BoardError(isRemoved ? "post_not_found" : "post_hidden");
    return { cancelled: { id, startsAt, endsAt, createdAt, changedAt: updatedAt } };
  }
  const [post] = await parts.posts.shown([row]);
  if (post === undefined) throw new BoardError("post_not_found");
  if (startsAt === null) {
    throw new BoardError("not_found", { hint: "This post has no dates, so it is in no calendar." });
  }
  return { post };
}
