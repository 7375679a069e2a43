import { describe, expect, it } from "vitest";
import { T0 } from "../../support/search/rows.ts";
import { HOUR_MS, type Subject } from "./subject.ts";

/** What `SettingStore` and `LeaseStore` promise. */
export function describeSettingsAndLeases({ store, reopen }: Subject): void {
  describe("settings and leases", () => {
    it("keep the first value of a setting that is set once, for all who try", async () => {
      const kept = await Promise.all(["a", "b", "c"].map((value) => store.settings.setOnce("secret", value)));
      expect(new Set(kept).size).toBe(1);
      await reopen();
      expect(await store.settings.setOnce("secret", "d")).toBe(kept[0]);
      expect(await store.settings.setOnce("other", "e")).toBe("e");
      expect(await store.settings.get("secret")).toBe(kept[0]);
      expect(await store.settings.get("nope")).toBeNull();
    });

    it("keep the last value of a setting that is set", async () => {
      await store.settings.set("launched", "1");
      await store.settings.set("launched", "2");
      await store.settings.set("other", "3");
      expect(await store.settings.get("launched")).toBe("2");
    });

    it("give a lease to one owner, who may renew it", async () => {
      const fence = await store.leases.acquire("job", "a", 10, T0);
      expect(fence).toEqual(expect.any(Number));
      expect(await store.leases.acquire("job", "b", 10, T0 + 9)).toBeNull();
      expect(await store.leases.acquire("other job", "b", 10, T0 + 9)).not.toBeNull();
      expect(await store.leases.acquire("job", "a", 10, T0 + 9)).toBe(fence);
      expect(await store.leases.acquire("job", "b", 10, T0 + 18)).toBeNull();
      expect(await store.leases.acquire("job", "b", 10, T0 + 19)).not.toBeNull();
    });

    it("give a lease that was released, and let no one release another's", async () => {
      await store.leases.acquire("job", "a", 10, T0);
      await store.leases.release("job", "b");
      expect(await store.leases.acquire("job", "b", 10, T0)).toBeNull();
      await store.leases.release("job", "a");
      expect(await store.leases.acquire("job", "b", 10, T0)).not.toBeNull();
    });

    it("give a lease a greater fence each time it is taken, also across a release and a restart", async () => {
      const fences = [await store.leases.acquire("job", "a", 10, T0)];
      fences.push(await store.leases.acquire("job", "b", 10, T0 + 10));
      await store.leases.release("job", "b");
      fences.push(await store.leases.acquire("job", "a", 10, T0 + 11));
      await store.leases.release("job", "a");
      await reopen();
      fences.push(await store.leases.acquire("job", "a", 10, T0 + 12));
      for (const [i, fence] of fences.entries()) expect(fence).toBeGreaterThan(fences[i - 1] ?? 0);
      // A lease that ended still belongs to its owner until someone takes it.
      expect(await store.leases.acquire("job", "a", 10, T0 + HOUR_MS)).toBe(fences.at(-1));
    });

    it("give a lease once when many ask together", async () => {
      const owners = ["a", "b", "c", "d"];
      const got = await Promise.all(owners.map((owner) => store.leases.acquire("job", owner, 10, T0)));
      expect(got.filter((fence) => fence !== null)).toHaveLength(1);
    });
  });
}
