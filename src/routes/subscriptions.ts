import { z } from "zod";
import { defineRoute, ok, pending } from "../operation.ts";
import { Deleted } from "../schema/post.ts";
import { Subscription, SubscriptionId } from "../schema/subscription.ts";

const id = SubscriptionId.describe("Subscription id.");

export const listSubscriptions = defineRoute({
  name: "list_subscriptions",
  title: "List my subscriptions",
  when: "You want to see your standing queries, their state and how many matches wait.",
  input: z.object({}),
  output: z.array(Subscription),
  auth: "key",
  effect: "reads",
  limit: "read",
  failures: [],
  list: true,
  outcomes: ["ok"],
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
  limit: "read",
  failures: ["subscription_not_found"],
  outcomes: ["ok"],
  rest: { method: "GET", path: "/subscriptions/{id}" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { subscriptions, caller }) {
    return ok(await subscriptions.read(subscriptionId, caller));
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
  limit: "write",
  failures: ["subscription_not_found"],
  outcomes: ["ok"],
  rest: { method: "DELETE", path: "/subscriptions/{id}" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { subscriptions, caller }) {
    await subscriptions.remove(subscriptionId, caller);
    return ok({ id: subscriptionId, deleted: true as const });
  },
});

export const verifyWebhook = defineRoute({
  name: "verify_webhook",
  title: "Ask a webhook for consent again",
  when: "Your receiver is ready to answer the challenge, or an inactive subscription should go on.",
  input: z.object({ id }),
  output: Subscription,
  auth: "key",
  effect: "writes",
  limit: "write",
  failures: ["subscription_not_found", "no_webhook"],
  outcomes: ["ok", "pending"],
  rest: { method: "POST", path: "/subscriptions/{id}/verify-webhook" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id: subscriptionId }, { subscriptions, caller, now }) {
    const { subscription, verified } = await subscriptions.verifyWebhook(subscriptionId, caller, now);
    return verified ? ok(subscription) : pending(subscription);
  },
});
