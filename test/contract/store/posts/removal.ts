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
      expect((await store.posts.remove("p", T0)).sort()).toEqual(["p", "p-1", "p-2"]);
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(0);
      expect((await store.publishers.get("pub_b"))?.postCount).toBe(0);
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
