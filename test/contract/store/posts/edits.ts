import { beforeEach, describe, expect, it } from "vitest";
import { aPost, aVector, T0 } from "../../../support/search/rows.ts";
import { claimedWork, DAY_MS, type Subject, settleWork } from "../subject.ts";

/** What `PostStore` promises of changes to a post. */
export function describeEdits({ store }: Subject): void {
  describe("edits", () => {
    beforeEach(async () => {
      await store.posts.insert(aPost("p"));
      await settleWork(store);
    });

    it("change what they name and keep the rest", async () => {
      const change = {
        title: "New",
        tags: ["x"],
        location: null,
        metadata: { a: 1 },
        startsAt: T0 + 5,
        flags: [],
        expiryChosen: true,
        updatedAt: T0 + 9,
      };
      const after = await store.posts.update("p", change, { text: true });
      expect(after).toEqual({ ...aPost("p"), ...change });
      expect(await store.posts.get("p")).toEqual(after);
    });

    it("enqueue matching always, and embedding when the text changed", async () => {
      await store.posts.update("p", { expiresAt: T0 + DAY_MS }, { text: false });
      expect([await store.work.backlog("match"), await store.work.backlog("embed")]).toEqual([1, 0]);
      await store.posts.update("p", { title: "New" }, { text: true });
      expect([await store.work.backlog("match"), await store.work.backlog("embed")]).toEqual([1, 1]);
    });

    it("of anything but the text leave embedding that is under way to be done again", async () => {
      await store.posts.insert(aPost("q"));
      const claimed = await claimedWork(store, "embed");
      await store.posts.update("q", { link: "https://a.example/", updatedAt: T0 + 1 }, { text: false });
      await store.posts.setVectors([{ id: "q", updatedAt: T0, model: "m1", vector: aVector(7) }]);
      await store.subscriptions.deliver([], claimed);
      expect(await store.posts.vectors(["q"], "m1")).toEqual([null]);
      expect((await claimedWork(store, "embed")).map(({ postId }) => postId)).toEqual(["q"]);
    });

    it("reach hidden posts, and neither removed ones nor those that were never there", async () => {
      await store.posts.update("p", { state: "hidden" }, { text: false });
      expect(await store.posts.update("p", { title: "New" }, { text: true })).toMatchObject({
        state: "hidden",
        title: "New",
      });
      await store.posts.remove("p", T0);
      expect(await store.posts.update("p", { title: "Newer" }, { text: true })).toBeNull();
      expect(await store.posts.update("nope", { title: "New" }, { text: true })).toBeNull();
    });

    it("are left alone where another came between the look and the change", async () => {
      const { updatedAt } = aPost("p");
      const change = { title: "First", updatedAt: updatedAt + 1 };
      const options = { text: true, asOf: updatedAt };
      expect(await store.posts.update("p", change, options)).toMatchObject(change);
      expect(await store.posts.update("p", { title: "Second" }, options)).toBeNull();
      expect(await store.posts.get("p")).toMatchObject(change);
    });

    it("both stay when two edits of different fields come together", async () => {
      await Promise.all([
        store.posts.update("p", { title: "New title" }, { text: true }),
        store.posts.update("p", { body: "New body" }, { text: true }),
      ]);
      expect(await store.posts.get("p")).toMatchObject({ title: "New title", body: "New body" });
    });
  });
}
