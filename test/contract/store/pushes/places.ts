import { describe, expect, it } from "vitest";
import { T0 } from "../../../support/search/rows.ts";
import type { Subject } from "../subject.ts";
import { named, preparePushes } from "./prepare.ts";

const busy = (origin: string, failing = false) => ({ origin, failing });

/** How pushes share the places of a claimant. */
export function describePushPlaces({ store }: Subject): void {
  describe("pushes", () => {
    const { claim, consenting, match } = preparePushes(store);

    it("share the places of their host and port, and of nothing else", async () => {
      const urls = [
        "https://a.example",
        "https://A.example:443",
        "https://a.example.",
        "https://a.example:8443",
        "http://a.example",
      ];
      for (const [n, origin] of urls.entries()) {
        await consenting(`sub_${n}`, origin);
        await match(`sub_${n}`, 1);
      }
      const held = named(await claim({ perOrigin: 1 }));
      expect(held).toHaveLength(3);
      expect(held).toEqual(expect.arrayContaining(["sub_3 1", "sub_4 1"]));
    });

    it("go where the webhook has moved since the match", async () => {
      await consenting("sub_1", "https://a.example");
      await match("sub_1", 1);
      await store.subscriptions.update("sub_1", { webhookUrl: "https://b.example/" });
      const underWay = [busy("a.example:443")];
      const [push] = await claim({ perOrigin: 1, underWay });
      expect(push?.receiver).toMatchObject({ webhookUrl: "https://b.example/", origin: "b.example:443" });
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

    it("of an origin at its limit hold up no other origin, however many it has", async () => {
      for (let n = 0; n < 12; n += 1) {
        await consenting(`sub_${n}`, "https://slow.example");
        await match(`sub_${n}`, 2);
      }
      await consenting("sub_z", "https://z.example");
      await match("sub_z", 1, T0 + 99);
      expect(named(await claim({ perOrigin: 2, limit: 5 }))).toHaveLength(3);
      await match("sub_z", 1, T0 + 99);
      const underWay = [busy("slow.example:443"), busy("slow.example:443")];
      expect(named(await claim({ perOrigin: 2, limit: 1, underWay }))).toEqual(["sub_z 2"]);
    });

    it("of subscriptions at one origin are claimed in the order they came due", async () => {
      await consenting("sub_1", "https://a.example");
      await consenting("sub_2", "https://a.example");
      await match("sub_1", 2, T0 + 50);
      await match("sub_2", 1, T0 + 90);
      await match("sub_1", 1, T0);
      const order: string[] = [];
      for (let n = 0; n < 4; n += 1) order.push(...named(await claim({ limit: 1 })));
      expect(order).toEqual(["sub_1 3", "sub_1 1", "sub_1 2", "sub_2 1"]);
    });
  });
}
