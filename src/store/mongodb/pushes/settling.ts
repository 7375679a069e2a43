import type { ClientSession } from "mongodb";
import type { ClaimedPush, PushAttempt, PushStore } from "../../../ports/store/index.ts";
import { ATTEMPTS_KEPT, keptAttempts, settledPush, settledSubscription } from "../../rules/settling.ts";
import type { MongodbContext } from "../database/context.ts";
import { dateOf, timeOf } from "../database/schema/documents.ts";
import {
  moveWaitingPushes,
  pushId,
  subscriptionName,
  subscriptionOfDocument,
} from "../database/subscriptions.ts";
import { nextChange } from "../subscriptions/changes.ts";

type Outcome = Parameters<PushStore["settle"]>[2];

/**
 * See `PushStore.settle`. From a delivered push nothing follows for a subscription without failures: one write settles it. Any
 * other is a transaction.
 */
export function settlePushDocuments(context: MongodbContext): PushStore["settle"] {
  const { run, write } = context.connection;
  return async (push, attempt, outcome) => {
    const mayBePlain = outcome.state === "delivered" && attempt !== null && !push.receiver.failing;
    if (mayBePlain && (await run(() => settleDelivered(context, push, attempt)))) return true;
    return write([subscriptionName(push.subscriptionId)], (session) =>
      settleInside(context, session, push, attempt, outcome),
    );
  };
}

/** Finds a push while it is claimed by this claim. */
export const asClaimed = ({ subscriptionId, deliveryId, token }: ClaimedPush) => ({
  _id: pushId(subscriptionId, deliveryId),
  token,
});

/** Resolves to false when it was taken over or asked for once more, or another push of its subscription failed meanwhile. */
async function settleDelivered(
  { collections }: MongodbContext,
  push: ClaimedPush,
  attempt: PushAttempt,
): Promise<boolean> {
  const settled = await collections.pushes.updateOne(
    { ...asClaimed(push), again_at: null, failing: false },
    {
      $set: { token: null, state: "delivered", due_at: null },
      $inc: { attempts: 1 },
      $push: { history: { $each: keptAttempts([], attempt), $slice: -ATTEMPTS_KEPT } },
    },
  );
  return settled.modifiedCount === 1;
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
