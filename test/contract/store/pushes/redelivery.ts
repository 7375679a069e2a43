import { describe, expect, it } from "vitest";
import { aSubscription, T0 } from "../../../support/search/rows.ts";
import { DAY_MS, type Subject } from "../subject.ts";
import { answer, CLOCKS_APART_MS, first, LEASE_MS, NOW, named, preparePushes } from "./prepare.ts";

/** How pushes are listed, and sent once more. */
export function describePushRedelivery({ store }: Subject): void {
  describe("pushes", () => {
    const { claim, consenting, end, match } = preparePushes(store);

    it("are listed with their attempts, newest first, in pages", async () => {
      await consenting("sub_1", "https://a.example");
      const ids = await match("sub_1", 3);
      const [one, two] = await claim({ limit: 2 });
      if (one === undefined || two === undefined) throw new Error("too few");
      await end(one, "delivered", { at: NOW + 1 });
      await store.pushes.settle(two, answer(NOW + 2, null), {
        state: "waiting",
        dueAt: NOW + 9,
        deactivate: null,
      });
      const record = (n: number) => ({
        subscriptionId: "sub_1",
        deliveryId: n,
        postId: ids[n - 1],
        matchedAt: T0 + n - 1,
      });
      const all = [
        { ...record(3), state: "waiting", attempts: 0, history: [], dueAt: T0 + 2 - CLOCKS_APART_MS },
        { ...record(2), state: "waiting", attempts: 1, history: [answer(NOW + 2, null)], dueAt: NOW + 9 },
        { ...record(1), state: "delivered", attempts: 1, history: [answer(NOW + 1, 204)], dueAt: null },
      ];
      expect(await store.pushes.list("sub_1", { before: null, limit: 10 })).toEqual(all);
      expect(await store.pushes.list("sub_1", { before: null, limit: 2 })).toEqual(all.slice(0, 2));
      expect(await store.pushes.list("sub_1", { before: 2, limit: 2 })).toEqual(all.slice(2));
      expect(await store.pushes.list("nope", { before: null, limit: 2 })).toEqual([]);
    });

    it("keep the latest twenty attempts of a push that is delivered again and again", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      for (let n = 0; n < 21; n += 1) {
        await end(first(await claim({ now: NOW + n })), "delivered", { at: NOW + n });
        await store.pushes.redeliver("sub_1", 1, NOW + n + 1);
      }
      const [push] = await store.pushes.list("sub_1", { before: null, limit: 1 });
      expect(push?.history).toEqual(Array.from({ length: 20 }, (_, n) => answer(NOW + 1 + n, 204)));
    });

    it("go out once more when asked for: delivered, given up, waiting, or never made", async () => {
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
      await match("sub_1", 1);
      await store.subscriptions.update("sub_1", { webhookUrl: "https://a.example/", webhookVerifiedAt: T0 });
      await match("sub_1", 3);
      const held = await claim();
      for (const [n, state] of (["delivered", "failed", "waiting"] as const).entries()) {
        const push = held[n];
        if (push === undefined) throw new Error("too few");
        await end(push, state, state === "waiting" ? { dueAt: NOW + DAY_MS } : {});
      }
      expect(await claim()).toEqual([]);
      for (const n of [1, 2, 3, 4]) expect(await store.pushes.redeliver("sub_1", n, NOW)).toBe(true);
      const again = await claim();
      expect(named(again)).toEqual(["sub_1 1", "sub_1 2", "sub_1 3", "sub_1 4"]);
      expect(again.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0]);
      expect(again.map(({ receiver: { failing } }) => failing)).toEqual([true, true, true, true]);
    });

    it("go where their subscription says by now when they go out once more, and wait while it says nowhere", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      await end(first(await claim()), "delivered");
      await store.subscriptions.update("sub_1", { active: false, inactiveReason: "paused" });
      expect(await store.pushes.redeliver("sub_1", 1, NOW)).toBe(true);
      expect(await claim()).toEqual([]);
      await store.subscriptions.update("sub_1", { active: true, inactiveReason: null });
      await end(first(await claim()), "delivered");
      await store.subscriptions.update("sub_1", { webhookUrl: "https://b.example/" });
      await store.pushes.redeliver("sub_1", 1, NOW + 1);
      expect(await claim()).toEqual([]);
      const { receiver, matchedAt } = first(await claim({ now: NOW + 1 }));
      expect([receiver.origin, matchedAt]).toEqual(["b.example:443", T0]);
    });

    it.each([
      ["works", false],
      ["failed before", true],
    ])(
      "go out once more when asked for while they are sent to a receiver that %s",
      async (_which, failed) => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        if (failed) await end(first(await claim()), "waiting", { dueAt: NOW });
        const push = first(await claim());
        expect(await store.pushes.redeliver("sub_1", 1, NOW + 1)).toBe(true);
        expect(await claim({ now: NOW + 2 })).toEqual([]);
        expect(await end(push, "delivered")).toBe(true);
        expect(await claim({ now: NOW })).toEqual([]);
        const again = first(await claim({ now: NOW + 1 }));
        expect(again.attempts).toBe(0);
        // Once asked for, once more.
        await end(again, "delivered");
        expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
      },
    );

    it("count their attempts from zero, even when one was requested during a claim and the lease ran out", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      await end(first(await claim()), "waiting", { dueAt: NOW });
      await claim();
      await store.pushes.redeliver("sub_1", 1, NOW);
      const again = first(await claim({ now: NOW + LEASE_MS }));
      expect(again.attempts).toBe(0);
      await end(again, "failed");
      expect(await store.pushes.list("sub_1", { before: null, limit: 1 })).toMatchObject([{ attempts: 1 }]);
    });

    it("are not made for what was never delivered, was pruned, or whose post is removed", async () => {
      await consenting("sub_1", "https://a.example");
      const [, second = ""] = await match("sub_1", 2);
      await store.subscriptions.pruneDeliveries(T0 + 1, 10);
      await store.posts.remove(second, NOW);
      await consenting("sub_2", "https://a.example");
      await match("sub_2", 4, T0 + 1);
      for (const n of [1, 2, 3]) expect(await store.pushes.redeliver("sub_1", n, NOW)).toBe(false);
      expect(await store.pushes.redeliver("nope", 1, NOW)).toBe(false);
    });
  });
}
