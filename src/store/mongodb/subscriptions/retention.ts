import type { MongodbContext } from "../database/context.ts";
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
  const { pushes, removed_subscriptions } = context.collections;
  // Completes what a crash interrupted.
  const unpurged = await removed_subscriptions.find({ purged: false }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of unpurged) await purgeSubscription(context, _id);
  const old = { matched_at: { $lt: new Date(before) } };
  const ended = await pushes.find(old, { projection: { _id: 1 }, sort: { matched_at: 1 }, limit }).toArray();
  await pushes.deleteMany({ _id: { $in: ended.map(({ _id }) => _id) } });
  const change_no = { $lt: (await lastChange(context)) - CHANGES_KEPT };
  await removed_subscriptions.deleteMany({ purged: true, change_no });
  return pruneMatches(context, before, limit);
}

/** Deletes the remains of a removed subscription. */
export async function purgeSubscription({ collections }: MongodbContext, id: string): Promise<void> {
  const { deliveries, inbox, pushes, removed_subscriptions } = collections;
  for (const remains of [deliveries, pushes, inbox]) await remains.deleteMany({ subscription_id: id });
  await removed_subscriptions.updateOne({ _id: id }, { $set: { purged: true } });
}
