import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FingerprintRow } from "../../../src/ports/store/index.ts";
import { aPost, aPublisher, BARE, T0 } from "../../support/search/rows.ts";
import { claimedWork, idsOf, type Subject, settleWork } from "./subject.ts";

/** What `PostStore` promises of posts that are written and read. */
export function describePosts({ store, another, reopen }: Subject): void {
  describe("posts", () => {
    it("reads back every field of a post as it was inserted", async () => {
      const full = aPost("p", {
        startsAt: T0 + 1,
        endsAt: T0 + 2,
        sourceUrl: "https://x.org/",
        syndicated: true,
      });
      const bare = aPost("q", { ...BARE, expiryChosen: true });
      const named = aPost("r", { location: { name: "Noord", lat: null, lng: null } });
      for (const post of [full, bare, named]) {
        expect(await store.posts.insert(post)).toEqual({ inserted: true, post });
        expect(await store.posts.get(post.id)).toEqual(post);
      }
    });

    it("keeps any well-formed text and any JSON metadata", async () => {
      let n = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: "grapheme", minLength: 1 }),
          fc.dictionary(fc.string(), fc.jsonValue()),
          async (text, metadata) => {
            n += 1;
            const kept = JSON.parse(JSON.stringify(metadata));
            const post = aPost(`p${n}`, { title: text, body: text, tags: [text], metadata: kept });
            await store.posts.insert(post);
            expect(await store.posts.get(post.id)).toEqual(post);
          },
        ),
        { numRuns: 25 },
      );
    });

    it("keeps the first of two posts with the same id and changes nothing", async () => {
      await store.posts.insert(aPost("p"));
      await settleWork(store);
      const again = await store.posts.insert(aPost("p", { title: "Another" }));
      expect(again).toEqual({ inserted: false, post: aPost("p") });
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(1);
      expect(await store.work.backlog("match")).toBe(0);
    });

    it("keeps one post of a publisher for an idempotency key, also under another id and in another thread", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("p", { kind: "thread" }));
      const keyed = aPost("k", { idempotencyHash: "key" });
      expect(await store.posts.byIdempotency("pub_a", "key")).toBeNull();
      await store.posts.insert(keyed);
      await settleWork(store);
      for (const other of [aPost("q"), aPost("p-1", { parentId: "p" })]) {
        const again = await store.posts.insert({ ...other, idempotencyHash: "key" });
        expect(again).toEqual({ inserted: false, post: keyed });
      }
      expect((await store.posts.get("p"))?.replyCount).toBe(0);
      expect(await store.work.backlog("match")).toBe(0);
      const others = aPost("b", { publisherId: "pub_b", idempotencyHash: "key" });
      expect(await store.posts.insert(others)).toEqual({ inserted: true, post: others });
      expect(await store.posts.byIdempotency("pub_a", "key")).toEqual(keyed);
      await store.posts.remove("k", T0 + 1);
      expect(await store.posts.byIdempotency("pub_a", "key")).toMatchObject({ id: "k", state: "removed" });
      await store.posts.erase({ expired: 0, removed: T0 + 2 }, 10);
      expect(await store.posts.byIdempotency("pub_a", "key")).toBeNull();
      expect((await store.posts.insert(aPost("r", { idempotencyHash: "key" }))).inserted).toBe(true);
    });

    it("keeps one post for an idempotency key however many try together", async () => {
      await store.posts.insert(aPost("p", { kind: "thread" }));
      const second = await another();
      const tries = Array.from({ length: 10 }, (_, n) =>
        (n % 2 === 0 ? store : second).posts.insert(
          aPost(`p-${n}`, { parentId: "p", idempotencyHash: "key" }),
        ),
      );
      const answers = await Promise.all(tries);
      expect(answers.filter(({ inserted }) => inserted)).toHaveLength(1);
      expect(new Set(answers.map(({ post }) => post.id)).size).toBe(1);
      expect((await store.posts.get("p"))?.replyCount).toBe(1);
    });

    it("inserts once however many try together", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 20 }),
          async (ids) => {
            const round = Math.random().toString(36).slice(2);
            const before = (await store.publishers.get("pub_a"))?.postCount ?? 0;
            const answers = await Promise.all(
              ids.map((id, i) => store.posts.insert(aPost(`${round}${id}`, { title: `try ${i}` }))),
            );
            const distinct = new Set(ids).size;
            expect(answers.filter(({ inserted }) => inserted)).toHaveLength(distinct);
            expect((await store.publishers.get("pub_a"))?.postCount).toBe(before + distinct);
            for (const { post } of answers) expect(await store.posts.get(post.id)).toEqual(post);
          },
        ),
        { numRuns: 5 },
      );
    });

    it("rejects a post of a publisher that is gone, and keeps nothing of it", async () => {
      await expect(store.posts.insert(aPost("p", { publisherId: "pub_gone" }))).rejects.toThrow();
      expect(await store.posts.get("p")).toBeNull();
    });

    it("rejects a reply to a post that is gone, and keeps nothing of it", async () => {
      await store.posts.insert(aPost("p"));
      await store.posts.remove("p", T0);
      await expect(store.posts.insert(aPost("p-1", { parentId: "p" }))).rejects.toThrow();
      expect(await store.posts.get("p-1")).toBeNull();
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(0);
    });

    it("are written though a write beside them fails", async () => {
      const answers = await Promise.allSettled([
        store.posts.insert(aPost("p1")),
        store.posts.insert(aPost("p2", { publisherId: "pub_gone" })),
        store.posts.insert(aPost("p3")),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(idsOf(await store.posts.many(["p1", "p2", "p3"]))).toEqual(["p1", "p3"]);
    });

    it("gives many posts in the order asked for, in any state, without those that are not there", async () => {
      await store.posts.insert(aPost("p1"));
      await store.posts.insert(aPost("p2"));
      await store.posts.insert(aPost("p3"));
      await store.posts.remove("p2", T0);
      expect(idsOf(await store.posts.many(["p3", "nope", "p2", "p1"]))).toEqual(["p3", "p2", "p1"]);
      expect(await store.posts.many([])).toEqual([]);
    });

    it("gives at most a thousand rows by their ids", async () => {
      const ids = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);
      const { posts, publishers } = store;
      const vectors = (some: string[]) => posts.vectors(some, "m");
      for (const read of [posts.many, publishers.many, vectors] as ((ids: string[]) => Promise<unknown>)[]) {
        await read(ids(1_000));
        await expect(read(ids(1_001))).rejects.toThrow(RangeError);
      }
    });

    it("keeps the posts, the work and the inboxes that it acknowledged over a restart", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("p"));
      await store.posts.insert(aPost("p-1", { parentId: "p", publisherId: "pub_b" }));
      await reopen();
      expect(await store.posts.get("p")).toEqual(aPost("p", { replyCount: 1, lastReplyAt: T0 }));
      expect(await store.work.backlog("match")).toBe(2);
      expect((await store.inbox.read("pub_a", 0, 9)).map(({ postId }) => postId)).toEqual(["p-1"]);
    });

    it("enqueues matching and embedding for a new post", async () => {
      await store.posts.insert(aPost("p"));
      expect((await claimedWork(store, "match")).map(({ postId }) => postId)).toEqual(["p"]);
      expect((await claimedWork(store, "embed")).map(({ postId }) => postId)).toEqual(["p"]);
    });

    it("lists a publisher's active posts and replies, newest first", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("p1", { createdAt: T0 + 1 }));
      await store.posts.insert(aPost("p2", { createdAt: T0 + 3 }));
      await store.posts.insert(aPost("p3", { createdAt: T0 + 4, publisherId: "pub_b" }));
      await store.posts.insert(aPost("p1-r", { createdAt: T0 + 2, parentId: "p1" }));
      for (const id of ["p4", "p5"]) await store.posts.insert(aPost(id, { createdAt: T0 + 5 }));
      await store.posts.remove("p4", T0 + 6);
      await store.posts.update("p5", { state: "hidden" }, { text: false });
      expect(idsOf(await store.posts.byPublisher("pub_a", 10))).toEqual(["p2", "p1-r", "p1"]);
      expect(idsOf(await store.posts.byPublisher("pub_a", 1))).toEqual(["p2"]);
      // Of one moment: the last by id first.
      for (const id of ["p7", "p8", "p6"]) await store.posts.insert(aPost(id, { createdAt: T0 + 6 }));
      expect(idsOf(await store.posts.byPublisher("pub_a", 4))).toEqual(["p8", "p7", "p6", "p2"]);
    });

    it("lists for the operator what is not removed, newest first, by one publisher or all, since a time, hidden or not", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      for (const [id, at, by] of [
        ["p1", 1, "pub_a"],
        ["p2", 2, "pub_b"],
        ["p3", 3, "pub_a"],
        ["p4", 3, "pub_a"],
        ["p5", 4, "pub_a"],
      ] as const)
        await store.posts.insert(aPost(id, { createdAt: T0 + at, publisherId: by, expiresAt: T0 + 1 }));
      for (const id of ["p1", "p4"]) await store.posts.update(id, { state: "hidden" }, { text: false });
      await store.posts.remove("p5", T0 + 6);
      const ids = async (...asked: Parameters<typeof store.posts.written>) =>
        idsOf(await store.posts.written(...asked));
      const first = { before: null, limit: 10 };
      expect(await ids({}, first)).toEqual(["p4", "p3", "p2", "p1"]);
      expect(await ids({}, { before: null, limit: 2 })).toEqual(["p4", "p3"]);
      expect(await ids({}, { before: { at: T0 + 3, id: "p4" }, limit: 2 })).toEqual(["p3", "p2"]);
      expect(await ids({ publisherId: "pub_a" }, first)).toEqual(["p4", "p3", "p1"]);
      expect(await ids({ publisherId: "pub_a" }, { before: { at: T0 + 3, id: "p3" }, limit: 9 })).toEqual([
        "p1",
      ]);
      expect(await ids({ since: T0 + 3 }, first)).toEqual(["p4", "p3"]);
      expect(await ids({ hidden: true }, first)).toEqual(["p4", "p1"]);
      expect(await ids({ hidden: true, since: T0 + 2, publisherId: "pub_a" }, first)).toEqual(["p4"]);
    });

    it("shows a guard all that was written before, however many are written at once", async () => {
      const check = (earlier: readonly FingerprintRow[]) => {
        if (earlier.length >= 4) throw new Error("a storm");
      };
      const writing = Array.from({ length: 20 }, (_, n) =>
        store.posts.insert(aPost(`at_once${n}`, { createdAt: T0 + 1 }), {
          guard: { since: T0 + 1, limit: 10, check },
        }),
      );
      const ended = await Promise.allSettled(writing);
      expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
      expect(await store.posts.byPublisher("pub_a", 30)).toHaveLength(4);
    });

    it("shows a guard a publisher's fingerprints since a time, newest first, removed posts included, and keeps nothing when it refuses", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.posts.insert(aPost("b", { publisherId: "pub_b", createdAt: T0 + 1 }));
      await store.posts.insert(aPost("p1", { createdAt: T0 - 1, fingerprint: "00" }));
      await store.posts.insert(aPost("p2", { createdAt: T0, fingerprint: "02" }));
      await store.posts.insert(aPost("p3", { createdAt: T0 + 1, fingerprint: "03" }));
      await store.posts.insert(aPost("p0", { createdAt: T0, fingerprint: "04" }));
      await store.posts.remove("p3", T0 + 2);
      const shown: (readonly FingerprintRow[])[] = [];
      const check = (earlier: readonly FingerprintRow[]) => {
        shown.push(earlier);
        throw new RangeError("enough");
      };
      for (const limit of [10, 2]) {
        const refused = store.posts.insert(aPost("p4"), { guard: { since: T0, limit, check } });
        await expect(refused).rejects.toThrow(RangeError);
      }
      expect(await store.posts.get("p4")).toBeNull();
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(3);
      const last = { id: "p3", fingerprint: "03", createdAt: T0 + 1 };
      const before = { id: "p2", fingerprint: "02", createdAt: T0 };
      expect(shown).toEqual([
        [last, before, { id: "p0", fingerprint: "04", createdAt: T0 }],
        [last, before],
      ]);
    });

    it("adds retrievals up, and passes over unknown ids", async () => {
      await store.posts.insert(aPost("p", { retrievals: 2 }));
      await store.posts.addRetrievals(
        new Map([
          ["p", 3],
          ["nope", 1],
        ]),
      );
      await store.posts.addRetrievals(new Map([["p", 1]]));
      expect((await store.posts.get("p"))?.retrievals).toBe(6);
      // However many are counted at once.
      await store.posts.insert(aPost("q"));
      const gone = Array.from({ length: 500 }, (_, n) => [`gone${n}`, 1] as const);
      await store.posts.addRetrievals(new Map([...gone, ["q", 2]]));
      expect((await store.posts.many(["p", "q"])).map(({ retrievals }) => retrievals)).toEqual([6, 2]);
    });
  });
}
