import type { ClientSession, Document } from "mongodb";
import { queuePlace } from "../../rules/push-queue.ts";
import type { SubscriptionDocument } from "../schema/documents.ts";
import { newPush } from "../schema/pushes.ts";
import type { Parts } from "../server/context.ts";
import { reached } from "../server/sequences.ts";

/**
 * Who is served next. A subscription that can be pushed to and has pushes waiting stands in `push_queue`, with the time
 * its first one is due. The subscriptions of an origin make up two lanes, those whose last push failed and the others.
 * Turns are numbers of the sequence `push_turn`: who comes or was served goes to the end, so that neither a lane nor a
 * subscription in it waits for another's whole backlog.
 *
 * A place in the queue is worked out from the subscription and its pushes. So that it cannot be worked out from what
 * another transaction is just changing, every transaction that changes either of them also writes the subscription:
 * where it would not anyway, by `touch`.
 */

/** Records pushes that are due at once, and queues their subscriptions; runs inside a transaction that writes those. */
export async function enqueuePushes(
  parts: Parts,
  session: ClientSession,
  added: readonly { subscriptionId: string; deliveryId: number; postId: string; matchedAt: Date }[],
): Promise<void> {
  if (added.length === 0) return;
  await parts.collections.pushes.insertMany(
    added.map((push) => newPush(push, push.matchedAt)),
    { session },
  );
  await requeue(parts, session, [...new Set(added.map(({ subscriptionId }) => subscriptionId))]);
}

/** Writes subscriptions whose pushes this transaction changes. */
export async function touch(
  { collections }: Parts,
  session: ClientSession,
  subscriptionIds: readonly string[],
): Promise<void> {
  await collections.subscriptions.updateMany(
    { _id: { $in: subscriptionIds } },
    { $inc: { push_changes: 1 } },
    { session },
  );
}

interface Standing
  extends Pick<
    SubscriptionDocument,
    "_id" | "active" | "webhook_origin" | "webhook_verified_at" | "failures"
  > {
  /** The waiting push that is due first, if there is one. */
  first: { due_at: Date }[];
}

/** Brings the places of subscriptions in step with their pushes; runs inside a transaction that writes them. */
export async function requeue(
  parts: Parts,
  session: ClientSession,
  subscriptionIds: readonly string[],
): Promise<void> {
  if (subscriptionIds.length === 0) return;
  const { subscriptions, push_queue } = parts.collections;
  const standings = await subscriptions
    .aggregate<Standing>(
      [
        { $match: { _id: { $in: subscriptionIds } } },
        { $project: { active: 1, webhook_origin: 1, webhook_verified_at: 1, failures: 1 } },
        firstWaiting("first", 1, [{ $project: { due_at: 1 } }]),
      ],
      { session },
    )
    .toArray();
  if (standings.length === 0) return;
  const turn = await reached(parts, "push_turn", session);
  await push_queue.bulkWrite(
    standings.map((standing) => {
      const filter = { _id: standing._id };
      const place = queuePlace(standing, standing.first[0]?.due_at ?? null);
      if (place === null) return { deleteOne: { filter } };
      const { dueAt: due_at, ...lane } = place;
      const update = { $set: { ...lane, due_at }, $setOnInsert: { turn } };
      return { updateOne: { filter, update, upsert: true } };
    }),
    { session },
  );
}

/** A stage that adds to subscriptions, or to their places, those of their waiting pushes that are due first. */
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
