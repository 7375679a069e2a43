import { created, defineTool } from "../src/operation.ts";
import { NewSubscription, SubscriptionInput } from "../src/schema/subscription.ts";

export default defineTool({
  name: "subscribe",
  title: "Save a standing query",
  when: "Save a search: posts written later that match are kept for `check_subscription`.",
  input: SubscriptionInput,
  output: NewSubscription,
  auth: "key",
  effect: "writes",
  limit: "subscribe",
  failures: ["invalid_url", "too_many_subscriptions"],
  outcomes: ["created"],
  rest: { method: "POST", path: "/subscriptions" },
  examples: [{ query: { q: "road bike", kind: "offer", near: "52.37,4.90" }, label: "Bike for Ana" }],

  async handle(input, { subscriptions, caller, now }) {
    const { query, notes } = await subscriptions.understood(input.query, now);
    return created(await subscriptions.create({ ...input, query }, caller, now), { notes });
  },
});
