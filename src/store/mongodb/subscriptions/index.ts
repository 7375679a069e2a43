import type { ClientSession } from "mongodb";
import type { StoredSubscription, SubscriptionStore } from "../../../ports/store/index.ts";
import { changedRow } from "../../rules/changes.ts";
import {
  changeableFields,
  newSubscription,
  subscriptionName,
  subscriptionOf,
} from "../schema/subscriptions.ts";
import type { Parts } from "../server/context.ts";
import { sequenceName } from "../server/sequences.ts";
import { settle } from "../server/work.ts";
import { requeue } from "../webhooks/queue.ts";
import { changesAfter, nextChange } from "./changes.ts";
import { deliver, pending, pendingCounts } from "./deliveries.ts";
import { forgetDeliveries, purgeSubscription } from "./retention.ts";

export function subscriptionStore(parts: Parts): SubscriptionStore {
  const { connection, collections } = parts;
  const { subscriptions } = collections;
  return {
    insert: (subscription, maxActive) =>
      connection.write([CHANGES], (session) => insert(parts, session, subscription, maxActive)),

    get: (id) =>
      connection.run(async () => {
        const document = await subscriptions.findOne({ _id: id });
        return document === null ? null : subscriptionOf(document);
      }),

    ofPublisher: (publisherId) =>
      connection.run(async () => {
        const documents = await subscriptions
          .find({ publisher_id: publisherId })
          .sort({ created_at: 1, _id: 1 })
          .toArray();
        return documents.map(subscriptionOf);
      }),

    update: (id, change, maxActive = Number.POSITIVE_INFINITY) =>
      connection.write([CHANGES, subscriptionName(id)], async (session) => {
        const change_no = await nextChange(parts, session);
        const document = await subscriptions.findOne({ _id: id }, { session });
        if (document === null) return null;
        const before = subscriptionOf(document);
        const after = changedRow(before, change);
        if (after === before) return before;
        const activates = after.active && !before.active;
        if (activates && (await activeOf(parts, session, before.publisherId)) >= maxActive) return null;
        await subscriptions.updateOne(
          { _id: id },
          { $set: { ...changeableFields(after), change_no } },
          { session },
        );
        // Its pushes may have become due, or stopped being so.
        await requeue(parts, session, [id]);
        return after;
      }),

    remove: (id) => removeSubscription(parts, id),

    changes: (after, limit) => connection.run(() => changesAfter(parts, after, limit)),
    async deliver(matches, settled) {
      if (matches.length > 0) {
        const names = [...new Set(matches.map(({ subscriptionId }) => subscriptionName(subscriptionId)))];
        return connection.write(names, (session) => deliver(parts, session, matches, settled));
      }
      await connection.run(() => settle(parts, undefined, settled));
      return [];
    },
    pending: (id, after, limit) => connection.run(() => pending(parts, id, after, limit)),
    pendingCounts: (ids) => connection.run(() => pendingCounts(parts, ids)),
    forgetDeliveries: (before, limit) => connection.run(() => forgetDeliveries(parts, before, limit)),
  };
}

const CHANGES = sequenceName("subscription_change");

async function insert(
  parts: Parts,
  session: ClientSession,
  subscription: StoredSubscription,
  maxActive: number,
): Promise<boolean> {
  const { publishers, subscriptions } = parts.collections;
  const change_no = await nextChange(parts, session);
  const { publisherId } = subscription;
  if ((await publishers.findOne({ _id: publisherId, erasing: false }, { session })) === null) {
    throw new Error(`Publisher ${publisherId} is gone; its subscription was not kept.`);
  }
  if ((await activeOf(parts, session, publisherId)) >= maxActive) return false;
  await subscriptions.insertOne(newSubscription(subscription, change_no), { session });
  return true;
}

/** Exact once the change number is taken: of writes at the same time, the later one sees the earlier. */
function activeOf({ collections }: Parts, session: ClientSession, publisherId: string): Promise<number> {
  return collections.subscriptions.countDocuments({ publisher_id: publisherId, active: true }, { session });
}

/** Removes a subscription at once, and its deliveries, pushes and inbox entries in bounded steps; false when there was none. */
export async function removeSubscription(parts: Parts, id: string): Promise<boolean> {
  const { connection, collections } = parts;
  const removed = await connection.write([CHANGES, subscriptionName(id)], async (session) => {
    const change_no = await nextChange(parts, session);
    const { deletedCount } = await collections.subscriptions.deleteOne({ _id: id }, { session });
    if (deletedCount === 0) return false;
    await collections.push_queue.deleteOne({ _id: id }, { session });
    await collections.removed_subscriptions.replaceOne(
      { _id: id },
      { change_no, purged: false },
      { session, upsert: true },
    );
    return true;
  });
  if (removed) await connection.run(() => purgeSubscription(parts, id));
  return removed;
}

/**
 * Makes the subscriptions of a publisher inactive and takes them out of the push queue; runs inside the transaction that
 * begins its erasure. Writes the sequence of changes also when there is nothing to stop, and so meets `insert`.
 */
export async function stopSubscriptions(
  parts: Parts,
  session: ClientSession,
  publisherId: string,
): Promise<void> {
  const { subscriptions, push_queue } = parts.collections;
  await nextChange(parts, session);
  const owned = await subscriptions
    .find({ publisher_id: publisherId }, { session, projection: { _id: 1 } })
    .toArray();
  const ids = owned.map(({ _id }) => _id);
  await subscriptions.updateMany({ _id: { $in: ids } }, { $set: { active: false } }, { session });
  await push_queue.deleteMany({ _id: { $in: ids } }, { session });
}
