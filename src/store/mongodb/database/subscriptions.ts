import { Binary } from "mongodb";
import type { StoredSubscription } from "../../../ports/store/index.ts";
import { webhookOrigin } from "../../rules/claims.ts";
import { dateOf, type SubscriptionDocument, timeOf } from "./schema/documents.ts";

export function subscriptionOfDocument(document: SubscriptionDocument): StoredSubscription {
  return {
    id: document._id,
    publisherId: document.publisher_id,
    label: document.label,
    query: JSON.parse(document.query),
    vector: document.vector === null ? null : document.vector.toInt8Array(),
    vectorModel: document.vector_model,
    background: parsedOrNull(document.background),
    webhookUrl: document.webhook_url,
    webhookVerifiedAt: timeOf(document.webhook_verified_at),
    secretVersion: document.secret_version,
    previousSecretUntil: timeOf(document.previous_secret_until),
    active: document.active,
    inactiveReason: document.inactive_reason,
    failures: document.failures,
    failingSince: timeOf(document.failing_since),
    lastMatchedAt: timeOf(document.last_matched_at),
    createdAt: document.created_at.getTime(),
  };
}

/** A subscription before its first delivery. */
export function newSubscription(subscription: StoredSubscription, changeNo: number): SubscriptionDocument {
  return {
    _id: subscription.id,
    publisher_id: subscription.publisherId,
    created_at: new Date(subscription.createdAt),
    ...changeableFields(subscription),
    next_delivery: 1,
    change_no: changeNo,
  };
}

/** The fields that may change. */
export function changeableFields(subscription: StoredSubscription) {
  return {
    label: subscription.label,
    query: JSON.stringify(subscription.query),
    vector: subscription.vector === null ? null : Binary.fromInt8Array(subscription.vector),
    vector_model: subscription.vectorModel,
    background: subscription.background === null ? null : JSON.stringify(subscription.background),
    webhook_url: subscription.webhookUrl,
    webhook_origin: subscription.webhookUrl === null ? null : webhookOrigin(subscription.webhookUrl),
    webhook_verified_at: dateOf(subscription.webhookVerifiedAt),
    secret_version: subscription.secretVersion,
    previous_secret_until: dateOf(subscription.previousSecretUntil),
    active: subscription.active,
    inactive_reason: subscription.inactiveReason,
    failures: subscription.failures,
    failing_since: dateOf(subscription.failingSince),
    last_matched_at: dateOf(subscription.lastMatchedAt),
  } satisfies Partial<SubscriptionDocument>;
}

const parsedOrNull = (json: string | null) => (json === null ? null : JSON.parse(json));

/** The name in `alone` of a transaction that writes a subscription. */
export const subscriptionName = (id: string): string => `subscription:${id}`;
