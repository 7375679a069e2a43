import { describe, expect, it } from "vitest";
import { aPost, aPublisher, T0 } from "../../../support/search/rows.ts";
import type { Subject } from "../subject.ts";

/** What `PostStore` promises of posts that are removed. */
export function describeRemoval({ store }: Subject): void {
  describe("removal", () => {
    it("takes the text away at once and keeps the id, the times, the hash and the fingerprint", async () => {
      await store.posts.insert(aPost("p"));
      expect(await store.posts.remove("p", T0 + 1)).toEqual(["p"]);
      expect(await store.posts.get("p")).toEqual(
        aPost("p", {
          title: "",
          body: "",
          link: null,
          tags: [],
          location: null,
          timezone: null,
          metadata: {},
          flags: [],
          state: "removed",
        }),
      );
    });

    it("takes the replies of a root along, and lowers every publisher's count", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("p"));
      await store.posts.insert(aPost("p-1", { parentId: "p" }));
      await store.posts.insert(aPost("p-2", { parentId: "p", publisherId: "pub_b" }));
      await store.posts.update("p-2", { state: "hidden" }, { text: false });
      await store.posts.insert(aPost("p-3", { parentId: "p" }));
      expect(await store.posts.remove("p-3", T0)).toEqual(["p-3"]);
      expect((await store.posts.remove("p", T0)).sort()).toEqual(["p", "p-1", "p-2"]);
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(0);
      expect((await store.publishers.get("pub_b"))?.postCount).toBe(0);
    });

    it("leaves of posts with a start, for a while, when they were to be, latest removal first", async () => {
      for (const [n, id] of ["a", "b", "c", "undated", "kept"].entries()) {
        await store.posts.insert(aPost(id, id === "undated" ? {} : { startsAt: T0 + n, endsAt: T0 + 9 }));
      }
      for (const [n, id] of ["a", "undated", "b", "c"].entries()) await store.posts.remove(id, T0 + n);
      const rest = (id: string, startsAt: number, removedAt: number) => ({
        ...{ id, publisherId: "pub_a", parentId: null, kind: aPost(id).kind, syndicated: false },
        ...{ title: "", body: "", location: null, timezone: null },
        ...{ startsAt, endsAt: T0 + 9, expiresAt: aPost(id).expiresAt, createdAt: aPost(id).createdAt },
        removedAt,
      });
      expect(await store.posts.lastRemoved(T0, 9)).toMatchObject([
        rest("c", T0 + 2, T0 + 3),
        rest("b", T0 + 1, T0 + 2),
        rest("a", T0, T0),
      ]);
      expect(await store.posts.lastRemoved(T0 + 1, 1)).toMatchObject([rest("c", T0 + 2, T0 + 3)]);
      for (const id of ["e", "d"]) await store.posts.insert(aPost(id, { startsAt: T0, endsAt: T0 + 9 }));
      for (const id of ["e", "d"]) await store.posts.remove(id, T0 + 4);
      expect((await store.posts.lastRemoved(T0 + 3, 9)).map(({ id }) => id)).toEqual(["d", "e", "c"]);
      await store.posts.erase({ expired: 0, removed: T0 + 9 }, 9);
      expect(await store.posts.lastRemoved(0, 9)).toEqual([]);
    });

    it("does nothing the second time, or for a post that is not there", async () => {
      await store.posts.insert(aPost("p"));
      await Promise.all([store.posts.remove("p", T0), store.posts.remove("p", T0)]);
      expect(await store.posts.remove("p", T0)).toEqual([]);
      expect(await store.posts.remove("nope", T0)).toEqual([]);
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(0);
    });

    it("leaves no work behind", async () => {
      await store.posts.insert(aPost("p"));
      await store.posts.remove("p", T0);
      expect([await store.work.backlog("match"), await store.work.backlog("embed")]).toEqual([0, 0]);
    });
  });
}
