import type { ClientSession } from "mongodb";
import type { Delivery, Match, NewMatch, SubscriptionStore, WorkItem } from "../../../ports/store/index.ts";
import type { BoardRows } from "../../../records/index.ts";
import { DELIVERY } from "../../../records/subscription.ts";
import { goesOn } from "../../rules/series.ts";
import type { MongodbContext } from "../database/context.ts";
import { postOfDocument, publisherOfDocument } from "../database/posts.ts";
import { findPosts, inSession } from "../database/reads.ts";
import { documentOf } from "../database/rows.ts";
import {
  type DeliveryDocument,
  type Documents,
  type SubscriptionDocument,
  UNPRUNED,
} from "../database/schema/documents.ts";
import { newPush } from "../database/subscriptions.ts";
import { firstVisible, ROWS_PER_LOOK, visibleRows } from "../database/visible.ts";
import { settleWork } from "../database/work.ts";
import { lastChange } from "./changes.ts";
import { addEntryDocuments, lastNumbers } from "./inbox.ts";

/**
 * One document for each pair of subscription and post while both exist: it keeps the pair from being delivered twice.
 * `matched_at` is null once the delivery is pruned.
 */

type Matches = readonly Match[];

/** Runs inside a transaction. */
export async function deliverDocuments(
  context: MongodbContext,
  session: ClientSession,
  matches: Matches,
  settled: readonly WorkItem[],
): ReturnType<SubscriptionStore["deliver"]> {
  const ids = matches.map(({ subscriptionId }) => subscriptionId);
  const receivers = await receiversOf(context, session, ids);
  const owners = [...receivers.values()].map((receiver) => receiver.publisher_id);
  // A publisher's erasure begins by closing its inbox.
  const inboxes = await lastNumbers(context, session, owners);
  const isNew = await newPairs(context, session, matches);
  const told = await toldSeries(context, session, matches);

  const added = matches.flatMap(({ subscriptionId, postId, matchedAt, series }) => {
    const receiver = receivers.get(subscriptionId);
    if (receiver === undefined || !inboxes.has(receiver.publisher_id)) return [];
    if (!isNew.delete(pairId(subscriptionId, postId))) return [];
    if (!told.begins(subscriptionId, series, matchedAt)) return [];
    const deliveryId = numbered(receiver, matchedAt);
    return [{ subscriptionId, postId, deliveryId, receiver, matchedAt }];
  });
  await told.keep();
  await handOver(
    context,
    session,
    inboxes,
    added.map((one) => ({ ...one, change: null })),
  );
  await settleWork(context, session, settled);
  return newMatchesOf(added);
}

/** A delivery is handed on, or a new one in the place of a pair's, with the subscription that gets it. */
export type Handed = BoardRows["delivery"] & { matchedAt: number; receiver: SubscriptionDocument };

export const newMatchesOf = (handed: readonly Omit<Handed, "change">[]): NewMatch[] =>
  handed.map(({ subscriptionId, postId, deliveryId, receiver }) => ({
    subscriptionId,
    publisherId: receiver.publisher_id,
    postId,
    deliveryId,
  }));

/** Numbers a delivery of a subscription that was read in this transaction. */
export function numbered(receiver: SubscriptionDocument, matchedAt: number): number {
  const deliveryId = receiver.next_delivery;
  receiver.next_delivery += 1;
  const last = receiver.last_matched_at?.getTime() ?? matchedAt;
  receiver.last_matched_at = new Date(Math.max(matchedAt, last));
  return deliveryId;
}

/** Writes deliveries that are numbered, with inbox entries and pushes. @param inboxes  see `addEntryDocuments` */
export async function handOver(
  context: MongodbContext,
  session: ClientSession,
  inboxes: ReadonlyMap<string, number>,
  added: readonly Handed[],
): Promise<void> {
  const { deliveries, subscriptions } = context.collections;
  if (added.length > 0) {
    await subscriptions.bulkWrite(
      [...new Set(added.map(({ receiver }) => receiver))].map(({ _id, next_delivery, last_matched_at }) => ({
        updateOne: { filter: { _id }, update: { $set: { next_delivery, last_matched_at } } },
      })),
      { session },
    );
    await deliveries.bulkWrite(
      added.map((delivery) => {
        const { _id, subscription_id, ...fields } = deliveryDocument(delivery);
        return { updateOne: { filter: { _id, subscription_id }, update: { $set: fields }, upsert: true } };
      }),
      { session },
    );
    await addEntryDocuments(
      context,
      session,
      inboxes,
      added.map(({ receiver, postId, deliveryId, matchedAt, change }) => ({
        publisher_id: receiver.publisher_id,
        type: "match",
        change,
        at: new Date(matchedAt),
        post_id: postId,
        subscription_id: receiver._id,
        delivery_id: deliveryId,
      })),
    );
    const pushes = added
      .filter(({ receiver }) => receiver.webhook_origin !== null)
      .map((push) => newPush(push, push.receiver));
    if (pushes.length > 0) await context.collections.pushes.insertMany(pushes, { session });
    // An erasure of the post, which could miss these deliveries, then conflicts with this transaction.
    const posts = { _id: { $in: [...new Set(added.map(({ postId }) => postId))] } };
    await context.collections.posts.updateMany(posts, { $inc: { reports: 1 } }, { session });
  }
}

/** Reads what subscriptions were told of the series of some matches. */
async function toldSeries({ collections }: MongodbContext, session: ClientSession, matches: Matches) {
  const idOf = (subscriptionId: string, key: string) => `${subscriptionId}:${key}`;
  const ids = matches.flatMap(({ subscriptionId, series }) =>
    series == null ? [] : [idOf(subscriptionId, series.key)],
  );
  const found =
    ids.length === 0 ? [] : await collections.told_series.find({ _id: { $in: ids } }, { session }).toArray();
  const told = new Map(found.map(({ _id, ends_at }) => [_id, { endsAt: ends_at.getTime() }]));
  const changed = new Map<string, { subscription_id: string; ends_at: Date }>();
  return {
    /** Tells whether a subscription is to be told of a date. */
    begins(subscriptionId: string, series: Match["series"], now: number): boolean {
      if (series == null) return true;
      const _id = idOf(subscriptionId, series.key);
      const before = told.get(_id);
      const endsAt = Math.max(before?.endsAt ?? series.endsAt, series.endsAt);
      told.set(_id, { endsAt });
      changed.set(_id, { subscription_id: subscriptionId, ends_at: new Date(endsAt) });
      return !goesOn(before, now);
    },
    async keep(): Promise<void> {
      if (changed.size === 0) return;
      await collections.told_series.bulkWrite(
        [...changed].map(([_id, fields]) => ({
          updateOne: { filter: { _id }, update: { $set: fields }, upsert: true },
        })),
        { session },
      );
    },
  };
}

export const toldSeriesDocument = (row: BoardRows["told_series"]) => ({
  _id: `${row.subscriptionId}:${row.series}`,
  subscription_id: row.subscriptionId,
  ends_at: new Date(row.endsAt),
});

export const readToldSeries = (document: Documents["told_series"]): BoardRows["told_series"] => ({
  subscriptionId: document.subscription_id,
  series: document._id.slice(document.subscription_id.length + 1),
  endsAt: document.ends_at.getTime(),
});

export async function receiversOf(
  { collections }: MongodbContext,
  session: ClientSession,
  ids: readonly string[],
): Promise<Map<string, SubscriptionDocument>> {
  const receivers = await collections.subscriptions
    .find({ _id: { $in: [...new Set(ids)] } }, { session, projection: { query: 0, vector: 0 } })
    .toArray();
  return new Map(receivers.map((receiver) => [receiver._id, receiver]));
}

/** Gives ids of pairs that were never recorded and whose post is active. */
async function newPairs(
  context: MongodbContext,
  session: ClientSession,
  matches: Matches,
): Promise<Set<string>> {
  const postIds = [...new Set(matches.map(({ postId }) => postId))];
  const posts = await findPosts(context, postIds, session, { state: 1 });
  const pairs = new Map(
    matches
      .filter(({ postId }) => posts.get(postId)?.state === "active")
      .map(({ subscriptionId, postId }) => [pairId(subscriptionId, postId), subscriptionId]),
  );
  const ids = { _id: { $in: [...pairs.keys()] } };
  const shards = { subscription_id: { $in: [...new Set(pairs.values())] } };
  const known = await context.collections.deliveries
    .find(context.connection.sharded ? { ...ids, ...shards } : ids, { session, projection: { _id: 1 } })
    .toArray();
  for (const { _id } of known) pairs.delete(_id);
  return new Set(pairs.keys());
}

export function deliveryDocument(row: BoardRows["delivery"]): DeliveryDocument {
  return { _id: pairId(row.subscriptionId, row.postId), ...documentOf(DELIVERY, row) };
}

export const pairId = (subscriptionId: string, postId: string): string => `${subscriptionId}:${postId}`;

export async function readPendingDocuments(
  context: MongodbContext,
  id: string,
  after: number,
  limit: number,
): Promise<Delivery[]> {
  const rows = await firstVisible(context, pendingOf(context, id), after, limit, { vec: 0 });
  if (rows.length === 0) return [];
  const owners = { _id: { $in: [...new Set(rows.map(([, post]) => post.publisher_id))] } };
  const found = await context.collections.publishers.find(owners).toArray();
  const publishers = new Map(found.map((publisher) => [publisher._id, publisherOfDocument(publisher)]));
  return rows.flatMap(([{ delivery_id, matched_at, change = null }, post]): Delivery[] => {
    const publisher = publishers.get(post.publisher_id);
    // The publisher was erased since.
    if (publisher === undefined) return [];
    const delivery = { deliveryId: delivery_id, matchedAt: matched_at.getTime(), change };
    return [{ ...delivery, post: postOfDocument(post), publisher }];
  });
}

/** Counts one subscription after another, in steps: a long list takes no more memory than a short one. */
export async function countPendingDocuments(
  context: MongodbContext,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    let count = 0;
    const list = pendingOf(context, id);
    for await (const rows of visibleRows(context, list, 0, ROWS_PER_LOOK)) count += rows.length;
    counts.set(id, count);
  }
  return counts;
}

type UnprunedDelivery = DeliveryDocument & { matched_at: Date };

/**
 * Reads deliveries of a subscription that are not pruned, in order. Reads a snapshot: on a cluster they are on another
 * shard than the subscription, and without one a delivery could be seen before its predecessor.
 */
const pendingOf = ({ collections }: MongodbContext, subscriptionId: string) => ({
  numberOf: (row: UnprunedDelivery) => row.delivery_id,
  page: (after: number, limit: number) =>
    collections.deliveries
      .find<UnprunedDelivery>(
        { subscription_id: subscriptionId, delivery_id: { $gt: after }, matched_at: UNPRUNED },
        { readConcern: { level: "snapshot" }, sort: { delivery_id: 1 }, limit },
      )
      .toArray(),
});

/** A removed subscription stays in the list of changes until this many changes came after it. */
const CHANGES_KEPT = 100_000;

/** See `SubscriptionStore.pruneDeliveries`. Also prunes pushes and changes. */
export async function pruneDeliveryDocuments(
  context: MongodbContext,
  before: number,
  limit: number,
): Promise<number> {
  const { pushes, removed_subscriptions } = context.collections;
  const old = { matched_at: { $lt: new Date(before) } };
  const ended = await pushes.find(old, { projection: { _id: 1 }, sort: { matched_at: 1 }, limit }).toArray();
  await pushes.deleteMany({ _id: { $in: ended.map(({ _id }) => _id) } });
  const change_no = { $lt: (await lastChange(context)) - CHANGES_KEPT };
  await removed_subscriptions.deleteMany({ purged: true, change_no });
  return pruneMatches(context, before, limit);
}

/** Deletes the remains of a removed subscription. */
export async function purgeSubscription({ collections }: MongodbContext, id: string): Promise<void> {
  const { deliveries, inbox, pushes, told_series, removed_subscriptions } = collections;
  await told_series.deleteMany({ subscription_id: id });
  const removed = await removed_subscriptions.findOne({ _id: id });
  // Deliveries of another subscription of its id, made since, stay.
  const { next_delivery } = removed ?? {};
  const numbers = next_delivery === undefined ? {} : { delivery_id: { $lt: next_delivery } };
  for (const remains of [inbox, pushes, deliveries])
    await remains.deleteMany({ subscription_id: id, ...numbers });
  await removed_subscriptions.updateOne(
    { _id: id, change_no: removed?.change_no ?? -1 },
    { $set: { purged: true } },
  );
}

/** Sets `matched_at` of at most `limit` old deliveries to null; resolves to how many. */
async function pruneMatches(
  { collections: { deliveries } }: MongodbContext,
  before: number,
  limit: number,
): Promise<number> {
  const old = { matched_at: { ...UNPRUNED, $lt: new Date(before) } };
  const found = await deliveries
    .find(old, { projection: { subscription_id: 1 }, sort: { matched_at: 1 }, limit })
    .toArray();
  const ids = { $in: found.map(({ _id }) => _id) };
  const subscription_id = { $in: [...new Set(found.map((row) => row.subscription_id))] };
  const pruned = await deliveries.updateMany(
    { _id: ids, subscription_id, ...old },
    { $set: { matched_at: null } },
  );
  return pruned.modifiedCount;
}

/** Deletes the deliveries of erased posts and the inbox entries about them; their pushes stay as records. */
export async function deleteDeliveriesOf(
  { collections: { deliveries, inbox } }: MongodbContext,
  postIds: readonly string[],
  session?: ClientSession,
): Promise<void> {
  const filter = { post_id: { $in: postIds } };
  await deliveries.deleteMany(filter, inSession(session));
  await inbox.deleteMany(filter, inSession(session));
}
