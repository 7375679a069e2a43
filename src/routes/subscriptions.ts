import { z } from "zod";
import { defineRoute, ok, pending } from "../board/operation.ts";
import { Deleted } from "../schema/post.ts";
import { numeric } from "../schema/scalars.ts";
import {
  DeliveryRecord,
  pageOf,
  RotatedSecret,
  Subscription,
  SubscriptionId,
  SubscriptionPatch,
  WebhookTest,
} from "../schema/subscription.ts";

const id = SubscriptionId.describe("Subscription id.");

export const listSubscriptions = defineRoute({
  name: "list_subscriptions",
  title: "List my subscriptions",
  when: "You want to see your standing queries, their state and how many matches wait.",
  input: z.object({}),
  output: z.array(Subscription),
  auth: "key",
  effect: "reads",
  list: true,
  rest: { method: "GET", path: "/subscriptions" },
  examples: [{}],

  async handle(_input, { subscriptions, caller }) {
    return ok(await subscriptions.list(caller), { nextCursor: null });
  },
});

export const readSubscription = defineRoute({
  name: "read_subscription",
  title: "Read a subscription",
  when: "You want the state of one standing query.",
  input: z.object({ id }),
  output: Subscription,
  auth: "key",
  effect: "reads",
  failures: ["subscription_not_found"],
  rest: { method: "GET", path: "/subscriptions/{id}" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { subscriptions, caller }) {
    return ok(await subscriptions.read(subscriptionId, caller));
  },
});

export const editSubscription = defineRoute({
  name: "edit_subscription",
  title: "Edit or pause a subscription",
  when: "A standing query should look for something else, be sent elsewhere, pause or go on; only what you send changes.",
  input: SubscriptionPatch.extend({ id }),
  output: Subscription,
  auth: "key",
  effect: "writes",
  failures: ["subscription_not_found", "invalid_url", "too_many_subscriptions"],
  rest: { method: "PATCH", path: "/subscriptions/{id}" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R", active: false }],

  async handle({ id: subscriptionId, ...patch }, { subscriptions, caller, now }) {
    const { query, notes } =
      patch.query === undefined
        ? { query: undefined, notes: [] }
        : await subscriptions.understood(patch.query, now);
    const changed = await subscriptions.edit(subscriptionId, { ...patch, query }, caller, now);
    return ok(changed, { notes });
  },
});

export const deleteSubscription = defineRoute({
  name: "delete_subscription",
  title: "Delete a subscription",
  when: "You no longer want to be told.",
  input: z.object({ id }),
  output: Deleted,
  auth: "key",
  effect: "erases",
  failures: ["subscription_not_found"],
  rest: { method: "DELETE", path: "/subscriptions/{id}" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { subscriptions, caller }) {
    await subscriptions.remove(subscriptionId, caller);
    return ok({ id: subscriptionId, deleted: true as const });
  },
});

export const verifyWebhook = defineRoute({
  name: "verify_webhook",
  title: "Ask for consent again",
  when: "Your receiver is ready to answer the challenge, or an inactive subscription should go on.",
  input: z.object({ id }),
  output: Subscription,
  auth: "key",
  effect: "writes",
  failures: ["subscription_not_found", "no_webhook", "too_many_subscriptions"],
  outcomes: ["ok", "pending"],
  rest: { method: "POST", path: "/subscriptions/{id}/verify-webhook" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { subscriptions, caller, now }) {
    const { subscription, verified } = await subscriptions.verifyWebhook(subscriptionId, caller, now);
    if (verified) return ok(subscription);
    const { webhook_refusal: refusal } = subscription;
    return pending(subscription, {
      notes: refusal === undefined ? [] : [`The webhook did not consent. ${refusal}`],
    });
  },
});

export const testWebhook = defineRoute({
  name: "test_webhook",
  title: "Test my webhook",
  when: "You want to see that your receiver takes and verifies signed messages.",
  input: z.object({ id }),
  output: WebhookTest,
  auth: "key",
  effect: "writes",
  failures: ["subscription_not_found", "no_webhook"],
  rest: { method: "POST", path: "/subscriptions/{id}/test" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { webhooks, caller, now }) {
    return ok(await webhooks.test(subscriptionId, caller, now));
  },
});

export const rotateSecret = defineRoute({
  name: "rotate_secret",
  title: "Replace a secret",
  when: "The signing secret may have leaked; the old one signs along for 24 h.",
  input: z.object({ id }),
  output: RotatedSecret,
  auth: "key",
  effect: "writes",
  failures: ["subscription_not_found"],
  repeatable: true,
  rest: { method: "POST", path: "/subscriptions/{id}/rotate-secret" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { webhooks, caller, now }) {
    return ok(await webhooks.rotateSecret(subscriptionId, caller, now));
  },
});

export const listDeliveries = defineRoute({
  name: "list_deliveries",
  title: "List deliveries",
  when: "You want to know what your webhook was sent, what it answered, and what is tried again; newest first.",
  input: z.object({ id, ...pageOf }),
  output: z.array(DeliveryRecord),
  auth: "key",
  effect: "reads",
  failures: ["subscription_not_found", "invalid_cursor"],
  list: true,
  rest: { method: "GET", path: "/subscriptions/{id}/deliveries" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId, cursor, limit }, { webhooks, caller }) {
    const { deliveries, ...page } = await webhooks.deliveries(subscriptionId, caller, { cursor, limit });
    return ok(deliveries, page);
  },
});

export const redeliver = defineRoute({
  name: "redeliver",
  title: "Deliver again",
  when: "Your receiver lost a delivery, or it was given up; it is sent again under the same id.",
  input: z.object({
    id,
    delivery_id: numeric({ min: 1, max: Number.MAX_SAFE_INTEGER, integer: true }),
  }),
  output: z.object({
    id: z.string(),
    delivery_id: z.int(),
    due_at: z.string().meta({ format: "date-time" }),
  }),
  auth: "key",
  effect: "writes",
  failures: ["subscription_not_found", "no_webhook"],
  outcomes: ["pending"],
  rest: { method: "POST", path: "/subscriptions/{id}/deliveries/{delivery_id}/redeliver" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R", delivery_id: 7 }],

  async handle({ id: subscriptionId, delivery_id }, { webhooks, caller, now }) {
    const { delivery, notes } = await webhooks.redeliver(subscriptionId, delivery_id, caller, now);
    return pending(delivery, { notes });
  },
});
