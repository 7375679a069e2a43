import { beforeEach, describe, expect, it } from "vitest";
import type { StoredPost, ThreadRoot } from "../../../../src/ports/store/index.ts";
import { aPost, T0 } from "../../../support/search/rows.ts";
import { DAY_MS, idsOf, type Subject } from "../subject.ts";

/** What `PostStore` promises of replies and their root. */
export function describeReplies({ store }: Subject): void {
  describe("replies", () => {
    beforeEach(async () => {
      await store.posts.insert(aPost("root", { kind: "thread" }));
    });
    const reply = (n: number, over: Partial<StoredPost> = {}) =>
      store.posts.insert(aPost(`root-${n}`, { parentId: "root", createdAt: T0 + n, ...over }));

    it("raise the reply count and the time of the latest reply", async () => {
      await reply(2);
      await reply(1);
      expect(await store.posts.get("root")).toMatchObject({ replyCount: 2, lastReplyAt: T0 + 2 });
    });

    it("are all counted when they come together", async () => {
      await Promise.all(Array.from({ length: 30 }, (_, n) => reply(n)));
      expect(await store.posts.get("root")).toMatchObject({ replyCount: 30, lastReplyAt: T0 + 29 });
    });

    it("are admitted by the caller, who sees their root and whether its publisher is suspended", async () => {
      const roots: unknown[] = [];
      const refuse = (root: ThreadRoot) => {
        roots.push(root);
        throw new RangeError("no");
      };
      const tried = () => store.posts.insert(aPost("root-1", { parentId: "root" }), { admit: refuse });
      await expect(tried()).rejects.toThrow(RangeError);
      await store.posts.update("root", { state: "hidden" }, { text: false });
      await store.publishers.update("pub_a", { suspendedAt: T0 });
      await expect(tried()).rejects.toThrow(RangeError);
      const { expiresAt } = (await store.posts.get("root")) as StoredPost;
      const root = { kind: "thread", expiresAt, replyCount: 0 };
      expect(roots).toEqual([
        expect.objectContaining({ ...root, state: "active", suspended: false }),
        expect.objectContaining({ ...root, state: "hidden", suspended: true }),
      ]);
      expect(await store.posts.get("root-1")).toBeNull();
    });

    it("are refused below another reply", async () => {
      await reply(1);
      await expect(store.posts.insert(aPost("root-1-1", { parentId: "root-1" }))).rejects.toThrow();
    });

    it("move the expiry of their root forward, never back", async () => {
      const later = T0 + 60 * DAY_MS;
      await store.posts.insert(aPost("root-1", { parentId: "root" }), { admit: () => later });
      await store.posts.insert(aPost("root-2", { parentId: "root" }), { admit: () => T0 + DAY_MS });
      expect((await store.posts.get("root"))?.expiresAt).toBe(later);
    });

    it("expire with their root, whoever moves its end", async () => {
      const expiries = async () =>
        (await store.posts.many(["root", "root-1", "root-2"])).map(({ expiresAt }) => expiresAt - T0);
      await store.posts.update("root", { expiresAt: T0 + 30 * DAY_MS }, { text: false });
      const { post } = await store.posts.insert(
        aPost("root-1", { parentId: "root", expiresAt: T0 + DAY_MS, expiryChosen: true }),
      );
      expect(post).toMatchObject({ expiresAt: T0 + 30 * DAY_MS, expiryChosen: false });
      await store.posts.update("root-1", { state: "hidden", expiresAt: T0 + 9 }, { text: false });
      await store.posts.insert(aPost("root-2", { parentId: "root" }), { admit: () => T0 + 60 * DAY_MS });
      expect(await expiries()).toEqual(Array(3).fill(60 * DAY_MS));
      await store.posts.update("root", { expiresAt: T0 + 5 }, { text: false });
      expect(await expiries()).toEqual([5, 5, 5]);
    });

    it("expire with their root when they come while its end moves", async () => {
      await Promise.all([
        ...Array.from({ length: 10 }, (_, n) => reply(n)),
        ...[1, 2, 3, 4].map((n) =>
          store.posts.update("root", { expiresAt: T0 + n * DAY_MS }, { text: false }),
        ),
      ]);
      const { expiresAt } = (await store.posts.get("root")) as StoredPost;
      const replies = await store.posts.replies("root", { after: null, limit: 20 });
      expect(replies.map((one) => one.expiresAt)).toEqual(Array(10).fill(expiresAt));
    });

    it("are listed oldest first, after a place, without hidden and removed ones", async () => {
      for (const n of [3, 1, 2, 5, 4]) await reply(n);
      await reply(6, { createdAt: T0 + 1 });
      await store.posts.update("root-4", { state: "hidden" }, { text: false });
      await store.posts.remove("root-5", T0);
      const first = await store.posts.replies("root", { after: null, limit: 2 });
      expect(idsOf(first)).toEqual(["root-1", "root-6"]);
      const rest = await store.posts.replies("root", { after: { at: T0 + 1, id: "root-6" }, limit: 10 });
      expect(idsOf(rest)).toEqual(["root-2", "root-3"]);
      const tied = await store.posts.replies("root", { after: { at: T0 + 1, id: "root-1" }, limit: 1 });
      expect(idsOf(tied)).toEqual(["root-6"]);
    });

    it("do not count while they are hidden or once they are removed, and the latest time stays true", async () => {
      const counted = async () => {
        const root = await store.posts.get("root");
        return [root?.replyCount, root?.lastReplyAt];
      };
      for (const n of [1, 2, 3]) await reply(n);
      for (const [state, left] of [
        ["hidden", [2, T0 + 2]],
        ["active", [3, T0 + 3]],
        ["hidden", [2, T0 + 2]],
      ] as const) {
        await store.posts.update("root-3", { state }, { text: false });
        expect(await counted()).toEqual(left);
      }
      expect(await store.posts.remove("root-1", T0)).toEqual(["root-1"]);
      expect(await counted()).toEqual([1, T0 + 2]);
      for (const id of ["root-2", "root-3"]) await store.posts.remove(id, T0);
      expect(await counted()).toEqual([0, null]);
    });

    it("that are inserted hidden do not count, and count once they are shown", async () => {
      await reply(1, { state: "hidden" });
      expect(await store.posts.get("root-1")).toMatchObject({ state: "hidden", parentId: "root" });
      expect(await store.posts.get("root")).toMatchObject({ replyCount: 0, lastReplyAt: null });
      await reply(2);
      expect(await store.posts.get("root")).toMatchObject({ replyCount: 1, lastReplyAt: T0 + 2 });
      await store.posts.update("root-1", { state: "active" }, { text: false });
      expect(await store.posts.get("root")).toMatchObject({ replyCount: 2, lastReplyAt: T0 + 2 });
      await expect(reply(3, { state: "removed" })).rejects.toThrow();
    });

    it("stay when their root is hidden", async () => {
      await reply(1);
      await store.posts.update("root", { state: "hidden" }, { text: false });
      expect((await store.posts.get("root-1"))?.state).toBe("active");
    });
  });
}
