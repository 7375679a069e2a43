import type { ClientSession } from "mongodb";
import type { SubscriptionStore } from "../../../ports/store/index.ts";
import { subscriptionOf } from "../schema/subscriptions.ts";
import type { Parts } from "../server/context.ts";
import { raise, reached } from "../server/sequences.ts";

type Changes = Awaited<ReturnType<SubscriptionStore["changes"]>>;

/** Number of a change, taken before anything else in its transaction. One that is not used leaves a gap, which does no harm. */
export function nextChange(parts: Parts, session: ClientSession): Promise<number> {
  return raise(parts, session, "subscription_change");
}

/**
 * See `SubscriptionStore.changes`. Nothing is passed over though this is no transaction: numbers become visible in order,
 * so all up to `until` are there, and a row that changed again meanwhile comes under its newer number.
 */
export async function changesAfter(parts: Parts, after: number, limit: number): Promise<Changes> {
  const { subscriptions, removed_subscriptions } = parts.collections;
  const until = await reached(parts, "subscription_change");
  if (until <= after) return { next: after, rows: [] };
  const range = { change_no: { $gt: after, $lte: until } };
  const [kept, removed] = await Promise.all([
    subscriptions.find(range).sort({ change_no: 1 }).limit(limit).toArray(),
    removed_subscriptions.find(range).sort({ change_no: 1 }).limit(limit).toArray(),
  ]);
  const changes = [
    ...kept.map((document) => ({
      no: document.change_no,
      id: document._id,
      subscription: subscriptionOf(document),
    })),
    ...removed.map(({ _id, change_no }) => ({ no: change_no, id: _id, subscription: null })),
  ]
    .sort((a, b) => a.no - b.no)
    .slice(0, limit);
  return {
    next: changes.at(-1)?.no ?? after,
    rows: changes.map(({ id, subscription }) => ({ id, subscription })),
  };
}
