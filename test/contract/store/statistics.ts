import { describe, expect, it } from "vitest";
import { aPost, aPublisher, aSubscription, T0 } from "../../support/search/rows.ts";
import { HOUR_MS, type Subject } from "./subject.ts";

/** The begin of the day of T0. */
const MIDNIGHT = T0 - 12 * HOUR_MS;

/** What `StatisticsStore` promises. */
export function describeStatistics({ store }: Subject): void {
  describe("statistics", () => {
    it("count posts that are neither expired nor removed, publishers, and the posts of today", async () => {
      await store.publishers.insert(aPublisher("pub_b", { suspendedAt: T0 }));
      await store.posts.insert(aPost("p1"));
      await store.posts.insert(aPost("p1-1", { parentId: "p1", publisherId: "pub_b" }));
      await store.posts.insert(aPost("hidden"));
      await store.posts.update("hidden", { state: "hidden" }, { text: false });
      await store.posts.insert(aPost("expired", { expiresAt: T0 }));
      await store.posts.insert(aPost("yesterday", { createdAt: MIDNIGHT - 1 }));
      await store.posts.insert(aPost("midnight", { createdAt: MIDNIGHT }));
      await store.posts.insert(aPost("gone"));
      await store.posts.remove("gone", T0);
      expect(await store.statistics.counts(T0)).toEqual({ activePosts: 5, publishers: 2, postsToday: 6 });
    });

    it("count on while posts change, expire, are removed and erased", async () => {
      const active = async (now: number) => (await store.statistics.counts(now)).activePosts;
      const kindsOf = async (now: number) => (await store.statistics.overview(now, 1)).kinds;
      for (const hours of [1, 2, 30, 30, 300]) {
        await store.posts.insert(aPost(`p${hours}-${Math.random()}`, { expiresAt: T0 + hours * HOUR_MS }));
      }
      await store.posts.insert(aPost("moved", { expiresAt: T0 + 2 * HOUR_MS }));
      await store.posts.insert(aPost("removed", { expiresAt: T0 + 30 * HOUR_MS }));
      expect(await active(T0)).toBe(7);
      await store.posts.update("moved", { expiresAt: T0 + 400 * HOUR_MS, kind: "event" }, { text: true });
      await store.posts.remove("removed", T0);
      expect(await active(T0)).toBe(6);
      expect(await active(T0 + HOUR_MS)).toBe(5);
      expect(await active(T0 + 29 * HOUR_MS)).toBe(4);
      expect(await active(T0 + 30 * HOUR_MS)).toBe(2);
      expect(await kindsOf(T0 + 30 * HOUR_MS)).toMatchObject({ event: 1, offer: 1 });
      const before = T0 + 31 * HOUR_MS;
      await store.posts.erase({ expired: before, removed: before }, 100);
      expect(await active(T0)).toBe(2);
      expect(await active(T0 + 300 * HOUR_MS)).toBe(1);
      expect(await kindsOf(T0 + 400 * HOUR_MS)).toMatchObject({ event: 0, offer: 0 });
    });

    it("give an overview by kind, source, day and tag", async () => {
      await store.posts.insert(aPost("p1", { kind: "event", tags: ["b", "a"], createdAt: MIDNIGHT - 1 }));
      await store.posts.insert(aPost("p2", { syndicated: true, tags: ["b"], createdAt: MIDNIGHT }));
      await store.posts.insert(
        aPost("p3", { tags: ["c"], expiresAt: T0, createdAt: MIDNIGHT - 48 * HOUR_MS }),
      );
      await store.posts.insert(aPost("p4", { tags: ["d"] }));
      await store.posts.update("p4", { state: "hidden" }, { text: false });
      await store.posts.update("p2", { tags: ["b", "e"] }, { text: true });
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
      await store.subscriptions.insert(aSubscription("sub_2", { active: false }), 50);
      expect(await store.statistics.overview(T0, 3)).toEqual({
        activePosts: 3,
        publishers: 1,
        postsToday: 2,
        firstHand: 2,
        syndicated: 1,
        subscriptions: 1,
        kinds: { event: 1, offer: 2, request: 0, announcement: 0, thread: 0 },
        topTags: [
          { tag: "b", count: 2 },
          { tag: "a", count: 1 },
          { tag: "e", count: 1 },
        ],
        postsByDay: [
          { day: "2026-11-18", posts: 1 },
          { day: "2026-11-19", posts: 1 },
          { day: "2026-11-20", posts: 2 },
        ],
      });
    });

    it("name at most 25 tags, the most frequent", async () => {
      for (let n = 0; n < 30; n += 1) {
        await store.posts.insert(aPost(`p${n}`, { tags: n === 29 ? ["t29"] : [`t${n}`, "t29"] }));
      }
      const { topTags } = await store.statistics.overview(T0, 1);
      expect(topTags).toHaveLength(25);
      expect(topTags[0]).toEqual({ tag: "t29", count: 30 });
      // Of those in as many posts, the first by name.
      expect(topTags.slice(-2)).toEqual([
        { tag: "t3", count: 1 },
        { tag: "t4", count: 1 },
      ]);
    });

    it("add up counters by day and name, and read them from a day on", async () => {
      await store.statistics.add([
        { day: "2026-11-20", name: "searches", n: 2 },
        { day: "2026-11-20", name: "posts", n: 4 },
        { day: "2026-11-19", name: "searches", n: 1 },
        { day: "2026-11-18", name: "searches", n: 1 },
      ]);
      await store.statistics.add([{ day: "2026-11-20", name: "searches", n: 3 }]);
      await store.statistics.add([]);
      expect(await store.statistics.read("2026-11-19")).toEqual([
        { day: "2026-11-19", name: "searches", n: 1 },
        { day: "2026-11-20", name: "posts", n: 4 },
        { day: "2026-11-20", name: "searches", n: 5 },
      ]);
    });

    it("count the publishers that wrote within a time, each once", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.publishers.insert(aPublisher("pub_c"));
      await store.posts.insert(aPost("p1", { createdAt: T0 }));
      await store.posts.insert(aPost("p2", { createdAt: T0 + 1 }));
      await store.posts.insert(aPost("p3", { createdAt: T0 + 1, publisherId: "pub_b" }));
      await store.posts.insert(aPost("p4", { createdAt: T0 + 2, publisherId: "pub_c" }));
      expect(await store.statistics.activePublishers(T0, T0 + 2)).toBe(2);
      expect(await store.statistics.activePublishers(T0 + 1, T0 + 3)).toBe(3);
      expect(await store.statistics.activePublishers(T0 + 3, T0 + 4)).toBe(0);
    });
  });
}
