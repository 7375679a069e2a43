import type { Embedder } from "../../ports/embedder.ts";
import { isMatched, type Store, type StoredPublisher } from "../../ports/store/index.ts";
import type { GoneMatch, PendingMatch } from "../../schema/subscription.ts";
import { type Cursors, FULL_PAGE } from "../cursors.ts";
import type { Posts } from "../posts/index.ts";
import { isWhole } from "../posts/stands-for.ts";
import { changeResource, isoTime } from "../resources.ts";
import { placeSince, sinceOf } from "../since.ts";
import { withRelevance } from "./relevance.ts";
import { ownSubscription } from "./state.ts";

interface Parts {
  store: Store;
  embedder: Embedder;
  cursors: Cursors;
  posts: Posts;
}

export interface PendingPage {
  cursor: string | undefined;
  /** Without a cursor, the list begins here; see `sinceOf`. */
  since?: string | undefined;
  limit: number;
}

/**
 * Matches after the caller's watermark, oldest first, and what changed of earlier ones. Nothing is consumed.
 *
 * @returns `nextCursor` is the new watermark; an empty page gives back the cursor it was given, or that of the beginning
 * @throws BoardError `subscription_not_found`, `invalid_cursor`, `invalid_query`
 */
export async function pendingMatches(
  parts: Parts,
  id: string,
  caller: StoredPublisher,
  page: PendingPage,
  now: number,
): Promise<{ matches: (PendingMatch | GoneMatch)[]; nextCursor: string; notes: string[]; hasNews: boolean }> {
  const { store, cursors, posts } = parts;
  const list = `pending ${id}`;
  const read = async () => {
    const after = cursors.readNumber(list, page.cursor) ?? (await placeOf(store, id, page.since, now));
    return { after, found: await store.subscriptions.pending(id, after, page.limit) };
  };
  // Both go side by side; whether the subscription is the caller's is said first.
  const [owned, found] = await Promise.allSettled([ownSubscription(store, id, caller), read()]);
  const row = fulfilled(owned);
  const { after, found: deliveries } = fulfilled(found);
  const told = deliveries.map(({ post, change }) => ({ postId: post.id, change }));
  const shown = await withRelevance(parts, row, await posts.told(told, now));
  const matches = deliveries.flatMap(
    ({ deliveryId, matchedAt, change }, at): (PendingMatch | GoneMatch)[] => {
      const post = shown[at];
      if (post === undefined) return [];
      const match = { ...post, delivery_id: deliveryId, matched_at: isoTime(matchedAt) };
      if (change !== null) return [{ ...match, change: changeResource(change) }];
      return isWhole(match) ? [match] : [];
    },
  );
  const last = deliveries.at(-1);
  const nextCursor =
    page.cursor !== undefined && last === undefined
      ? page.cursor
      : cursors.write(list, [last?.deliveryId ?? after]);
  const inactive = `The subscription is inactive (\`${row.inactiveReason}\`): new posts are not matched until it is active again.`;
  const notes = isMatched(row) ? [] : [inactive];
  if (deliveries.length === page.limit) notes.push(FULL_PAGE);
  return { matches, nextCursor, notes, hasNews: matches.length > 0 || notes.length > 0 };
}

async function placeOf(store: Store, id: string, since: string | undefined, now: number): Promise<number> {
  if (since === undefined) return 0;
  return placeSince(sinceOf(since, now), async (after) => {
    const [delivery] = await store.subscriptions.pending(id, after, 1);
    return delivery === undefined ? null : { no: delivery.deliveryId, at: delivery.matchedAt };
  });
}

function fulfilled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
