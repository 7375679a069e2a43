import { describe, expect, it } from "vitest";
import { aPublisher, T0 } from "../../../support/search/rows.ts";
import { DAY_MS, type Subject } from "../subject.ts";
import { first, NOW, named, preparePushes } from "./prepare.ts";

/** What remains of pushes whose post, delivery, subscription or publisher is gone. */
export function describePushEndings({ store }: Subject): void {
  describe("pushes", () => {
    const { claim, consenting, end, match } = preparePushes(store);

    it("stay as records when their post is erased", async () => {
      await consenting("sub_1", "https://a.example");
      const [postId = ""] = await match("sub_1", 1);
      await store.posts.remove(postId, T0);
      await store.posts.erase({ expired: 0, removed: T0 + 1 }, 10);
      expect(await store.pushes.list("sub_1", { before: null, limit: 1 })).toMatchObject([{ postId }]);
    });

    it("are pruned with the deliveries they came from", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 3);
      const held = first(await claim({ limit: 1 }));
      await store.subscriptions.pruneDeliveries(T0 + 2, 10);
      expect(named(await store.pushes.list("sub_1", { before: null, limit: 9 }))).toEqual(["sub_1 3"]);
      expect(await end(held, "delivered")).toBe(false);
      expect(named(await claim())).toEqual(["sub_1 3"]);
    });

    it("vanish with their subscription, also from under a claim", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 2);
      const held = first(await claim({ limit: 1 }));
      await store.subscriptions.remove("sub_1");
      expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
      expect(await store.pushes.list("sub_1", { before: null, limit: 9 })).toEqual([]);
      expect(await end(held, "delivered")).toBe(false);
    });

    it("vanish with their publisher", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      for (const id of ["sub_1", "sub_2", "sub_3"]) {
        await consenting(id, "https://b.example", { publisherId: "pub_b" });
        await match(id, 3);
      }
      await store.publishers.erase("pub_b");
      expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
    });
  });
}
