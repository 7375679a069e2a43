import type { StoredSubscription } from "../../../ports/store/index.ts";
import { webhookOrigin } from "../../rules/claims.ts";
import { documentOf, rowOf } from "./rows.ts";
import type { SubscriptionDocument } from "./schema/documents.ts";

export function subscriptionOfDocument(document: SubscriptionDocument): StoredSubscription {
  const { query, ...fields } = document;
  const others = ["webhook_origin", "next_delivery", "change_no", "redeliveries"];
  return {
    ...rowOf<Omit<StoredSubscription, "query">>(fields, others),
    query: JSON.parse(query),
  };
}

/** A subscription before its first delivery. */
export function newSubscription(subscription: StoredSubscription, changeNo: number): SubscriptionDocument {
  const { id, publisherId, createdAt } = subscription;
  return {
    ...documentOf({ id, publisherId, createdAt }),
    ...changeableFields(subscription),
    next_delivery: 1,
    change_no: changeNo,
  };
}

/** The fields that may change. */
export function changeableFields(subscription: StoredSubscription) {
  const { id, publisherId, createdAt, query, ...fields } = subscription;
  return {
    ...documentOf(fields),
    query: JSON.stringify(query),
    webhook_origin: fields.webhookUrl === null ? null : webhookOrigin(fields.webhookUrl),
  };
}

/** The name in `alone` of a transaction that writes a subscription. */
export const subscriptionName = (id: string): string => `subscription:${id}`;
