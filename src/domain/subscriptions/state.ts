import { BoardError } from "../../board/failures.ts";
import {
  isMatched,
  type Store,
  type StoredPublisher,
  type StoredSubscription,
  type SubscriptionChange,
} from "../../ports/store/index.ts";
import { OF_HOSTS } from "../../ports/store/transfer.ts";
import { StandingQuery } from "../../schema/subscription.ts";

/** One publisher has at most this many active subscriptions. */
export const ACTIVE_MAX = 50;

/** True while its publisher is suspended, once the suspension has reached it. */
export const isSuspended = ({ inactiveReason }: StoredSubscription) =>
  inactiveReason === "publisher_suspended";

/** These make a subscription active, as if its webhook had never failed. */
export const ACTIVATED = { active: true, inactiveReason: null, failures: 0, failingSince: null } as const;

/** Every subscription begins with these, unless it says otherwise. */
export const BEGUN = {
  label: null,
  breadth: "close",
  changes: true,
  vector: null,
  vectorModel: null,
  background: null,
  webhookUrl: null,
  webhookVerifiedAt: null,
  webhookRefusal: null,
  secretVersion: 1,
  previousSecretUntil: null,
  ...OF_HOSTS,
  ...ACTIVATED,
  lastMatchedAt: null,
  savedNo: 0,
} as const;

/** Gives the saved query, or null when it was written by a version that knew other criteria. */
export function standingQueryOf({ query }: StoredSubscription): StandingQuery | null {
  return StandingQuery.safeParse(query).data ?? null;
}

/**
 * Saves a subscription; false when its publisher has as many active ones as it may, or there is one of this id, or the same.
 * @throws BoardError `invalid_api_key` for a publisher that has just erased itself
 */
export async function keepSubscription(
  store: Store,
  row: StoredSubscription,
  isSame?: (own: StoredSubscription) => boolean,
): Promise<boolean> {
  try {
    return await store.subscriptions.insert(row, ACTIVE_MAX, isSame);
  } catch (error) {
    if ((await store.publishers.get(row.publisherId)) === null) throw new BoardError("invalid_api_key");
    throw error;
  }
}

export async function ownSubscription(
  store: Store,
  id: string,
  caller: StoredPublisher,
): Promise<StoredSubscription> {
  const row = await store.subscriptions.get(id);
  if (row === null || row.publisherId !== caller.id) throw new BoardError("subscription_not_found");
  return row;
}

/** Gives it only if the board itself chose its secret and asked its webhook. */
export async function ownWebhook(
  store: Store,
  id: string,
  caller: StoredPublisher,
): Promise<StoredSubscription> {
  const row = await ownSubscription(store, id, caller);
  if (row.event === null) return row;
  throw new BoardError("no_webhook", {
    hint: "A host subscribed to this by MCP Events: it chose the secret, and its webhook takes events only. Pause or delete it here; the host changes the rest.",
  });
}

/**
 * Changes a subscription, given its current row; null changes nothing.
 * @throws BoardError `subscription_not_found`; `too_many_subscriptions` when it would be one active subscription too
 *   many
 */
export async function changeSubscription(
  { subscriptions }: Store,
  id: string,
  change: (row: StoredSubscription) => SubscriptionChange | null,
): Promise<StoredSubscription> {
  const changed = await subscriptions.update(id, change, ACTIVE_MAX);
  if (changed !== null) return changed;
  const isGone = (await subscriptions.get(id)) === null;
  throw new BoardError(isGone ? "subscription_not_found" : "too_many_subscriptions");
}

/**
 * Pauses a publisher's subscriptions while it is suspended, and resumes them when it is reinstated. Those beyond the
 * allowed number of active ones, whose webhook had been given up before, stay paused.
 */
export async function suspendSubscriptions(
  store: Store,
  publisherId: string,
  suspended: boolean,
): Promise<void> {
  const { subscriptions } = store;
  for (const { id } of await subscriptions.ofPublisher(publisherId)) {
    if (suspended) {
      await subscriptions.update(id, (row) =>
        isMatched(row) ? { active: false, inactiveReason: "publisher_suspended" } : null,
      );
      continue;
    }
    const reinstated = await subscriptions.update(
      id,
      (row) => (isSuspended(row) ? { active: true, inactiveReason: null } : null),
      ACTIVE_MAX,
    );
    if (reinstated === null) await subscriptions.update(id, { inactiveReason: "paused" });
  }
}
