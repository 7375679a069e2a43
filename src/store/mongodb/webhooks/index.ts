import type { ClientSession } from "mongodb";
import type { PushStore } from "../../../ports/store/index.ts";
import { inSteps } from "../../rules/rows.ts";
import { redeliveredPush } from "../../rules/settling.ts";
import { dateOf, timeOf } from "../schema/documents.ts";
import { newPush, pushId, pushRecordOfDocument } from "../schema/pushes.ts";
import { subscriptionName } from "../schema/subscriptions.ts";
import { notVisibleYet } from "../server/connection.ts";
import type { MongodbContext } from "../server/context.ts";
import { KeyedQueue } from "../server/keyed-queue.ts";
import { findPost } from "../server/reads.ts";
import { writeEach } from "../server/write-all.ts";
import { UNPRUNED } from "../subscriptions/deliveries.ts";
import { claimPushDocuments } from "./claims.ts";
import { Rounds } from "./lanes.ts";
import { asClaimed, claimedNow, Held } from "./places.ts";
import { requeueDocuments, touch } from "./queue.ts";
import { settlePushDocuments } from "./settling.ts";

/** Pushes pruned in one transaction. */
const PUSHES_PER_STEP = 500;

export function mongodbPushStore(context: MongodbContext): PushStore {
  const { connection, collections } = context;
  const { pushes, subscriptions } = collections;
  const held = new Held();
  const rounds = new Rounds();
  const claims = new KeyedQueue();
  return {
    // Claims of one process would only take origins from each other.
    claim: (options) => claims.run(["claim"], () => claimPushDocuments(context, { held, rounds }, options)),
    settle: settlePushDocuments(context, held),

    async giveBack(claimed) {
      if (claimed.length === 0) return;
      const ids = [...new Set(claimed.map(({ subscriptionId }) => subscriptionId))];
      const theirs = claimed.map(asClaimed);
      const freed = connection.run(() =>
        writeEach(
          context,
          claimed.map((push) => held.release(push)),
        ),
      );
      const given = connection.write(ids.map(subscriptionName), async (session) => {
        await touch(context, session, ids);
        const { matchedCount } = await pushes.bulkWrite(
          claimed.map(({ matchedAt }, i) => ({
            updateOne: {
              filter: theirs[i] ?? {},
              update: { $set: { token: null, due_at: new Date(matchedAt) } },
            },
          })),
          { session },
        );
        // Others were taken over.
        const isAll = matchedCount === theirs.length || matchedCount === (await claimedNow(context, theirs));
        if (!isAll) throw notVisibleYet();
        await requeueDocuments(context, session, ids);
      });
      await Promise.all([freed, given]);
    },

    list: (subscriptionId, { before, limit }) =>
      connection.run(async () => {
        if ((await subscriptions.findOne({ _id: subscriptionId }, { projection: { _id: 1 } })) === null)
          return [];
        const documents = await pushes
          .find({
            subscription_id: subscriptionId,
            delivery_id: { $lt: before ?? Number.MAX_SAFE_INTEGER },
          })
          .sort({ delivery_id: -1 })
          .limit(limit)
          .toArray();
        return documents.map(pushRecordOfDocument);
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
  // Deliveries of a subscription that was removed may still be there.
  if ((await subscriptions.findOne({ _id: subscriptionId }, { session })) === null) return false;

  await touch(context, session, [subscriptionId]);
  const _id = pushId(subscriptionId, deliveryId);
  const push = await pushes.findOne({ _id }, { session });
  const next = redeliveredPush(push === null ? null : { ...push, dueAt: timeOf(push.due_at) }, now);
  const { state, dueAt, attempts, againAt } = next;
  const fields = { state, due_at: dateOf(dueAt), attempts, again_at: dateOf(againAt) };
  if (push === null) {
    const { post_id: postId, matched_at: matchedAt } = delivery;
    const fresh = newPush({ subscriptionId, deliveryId, postId, matchedAt }, matchedAt);
    await pushes.insertOne({ ...fresh, ...fields }, { session });
  } else await pushes.updateOne({ _id }, { $set: fields }, { session });
  await requeueDocuments(context, session, [subscriptionId]);
  return true;
}

/** Deletes pushes of deliveries matched before `before`, at most `limit`, in bounded steps. */
export async function prunePushDocuments(
  context: MongodbContext,
  before: number,
  limit: number,
): Promise<void> {
  const { connection, collections } = context;
  await inSteps(limit, PUSHES_PER_STEP, async (most) => {
    const found = await collections.pushes
      .find({ matched_at: { $lt: new Date(before) } }, { projection: { subscription_id: 1 } })
      .sort({ matched_at: 1 })
      .limit(most)
      .toArray();
    if (found.length === 0) return 0;
    const subscriptionIds = [...new Set(found.map((push) => push.subscription_id))];
    await connection.write(subscriptionIds.map(subscriptionName), async (session) => {
      await touch(context, session, subscriptionIds);
      await collections.pushes.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } }, { session });
      await requeueDocuments(context, session, subscriptionIds);
    });
    return found.length;
  });
}
