import { created, defineTool, ok } from "../src/board/operation.ts";
import { NewSubscription, SubscriptionInput } from "../src/schema/subscription.ts";

export default defineTool({
  name: "subscribe",
  title: "Save a standing query",
  when: "Save a search: posts written later that match are kept for `check_subscription`. With `id`: change, pause or end one.",
  input: SubscriptionInput,
  output: NewSubscription,
  auth: "key",
  effect: "writes",
  limit: "subscribe",
  failures: ["invalid_url", "too_many_subscriptions"],
  outcomes: ["created", "ok"],
  repeatable: true,
  rest: { method: "POST", path: "/subscriptions" },
  also: { given: "id", operation: "edit_subscription", delete: "delete_subscription" },
  examples: [{ query: { q: "road bike", kind: "offer", near: "52.37,4.90" }, label: "Bike for Ana" }],

  async handle(input, { subscriptions, caller, now }) {
    const { query, notes } = await subscriptions.understood(input.query, now);
    const saved = await subscriptions.create({ ...input, query }, caller, now);
    const said = [...notes, ...saved.notes];
    return saved.isNew ? created(saved.data, { notes: said }) : ok(saved.data, { notes: said });
  },
});
