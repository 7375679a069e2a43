import { describe, expect, it } from "vitest";
import { T0 } from "../../support/search/rows.ts";
import type { Subject } from "./subject.ts";

/** What `LimitStore` promises. */
export function describeLimits({ store }: Subject): void {
  describe("limits", () => {
    it("add up within a window that begins with the first point, and start again after it", async () => {
      expect(await store.limits.add("k", 1, 1000, T0)).toEqual({ points: 1, endsAt: T0 + 1000 });
      expect(await store.limits.add("k", 2, 1000, T0 + 999)).toEqual({ points: 3, endsAt: T0 + 1000 });
      expect(await store.limits.add("other", 1, 1000, T0)).toEqual({ points: 1, endsAt: T0 + 1000 });
      expect(await store.limits.add("k", 1, 1000, T0 + 1000)).toEqual({ points: 1, endsAt: T0 + 2000 });
    });

    it("end no later than a window from now when the clock was set back", async () => {
      await store.limits.add("k", 1, 1000, T0 + 86_400_000);
      expect(await store.limits.add("k", 1, 1000, T0)).toEqual({ points: 2, endsAt: T0 + 1000 });
      expect(await store.limits.add("k", 1, 1000, T0 + 1000)).toEqual({ points: 1, endsAt: T0 + 2000 });
    });

    it("are exact under concurrency", async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => store.limits.add("k", 1, 1000, T0)));
      expect(answers.map(({ points }) => points).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 50 }, (_, n) => n + 1),
      );
    });
  });
}
