import type { ClientSession } from "mongodb";
import type { PushStore } from "../../../ports/store/index.ts";
import { CLOCKS_APART_MS } from "../../rules/claims.ts";
import { redeliveredPush } from "../../rules/settling.ts";
import type { MongodbContext } from "../database/context.ts";
import { findPost } from "../database/reads.ts";
import { dateOf, timeOf, UNPRUNED } from "../database/schema/documents.ts";
import {
  destinationOf,
  newPush,
  pushId,
  pushRecordOfDocument,
  subscriptionName,
} from "../database/subscriptions.ts";
import { claimPushDocuments } from "./claims.ts";
import { asClaimed, settlePushDocuments } from "./settling.ts";

/** A waiting push was last dealt with then. */
const PLANNED = { $ifNull: [{ $toDate: { $last: "$history.at" } }, "$matched_at"] };

/** Finds all that wait for a receiver, by the index of what is due. */
const WAITING = { failing: { $in: [true, false] }, state: "waiting", origin: { $gt: "" } } as const;

export function mongodbPushStore(context: MongodbContext): PushStore {
  const { connection, collections } = context;
  const { pushes } = collections;
  return {
    claim: (options) => connection.run(() => claimPushDocuments(context, options)),
    settle: settlePushDocuments(context),

    async hasten(now) {
      const ahead = new Date(now + CLOCKS_APART_MS);
      const isAhead = {
        $and: [{ $gt: [PLANNED, ahead] }, { $gte: ["$due_at", { $subtract: [PLANNED, CLOCKS_APART_MS] }] }],
      };
      await connection.run(() =>
        pushes.updateMany({ ...WAITING, $expr: isAhead }, [
          { $set: { due_at: { $add: [new Date(now), { $subtract: ["$due_at", PLANNED] }] } } },
        ]),
      );
    },

    backlog: () =>
      connection.run(async () => {
        const all = { _id: null, waiting: { $sum: 1 }, oldest: { $min: "$matched_at" } };
        const [found] = await pushes
          .aggregate<{ waiting: number; oldest: Date }>([{ $match: WAITING }, { $group: all }])
          .toArray();
        return { waiting: found?.waiting ?? 0, oldestAt: found?.oldest.getTime() ?? null };
      }),

    async giveBack(claimed) {
      if (claimed.length === 0) return;
      const those = {
        _id: { $in: claimed.map((push) => asClaimed(push)._id) },
        token: { $in: claimed.map(({ token }) => token) },
      };
      await connection.run(() =>
        pushes.updateMany(those, [
          { $set: { token: null, due_at: { $subtract: ["$matched_at", CLOCKS_APART_MS] } } },
        ]),
      );
    },

    list: (subscriptionId, { before, limit }) =>
      connection.run(async () => {
        const asked = {
          subscription_id: subscriptionId,
          delivery_id: { $lt: before ?? Number.MAX_SAFE_INTEGER },
        };
        const found = await pushes.find(asked, { sort: { delivery_id: -1 }, limit }).toArray();
        return found.map(pushRecordOfDocument);
      }),

    redeliver: (subscriptionId, deliveryId, now) =>
      connection.write([subscriptionName(subscriptionId)], (session) =>
        redeliver(context, session, subscriptionId, deliveryId, now),
      ),
  };
}

async function redeliver(
  context: MongodbContext,
  session: ClientSession,
  subscriptionId: string,
  deliveryId: number,
  now: number,
): Promise<boolean> {
  const { deliveries, pushes, subscriptions } = context.collections;
  const delivery = await deliveries.findOne(
    { subscription_id: subscriptionId, delivery_id: deliveryId, matched_at: UNPRUNED },
    { session },
  );
  if (delivery === null || delivery.matched_at === null) return false;
  const post = await findPost(context, delivery.post_id, session);
  if (post === null || post.state === "removed") return false;
  // Deliveries of a subscription that was removed may still be there. Written, so that this meets a change of it.
  const receiver = await subscriptions.findOneAndUpdate(
    { _id: subscriptionId },
    { $inc: { redeliveries: 1 } },
    { session },
  );
  if (receiver === null) return false;

  const _id = pushId(subscriptionId, deliveryId);
  const push = await pushes.findOne({ _id }, { session });
  const next = redeliveredPush(push === null ? null : { ...push, dueAt: timeOf(push.due_at) }, now);
  const { state, dueAt, attempts, againAt } = next;
  const fields = {
    state,
    due_at: dateOf(dueAt),
    attempts,
    again_at: dateOf(againAt),
    ...destinationOf(receiver),
  };
  if (push === null) {
    const { post_id: postId, matched_at } = delivery;
    const fresh = newPush({ subscriptionId, deliveryId, postId, matchedAt: matched_at.getTime() }, receiver);
    await pushes.insertOne({ ...fresh, ...fields }, { session });
  } else await pushes.updateOne({ _id }, { $set: fields }, { session });
  return true;
}
