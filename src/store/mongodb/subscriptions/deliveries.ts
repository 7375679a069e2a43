import type { ClientSession } from "mongodb";
import type { Delivery, SubscriptionStore, WorkItem } from "../../../ports/store/index.ts";
import { canBePushedTo } from "../../rules/push-queue.ts";
import { visibleRows } from "../posts/visible-rows.ts";
import type { DeliveryDocument, SubscriptionDocument } from "../schema/documents.ts";
import type { Parts } from "../server/context.ts";
import { deleteSome } from "../server/delete-some.ts";
import { findPosts, visiblePosts } from "../server/reads.ts";
import { settle } from "../server/work.ts";
import { enqueuePushes } from "../webhooks/queue.ts";
import { announce, lastNumbers } from "./inbox.ts";

/**
 * A document per pair of subscription and post, as long as both are there: it is what keeps a pair from being delivered
 * twice. `matched_at` is null once the delivery is forgotten.
 */

/** Deliveries looked at, or forgotten, in one go. */
const DELIVERIES_PER_STEP = 1000;
/** Subscriptions counted side by side. */
const COUNTS_AT_ONCE = 8;
/** Of a delivery that is not forgotten, in the words of the indexes that hold only those. */
export const REMEMBERED = { $type: "date" } as const;

type Matches = Parameters<SubscriptionStore["deliver"]>[0];

type Receiver = Pick<
  SubscriptionDocument,
  | "_id"
  | "publisher_id"
  | "active"
  | "webhook_origin"
  | "webhook_verified_at"
  | "next_delivery"
  | "last_matched_at"
>;

/** Runs inside a transaction. */
export async function deliver(
  parts: Parts,
  session: ClientSession,
  matches: Matches,
  settled: readonly WorkItem[],
): ReturnType<SubscriptionStore["deliver"]> {
  const { deliveries, subscriptions } = parts.collections;
  const receivers = await receiversOf(parts, session, matches);
  const owners = [...receivers.values()].map((receiver) => receiver.publisher_id);
  // The inbox of a publisher is closed from the moment it is being erased.
  const inboxes = await lastNumbers(parts, session, owners);
  const isNew = await newPairs(parts, session, matches);

  const added = matches.flatMap(({ subscriptionId, postId, matchedAt }) => {
    const receiver = receivers.get(subscriptionId);
    if (receiver === undefined || !inboxes.has(receiver.publisher_id)) return [];
    if (!isNew.delete(pairId(subscriptionId, postId))) return [];
    const delivery = { subscriptionId, postId, deliveryId: receiver.next_delivery };
    receiver.next_delivery += 1;
    receiver.last_matched_at = new Date(
      Math.max(matchedAt, receiver.last_matched_at?.getTime() ?? matchedAt),
    );
    return [{ ...delivery, receiver, matchedAt: new Date(matchedAt) }];
  });
  if (added.length > 0) {
    await subscriptions.bulkWrite(
      [...new Set(added.map(({ receiver }) => receiver))].map(({ _id, next_delivery, last_matched_at }) => ({
        updateOne: { filter: { _id }, update: { $set: { next_delivery, last_matched_at } } },
      })),
      { session },
    );
    await deliveries.insertMany(
      added.map(({ subscriptionId, postId, deliveryId, matchedAt }) => ({
        _id: pairId(subscriptionId, postId),
        subscription_id: subscriptionId,
        post_id: postId,
        delivery_id: deliveryId,
        matched_at: matchedAt,
      })),
      { session },
    );
    await announce(
      parts,
      session,
      inboxes,
      added.map(({ receiver, postId, deliveryId, matchedAt }) => ({
        publisher_id: receiver.publisher_id,
        type: "match",
        at: matchedAt,
        post_id: postId,
        subscription_id: receiver._id,
        delivery_id: deliveryId,
      })),
    );
    const pushed = added.filter(({ receiver }) => canBePushedTo(receiver));
    await enqueuePushes(parts, session, pushed);
    await meetErasures(parts, session, added, settled);
  }
  await settle(parts, session, settled);
  return added.map(({ subscriptionId, postId, deliveryId }) => ({ subscriptionId, postId, deliveryId }));
}

async function receiversOf(
  { collections }: Parts,
  session: ClientSession,
  matches: Matches,
): Promise<Map<string, Receiver>> {
  const ids = [...new Set(matches.map(({ subscriptionId }) => subscriptionId))];
  const receivers = await collections.subscriptions
    .find({ _id: { $in: ids } }, { session, projection: { query: 0, vector: 0 } })
    .toArray();
  return new Map(receivers.map((receiver) => [receiver._id, receiver]));
}

/** Pairs, by their ids, that were never recorded and whose post is active. */
async function newPairs(parts: Parts, session: ClientSession, matches: Matches): Promise<Set<string>> {
  const postIds = [...new Set(matches.map(({ postId }) => postId))];
  const posts = await findPosts(parts, postIds, session, { state: 1 });
  const pairs = new Map(
    matches
      .filter(({ postId }) => posts.get(postId)?.state === "active")
      .map(({ subscriptionId, postId }) => [pairId(subscriptionId, postId), subscriptionId]),
  );
  const ids = { _id: { $in: [...pairs.keys()] } };
  const shards = { subscription_id: { $in: [...new Set(pairs.values())] } };
  const known = await parts.collections.deliveries
    .find(parts.connection.sharded ? { ...ids, ...shards } : ids, { session, projection: { _id: 1 } })
    .toArray();
  for (const { _id } of known) pairs.delete(_id);
  return new Set(pairs.keys());
}

/**
 * Writes the posts whose work goes on after this transaction: an erasure of such a post would otherwise pass it by, and
 * leave what was delivered. Where the work is settled, its document is what both write.
 */
async function meetErasures(
  { collections }: Parts,
  session: ClientSession,
  added: readonly { postId: string }[],
  settled: readonly WorkItem[],
): Promise<void> {
  const open = new Set(added.map(({ postId }) => postId));
  for (const { postId } of settled) open.delete(postId);
  if (open.size === 0) return;
  await collections.posts.updateMany({ _id: { $in: [...open] } }, { $inc: { reports: 1 } }, { session });
}

export const pairId = (subscriptionId: string, postId: string): string => `${subscriptionId}:${postId}`;

export async function pending(parts: Parts, id: string, after: number, limit: number): Promise<Delivery[]> {
  const { subscriptions } = parts.collections;
  if ((await subscriptions.findOne({ _id: id }, { projection: { _id: 1 } })) === null) return [];
  const rows = await visibleRows(
    parts,
    { page: (from, size) => remembered(parts, id, from, size), numberOf: (row) => row.delivery_id },
    after,
    limit,
  );
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    postId: row.post_id,
    matchedAt: row.matched_at.getTime(),
  }));
}

/** Counts in steps, so that a long list takes no more memory than a short one. */
export async function pendingCounts(parts: Parts, ids: readonly string[]): Promise<Map<string, number>> {
  const there = await parts.collections.subscriptions
    .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
    .toArray();
  const counts = new Map(ids.map((id) => [id, 0]));
  const left = there.map(({ _id }) => _id);
  while (left.length > 0) {
    await Promise.all(
      left.splice(0, COUNTS_AT_ONCE).map(async (id) => counts.set(id, await countShown(parts, id))),
    );
  }
  return counts;
}

async function countShown(parts: Parts, id: string): Promise<number> {
  let shown = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: Remembered[] = await remembered(parts, id, after, DELIVERIES_PER_STEP);
    const visible = await visiblePosts(
      parts,
      rows.map((row) => row.post_id),
    );
    shown += visible.size;
    after = rows.length < DELIVERIES_PER_STEP ? undefined : rows.at(-1)?.delivery_id;
  }
  return shown;
}

type Remembered = DeliveryDocument & { matched_at: Date };

/**
 * Deliveries of a subscription that are not forgotten, after a number, in order. Asks for a snapshot: on a cluster they
 * are on another shard than the subscription, and without one a delivery could be seen before the one ahead of it.
 */
function remembered(
  { collections }: Parts,
  subscriptionId: string,
  after: number,
  limit: number,
): Promise<Remembered[]> {
  return collections.deliveries
    .find<Remembered>(
      { subscription_id: subscriptionId, delivery_id: { $gt: after }, matched_at: REMEMBERED },
      { readConcern: { level: "snapshot" } },
    )
    .sort({ delivery_id: 1 })
    .limit(limit)
    .toArray();
}

/** Forgets when matches were made, at most `limit`, and so the deliveries; resolves to how many. */
export async function forgetMatches({ collections }: Parts, before: number, limit: number): Promise<number> {
  const { deliveries } = collections;
  const old = { matched_at: { ...REMEMBERED, $lt: new Date(before) } };
  let forgotten = 0;
  while (forgotten < limit) {
    const found = await deliveries
      .find(old, { projection: { subscription_id: 1 } })
      .sort({ matched_at: 1 })
      .limit(Math.min(DELIVERIES_PER_STEP, limit - forgotten))
      .toArray();
    if (found.length === 0) break;
    const { modifiedCount } = await deliveries.updateMany(
      {
        _id: { $in: found.map(({ _id }) => _id) },
        subscription_id: { $in: [...new Set(found.map((row) => row.subscription_id))] },
        ...old,
      },
      { $set: { matched_at: null } },
    );
    forgotten += modifiedCount;
  }
  return forgotten;
}

/**
 * Deletes what was delivered of posts that are physically erased, and inbox entries about them; their pushes stay as
 * records. In one go inside a transaction, else in bounded steps.
 */
export async function forgetPosts(
  { collections }: Parts,
  postIds: readonly string[],
  session?: ClientSession,
): Promise<void> {
  const { deliveries, inbox } = collections;
  const filter = { post_id: { $in: postIds } };
  if (session === undefined) {
    await deleteSome(deliveries, filter);
    await deleteSome(inbox, filter);
  } else {
    await deliveries.deleteMany(filter, { session });
    await inbox.deleteMany(filter, { session });
  }
}
