import { describe, expect, it } from "vitest";
import { T0 } from "../../support/search/rows.ts";
import type { Subject } from "./subject.ts";

/** What `RankingStore` promises. */
export function describeRankings({ store }: Subject): void {
  describe("rankings", () => {
    const ranking = {
      id: "r1",
      ids: ["p1", "p2"],
      relevance: [0.875, 0.25],
      previous: "r0",
      expiresAt: T0 + 10,
    };

    it("are kept as they are until they expire", async () => {
      await store.rankings.save(ranking);
      expect(await store.rankings.get("r1", T0 + 9)).toEqual(ranking);
      expect(await store.rankings.get("r1", T0 + 10)).toBeNull();
      expect(await store.rankings.get("nope", T0)).toBeNull();
      const first = { ...ranking, id: "r0", previous: null };
      const renewed = { ...ranking, ids: ["p3"], relevance: [0.5], expiresAt: T0 + 20 };
      for (const one of [first, renewed]) await store.rankings.save(one);
      expect(await store.rankings.get("r1", T0 + 19)).toEqual(renewed);
      expect(await store.rankings.get("r0", T0)).toEqual(first);
    });
  });
}
