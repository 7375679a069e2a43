import { beforeEach, describe, expect, it } from "vitest";
import { aPost, T0 } from "../../support/search/rows.ts";
import { DAY_MS, HOUR_MS, type Subject } from "./subject.ts";

/** What `WorkStore` promises. */
export function describeWork({ store }: Subject): void {
  describe("work", () => {
    const claim = (now: number, limit = 10) => store.work.claim("match", { limit, leaseMs: HOUR_MS, now });
    beforeEach(async () => {
      for (const n of [2, 1, 3]) await store.posts.insert(aPost(`p${n}`, { createdAt: T0 + n }));
    });

    it("is claimed in the order of writing, whatever clocks said, at most as much as asked", async () => {
      expect((await claim(T0 - HOUR_MS, 2)).map(({ postId, attempts }) => [postId, attempts])).toEqual([
        ["p2", 1],
        ["p1", 1],
      ]);
      expect((await claim(T0 + 9 - HOUR_MS, 9)).map(({ postId }) => postId)).toEqual(["p3"]);
    });

    it("goes to one claimant each, however many ask together", async () => {
      const claims = await Promise.all([claim(T0 + 9, 2), claim(T0 + 9, 2), claim(T0 + 9, 2)]);
      expect(
        claims
          .flat()
          .map(({ postId }) => postId)
          .sort(),
      ).toEqual(["p1", "p2", "p3"]);
    });

    it("becomes due again when its claim runs out, and counts the attempts", async () => {
      const [first] = await claim(T0 + 9, 1);
      expect((await claim(T0 + 9 + HOUR_MS)).find(({ postId }) => postId === "p2")).toMatchObject({
        attempts: 2,
      });
      // The claim that ran out settles nothing any more.
      if (first !== undefined) await store.subscriptions.deliver([], [first]);
      expect(await store.work.backlog("match")).toBe(3);
    });

    it("does not wait for the end of a claim by a clock that has gone back since", async () => {
      await claim(T0 + 2 * HOUR_MS);
      expect(await claim(T0 + 2 * HOUR_MS - 60_000)).toEqual([]);
      expect((await claim(T0)).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
    });

    it("tells when the post whose turn is next was written", async () => {
      await store.subscriptions.deliver([], await claim(T0 + 9));
      expect(await store.work.oldest("match")).toBeNull();
      for (const n of [3, 5]) await store.posts.insert(aPost(`at${n}`, { updatedAt: T0 + n }));
      for (const [later, sooner] of [
        ["at3", "at5"],
        ["at5", "at3"],
      ]) {
        const items = await claim(T0 + 9 * DAY_MS);
        expect(items).toHaveLength(2);
        const of = (id = "") => items.filter(({ postId }) => postId === id);
        await store.work.giveBack(of(later), T0 + DAY_MS);
        await store.work.giveBack(of(sooner), T0 + HOUR_MS);
        expect(await store.work.oldest("match")).toBe(T0 + Number(sooner?.slice(2)));
      }
    });

    it("is gone once done", async () => {
      await store.subscriptions.deliver([], await claim(T0 + 9));
      expect(await store.work.backlog("match")).toBe(0);
      expect(await claim(T0 + DAY_MS)).toEqual([]);
      expect(await store.work.backlog("embed")).toBe(3);
    });

    it("stays due when the post was enqueued again since the claim", async () => {
      const items = await claim(T0 + 9);
      await store.posts.update("p2", { title: "New", updatedAt: T0 + 10 }, { text: true });
      await store.subscriptions.deliver([], items);
      expect((await claim(T0 + 10)).map(({ postId, attempts }) => [postId, attempts])).toEqual([["p2", 1]]);
    });

    it("is given back for later", async () => {
      const items = await claim(T0 + 9);
      await store.work.giveBack(items, T0 + 100);
      expect(await claim(T0 + 99)).toEqual([]);
      expect((await claim(T0 + 100)).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
    });

    it("that was given back is claimed by the time for which it was", async () => {
      const items = await claim(T0 + 9);
      for (const [n, id] of ["p3", "p2", "p1"].entries())
        await store.work.giveBack(
          items.filter(({ postId }) => postId === id),
          T0 + 100 + n,
        );
      const order: string[] = [];
      for (let n = 0; n < 3; n += 1) order.push(...(await claim(T0 + 200, 1)).map(({ postId }) => postId));
      expect(order).toEqual(["p3", "p2", "p1"]);
    });

    it("is not given back by a claim that is no longer the newest", async () => {
      const items = await claim(T0 + 9);
      await claim(T0 + 9 + HOUR_MS);
      await store.work.giveBack(items, T0);
      expect(await claim(T0 + 9 + HOUR_MS)).toEqual([]);
    });
  });
}
