import type { ClientSession } from "mongodb";
import type { ClaimedPush, PushAttempt, PushStore } from "../../../ports/store/index.ts";
import { dateOf, type PushDocument, type SubscriptionDocument } from "../schema/documents.ts";
import { attemptDocument, pushId, UNCLAIMED } from "../schema/pushes.ts";
import type { Parts } from "../server/context.ts";
import { nextChange } from "../subscriptions/changes.ts";
import { requeue } from "./queue.ts";

type Outcome = Parameters<PushStore["settle"]>[2];

/** See `PushStore.settle`; runs inside a transaction. */
export async function settlePush(
  parts: Parts,
  session: ClientSession,
  { subscriptionId, deliveryId, token, subscription: claimed }: ClaimedPush,
  attempt: PushAttempt | null,
  outcome: Outcome,
): Promise<boolean> {
  const { pushes, subscriptions } = parts.collections;
  const change_no = outcome.deactivate === null ? null : await nextChange(parts, session);
  const _id = pushId(subscriptionId, deliveryId);
  const push = await pushes.findOne({ _id, token }, { session });
  const subscription = await subscriptions.findOne({ _id: subscriptionId }, { session });
  if (push === null || subscription === null) return false;

  await pushes.updateOne({ _id }, { $set: settled(push, attempt, outcome) }, { session });
  // What the webhook of before did says nothing of the one that took its place.
  const followed = subscription.webhook_url === claimed.webhookUrl;
  await subscriptions.updateOne(
    { _id: subscriptionId },
    {
      $set: {
        ...(followed ? counted(subscription, attempt, outcome) : {}),
        ...(followed && subscription.active && change_no !== null
          ? { active: false, inactive_reason: outcome.deactivate, change_no }
          : {}),
      },
      $inc: { push_changes: 1 },
    },
    { session },
  );
  await requeue(parts, session, [subscriptionId]);
  return true;
}

function settled(
  push: PushDocument,
  attempt: PushAttempt | null,
  { state, dueAt }: Outcome,
): Partial<PushDocument> {
  // A new delivery that was asked for meanwhile follows, however this attempt ended.
  const next =
    push.again_at === null
      ? { state, due_at: dateOf(dueAt), attempts: push.attempts + (attempt === null ? 0 : 1) }
      : { state: "waiting" as const, due_at: push.again_at, attempts: 0 };
  return {
    ...UNCLAIMED,
    again_at: null,
    ...next,
    ...(attempt === null ? {} : { attempt: attemptDocument(attempt) }),
  };
}

/** Failures of a subscription after an attempt, or what is left of them after one that was delivered. */
function counted(
  subscription: SubscriptionDocument,
  attempt: PushAttempt | null,
  { state }: Outcome,
): Partial<SubscriptionDocument> {
  if (state === "delivered") return { failures: 0, failing_since: null };
  if (attempt === null) return {};
  return {
    failures: subscription.failures + 1,
    failing_since: subscription.failing_since ?? new Date(attempt.at),
  };
}
