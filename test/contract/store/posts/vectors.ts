import { beforeEach, describe, expect, it } from "vitest";
import { aPost, aVector, T0 } from "../../../support/search/rows.ts";
import { claimedWork, DAY_MS, type Subject, settleWork } from "../subject.ts";

/** What `PostStore` promises of the vectors of posts. */
export function describeVectors({ store }: Subject): void {
  describe("vectors", () => {
    beforeEach(async () => {
      await store.posts.insert(aPost("p"));
      await settleWork(store);
    });
    const setVector = (updatedAt: number, model = "m1") =>
      store.posts.setVectors([{ id: "p", updatedAt, model, vector: aVector(7) }]);

    it("count for posts that have them, and enqueue matching", async () => {
      await setVector(T0);
      expect(await store.work.backlog("match")).toBe(1);
      expect(await store.posts.enqueueMissingVectors({ model: "m1" }, 10)).toBe(0);
    });

    it("of a text that was prepared otherwise are missing too, and stay until they are renewed", async () => {
      const missing = (preparation?: string) =>
        store.posts.enqueueMissingVectors({ model: "m1", preparation }, 10);
      await setVector(T0);
      expect(await missing()).toBe(0);
      expect(await missing("glossed")).toBe(1);
      expect(await store.posts.vectors(["p"], "m1")).toEqual([aVector(7)]);
      await settleWork(store);
      const row = { id: "p", updatedAt: T0, model: "m1", preparation: "glossed", vector: aVector(9) };
      await store.posts.setVectors([row]);
      expect(await store.posts.vectors(["p"], "m1")).toEqual([aVector(9)]);
      await settleWork(store);
      expect(await missing("glossed")).toBe(0);
      await store.posts.update("p", { state: "hidden" }, { text: false });
      await store.posts.update("p", { state: "active" }, { text: false });
      expect(await missing("glossed")).toBe(0);
      expect(await missing("again")).toBe(1);
    });

    it("are read back under their model, in the order asked for", async () => {
      await store.posts.insert(aPost("q"));
      await setVector(T0);
      await store.posts.setVectors([{ id: "q", updatedAt: T0, model: "m1", vector: aVector(-128) }]);
      const ids = ["q", "nope", "p"];
      expect(await store.posts.vectors(ids, "m1")).toEqual([aVector(-128), null, aVector(7)]);
      expect(await store.posts.vectors(ids, "m2")).toEqual([null, null, null]);
      await store.posts.update("p", { title: "New", updatedAt: T0 + 1 }, { text: true });
      await store.posts.remove("q", T0 + 1);
      expect(await store.posts.vectors(ids, "m1")).toEqual([null, null, null]);
    });

    it("are passed over for a post that is gone, or whose text changed since", async () => {
      await store.posts.update("p", { title: "New", updatedAt: T0 + 1 }, { text: true });
      await settleWork(store);
      await setVector(T0);
      await store.posts.setVectors([{ id: "nope", updatedAt: T0, model: "m1", vector: aVector(1) }]);
      expect(await store.work.backlog("match")).toBe(0);
      expect(await store.posts.enqueueMissingVectors({ model: "m1" }, 10)).toBe(1);
    });

    it("settle the work they came from, and not what was enqueued since", async () => {
      for (const id of ["q", "gone"]) await store.posts.insert(aPost(id));
      await store.posts.enqueueMissingVectors({ model: "m1" }, 10);
      const claimed = await claimedWork(store, "embed");
      await store.posts.update("q", { title: "New", updatedAt: T0 + 1 }, { text: true });
      await store.posts.remove("gone", T0 + 1);
      const rows = ["p", "q", "gone"].map((id) => ({ id, updatedAt: T0, model: "m1", vector: aVector(7) }));
      await store.posts.setVectors(rows, claimed);
      expect((await claimedWork(store, "embed")).map(({ postId }) => postId)).toEqual(["q"]);
      expect((await claimedWork(store, "match")).map(({ postId }) => postId).sort()).toEqual(["p", "q"]);
      expect(await store.posts.vectors(["p", "q"], "m1")).toEqual([aVector(7), null]);
    });

    it("settle no work that was claimed anew, and work that came to no vector", async () => {
      await store.posts.insert(aPost("q"));
      const claimed = await claimedWork(store, "embed");
      const anew = await store.work.claim("embed", { limit: 9, leaseMs: DAY_MS, now: T0 + 2 * DAY_MS });
      const rows = [{ id: "q", updatedAt: T0, model: "m1", vector: aVector(7) }];
      await store.posts.setVectors(rows, claimed);
      expect(await store.work.backlog("embed")).toBe(1);
      await store.posts.setVectors([], anew);
      expect(await store.work.backlog("embed")).toBe(0);
    });

    it("of another model are missing, each enqueued once, at most as many as asked", async () => {
      for (let n = 0; n < 5; n += 1) await store.posts.insert(aPost(`p${n}`));
      for (const id of ["hidden", "removed"]) await store.posts.insert(aPost(id));
      await store.posts.update("hidden", { state: "hidden" }, { text: false });
      await store.posts.remove("removed", T0);
      await settleWork(store);
      await setVector(T0, "m1");
      await store.posts.setVectors([{ id: "p0", updatedAt: T0, model: "m3", vector: aVector(1) }]);
      await store.posts.setVectors([{ id: "p1", updatedAt: T0, model: "m2", vector: aVector(1) }]);
      const enqueued = async () => (await claimedWork(store, "embed")).map(({ postId }) => postId).sort();
      // Those that have none come first.
      expect(await store.posts.enqueueMissingVectors({ model: "m2" }, 3)).toBe(3);
      expect(await enqueued()).toEqual(["p2", "p3", "p4"]);
      // Those that wait take no room.
      expect(await store.posts.enqueueMissingVectors({ model: "m2" }, 2)).toBe(2);
      expect(await enqueued()).toEqual(["p", "p0"]);
      expect(await store.posts.enqueueMissingVectors({ model: "m2" }, 10)).toBe(0);
    });
  });
}
