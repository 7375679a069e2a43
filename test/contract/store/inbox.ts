import { beforeEach, describe, expect, it } from "vitest";
import type { InboxEntry } from "../../../src/ports/store/index.ts";
import type { RowPage } from "../../../src/ports/store/transfer.ts";
import { aPost, aPublisher, aSubscription, T0 } from "../../support/search/rows.ts";
import { idsOf, type Subject, turn } from "./subject.ts";

/** What `InboxStore` promises. */
export function describeInbox({ store, another }: Subject): void {
  describe("the inbox", () => {
    const read = (publisherId: string, after = 0, limit = 100) => store.inbox.read(publisherId, after, limit);
    const entriesOf = async (publisherId: string) =>
      (await read(publisherId)).map(({ type, postId }) => `${type} ${postId}`);
    const reply = (id: string, publisherId: string, at = T0) =>
      store.posts.insert(aPost(id, { parentId: "root", publisherId, createdAt: at }));
    const matched = (postId: string, at = T0) =>
      store.subscriptions.deliver([{ subscriptionId: "sub_1", postId, matchedAt: at }], []);
    beforeEach(async () => {
      for (const id of ["pub_b", "pub_c", "pub_d"]) await store.publishers.insert(aPublisher(id));
      await store.posts.insert(aPost("root", { kind: "thread" }));
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
    });

    it("reports replies to a publisher's posts and matches, in the order in which they came", async () => {
      await reply("root-1", "pub_b", T0 + 9);
      await store.posts.insert(aPost("p", { publisherId: "pub_b" }));
      await matched("p", T0 + 3);
      const entries = await read("pub_a");
      expect(entries.map(({ no: _no, ...entry }) => entry)).toEqual([
        { type: "reply", at: T0 + 9, postId: "root-1", subscriptionId: null, deliveryId: null, change: null },
        { type: "match", at: T0 + 3, postId: "p", subscriptionId: "sub_1", deliveryId: 1, change: null },
      ]);
      const [earlier, later] = entries as [InboxEntry, InboxEntry];
      expect(later.no).toBeGreaterThan(earlier.no);
      expect(await read("pub_a", earlier.no)).toEqual([later]);
      expect(await read("pub_a", 0, 1)).toEqual([earlier]);
      expect(await read("pub_a", later.no)).toEqual([]);
      expect(await read("nope")).toEqual([]);
    });

    it("says the last number of each inbox, which every new entry raises", async () => {
      const ids = ["pub_a", "pub_b", "nope"];
      expect(await store.inbox.lastNumbers(ids)).toEqual(
        new Map([
          ["pub_a", 0],
          ["pub_b", 0],
        ]),
      );
      await reply("root-1", "pub_b");
      await store.posts.insert(aPost("p", { publisherId: "pub_b" }));
      await matched("p");
      const last = (await read("pub_a")).at(-1)?.no;
      expect((await (await another()).inbox.lastNumbers(ids)).get("pub_a")).toBe(last);
      await store.publishers.erase("pub_a");
      expect(await store.inbox.lastNumbers(ids)).toEqual(new Map([["pub_b", 0]]));
      expect(await store.inbox.lastNumbers([])).toEqual(new Map());
    });

    it("tells of a reply that was held once it is shown, behind what was read meanwhile, and only then", async () => {
      await store.posts.insert(
        aPost("root-1", { parentId: "root", publisherId: "pub_b", createdAt: T0, state: "hidden" }),
      );
      await store.posts.insert(aPost("p", { publisherId: "pub_b", state: "hidden" }));
      await reply("root-2", "pub_c", T0 + 5);
      await store.subscriptions.insert(aSubscription("sub_later"), 50);
      expect(await entriesOf("pub_a")).toEqual(["reply root-2"]);
      expect(await entriesOf("pub_b")).toEqual([]);
      const [{ no } = { no: 0 }] = await read("pub_a");
      const show = (id: string, now: number) =>
        store.posts.update(id, { state: "active" }, { text: false, now });
      const shown = await show("root-1", T0 + 50);
      expect(await read("pub_a", no)).toMatchObject([{ type: "reply", at: T0 + 50, postId: "root-1" }]);
      expect(await entriesOf("pub_c")).toEqual(["activity root-1"]);
      // A query that was saved meanwhile is told of it, as of what is written now.
      const saved = await store.subscriptions.get("sub_later");
      for (const post of [shown, await show("p", T0 + 50)])
        expect(post?.writtenNo).toBeGreaterThanOrEqual(saved?.savedNo ?? Number.NaN);
      await store.posts.update("root-1", { state: "hidden" }, { text: false });
      await show("root-1", T0 + 60);
      expect(await entriesOf("pub_a")).toEqual(["reply root-2", "reply root-1"]);
    });

    it("reports activity to each earlier replier once, and never to the author of a reply", async () => {
      await reply("root-1", "pub_b");
      await reply("root-2", "pub_b");
      await reply("root-3", "pub_c");
      await reply("root-4", "pub_a");
      await reply("root-5", "pub_b");
      expect(await entriesOf("pub_a")).toEqual(
        ["root-1", "root-2", "root-3", "root-5"].map((id) => `reply ${id}`),
      );
      expect(await entriesOf("pub_b")).toEqual(["activity root-3", "activity root-4"]);
      expect(await entriesOf("pub_c")).toEqual(["activity root-4", "activity root-5"]);
      expect(await entriesOf("pub_d")).toEqual([]);
    });

    it("reports no activity to those whose replies are all taken down", async () => {
      await reply("root-1", "pub_b");
      await store.posts.remove("root-1", T0 + 1);
      await reply("root-2", "pub_d");
      await reply("root-3", "pub_c");
      expect([await entriesOf("pub_b"), await entriesOf("pub_d")]).toEqual([[], ["activity root-3"]]);
    });

    it("reports a reply to at most 200 earlier repliers, and always to the root's publisher", async () => {
      const ids = Array.from({ length: 203 }, (_, n) => `pub_x${n}`);
      const publishers = ids.map((id) => ({ ...aPublisher(id, { postCount: 1 }), inboxNo: 0 }));
      const posts = ids.map((publisherId, n) => ({
        ...aPost(`root-${n}`, { parentId: "root", publisherId }),
        removedAt: null,
        embedding: null,
      }));
      // As an import writes them: nobody hears of these.
      const pages: RowPage[] = [
        { kind: "publisher", rows: publishers },
        { kind: "post", rows: posts },
      ];
      await store.transfer.write(pages, { name: "repliers", from: null, to: "there" });
      expect(idsOf(await store.publishers.many(ids))).toEqual(ids);
      await reply("root-last", "pub_x7");
      const numbers = await store.inbox.lastNumbers(ids);
      expect([...numbers.values()].filter((no) => no > 0)).toHaveLength(200);
      expect(numbers.get("pub_x7")).toBe(0);
      expect(await entriesOf("pub_a")).toEqual(["reply root-last"]);
    });

    it("misses nothing for a reader who goes on from the last entry, while many write", async () => {
      const other = await another();
      const writes = Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          (n % 2 === 0 ? store : other).posts.insert(
            aPost(`root-${n}`, { parentId: "root", publisherId: "pub_b" }),
          ),
        ),
      );
      const seen: string[] = [];
      let after = 0;
      let over = false;
      while (true) {
        const entries = await store.inbox.read("pub_a", after, 7);
        seen.push(...entries.map(({ postId }) => postId));
        after = entries.at(-1)?.no ?? after;
        if (entries.length === 0 && over) break;
        if (seen.length > 0 && entries.length === 0) {
          await writes;
          over = true;
        } else await turn();
      }
      expect(new Set(seen).size).toBe(60);
      expect(seen).toHaveLength(60);
    });

    it("leaves out posts while they are hidden or their publisher suspended, and for good when they are removed", async () => {
      for (const [n, by] of (["pub_b", "pub_c", "pub_d", "pub_d"] as const).entries())
        await reply(`root-${n}`, by);
      await store.posts.update("root-0", { state: "hidden" }, { text: false });
      await store.publishers.update("pub_c", { suspendedAt: T0 });
      expect(await entriesOf("pub_a")).toEqual(["reply root-2", "reply root-3"]);
      // A page goes on behind what it leaves out.
      expect((await read("pub_a", 0, 1)).map(({ postId }) => postId)).toEqual(["root-2"]);
      await store.posts.update("root-0", { state: "active" }, { text: false });
      await store.publishers.update("pub_c", { suspendedAt: null });
      const all = ["reply root-0", "reply root-1", "reply root-2", "reply root-3"];
      expect(await entriesOf("pub_a")).toEqual(all);
      await store.posts.remove("root-1", T0);
      expect(await entriesOf("pub_a")).toEqual(["reply root-0", "reply root-2", "reply root-3"]);
    });

    it("loses what belonged to a post that is erased or a subscription that is removed", async () => {
      await reply("root-1", "pub_b");
      await store.posts.insert(aPost("p", { publisherId: "pub_b" }));
      await store.posts.insert(aPost("q", { publisherId: "pub_c" }));
      await matched("p");
      await store.publishers.erase("pub_b");
      await matched("q");
      expect(await entriesOf("pub_a")).toEqual(["match q"]);
      await store.subscriptions.remove("sub_1");
      expect(await entriesOf("pub_a")).toEqual([]);
    });

    it("goes with its publisher, and gets no more entries", async () => {
      await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
      await reply("root-1", "pub_c");
      await reply("root-2", "pub_b");
      await store.publishers.erase("pub_c");
      await reply("root-3", "pub_d");
      expect(await entriesOf("pub_c")).toEqual([]);
      await store.publishers.insert(aPublisher("pub_c"));
      expect(await entriesOf("pub_c")).toEqual([]);
      expect(await entriesOf("pub_b")).toEqual(["activity root-3"]);
    });

    it("loses entries from before a time when it is pruned, at most as many as asked", async ({ skip }) => {
      const { prune } = store.inbox;
      if (prune === undefined) return skip("the database does so by itself: test/mongodb/expiry");
      for (const n of [1, 2, 3, 4]) await reply(`root-${n}`, "pub_b", T0 + n);
      expect(await prune(T0 + 4, 2)).toBe(2);
      expect(await entriesOf("pub_a")).toEqual(["reply root-3", "reply root-4"]);
      expect(await prune(T0 + 4, 10)).toBe(1);
      expect(await prune(T0 + 4, 10)).toBe(0);
      expect(await entriesOf("pub_a")).toEqual(["reply root-4"]);
      const [before] = await read("pub_a");
      await prune(T0 + 9, 10);
      await reply("root-5", "pub_b", T0 + 5);
      expect((await read("pub_a"))[0]?.no).toBeGreaterThan(before?.no ?? Number.NaN);
    });
  });
}
