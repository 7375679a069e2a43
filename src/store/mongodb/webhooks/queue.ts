import { randomUUID } from "node:crypto";
import type { ClientSession, Document } from "mongodb";
import { queuePlace } from "../../rules/claims.ts";
import type { PushDocument, SubscriptionDocument } from "../schema/documents.ts";
import { newPush } from "../schema/pushes.ts";
import type { MongodbContext } from "../server/context.ts";
import type { Write } from "../server/write-all.ts";
import { AHEAD_READ, aheadOf } from "./ahead.ts";

/**
 * The order of service. `push_queue` holds each subscription that can be pushed to and has pushes waiting, with the time
 * its first push is due. The subscriptions of an origin form two lanes, those whose last push failed and the others, in the
 * order of that time. One that was served and has more to send stands there with the time of its service, behind those
 * that wait for longer, so that none waits for another's whole backlog.
 *
 * A place in the queue derives from the subscription and its pushes, and a claim never finds it too late. What makes
 * a push due earlier, or a subscription one that can be pushed to, is a transaction that writes the subscription, by `touch`
 * if not otherwise, and renews the revision of its place: two such conflict, and no place derives from old data. What makes
 * a push due later, as a claim does, moves its place only while that has the revision it was read with.
 */

/** Adds pushes that are due at once, and queues their subscriptions; runs inside a transaction that writes those. */
export async function enqueuePushes(
  context: MongodbContext,
  session: ClientSession,
  added: readonly { subscriptionId: string; deliveryId: number; postId: string; matchedAt: Date }[],
): Promise<void> {
  if (added.length === 0) return;
  await context.collections.pushes.insertMany(
    added.map((push) => newPush(push, push.matchedAt)),
    { session },
  );
  await requeueDocuments(context, session, [...new Set(added.map(({ subscriptionId }) => subscriptionId))]);
}

/** Writes subscriptions whose pushes this transaction changes. */
export async function touch(
  { collections }: MongodbContext,
  session: ClientSession,
  subscriptionIds: readonly string[],
): Promise<void> {
  await collections.subscriptions.updateMany(
    { _id: { $in: subscriptionIds } },
    { $inc: { push_changes: 1 } },
    { session },
  );
}

export type WaitingPush = Pick<PushDocument, "_id" | "delivery_id"> & { due_at: Date };

interface QueuedSubscription
  extends Pick<
    SubscriptionDocument,
    "_id" | "publisher_id" | "active" | "webhook_url" | "webhook_origin" | "webhook_verified_at" | "failures"
  > {
  /** Those of its pushes that are due first. */
  waiting: WaitingPush[];
}

const QUEUED = {
  publisher_id: 1,
  active: 1,
  webhook_url: 1,
  webhook_origin: 1,
  webhook_verified_at: 1,
  failures: 1,
};

/** Brings the places of subscriptions in step with their pushes; runs inside a transaction that writes them. */
export async function requeueDocuments(
  context: MongodbContext,
  session: ClientSession,
  subscriptionIds: readonly string[],
): Promise<void> {
  if (subscriptionIds.length === 0) return;
  const { subscriptions, push_queue } = context.collections;
  const queued = await subscriptions
    .aggregate<QueuedSubscription>(
      [
        { $match: { _id: { $in: subscriptionIds } } },
        { $project: QUEUED },
        firstWaiting("waiting", AHEAD_READ, [{ $project: { delivery_id: 1, due_at: 1 } }]),
      ],
      { session },
    )
    .toArray();
  if (queued.length === 0) return;
  await push_queue.bulkWrite(
    queued.map((subscription) => {
      const write = placeWrite(subscription, subscription.waiting);
      if ("remove" in write) return { deleteOne: { filter: write.remove } };
      const { filter, update } = write;
      return { updateOne: { filter, update, upsert: true } };
    }),
    { session },
  );
}

type Receiver = Omit<QueuedSubscription, "waiting">;

/**
 * Puts a subscription where it belongs in the queue, or takes it out.
 * @param waiting  its waiting pushes, first due first, `AHEAD_READ` of them or all
 */
export function placeWrite(
  subscription: Receiver,
  waiting: readonly Omit<WaitingPush, "_id">[],
): Extract<Write, { remove: Document }> | Extract<Write, { update: Document }> {
  const { _id } = subscription;
  const place = queuePlace(subscription, waiting[0]?.due_at ?? null);
  if (place === null) return { to: "push_queue", remove: { _id } };
  const revision = randomUUID();
  const update = [
    {
      $set: {
        origin: { $literal: place.origin },
        failing: place.failing,
        due_at: { $max: [place.dueAt, "$served_at"] },
        revision,
        ahead: { $literal: aheadOf(subscription, waiting, revision) },
      },
    },
  ];
  return { to: "push_queue", filter: { _id }, update, upsert: true };
}

/** A stage that adds to subscriptions, or to their places, their waiting pushes, first due first. */
export function firstWaiting(as: string, most: number, then: Document[] = []): Document {
  return {
    $lookup: {
      from: "pushes",
      localField: "_id",
      foreignField: "subscription_id",
      pipeline: [
        { $match: { state: "waiting" } },
        { $sort: { due_at: 1, delivery_id: 1 } },
        { $limit: most },
        ...then,
      ],
      as,
    },
  };
}

/** The order of `firstWaiting`. */
export const firstDueFirst = (a: Omit<WaitingPush, "_id">, b: Omit<WaitingPush, "_id">): number =>
  a.due_at.getTime() - b.due_at.getTime() || a.delivery_id - b.delivery_id;
