import type { ClientSession } from "mongodb";
import type { PushAttempt, PushRecord } from "../../../ports/store/index.ts";
import { canBePushedTo } from "../../rules/claims.ts";
import type { MongodbContext } from "./context.ts";
import { type PushDocument, type SubscriptionDocument, timeOf } from "./schema/documents.ts";

/** What of a subscription decides where its waiting pushes go. */
export type ReceiverFields = Pick<
  SubscriptionDocument,
  "active" | "webhook_origin" | "webhook_verified_at" | "failures"
>;

export const destinationOf = (receiver: ReceiverFields): Pick<PushDocument, "origin" | "failing"> => ({
  origin: canBePushedTo(receiver) ? receiver.webhook_origin : null,
  failing: receiver.failures > 0,
});

/** Takes the waiting pushes of a subscription along when it changes; runs inside the transaction that changes it. */
export async function moveWaitingPushes(
  { collections }: MongodbContext,
  session: ClientSession,
  before: ReceiverFields & { _id: string },
  after: ReceiverFields,
): Promise<void> {
  const [old, next] = [destinationOf(before), destinationOf(after)];
  if (old.origin === next.origin && old.failing === next.failing) return;
  const waiting = { subscription_id: before._id, state: "waiting" } as const;
  await collections.pushes.updateMany(waiting, { $set: next }, { session });
}

/** A waiting push before its first attempt. */
export function newPush(
  push: { subscriptionId: string; deliveryId: number; postId: string; matchedAt: Date },
  receiver: ReceiverFields,
): PushDocument {
  return {
    _id: pushId(push.subscriptionId, push.deliveryId),
    subscription_id: push.subscriptionId,
    delivery_id: push.deliveryId,
    post_id: push.postId,
    matched_at: push.matchedAt,
    state: "waiting",
    due_at: push.matchedAt,
    attempts: 0,
    token: null,
    settled: null,
    again_at: null,
    history: [],
    ...destinationOf(receiver),
  };
}

export const pushId = (subscriptionId: string, deliveryId: number): string =>
  `${subscriptionId}:${deliveryId}`;

export function pushRecordOfDocument(document: PushDocument): PushRecord {
  return {
    subscriptionId: document.subscription_id,
    deliveryId: document.delivery_id,
    postId: document.post_id,
    matchedAt: document.matched_at.getTime(),
    state: document.state,
    attempts: document.attempts,
    history: attemptsOf(document),
    dueAt: timeOf(document.due_at),
  };
}

export function attemptsOf({ history }: PushDocument): PushAttempt[] {
  return history.map(({ at, latency_ms, status, error }) => ({
    at: at.getTime(),
    latencyMs: latency_ms,
    status,
    error,
  }));
}

export function historyDocuments(history: readonly PushAttempt[]): PushDocument["history"] {
  return history.map(({ at, latencyMs, status, error }) => ({
    at: new Date(at),
    latency_ms: latencyMs,
    status,
    error,
  }));
}
