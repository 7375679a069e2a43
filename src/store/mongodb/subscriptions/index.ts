import type { ClientSession, Filter } from "mongodb";
import { isMatched, type StoredSubscription, type SubscriptionStore } from "../../../ports/store/index.ts";
import { changedRow } from "../../rules/rows.ts";
import type { MongodbContext } from "../database/context.ts";
import { oneByOne } from "../database/reads.ts";
import type { SubscriptionDocument } from "../database/schema/documents.ts";
import {
  moveWaitingPushes,
  subscriptionFields,
  subscriptionName,
  subscriptionOfDocument,
} from "../database/subscriptions.ts";
import { settleWork } from "../database/work.ts";
import { CHANGES, nextChange, readChangeDocuments } from "./changes.ts";
import {
  countPendingDocuments,
  deliverDocuments,
  pruneDeliveryDocuments,
  purgeSubscription,
  readPendingDocuments,
} from "./deliveries.ts";
import { tellChangeDocuments, toldOf } from "./told-changes.ts";

export function mongodbSubscriptionStore(context: MongodbContext): SubscriptionStore {
  const { connection, collections } = context;
  const { subscriptions } = collections;
  return {
    insert: (subscription, maxActive, isSame) =>
      connection.write([CHANGES], (session) => insert(context, session, subscription, maxActive, isSame)),

    get: oneByOne((ids) =>
      connection.run(async () =>
        (await subscriptions.find({ _id: { $in: [...ids] } }).toArray()).map(subscriptionOfDocument),
      ),
    ),

    ofPublisher: (publisherId) =>
      connection.run(async () => {
        const documents = await subscriptions
          .find({ publisher_id: publisherId }, { sort: { created_at: 1, _id: 1 } })
          .toArray();
        return documents.map(subscriptionOfDocument);
      }),

    update: (id, change, maxActive = Number.POSITIVE_INFINITY) =>
      connection.write([CHANGES, subscriptionName(id)], async (session) => {
        const change_no = await nextChange(context, session);
        const document = await subscriptions.findOne({ _id: id }, { session });
        if (document === null) return null;
        const before = subscriptionOfDocument(document);
        const after = changedRow(before, change);
        if (after === before) return before;
        const activates = after.active && !before.active;
        if (activates && (await activeOf(context, session, before.publisherId)) >= maxActive) return null;
        const savedNo = isMatched(after) && !isMatched(before) ? change_no : before.savedNo;
        const { _id, ...fields } = subscriptionFields({ ...after, savedNo });
        await subscriptions.updateOne({ _id }, { $set: { ...fields, change_no } }, { session });
        await moveWaitingPushes(context, session, document, { ...document, ...fields });
        return { ...after, savedNo };
      }),

    remove: (id) => removeSubscriptionDocuments(context, id),

    failing: (limit) =>
      connection.run(async () => {
        const failing_since = { $type: "date" } as const;
        const found = subscriptions.find({ failing_since }, { sort: { failing_since: 1 }, limit });
        return (await found.toArray()).map(subscriptionOfDocument);
      }),

    async removeLapsed(now, limit) {
      const expires_at = { $type: "date", $lte: new Date(now) } as const;
      const lapsed = await connection.run(() =>
        subscriptions
          .find({ expires_at }, { projection: { _id: 1 }, sort: { expires_at: 1 }, limit })
          .toArray(),
      );
      let removed = 0;
      // A subscription may be renewed meanwhile.
      for (const { _id } of lapsed)
        if (await removeSubscriptionDocuments(context, _id, { expires_at })) removed += 1;
      return removed;
    },

    position: (id) =>
      connection.run(async () => {
        const { pushes } = collections;
        const waiting = { subscription_id: id, state: "waiting" } as const;
        const [row, oldest] = await Promise.all([
          subscriptions.findOne({ _id: id }, { projection: { next_delivery: 1 } }),
          pushes.findOne(waiting, { sort: { delivery_id: 1 }, projection: { delivery_id: 1 } }),
        ]);
        if (row === null) return null;
        return { last: row.next_delivery - 1, oldestWaiting: oldest?.delivery_id ?? null };
      }),

    changes: (after, limit) => connection.run(() => readChangeDocuments(context, after, limit)),
    async deliver(matches, settled) {
      if (matches.length > 0) {
        const names = [...new Set(matches.map(({ subscriptionId }) => subscriptionName(subscriptionId)))];
        return connection.write(names, (session) => deliverDocuments(context, session, matches, settled));
      }
      await connection.run(() => settleWork(context, undefined, settled));
      return [];
    },
    tellChange: (postId, now) => tellChangeDocuments(context, postId, now),
    toldOf: (postId) => connection.run(() => toldOf(context, postId)),
    pending: (id, after, limit) => connection.run(() => readPendingDocuments(context, id, after, limit)),
    pendingCounts: (ids) => connection.run(() => countPendingDocuments(context, ids)),
    pruneDeliveries: (before, limit) =>
      connection.runLong(() => pruneDeliveryDocuments(context, before, limit)),
  };
}

async function insert(
  context: MongodbContext,
  session: ClientSession,
  subscription: StoredSubscription,
  maxActive: number,
  isSame: (own: StoredSubscription) => boolean = () => false,
): Promise<boolean> {
  const { publishers, subscriptions } = context.collections;
  const change_no = await nextChange(context, session);
  const { publisherId } = subscription;
  if ((await publishers.findOne({ _id: publisherId, erasing: false }, { session })) === null) {
    throw new Error(`Publisher ${publisherId} is gone; its subscription was not kept.`);
  }
  const { id } = subscription;
  if ((await subscriptions.findOne({ _id: id }, { session, projection: { _id: 1 } })) !== null) return false;
  if ((await activeOf(context, session, publisherId)) >= maxActive) return false;
  const own = await subscriptions.find({ publisher_id: publisherId }, { session }).toArray();
  if (own.some((document) => isSame(subscriptionOfDocument(document)))) return false;
  // Another one of this id may be gone, and its remains not purged yet.
  const before = await context.collections.removed_subscriptions.findOne({ _id: id }, { session });
  const next_delivery = before?.next_delivery ?? 1;
  await subscriptions.insertOne(
    { ...subscriptionFields({ ...subscription, savedNo: change_no }), next_delivery, change_no },
    { session },
  );
  return true;
}

/** The count is exact once the change number is taken: of concurrent writes, the later one sees the earlier. */
function activeOf(
  { collections }: MongodbContext,
  session: ClientSession,
  publisherId: string,
): Promise<number> {
  return collections.subscriptions.countDocuments({ publisher_id: publisherId, active: true }, { session });
}

/** Removes a subscription at once, and its deliveries, pushes and inbox entries in bounded steps; false when there was none. */
export async function removeSubscriptionDocuments(
  context: MongodbContext,
  id: string,
  only: Filter<SubscriptionDocument> = {},
): Promise<boolean> {
  const { connection, collections } = context;
  const removed = await connection.write([CHANGES, subscriptionName(id)], async (session) => {
    const change_no = await nextChange(context, session);
    const row = await collections.subscriptions.findOneAndDelete({ ...only, _id: id }, { session });
    if (row === null) return false;
    await collections.removed_subscriptions.replaceOne(
      { _id: id },
      { change_no, next_delivery: row.next_delivery, purged: false },
      { session, upsert: true },
    );
    return true;
  });
  if (removed) await connection.runLong(() => purgeSubscription(context, id));
  return removed;
}
