import type { ClientSession } from "mongodb";
import type { ClaimedPush, PushAttempt, PushStore } from "../../../ports/store/index.ts";
import { keptAttempts, settledPush, settledSubscription } from "../../rules/settling.ts";
import { dateOf, timeOf } from "../schema/documents.ts";
import { attemptsOf, historyDocuments, pushId, UNCLAIMED } from "../schema/pushes.ts";
import { subscriptionOfDocument } from "../schema/subscriptions.ts";
import type { MongodbContext } from "../server/context.ts";
import { nextChange } from "../subscriptions/changes.ts";
import { requeueDocuments } from "./queue.ts";

type Outcome = Parameters<PushStore["settle"]>[2];

/** See `PushStore.settle`; runs inside a transaction. */
export async function settlePushDocument(
  context: MongodbContext,
  session: ClientSession,
  { subscriptionId, deliveryId, token, subscription: claimed }: ClaimedPush,
  attempt: PushAttempt | null,
  outcome: Outcome,
): Promise<boolean> {
  const { pushes, subscriptions } = context.collections;
  const change_no = outcome.deactivate === null ? null : await nextChange(context, session);
  const _id = pushId(subscriptionId, deliveryId);
  const push = await pushes.findOne({ _id, token }, { session });
  const subscription = await subscriptions.findOne({ _id: subscriptionId }, { session });
  if (push === null || subscription === null) return false;

  const next = settledPush({ attempts: push.attempts, againAt: timeOf(push.again_at) }, attempt, outcome);
  await pushes.updateOne(
    { _id },
    {
      $set: {
        ...UNCLAIMED,
        again_at: null,
        state: next.state,
        due_at: dateOf(next.dueAt),
        attempts: next.attempts,
        history: historyDocuments(keptAttempts(attemptsOf(push), attempt)),
      },
    },
    { session },
  );
  const { failures, failingSince, active, inactiveReason } = settledSubscription(
    subscriptionOfDocument(subscription),
    claimed,
    attempt,
    outcome,
  );
  await subscriptions.updateOne(
    { _id: subscriptionId },
    {
      $set: {
        failures,
        failing_since: dateOf(failingSince),
        active,
        inactive_reason: inactiveReason,
        ...(change_no !== null && active !== subscription.active ? { change_no } : {}),
      },
      $inc: { push_changes: 1 },
    },
    { session },
  );
  await requeueDocuments(context, session, [subscriptionId]);
  return true;
}
