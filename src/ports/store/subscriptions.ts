import type { InboxEntry, StoredSubscription } from "../../records/subscription.ts";
import type { StoredPost, ToldChange, WorkItem } from "./posts.ts";
import type { StoredPublisher } from "./publishers.ts";

export {
  EVENTS,
  type EventName,
  type InboxEntry,
  isMatched,
  type StoredSubscription,
} from "../../records/subscription.ts";

export type SubscriptionChange = Partial<
  Omit<StoredSubscription, "id" | "publisherId" | "createdAt" | "savedNo">
>;

/** One match as it is read back: `deliveryId` grows by one per subscription, in the order of matching. */
export interface Delivery {
  deliveryId: number;
  matchedAt: number;
  /** Tells what changed of the post, where that is the news. */
  change: ToldChange | null;
  post: StoredPost;
  /** The post has this author. */
  publisher: StoredPublisher;
}

export interface Match {
  subscriptionId: string;
  postId: string;
  matchedAt: number;
  /** With it, the subscription is told of a series once: not of this date while one that it knows of is still to come. */
  series?: { key: string; endsAt: number } | null;
}

/** A pair of subscription and post was just recorded, with the subscription's publisher. */
export interface NewMatch {
  subscriptionId: string;
  publisherId: string;
  postId: string;
  deliveryId: number;
}

export interface SubscriptionStore {
  /**
   * Inserts unless the publisher has `maxActive` active ones already, or there is one of this id, or the publisher has one that
   * `isSame` accepts; exact under concurrency.
   */
  insert(
    subscription: StoredSubscription,
    maxActive: number,
    isSame?: (own: StoredSubscription) => boolean,
  ): Promise<boolean>;
  get(id: string): Promise<StoredSubscription | null>;
  /** Lists all of a publisher, oldest first. */
  ofPublisher(publisherId: string): Promise<StoredSubscription[]>;
  /**
   * Changes a subscription in one step with reading it. One that is matched again (`isMatched`) is told of what is written from
   * then on.
   *
   * @param change  the fields to change; or a function from the current row to them, null for none (a store may call it
   *   more than once)
   * @param maxActive  the row is left alone when it would become active beside this many of its publisher; exact under
   *   concurrency
   * @returns the row afterwards; null when there is none, or when it was left alone because of `maxActive`
   */
  update(
    id: string,
    change: SubscriptionChange | ((row: StoredSubscription) => SubscriptionChange | null),
    maxActive?: number,
  ): Promise<StoredSubscription | null>;
  /** Deletes it and its deliveries; false when there was none. */
  remove(id: string): Promise<boolean>;
  /** Removes those whose `expiresAt` has come, at most `limit`; resolves to how many. */
  removeLapsed(now: number, limit: number): Promise<number>;
  /** Finds those whose last push failed, longest first; also the ones that were given up for it. */
  failing(limit: number): Promise<StoredSubscription[]>;
  /**
   * Tells how far it is: the number of its last delivery, 0 before the first, and of the oldest one whose push still waits,
   * null where none does; null when it is gone.
   */
  position(id: string): Promise<{ last: number; oldestWaiting: number | null } | null>;
  /**
   * Lists what changed after change number `after`, in order, at most `limit`: the current row, or null for one that is
   * gone. `next` is the number to continue from, equal to `after` when nothing is new. Setting `lastMatchedAt` in `deliver`
   * does not count as a change.
   */
  changes(
    after: number,
    limit: number,
  ): Promise<{ next: number; rows: { id: string; subscription: StoredSubscription | null }[] }>;
  /**
   * Records matches, each pair of subscription and post once and for ever. The same transaction gives each its delivery
   * id and, where the subscription has a webhook, its push, sets `lastMatchedAt`, and marks `settled` work done.
   * Pairs whose subscription is gone or whose post is not active are skipped (a restored post is matched again), and dates
   * of a series that the subscription was told of (see `Match`). Settled `match` work takes the `change` off its post. Resolves
   * to the new pairs.
   */
  deliver(matches: readonly Match[], settled: readonly WorkItem[]): Promise<NewMatch[]>;
  /**
   * Tells the `change` of a post to those who were told of the post, each once, in bounded transactions: their delivery gets
   * another id and all that a match has. Not to subscriptions that are paused or want no changes. Resolves to those told now.
   */
  tellChange(postId: string, now: number): Promise<NewMatch[]>;
  /** Lists all subscriptions that were told of a post, by id. */
  toldOf(postId: string): Promise<string[]>;
  /**
   * Lists deliveries with an id above `after`, in order, of posts that anyone may see: active, and their publisher not
   * suspended; of replies, only while that holds for the post they answer too. Of a post that is removed, the one that
   * tells it.
   */
  pending(id: string, after: number, limit: number): Promise<Delivery[]>;
  /** Counts what `pending` would return from 0 on, for each id. */
  pendingCounts(ids: readonly string[]): Promise<Map<string, number>>;
  /** Erases deliveries matched before `before`, at most `limit`; the pair stays known as delivered. */
  pruneDeliveries(before: number, limit: number): Promise<number>;
}

/** Entries are kept so long after they were written. */
export const INBOX_KEPT_DAYS = 30;

/**
 * A publisher should look at its entries. `PostStore.insert` of a reply adds one for the root's publisher and for up to
 * 200 publishers that replied before, never for the reply's author; `SubscriptionStore.deliver` adds one for each
 * delivery.
 */
export interface InboxStore {
  /**
   * Lists entries after `after`, in order, of posts that are active and whose publisher is not suspended, and those that
   * tell of a removal.
   */
  read(publisherId: string, after: number, limit: number): Promise<InboxEntry[]>;
  /**
   * Reads the number of the last entry each of these publishers was ever given, 0 before the first; without publishers that
   * are gone.
   */
  lastNumbers(publisherIds: readonly string[]): Promise<Map<string, number>>;
  /**
   * Erases entries from before `before`, at most `limit`; resolves to how many. Absent where the database drops entries
   * older than `INBOX_KEPT_DAYS` by itself.
   */
  prune?(before: number, limit: number): Promise<number>;
}
