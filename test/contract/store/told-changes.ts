import { beforeEach, describe, expect, it } from "vitest";
import type { RowPage } from "../../../src/ports/store/transfer.ts";
import { aPost, aPublisher, aSubscription, T0 } from "../../support/search/rows.ts";
import { claimedWork, type Subject } from "./subject.ts";

const HOUR_MS = 3_600_000;
const START = T0 + 48 * HOUR_MS;

/** What `PostStore` and `SubscriptionStore` promise of changes to posts that somebody was told of. */
export function describeToldChanges({ store }: Subject): void {
  describe("changes of posts that were told", () => {
    beforeEach(async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      for (const id of ["sub_1", "sub_2"]) await store.subscriptions.insert(aSubscription(id), 50);
      await store.posts.insert(aPost("p", { publisherId: "pub_b", startsAt: START }));
    });
    const deliver = (...ids: string[]) =>
      store.subscriptions.deliver(
        ids.map((subscriptionId) => ({ subscriptionId, postId: "p", matchedAt: T0 })),
        [],
      );
    const edit = (change: object, updatedAt: number) =>
      store.posts.update("p", { ...change, updatedAt }, { text: false });
    const told = async (now: number) =>
      (await store.subscriptions.tellChange("p", now)).map((one) => [one.subscriptionId, one.deliveryId]);
    const pending = async (id: string) =>
      (await store.subscriptions.pending(id, 0, 9)).map(({ deliveryId, change, post }) => [
        deliveryId,
        change?.what ?? null,
        post.state,
      ]);

    it("give each who was told another delivery with what changed, once, and nobody else", async () => {
      await deliver("sub_1");
      await store.posts.insert(aPost("q", { startsAt: START }));
      await store.subscriptions.deliver([{ subscriptionId: "sub_2", postId: "q", matchedAt: T0 }], []);
      await edit({ startsAt: START + HOUR_MS, title: "A better title" }, T0 + 1);
      expect(await store.subscriptions.toldOf("p")).toEqual(["sub_1"]);
      expect(await store.subscriptions.tellChange("p", T0 + 2)).toEqual([
        { subscriptionId: "sub_1", publisherId: "pub_a", postId: "p", deliveryId: 2 },
      ]);
      expect((await store.subscriptions.get("sub_1"))?.lastMatchedAt).toBe(T0 + 2);
      expect(await told(T0 + 3)).toEqual([]);
      const [delivery] = await store.subscriptions.pending("sub_1", 0, 9);
      const change = { at: T0 + 1, what: ["starts_at"], before: { startsAt: START }, series: null };
      expect(delivery).toMatchObject({ deliveryId: 2, matchedAt: T0 + 2, change });
      expect(await pending("sub_2")).toEqual([[1, null, "active"]]);
      const entries = await store.inbox.read("pub_a", 0, 9);
      expect(entries.map(({ postId, deliveryId, change: news }) => [postId, deliveryId, news?.what])).toEqual(
        [
          ["p", 1, undefined],
          ["q", 1, undefined],
          ["p", 2, ["starts_at"]],
        ],
      );
      expect(entries.at(-1)).toMatchObject({ type: "match", at: T0 + 2, subscriptionId: "sub_1", change });
      expect((await store.subscriptions.pendingCounts(["sub_1"])).get("sub_1")).toBe(1);
    });

    it("are told to all who were told, however many they are", async () => {
      const ids = Array.from({ length: 201 }, (_, n) => `many_${n}`);
      // As an import writes them: what was told lies there already.
      const pages: RowPage[] = [
        { kind: "subscription", rows: ids.map((id) => ({ ...aSubscription(id), nextDelivery: 2 })) },
        {
          kind: "delivery",
          rows: ids.map((subscriptionId) => ({
            ...{ subscriptionId, postId: "p", deliveryId: 1, matchedAt: T0, change: null },
          })),
        },
      ];
      await store.transfer.write(pages, { name: "told", from: null, to: "there" });
      await edit({ startsAt: START + HOUR_MS }, T0 + 1);
      expect((await told(T0 + 2)).sort()).toEqual(ids.map((id) => [id, 2]).sort());
      expect(await told(T0 + 3)).toEqual([]);
    });

    it("wait with the post until its work is settled, and gather", async () => {
      await deliver("sub_1");
      await edit({ startsAt: START + HOUR_MS }, T0 + 1);
      await edit({ location: null }, T0 + 2);
      const before = { startsAt: START, location: { name: "Amsterdam", lat: 52.37, lng: 4.9 } };
      const { change } = (await store.posts.get("p")) ?? {};
      expect(change).toEqual({ at: T0 + 2, what: ["starts_at", "location"], before, series: null });
      await store.subscriptions.deliver([], await claimedWork(store, "embed"));
      expect((await store.posts.get("p"))?.change).toEqual(change);
      await store.subscriptions.deliver([], await claimedWork(store, "match"));
      expect((await store.posts.get("p"))?.change).toBeNull();
      expect(await told(T0 + 3)).toEqual([]);
    });

    it("are none once the post is over, and none where nobody was told", async () => {
      await store.posts.insert(aPost("q"));
      await store.subscriptions.deliver([{ subscriptionId: "sub_1", postId: "q", matchedAt: T0 }], []);
      expect((await edit({ startsAt: START + 1 }, T0 + 1))?.change).toBeNull();
      await deliver("sub_1");
      expect((await edit({ startsAt: START + 2 }, START + HOUR_MS))?.change).toBeNull();
      await store.posts.remove("p", START + HOUR_MS);
      expect(await told(START + HOUR_MS)).toEqual([]);
      expect(await pending("sub_1")).toEqual([[1, null, "active"]]);
    });

    it("are told neither to who is paused nor to who wants none", async () => {
      await store.subscriptions.update("sub_1", { changes: false });
      await deliver("sub_1", "sub_2");
      await store.subscriptions.update("sub_2", { active: false, inactiveReason: "paused" });
      await edit({ endsAt: START + HOUR_MS }, T0 + 1);
      expect(await told(T0 + 2)).toEqual([]);
      // Where only the webhook was given up, it can still be polled.
      for (const [n, inactiveReason] of (["webhook_gone", "webhook_failing"] as const).entries()) {
        await store.subscriptions.update("sub_2", { active: false, inactiveReason });
        await edit({ endsAt: START + (2 + n) * HOUR_MS }, T0 + 2 + n);
        expect(await told(T0 + 3)).toEqual([["sub_2", 2 + n]]);
      }
      await store.posts.insert(aPost("q"));
      await store.subscriptions.insert(aSubscription("sub_3"), 50);
      await store.subscriptions.deliver([{ subscriptionId: "sub_3", postId: "q", matchedAt: T0 }], []);
      expect((await store.subscriptions.toldOf("p")).sort()).toEqual(["sub_1", "sub_2"]);
    });

    it("are removals too, of which nothing but the id is left", async () => {
      await deliver("sub_1");
      await edit({ location: { name: "Delft", lat: 52.01, lng: 4.36 } }, T0 + 1);
      expect(await told(T0 + 2)).toEqual([["sub_1", 2]]);
      await store.posts.remove("p", T0 + 3);
      // Where it was is its publisher's text.
      expect(await pending("sub_1")).toEqual([]);
      expect((await store.inbox.read("pub_a", 0, 9)).length).toBe(0);
      expect(await claimedWork(store, "match")).toMatchObject([{ postId: "p" }]);
      expect(await told(T0 + 4)).toEqual([["sub_1", 3]]);
      expect(await pending("sub_1")).toEqual([[3, ["removed"], "removed"]]);
      const [entry] = await store.inbox.read("pub_a", 0, 9);
      expect(entry).toMatchObject({ postId: "p", deliveryId: 3, change: { what: ["removed"], before: {} } });
    });

    it("are removals of the replies too that go with their root", async () => {
      await store.posts.insert(aPost("p-1", { parentId: "p", publisherId: "pub_b", startsAt: START }));
      await store.subscriptions.deliver([{ subscriptionId: "sub_1", postId: "p-1", matchedAt: T0 }], []);
      await store.posts.update("p-1", { startsAt: START + 1, updatedAt: T0 + 1 }, { text: false });
      await store.subscriptions.tellChange("p-1", T0 + 2);
      expect(await pending("sub_1")).toEqual([[2, ["starts_at"], "active"]]);
      await store.posts.remove("p", T0 + 3);
      expect(await pending("sub_1")).toEqual([]);
      await store.subscriptions.tellChange("p-1", T0 + 4);
      expect(await pending("sub_1")).toEqual([[3, ["removed"], "removed"]]);
    });

    it("push to webhooks as matches do", async () => {
      const hook = { webhookUrl: "https://example.org/hook", webhookVerifiedAt: T0 };
      await store.subscriptions.insert(aSubscription("sub_3", hook), 50);
      await deliver("sub_3");
      await edit({ expiresAt: T0 + 1 }, T0 + 1);
      await told(T0 + 2);
      const pushes = await store.pushes.list("sub_3", { before: null, limit: 9 });
      expect(pushes.map(({ deliveryId, state }) => [deliveryId, state])).toEqual([
        [2, "waiting"],
        [1, "waiting"],
      ]);
    });

    it("tell those who answered a post that it ended, once, and not its publisher", async () => {
      await store.posts.insert(aPost("p-1", { parentId: "p" }));
      await store.posts.insert(aPost("p-2", { parentId: "p", publisherId: "pub_b" }));
      const heard = async (id: string) =>
        (await store.inbox.read(id, 0, 9))
          .filter(({ change }) => change !== null)
          .map(({ type, at, postId, change }) => [type, at - T0, postId, change?.what]);
      await edit({ startsAt: START + HOUR_MS }, T0 + 1);
      expect(await heard("pub_a")).toEqual([]);
      await edit({ expiresAt: T0 + 2 }, T0 + 2);
      expect(await heard("pub_a")).toEqual([["activity", 2, "p", ["ended"]]]);
      await edit({ title: "Over" }, T0 + 3);
      await store.posts.remove("p", T0 + 4);
      expect(await heard("pub_a")).toEqual([]);
      expect(await heard("pub_b")).toEqual([]);
    });

    it("tell those who answered a post that it is taken down", async () => {
      await store.posts.insert(aPost("p-1", { parentId: "p" }));
      await store.posts.remove("p", T0 + 4);
      const entries = await store.inbox.read("pub_a", 0, 9);
      expect(entries).toMatchObject([{ type: "activity", postId: "p", change: { what: ["removed"] } }]);
    });

    it("save no query of a publisher twice, whatever is tried together", async () => {
      const same = ({ query }: { query: object }) => JSON.stringify(query) === '{"q":"same"}';
      const others = aSubscription("b", { publisherId: "pub_b", query: { q: "same" } });
      expect(await store.subscriptions.insert(others, 50, same)).toBe(true);
      const tried = ["x", "y", "z"].map((id) =>
        store.subscriptions.insert(aSubscription(id, { query: { q: "same" } }), 50, same),
      );
      expect((await Promise.all(tried)).filter(Boolean)).toHaveLength(1);
    });
  });
}
