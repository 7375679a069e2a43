import { describe, expect, it } from "vitest";
import type { ClaimedPush } from "../../../../src/ports/store/index.ts";
import { T0 } from "../../../support/search/rows.ts";
import type { Subject } from "../subject.ts";
import { first, LEASE_MS, NOW, named, preparePushes } from "./prepare.ts";

/** How pushes share the places of origins and of the claimant. */
export function describePushPlaces({ store, another }: Subject): void {
  describe("pushes", () => {
    const { claim, consenting, end, match } = preparePushes(store);

    it("are never claimed beyond the places of an origin, over all handles, or of the claimant", async () => {
      for (const n of [1, 2, 3, 4]) {
        await consenting(`sub_${n}`, `https://h${n % 2}.example`);
        await match(`sub_${n}`, 5);
      }
      const other = await another();
      const caps = { perOrigin: 3, limit: 2 };
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, n) => claim(caps, n % 2 === 0 ? store : other)),
      );
      for (const claimed of claims) expect(claimed.length).toBeLessThanOrEqual(2);
      const held = claims.flat();
      expect(held).toHaveLength(6);
      expect(held.filter(({ receiver }) => receiver.webhookUrl?.includes("h1."))).toHaveLength(3);
      // A place that is free again, or whose lease ended, is given again.
      await end(first(held), "delivered");
      expect(await claim(caps)).toHaveLength(1);
      expect(await claim(caps)).toEqual([]);
      expect(await claim({ ...caps, limit: 9, now: NOW + LEASE_MS })).toHaveLength(6);
    });

    it("free their place in whatever way they end", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 9);
      const next = async () => first(await claim({ perOrigin: 1 }));
      const ends: ((push: ClaimedPush) => Promise<unknown>)[] = [
        (push) => end(push, "delivered"),
        (push) => end(push, "failed"),
        (push) => end(push, "waiting", { dueAt: NOW + 5000 }),
        (push) => end(push, "delivered"),
        (push) => store.pushes.settle(push, null, { state: "cancelled", dueAt: null, deactivate: null }),
        (push) => store.pushes.giveBack([push]),
      ];
      for (const ended of ends) {
        const push = await next();
        expect(await claim({ perOrigin: 1 })).toEqual([]);
        await ended(push);
      }
      await store.subscriptions.remove((await next()).subscriptionId);
    });

    it("share the places of their host and port, and of nothing else", async () => {
      const urls = [
        "https://a.example",
        "https://A.example:443",
        "https://a.example:8443",
        "http://a.example",
      ];
      for (const [n, origin] of urls.entries()) {
        await consenting(`sub_${n}`, origin);
        await match(`sub_${n}`, 1);
      }
      const held = named(await claim({ perOrigin: 1 }));
      expect(held).toHaveLength(3);
      expect(held).toEqual(expect.arrayContaining(["sub_2 1", "sub_3 1"]));
    });

    it("count for the origin they were claimed for, also when the webhook has moved since", async () => {
      await consenting("sub_1", "https://a.example");
      await consenting("sub_2", "https://a.example");
      await match("sub_1", 1);
      await claim();
      await store.subscriptions.update("sub_1", { webhookUrl: "https://b.example/" });
      await match("sub_2", 1);
      expect(await claim({ perOrigin: 1 })).toEqual([]);
      expect(named(await claim({ perOrigin: 2 }))).toEqual(["sub_2 1"]);
    });

    it("of subscriptions that fail take at most their share of the places", async () => {
      for (const n of [1, 2, 3, 4]) {
        await consenting(`sub_${n}`, `https://h${n}.example`, n < 4 ? { failures: 1, failingSince: T0 } : {});
        await match(`sub_${n}`, 3, T0 + n);
      }
      const held = await claim({ limit: 6, failing: 2 });
      expect(named(held).filter((name) => name.startsWith("sub_4"))).toHaveLength(3);
      expect(held).toHaveLength(5);
      expect(await claim({ limit: 6, failing: 0 })).toEqual([]);
      expect(await claim({ limit: 6, failing: 1 })).toHaveLength(1);
    });

    it("of origins take turns, whatever the length of their queues", async () => {
      for (const [id, count] of [
        ["sub_1", 6],
        ["sub_2", 2],
        ["sub_3", 2],
      ] as const) {
        await consenting(id, `https://${id.replace("_", "")}.example`);
        await match(id, count, T0 + count);
      }
      const order: string[] = [];
      for (let n = 0; n < 10; n += 1) order.push(...named(await claim({ limit: 1 })));
      const turns = [order.slice(0, 3), order.slice(3, 6)].map((names) =>
        names.map((name) => name.slice(0, 5)).sort(),
      );
      expect(turns).toEqual([
        ["sub_1", "sub_2", "sub_3"],
        ["sub_1", "sub_2", "sub_3"],
      ]);
      expect(order.slice(6)).toEqual(["sub_1 3", "sub_1 4", "sub_1 5", "sub_1 6"]);
    });

    it("of an origin at its limit hold up no other origin", async () => {
      await consenting("sub_1", "https://slow.example");
      await match("sub_1", 50);
      await claim({ perOrigin: 2 });
      await consenting("sub_2", "https://alive.example");
      await match("sub_2", 1, T0 + 99);
      expect(named(await claim({ perOrigin: 2, limit: 1 }))).toEqual(["sub_2 1"]);
    });

    it("of an origin at its limit hold up no other origin, however many subscriptions it has", async () => {
      for (let n = 0; n < 30; n += 1) {
        await consenting(`sub_${n}`, "https://slow.example");
        await match(`sub_${n}`, 1);
      }
      await claim({ perOrigin: 2 });
      await consenting("sub_z", "https://z.example");
      await match("sub_z", 1, T0 + 99);
      expect(named(await claim({ perOrigin: 2, limit: 1 }))).toEqual(["sub_z 1"]);
    });

    it("of a subscription that is matched again and again let others of its origin have their turn", async () => {
      await consenting("sub_1", "https://a.example");
      await consenting("sub_2", "https://a.example");
      await match("sub_1", 3, T0);
      await match("sub_2", 2, T0 + 50);
      const order: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        order.push(...named(await claim({ limit: 1, now: NOW + n })));
        await match("sub_1", 1, T0 + 90);
      }
      expect(order).toEqual(["sub_1 1", "sub_2 1", "sub_1 2"]);
    });

    it("of subscriptions at one origin take turns too", async () => {
      await consenting("sub_1", "https://a.example");
      await consenting("sub_2", "https://a.example");
      await match("sub_1", 5, T0);
      await match("sub_2", 1, T0 + 50);
      await claim({ limit: 1 });
      expect(named(await claim({ limit: 1 }))).toEqual(["sub_2 1"]);
    });
  });
}
