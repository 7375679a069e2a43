import { expect } from "vitest";
import type { Store } from "../../src/ports/store/index.ts";
import { aPost, aSubscription, T0 } from "../support/search/rows.ts";
import { idsOf } from "./store/subject.ts";

/**
 * Holds a store to what is promised of a publisher whose erasure has begun, and was cut off or is still under way: `pub_a`, whose
 * subscription is `sub_a`, beside `pub_b` with its post `p_pub_b`.
 */
export async function expectClosed({
  posts,
  publishers,
  subscriptions,
  inbox,
  statistics,
}: Store): Promise<void> {
  expect([await publishers.get("pub_a"), await publishers.byKeyHash("hash of pub_a")]).toEqual([null, null]);
  expect(idsOf(await publishers.many(["pub_a", "pub_b"]))).toEqual(["pub_b"]);
  expect(idsOf(await publishers.registered(0, { before: null, limit: 9 }))).toEqual(["pub_b"]);
  expect(await publishers.update("pub_a", { name: "Back again" })).toBeNull();
  expect(await publishers.erase("pub_a")).toBeNull();
  expect([...(await inbox.lastNumbers(["pub_a", "pub_b"])).keys()]).toEqual(["pub_b"]);
  expect((await statistics.counts(T0)).publishers).toBe(1);
  const match = { subscriptionId: "sub_a", postId: "p_pub_b", matchedAt: T0 };
  expect(await subscriptions.deliver([match], [])).toEqual([]);
  await expect(posts.insert(aPost("late"))).rejects.toThrow(/pub_a is gone/);
  await expect(subscriptions.insert(aSubscription("late"), 50)).rejects.toThrow(/pub_a is gone/);
}
