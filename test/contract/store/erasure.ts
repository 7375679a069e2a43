import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { fillStore } from "../../support/boards/filled-store.ts";
import { aPost, aPublisher, aReport, aSubscription, T0 } from "../../support/search/rows.ts";
import { claimedWork, DAY_MS, idsOf, type Subject } from "./subject.ts";

/** What remains of old posts and erased publishers. */
export function describeErasure({ store, another }: Subject): void {
  describe("erasing old posts", () => {
    it("erases what expired or was removed before the given times, with its reports, and nothing else", async () => {
      const ids = ["old", "old-hidden", "young", "gone", "going"];
      await store.posts.insert(aPost("old", { expiresAt: T0 }));
      await store.posts.insert(aPost("old-hidden", { expiresAt: T0, state: "hidden" }));
      await store.posts.insert(aPost("young", { expiresAt: T0 + 1 }));
      await store.posts.insert(aPost("gone"));
      await store.posts.insert(aPost("going"));
      for (const postId of ids) await store.reports.upsert(aReport(`rep_${postId}`, { postId }));
      await store.posts.remove("gone", T0);
      await store.posts.remove("going", T0 + 1);
      expect(await store.posts.erase({ expired: T0 + 1, removed: T0 + 1 }, 100)).toBe(3);
      expect(idsOf(await store.posts.many(ids))).toEqual(["young", "going"]);
      const reports = await Promise.all(ids.map((id) => store.reports.of(id, 9)));
      expect(reports.map(({ length }) => length)).toEqual([0, 0, 1, 0, 1]);
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(1);
    });

    it.each([
      ["expired", { expired: T0 + DAY_MS, removed: 0 }],
      ["were removed", { expired: 0, removed: T0 + DAY_MS }],
    ])("erases at most as many as asked of those that %s, the first ones first", async (how, before) => {
      for (const n of [3, 0, 4, 1, 2]) {
        await store.posts.insert(aPost(`p${n}`, { createdAt: T0 - n, expiresAt: T0 + n }));
        if (how !== "expired") await store.posts.remove(`p${n}`, T0 + n);
      }
      expect(await store.posts.erase(before, 3)).toBe(3);
      expect(idsOf(await store.posts.many(["p0", "p1", "p2", "p3", "p4"]))).toEqual(["p3", "p4"]);
      expect(await store.posts.erase(before, 3)).toBe(2);
      expect(await store.posts.erase(before, 3)).toBe(0);
    });

    it("erases at most as many as asked of both together", async () => {
      const ids = ["gone0", "gone1", "old0", "old1", "old2"];
      for (const id of ids) await store.posts.insert(aPost(id, { expiresAt: id < "h" ? T0 + DAY_MS : T0 }));
      for (const id of ["gone0", "gone1"]) await store.posts.remove(id, T0);
      const before = { expired: T0 + 1, removed: T0 + 1 };
      for (const [erased, left] of [
        [3, 2],
        [2, 0],
      ]) {
        expect(await store.posts.erase(before, 3)).toBe(erased);
        expect(await store.posts.many(ids)).toHaveLength(left ?? 0);
      }
    });

    it("erases the replies of a root before it, and counts them", async () => {
      for (const n of [0, 1]) await store.posts.insert(aPost(`old${n}`, { expiresAt: T0 + n }));
      for (const n of [1, 2, 3]) await store.posts.insert(aPost(`old1-${n}`, { parentId: "old1" }));
      const left = async () =>
        (await store.posts.many(["old0", "old1", "old1-1", "old1-2", "old1-3"])).length;
      const erased = () => store.posts.erase({ expired: T0 + 2, removed: 0 }, 3);
      expect([await erased(), await left(), (await store.posts.get("old1"))?.id]).toEqual([3, 2, "old1"]);
      expect([await erased(), await left()]).toEqual([2, 0]);
    });

    it("erases the replies of a root with it, and none of a root that stays", async () => {
      await store.posts.insert(aPost("old", { expiresAt: T0 }));
      await store.posts.insert(aPost("old-1", { parentId: "old", expiresAt: T0 + 9 * DAY_MS }));
      await store.posts.insert(aPost("root"));
      await store.posts.insert(aPost("root-1", { parentId: "root", expiresAt: T0 }));
      await store.posts.erase({ expired: T0 + 1, removed: 0 }, 100);
      expect(idsOf(await store.posts.many(["old", "old-1", "root", "root-1"]))).toEqual(["root", "root-1"]);
      expect(await store.posts.get("root")).toMatchObject({ replyCount: 1, lastReplyAt: T0 });
    });
  });

  describe("erasing a publisher", () => {
    it("takes posts, replies to them, subscriptions, deliveries, reports and work along", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("p"));
      await store.posts.insert(aPost("p-b", { parentId: "p", publisherId: "pub_b" }));
      await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
      await store.posts.insert(aPost("b-a", { parentId: "b" }));
      await store.posts.insert(aPost("gone"));
      await store.posts.remove("gone", T0);
      await store.subscriptions.insert(aSubscription("sub_a"), 50);
      await store.subscriptions.insert(aSubscription("sub_b", { publisherId: "pub_b" }), 50);
      await store.subscriptions.deliver(
        [
          { subscriptionId: "sub_a", postId: "b", matchedAt: T0 },
          { subscriptionId: "sub_b", postId: "p", matchedAt: T0 },
          { subscriptionId: "sub_b", postId: "b", matchedAt: T0 },
        ],
        [],
      );
      await store.reports.upsert(aReport("rep_1", { postId: "b", reporter: "key:pub_a" }));
      await store.reports.upsert(aReport("rep_2", { postId: "b", reporter: "key:pub_b" }));
      await store.reports.upsert(aReport("rep_4", { postId: "b", reporter: "key:pub_ab" }));
      await store.reports.upsert(aReport("rep_3", { postId: "p", reporter: "key:pub_b" }));

      expect(await store.publishers.erase("pub_a")).toEqual({
        posts: 2,
        subscriptions: 1,
        complete: true,
      });

      expect(await store.publishers.get("pub_a")).toBeNull();
      expect(await store.publishers.byKeyHash("hash of pub_a")).toBeNull();
      expect(idsOf(await store.posts.many(["p", "p-b", "b", "b-a", "gone"]))).toEqual(["b"]);
      expect(await store.posts.get("b")).toMatchObject({ replyCount: 0, lastReplyAt: null });
      expect((await store.publishers.get("pub_b"))?.postCount).toBe(1);
      expect(await store.subscriptions.get("sub_a")).toBeNull();
      expect((await store.subscriptions.pending("sub_b", 0, 10)).map(({ post }) => post.id)).toEqual(["b"]);
      expect(idsOf(await store.reports.of("b", 9))).toEqual(["rep_2", "rep_4"]);
      expect((await store.reports.queue(10)).map(({ postId, reporters }) => [postId, reporters])).toEqual([
        ["b", 2],
      ]);
      expect((await claimedWork(store, "match")).map(({ postId }) => postId)).toEqual(["b"]);
    });

    it("leaves nothing of what is being delivered just then", async () => {
      const subscriptionIds = Array.from({ length: 20 }, (_, n) => `sub_${n}`);
      for (const id of subscriptionIds) await store.subscriptions.insert(aSubscription(id), 50);
      const matcher = await another();
      // A little later in the delivery each time.
      for (let n = 0; n < 16; n += 2) {
        await store.publishers.insert(aPublisher(`pub_${n}`));
        await store.posts.insert(aPost(`p${n}`, { publisherId: `pub_${n}` }));
        const matches = subscriptionIds.map((id) => ({ subscriptionId: id, postId: `p${n}`, matchedAt: T0 }));
        await Promise.all([
          matcher.subscriptions.deliver(matches, []),
          sleep(n).then(() => store.publishers.erase(`pub_${n}`)),
        ]);
      }
      const { counts, close } = await store.transfer.snapshot();
      await close();
      expect(counts).toMatchObject({ post: 0, delivery: 0, inbox: 0 });
    });

    it("answers null for one that is not there, also the second time", async () => {
      expect(await store.publishers.erase("nope")).toBeNull();
      await store.publishers.erase("pub_a");
      expect(await store.publishers.erase("pub_a")).toBeNull();
    });

    it("goes through however many posts there are", async () => {
      // More than two transactions erase. As an import writes them, which takes one.
      const ids = Array.from({ length: 120 }, (_, n) => `p${n}`);
      await fillStore(store, ids.length, "pub_b");
      expect(idsOf(await store.posts.many(ids))).toEqual(ids);
      expect(await store.publishers.erase("pub_b")).toMatchObject({ posts: 120, complete: true });
      expect(await store.posts.many(ids)).toEqual([]);
    });
  });
}
