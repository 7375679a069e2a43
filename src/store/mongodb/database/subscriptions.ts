import type { ClientSession } from "mongodb";
import type { PushRecord, StoredSubscription } from "../../../ports/store/index.ts";
import { PUSH, SUBSCRIPTION } from "../../../records/subscription.ts";
import { canBePushedTo, dueAtOnce, webhookOrigin } from "../../rules/claims.ts";
import type { MongodbContext } from "./context.ts";
import { documentOf, rowOf } from "./rows.ts";
import type { PushDocument, SubscriptionDocument } from "./schema/documents.ts";

export const subscriptionOfDocument = (document: SubscriptionDocument): StoredSubscription =>
  rowOf(SUBSCRIPTION, document);

/** Gives the fields of a document that the row decides. */
export function subscriptionFields(subscription: StoredSubscription) {
  const { webhookUrl } = subscription;
  return {
    ...documentOf(SUBSCRIPTION, subscription),
    webhook_origin: webhookUrl === null ? null : webhookOrigin(webhookUrl),
  };
}

/** A transaction that writes a subscription has this name in `alone`. */
export const subscriptionName = (id: string): string => `subscription:${id}`;

/** These fields of a subscription decide where its waiting pushes go. */
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

/** Nobody claims such a push. */
export const UNCLAIMED = { token: null, again_at: null } as const;

/** Makes a waiting push before its first attempt. */
export function newPush(
  push: { subscriptionId: string; deliveryId: number; postId: string; matchedAt: number },
  receiver: ReceiverFields,
): PushDocument {
  const { subscriptionId, deliveryId, postId, matchedAt } = push;
  return {
    _id: pushId(subscriptionId, deliveryId),
    ...documentOf(PUSH, { subscriptionId, deliveryId, postId, matchedAt, dueAt: dueAtOnce(matchedAt) }),
    state: "waiting",
    attempts: 0,
    ...UNCLAIMED,
    history: [],
    ...destinationOf(receiver),
  };
}

export const pushId = (subscriptionId: string, deliveryId: number): string =>
  `${subscriptionId}:${deliveryId}`;

export const pushRecordOfDocument = (document: PushDocument): PushRecord => rowOf(PUSH, document);
