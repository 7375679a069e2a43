import type { INACTIVE_REASONS } from "../../schema/subscription.ts";
import type { WorkItem } from "./work.ts";

export interface StoredSubscription {
  id: string;
  publisherId: string;
  label: string | null;
  /** The saved query as JSON of the wire grammar, as `domain/query.ts` writes and reads it. */
  query: Record<string, unknown>;
  /** Vector of the query's text under `vectorModel`, or null until there is one. */
  vector: Int8Array | null;
  vectorModel: string | null;
  webhookUrl: string | null;
  webhookVerifiedAt: number | null;
  /** Version of the derived signing secret. */
  secretVersion: number;
  /** Until when the secret of the version before signs along, or null. */
  previousSecretUntil: number | null;
  active: boolean;
  inactiveReason: (typeof INACTIVE_REASONS)[number] | null;
  /** Failed pushes since the last delivered one. */
  failures: number;
  /** When the first of them failed, or null. */
  failingSince: number | null;
  lastMatchedAt: number | null;
  createdAt: number;
}
export type SubscriptionChange = Partial<Omit<StoredSubscription, "id" | "publisherId" | "createdAt">>;

/** One match as it is read back: `deliveryId` grows by one per subscription, in the order of matching. */
export interface Delivery {
  deliveryId: number;
  postId: string;
  matchedAt: number;
}

export interface SubscriptionStore {
  /** Inserts unless the publisher has `maxActive` active ones already; exact under concurrency. */
  insert(subscription: StoredSubscription, maxActive: number): Promise<boolean>;
  get(id: string): Promise<StoredSubscription | null>;
  /** All of a publisher, oldest first. */
  ofPublisher(publisherId: string): Promise<StoredSubscription[]>;
  /**
   * Changes a subscription in one step with the look at it.
   *
   * @param change  what to change; or, given the row as it is, what to change of it, null for nothing (a store may ask
   *   more than once)
   * @param maxActive  left alone when it would become active beside so many of its publisher; exact under concurrency
   * @returns the row as it is then, or null when there is none, or it was left alone for `maxActive`
   */
  update(
    id: string,
    change: SubscriptionChange | ((row: StoredSubscription) => SubscriptionChange | null),
    maxActive?: number,
  ): Promise<StoredSubscription | null>;
  /** Deletes it and its deliveries; false when there was none. */
  remove(id: string): Promise<boolean>;
  /**
   * What changed after change number `after`, in order, at most `limit`: the row as it is now, or null for one that is
   * gone. `next` is the number to go on from; it equals `after` when there is nothing new. `lastMatchedAt` as `deliver`
   * sets it is no change.
   */
  changes(
    after: number,
    limit: number,
  ): Promise<{ next: number; rows: { id: string; subscription: StoredSubscription | null }[] }>;
  /**
   * Records matches, each pair of subscription and post once and for ever, gives each its delivery id and, where the
   * subscription can be pushed to, its push, sets
   * `lastMatchedAt`, and marks `settled` work done, all in one transaction. Pairs whose subscription is gone, or
   * whose post is not active, are passed over (a restored post is matched anew). Resolves to the pairs that were new.
   */
  deliver(
    matches: readonly { subscriptionId: string; postId: string; matchedAt: number }[],
    settled: readonly WorkItem[],
  ): Promise<{ subscriptionId: string; postId: string; deliveryId: number }[]>;
  /** Deliveries with an id above `after`, in order, of posts that are active and whose publisher is not suspended. */
  pending(id: string, after: number, limit: number): Promise<Delivery[]>;
  /** How many `pending` would return from 0 on, for each id. */
  pendingCounts(ids: readonly string[]): Promise<Map<string, number>>;
  /** Erases deliveries matched before `before`, at most `limit`; the pair stays known as delivered. */
  forgetDeliveries(before: number, limit: number): Promise<number>;
}
