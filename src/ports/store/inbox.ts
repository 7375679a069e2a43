/** Something that concerns a publisher. */
export interface InboxEntry {
  /** Grows per publisher, in the order entries become visible: a reader who continues from the last one misses none. */
  no: number;
  /**
   * `reply`: to a post of the publisher; `match`: of one of its subscriptions; `activity`: a reply in a thread it
   * replied to.
   */
  type: "reply" | "match" | "activity";
  at: number;
  postId: string;
  subscriptionId: string | null;
  deliveryId: number | null;
}

/** Entries are kept so long after they were written. */
export const INBOX_KEPT_DAYS = 30;

/**
 * What a publisher should look at. `PostStore.insert` of a reply adds an entry for the root's publisher and for up to
 * 200 publishers that replied before, never for the reply's author; `SubscriptionStore.deliver` adds one for each
 * delivery.
 */
export interface InboxStore {
  /** Entries after `after`, in order, of posts that are active and whose publisher is not suspended. */
  read(publisherId: string, after: number, limit: number): Promise<InboxEntry[]>;
  /**
   * The number of the last entry each of these publishers was ever given, 0 before the first; without publishers that are
   * gone. One cheap question for a thousand ids.
   */
  lastNumbers(publisherIds: readonly string[]): Promise<Map<string, number>>;
  /**
   * Erases entries from before `before`, at most `limit`; resolves to how many. Absent where the database drops entries
   * older than `INBOX_KEPT_DAYS` by itself.
   */
  prune?(before: number, limit: number): Promise<number>;
}
