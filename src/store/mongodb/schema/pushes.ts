import type { PushAttempt, PushRecord } from "../../../ports/store/index.ts";
import { type PushDocument, timeOf } from "./documents.ts";

/**
 * One document for each push. While it is claimed, `token` names the claim and `due_at` is the end of the lease; `again_at`
 * is the due time of a redelivery requested meanwhile. `history` holds the attempts, oldest first.
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
    token: null,
    again_at: null,
    history: [],
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

export function attemptsOf({ history, attempt }: PushDocument): PushAttempt[] {
  const kept = history ?? (attempt == null ? [] : [attempt]);
  return kept.map(({ at, latency_ms, status, error }) => ({
    at: at.getTime(),
    latencyMs: latency_ms,
    status,
    error,
  }));
}

export function historyDocuments(history: readonly PushAttempt[]): NonNullable<PushDocument["history"]> {
  return history.map(({ at, latencyMs, status, error }) => ({
    at: new Date(at),
    latency_ms: latencyMs,
    status,
    error,
  }));
}
