import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { aPost, aPublisher, aSubscription, T0 } from "../../support/search/rows.ts";
import { claimedWork, type Subject } from "./subject.ts";

/** What `SubscriptionStore` promises of matches. */
export function describeDeliveries({ store }: Subject): void {
  describe("deliveries", () => {
    const match = (subscriptionId: string, postId: string, matchedAt = T0) => ({
      subscriptionId,
      postId,
      matchedAt,
    });
    beforeEach(async () => {
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
      await store.subscriptions.insert(aSubscription("sub_2"), 50);
      for (let n = 0; n < 5; n += 1) await store.posts.insert(aPost(`p${n}`));
    });

    it("number the matches of each subscription in their order, from 1, and each once", async () => {
      const delivered = await store.subscriptions.deliver(
        [match("sub_1", "p0"), match("sub_2", "p0"), match("sub_1", "p0"), match("sub_1", "p1")],
        [],
      );
      expect(delivered.map((d) => d.publisherId)).toEqual(["pub_a", "pub_a", "pub_a"]);
      expect(delivered.map((d) => [d.subscriptionId, d.postId, d.deliveryId])).toEqual([
        ["sub_1", "p0", 1],
        ["sub_2", "p0", 1],
        ["sub_1", "p1", 2],
      ]);
    });

    it("tell a subscription of a series once, and again when it begins anew", async () => {
      const date = (subscriptionId: string, n: number, now: number, endsAt: number, key = "yoga") => ({
        ...match(subscriptionId, `p${n}`, now),
        series: { key, endsAt },
      });
      const told = async (...matches: ReturnType<typeof date>[]) =>
        (await store.subscriptions.deliver(matches, [])).map((d) => `${d.subscriptionId} ${d.postId}`);
      // Two dates together, one of another series, and the same for somebody else.
      const first = [date("sub_1", 0, T0, T0 + 10), date("sub_1", 1, T0, T0 + 20)];
      expect(await told(...first, date("sub_1", 2, T0, T0 + 10, "pottery"))).toEqual([
        "sub_1 p0",
        "sub_1 p2",
      ]);
      expect(await told(date("sub_2", 1, T0, T0 + 20))).toEqual(["sub_2 p1"]);
      // A date that ends earlier makes the series no shorter.
      expect(await told(date("sub_2", 0, T0, T0 + 10))).toEqual([]);
      expect(await told(date("sub_2", 3, T0 + 15, T0 + 20))).toEqual([]);
      // Found once more, as an edit or a vector does; and a date before the last one is over.
      expect(await told(...first)).toEqual([]);
      expect(await told(date("sub_1", 3, T0 + 20, T0 + 30))).toEqual([]);
      expect(await told(date("sub_1", 4, T0 + 31, T0 + 40))).toEqual(["sub_1 p4"]);
      expect((await store.subscriptions.pending("sub_1", 0, 9)).map(({ post }) => post.id)).toEqual([
        "p0",
        "p2",
        "p4",
      ]);
    });

    it("tell of a series once, whatever is tried together", async () => {
      const matches = [0, 1, 2, 3, 4].map((n) => ({
        ...match("sub_1", `p${n}`),
        series: { key: "yoga", endsAt: T0 + n },
      }));
      const told = await Promise.all(matches.map((one) => store.subscriptions.deliver([one], [])));
      expect(told.flat()).toHaveLength(1);
      const others = matches.map((one) => ({ ...one, subscriptionId: "sub_2" }));
      expect(await store.subscriptions.deliver(others.slice(0, 1), [])).toHaveLength(1);
      await store.subscriptions.remove("sub_1");
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
      expect(await store.subscriptions.deliver(matches.slice(0, 1), [])).toHaveLength(1);
      expect(await store.subscriptions.deliver(others.slice(1), [])).toEqual([]);
    });

    it("happen once for each pair, whatever is tried together", async () => {
      const pair = fc.tuple(fc.constantFrom("sub_1", "sub_2"), fc.constantFrom("p0", "p1", "p2", "p3", "p4"));
      const seen = new Set<string>();
      const numbers = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(pair, { maxLength: 6 }), { maxLength: 6 }), async (batches) => {
          const answers = await Promise.all(
            batches.map((batch) =>
              store.subscriptions.deliver(
                batch.map(([s, p]) => match(s, p)),
                [],
              ),
            ),
          );
          for (const { subscriptionId, postId, deliveryId } of answers.flat()) {
            expect(seen.has(`${subscriptionId} ${postId}`)).toBe(false);
            seen.add(`${subscriptionId} ${postId}`);
            expect(deliveryId).toBe((numbers.get(subscriptionId) ?? 0) + 1);
            numbers.set(subscriptionId, deliveryId);
          }
        }),
        { numRuns: 8 },
      );
    });

    it("are read from a watermark on, in order, each with its publisher, and nothing is consumed", async () => {
      await store.publishers.insert(aPublisher("pub_b", { name: "Another", verifiedAt: T0 }));
      await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
      await store.subscriptions.deliver(
        [match("sub_2", "p4"), match("sub_2", "p3"), match("sub_2", "p2")],
        [],
      );
      await store.subscriptions.deliver(
        ["p0", "p1", "b", "p3"].map((id, n) => match("sub_1", id, T0 + n)),
        [],
      );
      const read = () => store.subscriptions.pending("sub_1", 1, 2);
      const [one, other] = await store.publishers.many(["pub_a", "pub_b"]);
      const [p1, b] = await store.posts.many(["p1", "b"]);
      expect(await read()).toEqual([
        { deliveryId: 2, matchedAt: T0 + 1, change: null, post: p1, publisher: one },
        { deliveryId: 3, matchedAt: T0 + 2, change: null, post: b, publisher: other },
      ]);
      expect(await read()).toEqual(await read());
      expect(await store.subscriptions.pending("sub_1", 4, 10)).toEqual([]);
      expect(await store.subscriptions.pending("nope", 0, 10)).toEqual([]);
      await store.publishers.erase("pub_b");
      expect((await read()).map(({ deliveryId, post }) => [deliveryId, post.id])).toEqual([
        [2, "p1"],
        [4, "p3"],
      ]);
    });

    it("set the time of the last match, which never goes back", async () => {
      await store.subscriptions.deliver([match("sub_1", "p0", T0 + 5), match("sub_1", "p1", T0 + 4)], []);
      await store.subscriptions.deliver([match("sub_1", "p2", T0 + 3), match("sub_2", "p2", T0 + 3)], []);
      const rows = await store.subscriptions.ofPublisher("pub_a");
      expect(rows.map(({ lastMatchedAt }) => lastMatchedAt)).toEqual([T0 + 5, T0 + 3]);
    });

    it("settle the work they came from", async () => {
      const [item] = await claimedWork(store, "match");
      if (item === undefined) throw new Error("nothing to match");
      const before = await store.work.backlog("match");
      await store.subscriptions.deliver([match("sub_1", item.postId)], [item]);
      expect(await store.work.backlog("match")).toBe(before - 1);
    });

    it("pass over pairs whose subscription or post is gone, or whose post is hidden", async () => {
      await store.posts.remove("p0", T0);
      await store.posts.update("p1", { state: "hidden" }, { text: false });
      const tried = [match("sub_1", "p0"), match("sub_1", "p1"), match("sub_1", "nope"), match("nope", "p2")];
      expect(await store.subscriptions.deliver(tried, [])).toEqual([]);
      await store.posts.update("p1", { state: "active" }, { text: false });
      expect(await store.subscriptions.deliver(tried, [])).toHaveLength(1);
    });

    it("drop out while their post is hidden or its publisher suspended, and for good when it is removed", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
      await store.subscriptions.deliver(
        [match("sub_1", "p0"), match("sub_1", "p1"), match("sub_1", "b"), match("sub_1", "p2")],
        [],
      );
      const shown = async () =>
        (await store.subscriptions.pending("sub_1", 0, 10)).map(({ post }) => post.id);
      const count = async () => (await store.subscriptions.pendingCounts(["sub_1", "sub_2"])).get("sub_1");
      await store.posts.update("p0", { state: "hidden" }, { text: false });
      await store.publishers.update("pub_b", { suspendedAt: T0 });
      expect([await shown(), await count()]).toEqual([["p1", "p2"], 2]);
      const next = await store.subscriptions.pending("sub_1", 0, 1);
      expect(next.map(({ deliveryId, post }) => [deliveryId, post.id])).toEqual([[2, "p1"]]);
      await store.posts.update("p0", { state: "active" }, { text: false });
      await store.publishers.update("pub_b", { suspendedAt: null });
      expect([await shown(), await count()]).toEqual([["p0", "p1", "b", "p2"], 4]);
      await store.posts.remove("p1", T0);
      expect([await shown(), await count()]).toEqual([["p0", "b", "p2"], 3]);
    });

    it("drop out while the post they answer is hidden, or its publisher suspended", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
      await store.posts.insert(aPost("b-1", { parentId: "b" }));
      await store.subscriptions.deliver([match("sub_1", "b-1"), match("sub_1", "p0")], []);
      const seen = async () => [
        (await store.subscriptions.pending("sub_1", 0, 10)).map(({ post }) => post.id),
        (await store.subscriptions.pendingCounts(["sub_1"])).get("sub_1"),
        (await store.inbox.read("pub_b", 0, 10)).map(({ postId }) => postId),
      ];
      const [all, rest] = [
        [["b-1", "p0"], 2, ["b-1"]],
        [["p0"], 1, []],
      ];
      expect(await seen()).toEqual(all);
      await store.posts.update("b", { state: "hidden" }, { text: false });
      expect(await seen()).toEqual(rest);
      await store.posts.update("b", { state: "active" }, { text: false });
      expect(await seen()).toEqual(all);
      await store.publishers.update("pub_b", { suspendedAt: T0 });
      expect(await seen()).toEqual(rest);
    });

    it("are counted for each subscription asked for, 0 where there are none", async () => {
      await store.subscriptions.deliver([match("sub_1", "p0"), match("sub_1", "p1")], []);
      expect(await store.subscriptions.pendingCounts(["sub_1", "sub_2", "nope"])).toEqual(
        new Map([
          ["sub_1", 2],
          ["sub_2", 0],
          ["nope", 0],
        ]),
      );
    });

    it("are pruned after their time, the oldest first, but never delivered again", async () => {
      await store.subscriptions.deliver(
        [match("sub_1", "p1", T0 + 1), match("sub_1", "p0", T0), match("sub_1", "p2", T0 + 2)],
        [],
      );
      await store.subscriptions.deliver([match("sub_2", "p0", T0 + 1), match("sub_2", "p1", T0 + 2)], []);
      const left = async () => {
        const lists = ["sub_1", "sub_2"].map((id) => store.subscriptions.pending(id, 0, 10));
        return (await Promise.all(lists)).map((list) => list.map(({ post }) => post.id));
      };
      const prune = async (limit: number) => [
        await store.subscriptions.pruneDeliveries(T0 + 2, limit),
        await left(),
      ];
      expect(await prune(1)).toEqual([
        1,
        [
          ["p1", "p2"],
          ["p0", "p1"],
        ],
      ]);
      expect(await prune(10)).toEqual([2, [["p2"], ["p1"]]]);
      expect(await prune(10)).toEqual([0, [["p2"], ["p1"]]]);
      expect([...(await store.subscriptions.pendingCounts(["sub_1", "sub_2"])).values()]).toEqual([1, 1]);
      const again = [match("sub_1", "p0", T0 + 9), match("sub_2", "p0", T0 + 9)];
      expect(await store.subscriptions.deliver(again, [])).toEqual([]);
      const next = await store.subscriptions.deliver(
        [match("sub_1", "p3", T0 + 9), match("sub_2", "p2", T0 + 9)],
        [],
      );
      expect(next.map(({ deliveryId }) => deliveryId)).toEqual([4, 3]);
    });
  });
}
