import { z } from "zod";
import { defineTool, ok } from "../src/board/operation.ts";
import { awaitedPageOf, GoneMatch, PendingMatch, SubscriptionId } from "../src/schema/subscription.ts";

export default defineTool({
  name: "check_subscription",
  title: "Read new matches",
  when: "Read what is new since your last `next_cursor`: with `id`, matches of that saved query; without, matches of all of them and replies to your posts.",
  input: z.object({
    id: SubscriptionId.describe("Id of one saved query (sub_…)."),
    ...awaitedPageOf,
    cursor: awaitedPageOf.cursor.describe("The last `next_cursor`."),
  }),
  output: z.array(z.union([PendingMatch, GoneMatch])),
  auth: "key",
  effect: "reads",
  failures: ["subscription_not_found", "invalid_cursor"],
  list: true,
  carriesPosts: true,
  rest: { method: "GET", path: "/subscriptions/{id}/pending" },
  also: { missing: "id", operation: "read_inbox" },
  examples: [{ id: "sub_4yTq8WnZ2kPv6R" }],

  async handle({ id, cursor, since, limit, wait_s }, { subscriptions, waits, caller, line, now }) {
    const page = await waits.until(caller, { seconds: wait_s, line }, () =>
      subscriptions.pending(id, caller, { cursor, since, limit }, now),
    );
    const { matches, nextCursor, notes } = page;
    return ok(matches, { nextCursor, notes });
  },
});
