import { BoardError } from "../failures.ts";
import type { Store, StoredPublisher, StoredSubscription } from "../ports/store.ts";

/** Active subscriptions of one publisher. */
export const ACTIVE_MAX = 50;

/**
 * True when new posts are held against the subscription: it is active, or only its webhook was given up, so that its
 * matches still come to polling.
 */
export function isMatched({ active, inactiveReason }: StoredSubscription): boolean {
  return active || inactiveReason === "webhook_gone" || inactiveReason === "webhook_failing";
}

/** What to change of a subscription to make it active as if its webhook had never failed. */
export const ACTIVATED = { active: true, inactiveReason: null, failures: 0, failingSince: null } as const;

/**
 * A subscription of the caller.
 * @throws BoardError `subscription_not_found`, also for another publisher's
 */
export async function ownSubscription(
  store: Store,
  id: string,
  caller: StoredPublisher,
): Promise<StoredSubscription> {
  const row = await store.subscriptions.get(id);
  if (row === null || row.publisherId !== caller.id) throw new BoardError("subscription_not_found");
  return row;
}

/**
 * Pauses what a publisher saved while it is suspended, and takes it up again at its reinstatement. Those beyond the
 * allowed number of active ones, whose webhook had been given up before, stay paused.
 */
export async function suspendSubscriptions(
  store: Store,
  publisherId: string,
  suspended: boolean,
): Promise<void> {
  const rows = await store.subscriptions.ofPublisher(publisherId);
  let active = rows.filter((row) => row.active).length;
  for (const row of rows) {
    if (suspended && isMatched(row)) {
      await store.subscriptions.update(row.id, { active: false, inactiveReason: "publisher_suspended" });
    } else if (!suspended && row.inactiveReason === "publisher_suspended") {
      active += 1;
      await store.subscriptions.update(
        row.id,
        active <= ACTIVE_MAX ? { active: true, inactiveReason: null } : { inactiveReason: "paused" },
      );
    }
  }
}
