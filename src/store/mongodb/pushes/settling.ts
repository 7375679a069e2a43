import type { ClientSession } from "mongodb";
import type { ClaimedPush, PushAttempt, PushStore } from "../../../ports/store/index.ts";
import { keptAttempts, settledPush, settledSubscription } from "../../rules/settling.ts";
import type { MongodbContext } from "../database/context.ts";
import { gathered } from "../database/gathered.ts";
import { dateOf, timeOf } from "../database/schema/documents.ts";
import {
  moveWaitingPushes,
  pushId,
  subscriptionName,
  subscriptionOfDocument,
} from "../database/subscriptions.ts";
import { nextChange } from "../subscriptions/changes.ts";

type Outcome = Parameters<PushStore["settle"]>[2];

interface Delivered {
  push: ClaimedPush;
  attempt: PushAttempt;
}

const DELIVERED_PER_BATCH = 100;
const KEPT_ATTEMPTS = 20;

/**
 * See `PushStore.settle`. From a delivered push nothing follows for a subscription without failures, so those are settled
 * together by one bulk. All others are a transaction each.
 */
export function settlePushDocuments(context: MongodbContext): PushStore["settle"] {
  const delivered = gathered(
    (batch: readonly Delivered[]) => context.connection.run(() => settleDelivered(context, batch)),
    { most: DELIVERED_PER_BATCH, atOnce: 1 },
  );
  return async (push, attempt, outcome) => {
    const simple = outcome.state === "delivered" && outcome.dueAt === null && !push.receiver.failing;
    if (simple && attempt !== null && (await delivered({ push, attempt }))) return true;
    return context.connection.write([subscriptionName(push.subscriptionId)], (session) =>
      settleInside(context, session, push, attempt, outcome),
    );
  };
}

/** Finds a push while it is claimed by this claim. */
export const asClaimed = ({ subscriptionId, deliveryId, token }: ClaimedPush) => ({
  _id: pushId(subscriptionId, deliveryId),
  token,
});

/** Resolves, for each, to whether it is settled: not one that was taken over, or asked for once more meanwhile. */
async function settleDelivered(context: MongodbContext, batch: readonly Delivered[]): Promise<boolean[]> {
  const { pushes, subscriptions } = context.collections;
  const { modifiedCount } = await pushes.bulkWrite(
    batch.map(({ push, attempt }) => ({
      updateOne: {
        filter: { ...asClaimed(push), again_at: null },
        update: {
          $set: { token: null, settled: push.token, state: "delivered", due_at: null },
          $inc: { attempts: 1 },
          $push: {
            history: { $each: keptAttempts([], attempt), $slice: -KEPT_ATTEMPTS },
          },
        },
      },
    })),
    { ordered: false },
  );
  const ids = batch.map(({ push }) => asClaimed(push)._id);
  const done =
    modifiedCount === batch.length
      ? null
      : new Map(
          (await pushes.find({ _id: { $in: ids } }, { projection: { settled: 1 } }).toArray()).map(
            ({ _id, settled }) => [_id, settled],
          ),
        );
  const settled = batch.map(({ push }, i) => done === null || done.get(ids[i] ?? "") === push.token);
  // Another of a subscription's pushes may have failed since the claim.
  const urls = new Map(batch.map(({ push }) => [push.subscriptionId, push.receiver.webhookUrl]));
  const failing = await subscriptions
    .find({ _id: { $in: [...urls.keys()] }, failures: { $gt: 0 } })
    .project<{ _id: string; webhook_url: string | null }>({ webhook_url: 1 })
    .toArray();
  for (const { _id, webhook_url } of failing) {
    if (webhook_url !== urls.get(_id)) continue;
    await context.connection.write([subscriptionName(_id)], async (session) => {
      const before = await subscriptions.findOneAndUpdate(
        { _id, webhook_url },
        { $set: { failures: 0, failing_since: null } },
        { session },
      );
      if (before !== null) await moveWaitingPushes(context, session, before, { ...before, failures: 0 });
    });
  }
  return settled;
}

async function settleInside(
  context: MongodbContext,
  session: ClientSession,
  claimed: ClaimedPush,
  attempt: PushAttempt | null,
  outcome: Outcome,
): Promise<boolean> {
  const { pushes, subscriptions } = context.collections;
  const change_no = outcome.deactivate === null ? null : await nextChange(context, session);
  const push = await pushes.findOne(asClaimed(claimed), { session });
  const found = await subscriptions.findOne({ _id: claimed.subscriptionId }, { session });
  if (push === null || found === null) return false;

  const next = settledPush({ attempts: push.attempts, againAt: timeOf(push.again_at) }, attempt, outcome);
  const before = subscriptionOfDocument(found);
  const after = settledSubscription(before, claimed.receiver, attempt, outcome);
  const { failures, failingSince, active, inactiveReason } = after;
  const history = keptAttempts(push.history, attempt);
  await pushes.updateOne(
    { _id: push._id },
    {
      $set: {
        token: null,
        settled: claimed.token,
        again_at: null,
        state: next.state,
        due_at: dateOf(next.dueAt),
        attempts: next.attempts,
        history,
      },
    },
    { session },
  );
  const changed = { failures, failing_since: dateOf(failingSince), active, inactive_reason: inactiveReason };
  const no = change_no !== null && active !== before.active ? { change_no } : {};
  await subscriptions.updateOne({ _id: found._id }, { $set: { ...changed, ...no } }, { session });
  await moveWaitingPushes(context, session, found, { ...found, ...changed });
  return true;
}
