import { describe, expect, it } from "vitest";
import { T0 } from "../../../support/search/rows.ts";
import { DAY_MS, type Subject } from "../subject.ts";
import { answer, first, LEASE_MS, NOW, preparePushes } from "./prepare.ts";

const GONE = { state: "failed", dueAt: null, deactivate: "webhook_gone" } as const;

/** What settling a push changes, in the push and in its subscription. */
export function describePushOutcomes({ store }: Subject): void {
  describe("pushes", () => {
    const { claim, consenting, end, match } = preparePushes(store);

    it("are done once delivered, and their subscription counts no failures any more", async () => {
      await consenting("sub_1", "https://a.example", { failures: 3, failingSince: T0 - 1 });
      await match("sub_1", 1);
      expect(await end(first(await claim()), "delivered")).toBe(true);
      expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
      expect(await store.subscriptions.get("sub_1")).toMatchObject({ failures: 0, failingSince: null });
    });

    it("wait until they are due again after a failure, and count from the first failure on", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      await end(first(await claim()), "waiting", { dueAt: NOW + 5000 });
      expect(await claim({ now: NOW + 4999 })).toEqual([]);
      const again = first(await claim({ now: NOW + 5000 }));
      expect([again.attempts, again.receiver.failing]).toEqual([1, true]);
      await end(again, "failed", { at: NOW + 5001 });
      expect(await store.subscriptions.get("sub_1")).toMatchObject({ failures: 2, failingSince: NOW });
      expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
    });

    it("change nothing for their subscription when they end without an attempt", async () => {
      await consenting("sub_1", "https://a.example", { failures: 1, failingSince: T0 });
      await match("sub_1", 1);
      const before = await store.subscriptions.get("sub_1");
      const push = first(await claim());
      expect(push.receiver).toEqual({
        publisherId: before?.publisherId,
        webhookUrl: before?.webhookUrl,
        origin: "a.example:443",
        failing: true,
      });
      const cancelled = { state: "cancelled", dueAt: null, deactivate: null } as const;
      expect(await store.pushes.settle(push, null, cancelled)).toBe(true);
      expect(await store.subscriptions.get("sub_1")).toEqual(before);
      expect(await store.pushes.list("sub_1", { before: null, limit: 1 })).toMatchObject([
        { state: "cancelled", attempts: 0, history: [], dueAt: null },
      ]);
    });

    it("are settled by a lease that ended, as long as no one else has claimed them", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      const late = first(await claim());
      expect(await end(late, "delivered", { at: NOW + LEASE_MS + 1 })).toBe(true);
      expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
      // Once more changes nothing.
      await end(late, "delivered");
      expect(await store.pushes.list("sub_1", { before: null, limit: 1 })).toMatchObject([{ attempts: 1 }]);
    });

    it("are not settled in any way by a claim that was taken over", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      const lost = first(await claim());
      const held = first(await claim({ now: NOW + LEASE_MS }));
      const before = await store.subscriptions.get("sub_1");
      expect(await store.pushes.settle(lost, answer(NOW, 410), GONE)).toBe(false);
      expect(await store.subscriptions.get("sub_1")).toEqual(before);
      expect(await end(held, "delivered")).toBe(true);
    });

    it("say nothing about a webhook that took the place of the one they were sent to", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      const push = first(await claim());
      await store.subscriptions.update("sub_1", { webhookUrl: "https://b.example/" });
      expect(await store.pushes.settle(push, answer(NOW, 410), GONE)).toBe(true);
      expect(await store.subscriptions.get("sub_1")).toMatchObject({ active: true, failures: 0 });
    });

    it("appear among the changes of subscriptions only when they make one inactive", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 3);
      const { next } = await store.subscriptions.changes(0, 100);
      const [one, two, three] = await claim();
      if (one === undefined || two === undefined || three === undefined) throw new Error("too few");
      await end(one, "failed");
      await end(two, "delivered");
      expect((await store.subscriptions.changes(next, 100)).rows).toEqual([]);
      await store.pushes.settle(three, answer(NOW, 410), GONE);
      expect((await store.subscriptions.changes(next, 100)).rows).toMatchObject([
        { id: "sub_1", subscription: { active: false, inactiveReason: "webhook_gone", failures: 1 } },
      ]);
    });
  });
}
