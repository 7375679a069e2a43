import type { MongodbContext } from "../database/context.ts";
import { deleteSome } from "../database/delete-some.ts";
import { lastChange } from "./changes.ts";
import { pruneMatches } from "./deliveries.ts";

/** A removed subscription stays in the list of changes until this many changes came after it. */
const CHANGES_KEPT = 100_000;

/** See `SubscriptionStore.pruneDeliveries`. Also prunes pushes and changes. */
export async function pruneDeliveryDocuments(
  context: MongodbContext,
  before: number,
  limit: number,
): Promise<number> {
  const { removed_subscriptions } = context.collections;
  // Completes what a crash interrupted.
  const unpurged = await removed_subscriptions.find({ purged: false }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of unpurged) await purgeSubscription(context, _id);

  const pruned = await pruneMatches(context, before, limit);
  await deleteSome(
    context.collections.pushes,
    { matched_at: { $lt: new Date(before) } },
    { limit, sort: { matched_at: 1 } },
  );
  const change = await lastChange(context);
  await deleteSome(removed_subscriptions, { purged: true, change_no: { $lt: change - CHANGES_KEPT } });
  return pruned;
}

/** Deletes the remains of a removed subscription. */
export async function purgeSubscription({ collections }: MongodbContext, id: string): Promise<void> {
  const { deliveries, inbox, pushes, removed_subscriptions } = collections;
  await deleteSome(deliveries, { subscription_id: id });
  await deleteSome(pushes, { subscription_id: id });
  await deleteSome(inbox, { subscription_id: id });
  await removed_subscriptions.updateOne({ _id: id }, { $set: { purged: true } });
}
