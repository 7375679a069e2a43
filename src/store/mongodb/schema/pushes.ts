import type { PushAttempt, PushRecord } from "../../../ports/store/index.ts";
import { type PushDocument, timeOf } from "./documents.ts";

/**
 * One document for each push. While it is claimed, `token` names the claim and `due_at` is the end of the lease; `again_at`
 * is the due time of a redelivery requested meanwhile. Only the latest attempt is kept.
 */

/** A waiting push before its first attempt. */
export function newPush(
  push: { subscriptionId: string; deliveryId: number; postId: string; matchedAt: Date },
  dueAt: Date,
): PushDocument {
  return {
    _id: pushId(push.subscriptionId, push.deliveryId),
    subscription_id: push.subscriptionId,
    delivery_id: push.deliveryId,
    post_id: push.postId,
    matched_at: push.matchedAt,
    state: "waiting",
    due_at: dueAt,
    attempts: 0,
    ...UNCLAIMED,
    again_at: null,
    attempt: null,
  };
}

export const pushId = (subscriptionId: string, deliveryId: number): string =>
  `${subscriptionId}:${deliveryId}`;

export const UNCLAIMED = {
  token: null,
  claimed_origin: null,
  claimed_failing: null,
} satisfies Partial<PushDocument>;

export function pushRecordOfDocument(document: PushDocument): PushRecord {
  const { attempt } = document;
  return {
    subscriptionId: document.subscription_id,
    deliveryId: document.delivery_id,
    postId: document.post_id,
    matchedAt: document.matched_at.getTime(),
    state: document.state,
    attempts: document.attempts,
    lastAttempt: attempt === null ? null : attemptOf(attempt),
    dueAt: timeOf(document.due_at),
  };
}

export function attemptDocument({ at, latencyMs, status, error }: PushAttempt): PushDocument["attempt"] {
  return { at: new Date(at), latency_ms: Math.round(latencyMs), status, error };
}

function attemptOf({ at, latency_ms, status, error }: NonNullable<PushDocument["attempt"]>): PushAttempt {
  return { at: at.getTime(), latencyMs: latency_ms, status, error };
}
