import { describe, expect, it } from "vitest";
import { aSubscription, T0 } from "../../../support/search/rows.ts";
import { HOUR_MS, type Subject } from "../subject.ts";
import { answer, CLOCKS_APART_MS, first, LEASE_MS, NOW, named, preparePushes } from "./prepare.ts";

/** Which pushes are claimed, when, and by whom. */
export function describePushClaims({ store, another }: Subject): void {
  describe("pushes", () => {
    const { claim, consenting, end, match } = preparePushes(store);

    it("go out for deliveries of a subscription that is active and whose webhook has consented", async () => {
      await consenting("sub_1", "https://a.example");
      const [postId] = await match("sub_1", 1, T0 + 5);
      expect(await claim()).toEqual([
        {
          subscriptionId: "sub_1",
          deliveryId: 1,
          postId,
          matchedAt: T0 + 5,
          token: expect.any(String),
          attempts: 0,
          receiver: {
            publisherId: "pub_a",
            webhookUrl: "https://a.example/hook/sub_1",
            origin: "a.example:443",
            failing: false,
          },
        },
      ]);
    });

    it("are counted while they wait for a webhook that may be called, with the oldest match", async () => {
      expect(await store.pushes.backlog()).toEqual({ waiting: 0, oldestAt: null });
      await consenting("sub_1", "https://a.example");
      await consenting("sub_2", "https://b.example", { failures: 2, failingSince: T0 });
      await consenting("sub_3", "https://c.example", { webhookVerifiedAt: null });
      await match("sub_3", 2, T0 - 5);
      await match("sub_1", 2, T0 + 3);
      await match("sub_2", 1, T0 + 1);
      expect(await store.pushes.backlog()).toEqual({ waiting: 3, oldestAt: T0 + 1 });
      for (const push of await claim())
        await end(push, push.subscriptionId === "sub_2" ? "failed" : "delivered");
      expect(await store.pushes.backlog()).toEqual({ waiting: 0, oldestAt: null });
    });

    it("are not made without a webhook, and wait for one that is inactive or has not consented", async () => {
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
      await consenting("sub_2", "https://a.example", { webhookVerifiedAt: null });
      await consenting("sub_3", "https://a.example", { active: false, inactiveReason: "webhook_gone" });
      for (const id of ["sub_1", "sub_2", "sub_3"]) {
        await match(id, 2);
        expect(await claim()).toEqual([]);
        await store.subscriptions.update(id, {
          webhookUrl: "https://b.example/",
          webhookVerifiedAt: T0,
          active: true,
        });
        const all = id === "sub_1" ? [] : [`${id} 1`, `${id} 2`];
        expect(named(await claim())).toEqual(all);
      }
    });

    it("are due at once by clocks up to two minutes behind, the longest due first", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 3, NOW - 1);
      const behind = (ms: number) => ({ now: NOW + ms - CLOCKS_APART_MS });
      expect(named(await claim({ ...behind(0), limit: 1 }))).toEqual(["sub_1 1"]);
      expect(named(await claim(behind(0)))).toEqual(["sub_1 2"]);
      expect(named(await claim(behind(1)))).toEqual(["sub_1 3"]);
    });

    it("do not wait for a clock that has gone back since, new ones at once, tried ones as long as before", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 2, NOW + HOUR_MS);
      const retried = first(await claim({ now: NOW + HOUR_MS, limit: 1 }));
      await store.pushes.settle(retried, answer(NOW + HOUR_MS, 500), {
        state: "waiting",
        dueAt: NOW + HOUR_MS + 300_000,
        deactivate: null,
      });
      expect(await claim()).toEqual([]);
      await store.pushes.hasten(NOW);
      expect(named(await claim())).toEqual(["sub_1 2"]);
      expect(named(await claim({ now: NOW + 299_999 }))).not.toContain("sub_1 1");
      expect(named(await claim({ now: NOW + 300_000 }))).toContain("sub_1 1");
    });

    it("wait as planned where clocks differ by less than two minutes", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1, NOW + CLOCKS_APART_MS);
      const retried = first(await claim({ now: NOW + CLOCKS_APART_MS }));
      const dueAt = NOW + CLOCKS_APART_MS + 300_000;
      const outcome = { state: "waiting", dueAt, deactivate: null } as const;
      await store.pushes.settle(retried, answer(NOW + CLOCKS_APART_MS, 500), outcome);
      await store.pushes.hasten(NOW);
      expect(await store.pushes.list("sub_1", { before: null, limit: 1 })).toMatchObject([{ dueAt }]);
    });

    it("go to one claimant each, however many ask together through however many handles", async () => {
      for (const n of [1, 2, 3]) {
        await consenting(`sub_${n}`, `https://h${n}.example`);
        await match(`sub_${n}`, 10);
      }
      const other = await another();
      const claims = await Promise.all(
        Array.from({ length: 12 }, (_, n) => claim({ limit: 4 }, n % 2 === 0 ? store : other)),
      );
      // A claim may find that others took what it saw.
      const held = [...claims.flat(), ...(await claim({ limit: 50 }))];
      expect(new Set(named(held)).size).toBe(30);
      expect(held).toHaveLength(30);
    });

    it("are due again by themselves when their lease ends, with another token", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      const before = first(await claim());
      expect(await claim({ now: NOW + LEASE_MS - 1 })).toEqual([]);
      const after = first(await claim({ now: NOW + LEASE_MS }));
      expect(named([after])).toEqual(["sub_1 1"]);
      expect(after.token).not.toBe(before.token);
    });

    it("stop while their subscription is inactive or without consent, and go on afterwards", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      await store.subscriptions.update("sub_1", { active: false, inactiveReason: "paused" });
      expect(await claim()).toEqual([]);
      await store.subscriptions.update("sub_1", {
        active: true,
        inactiveReason: null,
        webhookUrl: "https://b.example/",
        webhookVerifiedAt: null,
      });
      expect(await claim()).toEqual([]);
      await store.subscriptions.update("sub_1", { webhookVerifiedAt: NOW });
      expect(first(await claim()).receiver).toMatchObject({
        webhookUrl: "https://b.example/",
        failing: false,
      });
    });

    it("are due at once when they are given back, with nothing counted", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 2, NOW);
      const held = await claim();
      await store.pushes.giveBack(held);
      await store.pushes.giveBack([]);
      // By a clock that is two minutes behind, too.
      const behind = { now: NOW + 1 - CLOCKS_APART_MS };
      const again = await claim(behind);
      expect(named(again)).toEqual(["sub_1 1", "sub_1 2"]);
      expect(again.map(({ attempts }) => attempts)).toEqual([0, 0]);
      // The first claim is over.
      await store.pushes.giveBack(held);
      expect(await claim(behind)).toEqual([]);
    });
  });
}
