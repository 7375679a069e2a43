import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type {
  ClaimedPush,
  InboxEntry,
  PushAttempt,
  PushState,
  Store,
  StoredPost,
  StoredPublisher,
  StoredReport,
  StoredSubscription,
} from "../../src/ports/store.ts";

/** A store to be held to the contract, empty at first. */
export interface StoreUnderTest {
  store: Store;
  /** A second handle on the same data, as another process has it; closed by `destroy`. */
  another(): Promise<Store>;
  /** The same data, as after a restart of the process. */
  reopen(): Promise<Store>;
  destroy(): Promise<void>;
}

const T0 = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function aPublisher(id: string, over: Partial<StoredPublisher> = {}): StoredPublisher {
  return {
    id,
    name: `Name of ${id}`,
    description: "Posts what happens in town.",
    url: "https://example.org/",
    domain: "example.org",
    verifyToken: "tok",
    verifiedAt: null,
    verifiedVia: null,
    checkedAt: null,
    suspendedAt: null,
    keyHash: `hash of ${id}`,
    postCount: 0,
    createdAt: T0,
    ...over,
  };
}

export function aPost(id: string, over: Partial<StoredPost> = {}): StoredPost {
  return {
    id,
    publisherId: "pub_a",
    kind: "offer",
    title: `Title of ${id}`,
    body: "A road bike, well kept.\nPick it up in Noord.",
    link: "https://example.org/bike",
    tags: ["bike", "amsterdam"],
    location: { name: "Amsterdam", lat: 52.37, lng: 4.9 },
    startsAt: null,
    endsAt: null,
    timezone: "Europe/Amsterdam",
    expiresAt: T0 + 30 * DAY_MS,
    expiryChosen: false,
    sourceUrl: null,
    syndicated: false,
    metadata: { price: { amount: 120.5, currency: "EUR" }, sizes: [54, 56], note: null },
    parentId: null,
    replyCount: 0,
    lastReplyAt: null,
    flags: ["many_links"],
    fingerprint: "0123456789abcdef",
    inputHash: "ab".repeat(32),
    idempotencyHash: null,
    retrievals: 0,
    createdAt: T0,
    updatedAt: T0,
    state: "active",
    ...over,
  };
}

export function aSubscription(id: string, over: Partial<StoredSubscription> = {}): StoredSubscription {
  return {
    id,
    publisherId: "pub_a",
    label: "bikes",
    query: { q: "road bike", kind: ["offer"], near: "52.37,4.90" },
    vector: null,
    vectorModel: null,
    webhookUrl: null,
    webhookVerifiedAt: null,
    secretVersion: 1,
    previousSecretUntil: null,
    active: true,
    inactiveReason: null,
    failures: 0,
    failingSince: null,
    lastMatchedAt: null,
    createdAt: T0,
    ...over,
  };
}

const aReport = (id: string, over: Partial<StoredReport> = {}): StoredReport => ({
  id,
  postId: "p",
  reporter: "addr:1",
  reason: "spam",
  details: null,
  createdAt: T0,
  ...over,
});

const aVector = (fill: number) => new Int8Array(384).fill(fill);
/** Lets others go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Every promise of `src/ports/store.ts`, as facts that hold for any database. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} store`, () => {
    let under: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      under = await open();
      store = under.store;
      await store.publishers.insert(aPublisher("pub_a"));
    });
    afterEach(() => under.destroy());

    /** Every item of a kind that is due by `now`, taken for an hour. */
    const claimed = (kind: "match" | "embed", now = T0 + DAY_MS) =>
      store.work.claim(kind, { limit: 1000, leaseMs: HOUR_MS, now });
    const settleAll = async () => {
      await store.work.done([...(await claimed("match")), ...(await claimed("embed"))]);
    };

    describe("posts", () => {
      it("reads back every field of a post as it was inserted", async () => {
        const full = aPost("p", {
          startsAt: T0 + 1,
          endsAt: T0 + 2,
          sourceUrl: "https://x.org/",
          syndicated: true,
        });
        const bare = aPost("q", {
          link: null,
          tags: [],
          location: null,
          timezone: null,
          metadata: {},
          flags: [],
          expiryChosen: true,
        });
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

      it("answers null for a post nobody wrote", async () => {
        expect(await store.posts.get("nope")).toBeNull();
      });

      it("keeps the first of two posts with the same id and changes nothing", async () => {
        await store.posts.insert(aPost("p"));
        await settleAll();
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
        await settleAll();
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
        const second = await under.another();
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

      it("finds a removed post under its id when it is inserted again", async () => {
        await store.posts.insert(aPost("p"));
        await store.posts.remove("p", T0 + 1);
        const again = await store.posts.insert(aPost("p"));
        expect(again).toMatchObject({ inserted: false, post: { id: "p", state: "removed" } });
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
          { numRuns: 10 },
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

      it("one write that fails leaves those beside it alone", async () => {
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

      it("gives the posts it acknowledged after a restart", async () => {
        await store.posts.insert(aPost("p"));
        store = await under.reopen();
        expect(await store.posts.get("p")).toEqual(aPost("p"));
      });

      it("enqueues matching and embedding for a new post", async () => {
        await store.posts.insert(aPost("p"));
        expect((await claimed("match")).map(({ postId }) => postId)).toEqual(["p"]);
        expect((await claimed("embed")).map(({ postId }) => postId)).toEqual(["p"]);
      });

      it("lists a publisher's active posts and replies, newest first", async () => {
        await store.publishers.insert(aPublisher("pub_b"));
        await store.posts.insert(aPost("p1", { createdAt: T0 + 1 }));
        await store.posts.insert(aPost("p2", { createdAt: T0 + 3 }));
        await store.posts.insert(aPost("p3", { createdAt: T0 + 4, publisherId: "pub_b" }));
        await store.posts.insert(aPost("p1-r", { createdAt: T0 + 2, parentId: "p1" }));
        await store.posts.insert(aPost("p4", { createdAt: T0 + 5 }));
        await store.posts.remove("p4", T0 + 6);
        expect(idsOf(await store.posts.byPublisher("pub_a", 10))).toEqual(["p2", "p1-r", "p1"]);
        expect(idsOf(await store.posts.byPublisher("pub_a", 1))).toEqual(["p2"]);
      });

      it("lists fingerprints since a time, newest first, removed posts included", async () => {
        await store.posts.insert(aPost("p1", { createdAt: T0 - 1, fingerprint: "00" }));
        await store.posts.insert(aPost("p2", { createdAt: T0, fingerprint: "02" }));
        await store.posts.insert(aPost("p3", { createdAt: T0 + 1, fingerprint: "03" }));
        await store.posts.remove("p3", T0 + 2);
        expect(await store.posts.fingerprints("pub_a", T0, 10)).toEqual([
          { id: "p3", fingerprint: "03", createdAt: T0 + 1 },
          { id: "p2", fingerprint: "02", createdAt: T0 },
        ]);
        expect(await store.posts.fingerprints("pub_a", T0, 1)).toHaveLength(1);
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
      });
    });

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

      it("move the expiry of their root forward, never back", async () => {
        const later = T0 + 60 * DAY_MS;
        await store.posts.insert(aPost("root-1", { parentId: "root" }), { parentExpiresAt: later });
        await store.posts.insert(aPost("root-2", { parentId: "root" }), { parentExpiresAt: T0 + DAY_MS });
        expect((await store.posts.get("root"))?.expiresAt).toBe(later);
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

      it("lower the count when they are removed, and the latest time stays true", async () => {
        await reply(1);
        await reply(2);
        expect(await store.posts.remove("root-2", T0)).toEqual(["root-2"]);
        expect(await store.posts.get("root")).toMatchObject({ replyCount: 1, lastReplyAt: T0 + 1 });
        await store.posts.remove("root-1", T0);
        expect(await store.posts.get("root")).toMatchObject({ replyCount: 0, lastReplyAt: null });
      });

      it("do not count while they are hidden", async () => {
        await reply(1);
        await reply(2);
        await store.posts.update("root-2", { state: "hidden" }, { text: false });
        expect(await store.posts.get("root")).toMatchObject({ replyCount: 1, lastReplyAt: T0 + 1 });
        await store.posts.remove("root-2", T0);
        expect((await store.posts.get("root"))?.replyCount).toBe(1);
      });

      it("count again once they are restored", async () => {
        await reply(1);
        await store.posts.update("root-1", { state: "hidden" }, { text: false });
        await store.posts.update("root-1", { state: "active" }, { text: false });
        expect(await store.posts.get("root")).toMatchObject({ replyCount: 1, lastReplyAt: T0 + 1 });
      });

      it("stay when their root is hidden", async () => {
        await reply(1);
        await store.posts.update("root", { state: "hidden" }, { text: false });
        expect((await store.posts.get("root-1"))?.state).toBe("active");
      });
    });

    describe("edits", () => {
      beforeEach(async () => {
        await store.posts.insert(aPost("p"));
        await settleAll();
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

      it("both stay when two edits of different fields come together", async () => {
        await Promise.all([
          store.posts.update("p", { title: "New title" }, { text: true }),
          store.posts.update("p", { body: "New body" }, { text: true }),
        ]);
        expect(await store.posts.get("p")).toMatchObject({ title: "New title", body: "New body" });
      });
    });

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

    describe("vectors", () => {
      beforeEach(async () => {
        await store.posts.insert(aPost("p"));
        await settleAll();
      });
      const setVector = (updatedAt: number, model = "m1") =>
        store.posts.setVectors([{ id: "p", updatedAt, model, vector: aVector(7) }]);

      it("count for posts that have them, and enqueue matching", async () => {
        await setVector(T0);
        expect(await store.work.backlog("match")).toBe(1);
        expect(await store.posts.enqueueMissingVectors("m1", 10)).toBe(0);
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
        await settleAll();
        await setVector(T0);
        await store.posts.setVectors([{ id: "nope", updatedAt: T0, model: "m1", vector: aVector(1) }]);
        expect(await store.work.backlog("match")).toBe(0);
        expect(await store.posts.enqueueMissingVectors("m1", 10)).toBe(1);
      });

      it("are dropped by an edit of the text", async () => {
        await setVector(T0);
        await store.posts.update("p", { title: "New" }, { text: true });
        await settleAll();
        expect(await store.posts.enqueueMissingVectors("m1", 10)).toBe(1);
      });

      it("stay through hiding and restoring", async () => {
        await setVector(T0);
        await store.posts.update("p", { state: "hidden" }, { text: false });
        await store.posts.update("p", { state: "active" }, { text: false });
        expect(await store.posts.enqueueMissingVectors("m1", 10)).toBe(0);
      });

      it("of another model are missing, each enqueued once, at most as many as asked", async () => {
        for (let n = 0; n < 5; n += 1) await store.posts.insert(aPost(`p${n}`));
        await settleAll();
        await setVector(T0, "m1");
        await store.posts.setVectors([{ id: "p0", updatedAt: T0, model: "m3", vector: aVector(1) }]);
        await store.posts.setVectors([{ id: "p1", updatedAt: T0, model: "m2", vector: aVector(1) }]);
        expect(await store.posts.enqueueMissingVectors("m2", 2)).toBe(2);
        expect(await store.posts.enqueueMissingVectors("m2", 10)).toBe(3);
        expect(await store.posts.enqueueMissingVectors("m2", 10)).toBe(0);
        expect((await claimed("embed")).map(({ postId }) => postId).sort()).toEqual([
          "p",
          "p0",
          "p2",
          "p3",
          "p4",
        ]);
      });
    });

    describe("erasing old posts", () => {
      it("erases what expired or was removed before the given times, and nothing else", async () => {
        await store.posts.insert(aPost("old", { expiresAt: T0 }));
        await store.posts.insert(aPost("young", { expiresAt: T0 + DAY_MS }));
        await store.posts.insert(aPost("gone"));
        await store.posts.insert(aPost("going"));
        await store.posts.remove("gone", T0);
        await store.posts.remove("going", T0 + DAY_MS);
        expect(await store.posts.erase({ expired: T0 + 1, removed: T0 + 1 }, 100)).toBe(2);
        expect(idsOf(await store.posts.many(["old", "young", "gone", "going"]))).toEqual(["young", "going"]);
        expect((await store.publishers.get("pub_a"))?.postCount).toBe(1);
      });

      it("erases at most as many as asked, and goes on at the next call", async () => {
        for (let n = 0; n < 5; n += 1) await store.posts.insert(aPost(`p${n}`, { expiresAt: T0 + n }));
        expect(await store.posts.erase({ expired: T0 + DAY_MS, removed: 0 }, 3)).toBe(3);
        expect(idsOf(await store.posts.many(["p0", "p1", "p2", "p3", "p4"]))).toEqual(["p3", "p4"]);
        expect(await store.posts.erase({ expired: T0 + DAY_MS, removed: 0 }, 3)).toBe(2);
        expect(await store.posts.erase({ expired: T0 + DAY_MS, removed: 0 }, 3)).toBe(0);
      });

      it("erases the replies of a root with it, and keeps the count of a root that stays", async () => {
        await store.posts.insert(aPost("old", { expiresAt: T0 }));
        await store.posts.insert(aPost("old-1", { parentId: "old", expiresAt: T0 + 9 * DAY_MS }));
        await store.posts.insert(aPost("root"));
        await store.posts.insert(aPost("root-1", { parentId: "root", expiresAt: T0 }));
        await store.posts.erase({ expired: T0 + 1, removed: 0 }, 100);
        expect(idsOf(await store.posts.many(["old", "old-1", "root", "root-1"]))).toEqual(["root"]);
        expect(await store.posts.get("root")).toMatchObject({ replyCount: 0, lastReplyAt: null });
      });
    });

    describe("publishers", () => {
      it("are read back as inserted, by id and by key", async () => {
        const full = aPublisher("pub_f", {
          verifiedAt: T0,
          verifiedVia: "dns",
          checkedAt: T0,
          suspendedAt: T0 + 1,
        });
        const bare = aPublisher("pub_n", { description: null, url: null, domain: null, verifyToken: null });
        for (const publisher of [full, bare]) {
          await store.publishers.insert(publisher);
          expect(await store.publishers.get(publisher.id)).toEqual(publisher);
          expect(await store.publishers.byKeyHash(publisher.keyHash)).toEqual(publisher);
        }
        expect(idsOf(await store.publishers.many(["pub_n", "nope", "pub_f"]))).toEqual(["pub_n", "pub_f"]);
        expect(await store.publishers.get("nope")).toBeNull();
        expect(await store.publishers.byKeyHash("nope")).toBeNull();
      });

      it("cannot share a key or an id", async () => {
        await expect(
          store.publishers.insert(aPublisher("pub_x", { keyHash: "hash of pub_a" })),
        ).rejects.toThrow();
        await expect(store.publishers.insert(aPublisher("pub_a", { keyHash: "other" }))).rejects.toThrow();
        expect(await store.publishers.get("pub_x")).toBeNull();
      });

      it("lose their old key the moment it is rotated", async () => {
        const after = await store.publishers.update("pub_a", { keyHash: "new" });
        expect(after).toEqual(aPublisher("pub_a", { keyHash: "new" }));
        expect(await store.publishers.byKeyHash("hash of pub_a")).toBeNull();
        expect(await store.publishers.byKeyHash("new")).toEqual(after);
      });

      it("answer null to a change of one that is not there", async () => {
        expect(await store.publishers.update("nope", { name: "x" })).toBeNull();
      });

      it("are due for a check when verified and not looked at since, oldest first", async () => {
        const verified = { verifiedAt: T0, verifiedVia: "dns" } as const;
        await store.publishers.insert(aPublisher("pub_1", { ...verified, checkedAt: T0 + 2 }));
        await store.publishers.insert(aPublisher("pub_2", { ...verified, checkedAt: T0 + 1 }));
        await store.publishers.insert(aPublisher("pub_3", { ...verified, checkedAt: T0 + 3 }));
        await store.publishers.insert(aPublisher("pub_4", { checkedAt: T0 }));
        expect(idsOf(await store.publishers.dueForCheck(T0 + 3, 10))).toEqual(["pub_2", "pub_1"]);
        expect(idsOf(await store.publishers.dueForCheck(T0 + 3, 1))).toEqual(["pub_2"]);
      });
    });

    describe("erasing a publisher", () => {
      it("takes posts, replies to them, subscriptions, deliveries, reports and work along", async () => {
        await store.publishers.insert(aPublisher("pub_b"));
        await store.posts.insert(aPost("p"));
        await store.posts.insert(aPost("p-b", { parentId: "p", publisherId: "pub_b" }));
        await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
        await store.posts.insert(aPost("b-a", { parentId: "b" }));
        await store.posts.insert(aPost("gone"));
        await store.posts.remove("gone", T0);
        await store.subscriptions.insert(aSubscription("sub_a"), 50);
        await store.subscriptions.insert(aSubscription("sub_b", { publisherId: "pub_b" }), 50);
        await store.subscriptions.deliver(
          [
            { subscriptionId: "sub_a", postId: "b", matchedAt: T0 },
            { subscriptionId: "sub_b", postId: "p", matchedAt: T0 },
            { subscriptionId: "sub_b", postId: "b", matchedAt: T0 },
          ],
          [],
        );
        await store.reports.upsert(aReport("rep_1", { postId: "b", reporter: "key:pub_a" }));
        await store.reports.upsert(aReport("rep_2", { postId: "b", reporter: "key:pub_b" }));
        await store.reports.upsert(aReport("rep_3", { postId: "p", reporter: "key:pub_b" }));

        expect(await store.publishers.erase("pub_a")).toEqual({ posts: 2, subscriptions: 1 });

        expect(await store.publishers.get("pub_a")).toBeNull();
        expect(await store.publishers.byKeyHash("hash of pub_a")).toBeNull();
        expect(idsOf(await store.posts.many(["p", "p-b", "b", "b-a", "gone"]))).toEqual(["b"]);
        expect(await store.posts.get("b")).toMatchObject({ replyCount: 0, lastReplyAt: null });
        expect((await store.publishers.get("pub_b"))?.postCount).toBe(1);
        expect(await store.subscriptions.get("sub_a")).toBeNull();
        expect((await store.subscriptions.pending("sub_b", 0, 10)).map(({ postId }) => postId)).toEqual([
          "b",
        ]);
        expect(await store.reports.reporters("b", 0)).toBe(1);
        expect((await store.reports.queue(10)).map(({ postId, reporters }) => [postId, reporters])).toEqual([
          ["b", 1],
        ]);
        expect((await claimed("match")).map(({ postId }) => postId)).toEqual(["b"]);
      });

      it("answers null for one that is not there, also the second time", async () => {
        expect(await store.publishers.erase("nope")).toBeNull();
        await store.publishers.erase("pub_a");
        expect(await store.publishers.erase("pub_a")).toBeNull();
      });

      it("goes through however many posts there are", async () => {
        const ids = Array.from({ length: 450 }, (_, n) => `p${n}`);
        await Promise.all(ids.map((id) => store.posts.insert(aPost(id))));
        expect(await store.publishers.erase("pub_a")).toEqual({ posts: 450, subscriptions: 0 });
        expect(await store.posts.many(ids)).toEqual([]);
      });
    });

    describe("subscriptions", () => {
      it("are read back as inserted, and listed by publisher, oldest first", async () => {
        const first = aSubscription("sub_1", { createdAt: T0 + 1, vector: aVector(-3), vectorModel: "m1" });
        const second = aSubscription("sub_2", {
          label: null,
          webhookUrl: "https://x.org/",
          webhookVerifiedAt: T0,
          secretVersion: 2,
          previousSecretUntil: T0 + DAY_MS,
          failures: 1,
          failingSince: T0 - 1,
        });
        expect(await store.subscriptions.insert(first, 50)).toBe(true);
        expect(await store.subscriptions.insert(second, 50)).toBe(true);
        expect(await store.subscriptions.get("sub_1")).toEqual(first);
        expect(await store.subscriptions.ofPublisher("pub_a")).toEqual([second, first]);
        expect(await store.subscriptions.get("nope")).toBeNull();
      });

      it("are never more than allowed, however many are tried together", async () => {
        const tries = Array.from({ length: 12 }, (_, n) =>
          store.subscriptions.insert(aSubscription(`sub_${n}`), 5),
        );
        expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(5);
        expect(await store.subscriptions.ofPublisher("pub_a")).toHaveLength(5);
      });

      it("leave room for others while they are inactive", async () => {
        await store.subscriptions.insert(aSubscription("sub_1"), 1);
        expect(await store.subscriptions.insert(aSubscription("sub_2"), 1)).toBe(false);
        await store.subscriptions.update("sub_1", { active: false, inactiveReason: "paused" });
        expect(await store.subscriptions.insert(aSubscription("sub_2"), 1)).toBe(true);
      });

      it("change in what is named, and nothing else", async () => {
        await store.subscriptions.insert(aSubscription("sub_1"), 50);
        const change = { query: { q: "tandem" }, vector: aVector(2), vectorModel: "m1", failures: 3 };
        expect(await store.subscriptions.update("sub_1", change)).toEqual(aSubscription("sub_1", change));
        expect(await store.subscriptions.get("sub_1")).toEqual(aSubscription("sub_1", change));
        expect(await store.subscriptions.update("nope", change)).toBeNull();
      });

      it("are gone once removed, with their deliveries, and nothing is delivered to them", async () => {
        await store.posts.insert(aPost("p"));
        await store.subscriptions.insert(aSubscription("sub_1"), 50);
        await store.subscriptions.deliver([{ subscriptionId: "sub_1", postId: "p", matchedAt: T0 }], []);
        expect(await store.subscriptions.remove("sub_1")).toBe(true);
        expect(await store.subscriptions.remove("sub_1")).toBe(false);
        expect(await store.subscriptions.pending("sub_1", 0, 10)).toEqual([]);
        expect(
          await store.subscriptions.deliver([{ subscriptionId: "sub_1", postId: "p", matchedAt: T0 }], []),
        ).toEqual([]);
      });
    });

    describe("changes of subscriptions", () => {
      it("come in order, as the rows are now, with null for those that are gone", async () => {
        for (const id of ["sub_1", "sub_2", "sub_3"]) await store.subscriptions.insert(aSubscription(id), 50);
        const all = await store.subscriptions.changes(0, 100);
        expect(idsOf(all.rows)).toEqual(["sub_1", "sub_2", "sub_3"]);
        await store.subscriptions.update("sub_1", { label: "new" });
        await store.subscriptions.remove("sub_2");
        const since = await store.subscriptions.changes(all.next, 100);
        expect(since.rows).toEqual([
          { id: "sub_1", subscription: aSubscription("sub_1", { label: "new" }) },
          { id: "sub_2", subscription: null },
        ]);
        expect(await store.subscriptions.changes(since.next, 100)).toEqual({ next: since.next, rows: [] });
      });

      it("are walked in pages without a gap", async () => {
        for (let n = 0; n < 7; n += 1) await store.subscriptions.insert(aSubscription(`sub_${n}`), 50);
        const seen: string[] = [];
        let after = 0;
        while (true) {
          const { next, rows } = await store.subscriptions.changes(after, 3);
          if (next === after) break;
          seen.push(...idsOf(rows));
          after = next;
        }
        expect(seen).toEqual(["sub_0", "sub_1", "sub_2", "sub_3", "sub_4", "sub_5", "sub_6"]);
      });

      it("go on growing after a restart", async () => {
        await store.subscriptions.insert(aSubscription("sub_1"), 50);
        await store.subscriptions.remove("sub_1");
        const { next } = await store.subscriptions.changes(0, 100);
        store = await under.reopen();
        await store.subscriptions.insert(aSubscription("sub_2"), 50);
        expect(idsOf((await store.subscriptions.changes(next, 100)).rows)).toEqual(["sub_2"]);
      });
    });

    describe("deliveries", () => {
      const match = (subscriptionId: string, postId: string, matchedAt = T0) => ({
        subscriptionId,
        postId,
        matchedAt,
      });
      beforeEach(async () => {
        await store.subscriptions.insert(aSubscription("sub_1"), 50);
        await store.subscriptions.insert(aSubscription("sub_2"), 50);
        for (let n = 0; n < 5; n += 1) await store.posts.insert(aPost(`p${n}`));
      });

      it("number the matches of each subscription in their order, from 1", async () => {
        const delivered = await store.subscriptions.deliver(
          [match("sub_1", "p0"), match("sub_2", "p0"), match("sub_1", "p1")],
          [],
        );
        expect(delivered.map((d) => [d.subscriptionId, d.postId, d.deliveryId])).toEqual([
          ["sub_1", "p0", 1],
          ["sub_2", "p0", 1],
          ["sub_1", "p1", 2],
        ]);
      });

      it("happen once for each pair, whatever is tried together", async () => {
        const pair = fc.tuple(
          fc.constantFrom("sub_1", "sub_2"),
          fc.constantFrom("p0", "p1", "p2", "p3", "p4"),
        );
        const seen = new Set<string>();
        const numbers = new Map<string, number>();
        await fc.assert(
          fc.asyncProperty(fc.array(fc.array(pair, { maxLength: 6 }), { maxLength: 6 }), async (batches) => {
            const answers = await Promise.all(
              batches.map((batch) =>
                store.subscriptions.deliver(
                  batch.map(([s, p]) => match(s, p)),
                  [],
                ),
              ),
            );
            for (const { subscriptionId, postId, deliveryId } of answers.flat()) {
              expect(seen.has(`${subscriptionId} ${postId}`)).toBe(false);
              seen.add(`${subscriptionId} ${postId}`);
              expect(deliveryId).toBe((numbers.get(subscriptionId) ?? 0) + 1);
              numbers.set(subscriptionId, deliveryId);
            }
          }),
          { numRuns: 15 },
        );
      });

      it("are read from a watermark on, in order, and nothing is consumed", async () => {
        await store.subscriptions.deliver(
          [0, 1, 2, 3].map((n) => match("sub_1", `p${n}`, T0 + n)),
          [],
        );
        const read = () => store.subscriptions.pending("sub_1", 1, 2);
        expect(await read()).toEqual([
          { deliveryId: 2, postId: "p1", matchedAt: T0 + 1 },
          { deliveryId: 3, postId: "p2", matchedAt: T0 + 2 },
        ]);
        expect(await read()).toEqual(await read());
        expect(await store.subscriptions.pending("sub_1", 4, 10)).toEqual([]);
        expect(await store.subscriptions.pending("nope", 0, 10)).toEqual([]);
      });

      it("set the time of the last match, which never goes back", async () => {
        await store.subscriptions.deliver([match("sub_1", "p0", T0 + 5), match("sub_1", "p1", T0 + 4)], []);
        expect((await store.subscriptions.get("sub_1"))?.lastMatchedAt).toBe(T0 + 5);
      });

      it("settle the work they came from", async () => {
        const [item] = await claimed("match");
        if (item === undefined) throw new Error("nothing to match");
        const before = await store.work.backlog("match");
        await store.subscriptions.deliver([match("sub_1", item.postId)], [item]);
        expect(await store.work.backlog("match")).toBe(before - 1);
      });

      it("pass over pairs whose subscription or post is gone, or whose post is hidden", async () => {
        await store.posts.remove("p0", T0);
        await store.posts.update("p1", { state: "hidden" }, { text: false });
        const tried = [
          match("sub_1", "p0"),
          match("sub_1", "p1"),
          match("sub_1", "nope"),
          match("nope", "p2"),
        ];
        expect(await store.subscriptions.deliver(tried, [])).toEqual([]);
        await store.posts.update("p1", { state: "active" }, { text: false });
        expect(await store.subscriptions.deliver(tried, [])).toHaveLength(1);
      });

      it("drop out while their post is hidden or its publisher suspended, and for good when it is removed", async () => {
        await store.publishers.insert(aPublisher("pub_b"));
        await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
        await store.subscriptions.deliver(
          [match("sub_1", "p0"), match("sub_1", "p1"), match("sub_1", "b")],
          [],
        );
        const shown = async () =>
          (await store.subscriptions.pending("sub_1", 0, 10)).map(({ postId }) => postId);
        const count = async () => (await store.subscriptions.pendingCounts(["sub_1", "sub_2"])).get("sub_1");
        await store.posts.update("p0", { state: "hidden" }, { text: false });
        await store.publishers.update("pub_b", { suspendedAt: T0 });
        expect([await shown(), await count()]).toEqual([["p1"], 1]);
        await store.posts.update("p0", { state: "active" }, { text: false });
        await store.publishers.update("pub_b", { suspendedAt: null });
        expect([await shown(), await count()]).toEqual([["p0", "p1", "b"], 3]);
        await store.posts.remove("p1", T0);
        expect([await shown(), await count()]).toEqual([["p0", "b"], 2]);
      });

      it("are counted for each subscription asked for, 0 where there are none", async () => {
        await store.subscriptions.deliver([match("sub_1", "p0"), match("sub_1", "p1")], []);
        expect(await store.subscriptions.pendingCounts(["sub_1", "sub_2", "nope"])).toEqual(
          new Map([
            ["sub_1", 2],
            ["sub_2", 0],
            ["nope", 0],
          ]),
        );
      });

      it("are forgotten after their time, but never delivered again", async () => {
        await store.subscriptions.deliver(
          [match("sub_1", "p0", T0), match("sub_1", "p1", T0 + 1), match("sub_1", "p2", T0 + 2)],
          [],
        );
        expect(await store.subscriptions.forgetDeliveries(T0 + 2, 1)).toBe(1);
        expect(await store.subscriptions.forgetDeliveries(T0 + 2, 10)).toBe(1);
        expect(await store.subscriptions.forgetDeliveries(T0 + 2, 10)).toBe(0);
        expect((await store.subscriptions.pending("sub_1", 0, 10)).map(({ postId }) => postId)).toEqual([
          "p2",
        ]);
        expect(await store.subscriptions.deliver([match("sub_1", "p0", T0 + 9)], [])).toEqual([]);
        const [next] = await store.subscriptions.deliver([match("sub_1", "p3", T0 + 9)], []);
        expect(next?.deliveryId).toBe(4);
      });
    });

    describe("pushes", () => {
      const NOW = T0 + HOUR_MS;
      const LEASE_MS = 30_000;
      const wide = { limit: 100, perOrigin: 100, total: 100, failing: 100, leaseMs: LEASE_MS, now: NOW };
      const claim = (over: Partial<typeof wide> = {}, from = store) =>
        from.pushes.claim({ ...wide, ...over });
      /** Subscription and number, such as `sub_1 3`. */
      const named = (pushes: readonly { subscriptionId: string; deliveryId: number }[]) =>
        pushes.map(({ subscriptionId, deliveryId }) => `${subscriptionId} ${deliveryId}`);
      const first = (pushes: readonly ClaimedPush[]): ClaimedPush => {
        const [push] = pushes;
        if (push === undefined) throw new Error("nothing was claimed");
        return push;
      };

      const answer = (at: number, status: number | null): PushAttempt => ({
        at,
        latencyMs: 120,
        status,
        error: status === null ? "timed out" : null,
      });
      const end = (push: ClaimedPush, state: PushState, over: Partial<{ at: number; dueAt: number }> = {}) =>
        store.pushes.settle(push, answer(over.at ?? NOW, state === "delivered" ? 204 : 500), {
          state,
          dueAt: over.dueAt ?? null,
          deactivate: null,
        });

      const consenting = (id: string, origin: string, over: Partial<StoredSubscription> = {}) =>
        store.subscriptions.insert(
          aSubscription(id, { webhookUrl: `${origin}/hook/${id}`, webhookVerifiedAt: T0, ...over }),
          50,
        );
      let posts = 0;
      /** Records `count` matches of new posts, one after the other, the first matched at `from`. */
      const match = async (subscriptionId: string, count: number, from = T0) => {
        const ids = Array.from({ length: count }, (_, n) => `match${posts + n}`);
        posts += count;
        for (const id of ids) await store.posts.insert(aPost(id));
        await store.subscriptions.deliver(
          ids.map((postId, n) => ({ subscriptionId, postId, matchedAt: from + n })),
          [],
        );
        return ids;
      };

      it("go out for deliveries of a subscription that is active and whose webhook has consented", async () => {
        await consenting("sub_1", "https://a.example");
        const [postId] = await match("sub_1", 1, T0 + 5);
        expect(await claim()).toEqual([
          {
            subscriptionId: "sub_1",
            deliveryId: 1,
            postId,
            matchedAt: T0 + 5,
            token: expect.any(String),
            attempts: 0,
            subscription: await store.subscriptions.get("sub_1"),
          },
        ]);
      });

      it("are not made for one that is inactive, has no webhook, or one that has not consented", async () => {
        await store.subscriptions.insert(aSubscription("sub_1"), 50);
        await consenting("sub_2", "https://a.example", { webhookVerifiedAt: null });
        await consenting("sub_3", "https://a.example", { active: false, inactiveReason: "webhook_gone" });
        for (const id of ["sub_1", "sub_2", "sub_3"]) {
          await match(id, 1);
          expect(await store.pushes.list(id, { before: null, limit: 10 })).toEqual([]);
          await store.subscriptions.update(id, {
            webhookUrl: "https://b.example/",
            webhookVerifiedAt: T0,
            active: true,
          });
        }
        expect(await claim()).toEqual([]);
      });

      it("are due from the time of the match on, the longest due first", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 3, NOW - 1);
        expect(named(await claim({ limit: 1 }))).toEqual(["sub_1 1"]);
        expect(named(await claim())).toEqual(["sub_1 2"]);
        expect(named(await claim({ now: NOW + 1 }))).toEqual(["sub_1 3"]);
      });

      it("go to one claimant each, however many ask together through however many handles", async () => {
        for (const n of [1, 2, 3]) {
          await consenting(`sub_${n}`, `https://h${n}.example`);
          await match(`sub_${n}`, 10);
        }
        const other = await under.another();
        const claims = await Promise.all(
          Array.from({ length: 12 }, (_, n) => claim({ limit: 4 }, n % 2 === 0 ? store : other)),
        );
        expect(new Set(named(claims.flat())).size).toBe(30);
        expect(claims.flat()).toHaveLength(30);
      });

      it("are due again by themselves when their lease ends, with another token", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        const before = first(await claim());
        expect(await claim({ now: NOW + LEASE_MS - 1 })).toEqual([]);
        const after = first(await claim({ now: NOW + LEASE_MS }));
        expect(named([after])).toEqual(["sub_1 1"]);
        expect(after.token).not.toBe(before.token);
      });

      it("survive a restart, claimed or not", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 2);
        await claim({ limit: 1 });
        store = await under.reopen();
        expect(named(await claim())).toEqual(["sub_1 2"]);
        expect(named(await claim({ now: NOW + LEASE_MS }))).toEqual(["sub_1 1", "sub_1 2"]);
      });

      it("are never claimed beyond the places of an origin or of the board, over all handles", async () => {
        for (const n of [1, 2, 3, 4]) {
          await consenting(`sub_${n}`, `https://h${n % 2}.example`);
          await match(`sub_${n}`, 5);
        }
        const other = await under.another();
        const caps = { perOrigin: 3, total: 5, limit: 2 };
        const claims = await Promise.all(
          Array.from({ length: 10 }, (_, n) => claim(caps, n % 2 === 0 ? store : other)),
        );
        const held = claims.flat();
        expect(held).toHaveLength(5);
        const atFirst = held.filter(({ subscription }) => subscription.webhookUrl?.includes("h1."));
        expect([2, 3]).toContain(atFirst.length);
        // A place that is free again, or whose lease ended, is given again.
        await end(first(held), "delivered");
        expect(await claim(caps)).toHaveLength(1);
        expect(await claim(caps)).toEqual([]);
        expect(await claim({ ...caps, limit: 9, now: NOW + LEASE_MS })).toHaveLength(5);
      });

      it("share the places of their host and port, and of nothing else", async () => {
        const urls = [
          "https://a.example",
          "https://A.example:443",
          "https://a.example:8443",
          "http://a.example",
        ];
        for (const [n, origin] of urls.entries()) {
          await consenting(`sub_${n}`, origin);
          await match(`sub_${n}`, 1);
        }
        const held = named(await claim({ perOrigin: 1 }));
        expect(held).toHaveLength(3);
        expect(held).toEqual(expect.arrayContaining(["sub_2 1", "sub_3 1"]));
      });

      it("count for the origin they were claimed for, also when the webhook has moved since", async () => {
        await consenting("sub_1", "https://a.example");
        await consenting("sub_2", "https://a.example");
        await match("sub_1", 1);
        await claim();
        await store.subscriptions.update("sub_1", { webhookUrl: "https://b.example/" });
        await match("sub_2", 1);
        expect(await claim({ perOrigin: 1 })).toEqual([]);
        expect(named(await claim({ perOrigin: 2 }))).toEqual(["sub_2 1"]);
      });

      it("of subscriptions that fail take at most their share of the places", async () => {
        for (const n of [1, 2, 3, 4]) {
          await consenting(
            `sub_${n}`,
            `https://h${n}.example`,
            n < 4 ? { failures: 1, failingSince: T0 } : {},
          );
          await match(`sub_${n}`, 3, T0 + n);
        }
        const held = await claim({ total: 6, failing: 2 });
        expect(named(held).filter((name) => name.startsWith("sub_4"))).toHaveLength(3);
        expect(held).toHaveLength(5);
        expect(await claim({ total: 6, failing: 2 })).toEqual([]);
        expect(await claim({ total: 6, failing: 3 })).toHaveLength(1);
      });

      it("of origins take turns, whatever the length of their queues", async () => {
        for (const [id, count] of [
          ["sub_1", 6],
          ["sub_2", 2],
          ["sub_3", 2],
        ] as const) {
          await consenting(id, `https://${id.replace("_", "")}.example`);
          await match(id, count, T0 + count);
        }
        const order: string[] = [];
        for (let n = 0; n < 10; n += 1) order.push(...named(await claim({ limit: 1 })));
        const turns = [order.slice(0, 3), order.slice(3, 6)].map((names) =>
          names.map((name) => name.slice(0, 5)).sort(),
        );
        expect(turns).toEqual([
          ["sub_1", "sub_2", "sub_3"],
          ["sub_1", "sub_2", "sub_3"],
        ]);
        expect(order.slice(6)).toEqual(["sub_1 3", "sub_1 4", "sub_1 5", "sub_1 6"]);
      });

      it("of an origin at its limit hold up no other origin", async () => {
        await consenting("sub_1", "https://slow.example");
        await match("sub_1", 50);
        await claim({ perOrigin: 2 });
        await consenting("sub_2", "https://alive.example");
        await match("sub_2", 1, T0 + 99);
        expect(named(await claim({ perOrigin: 2, limit: 1 }))).toEqual(["sub_2 1"]);
      });

      it("of subscriptions at one origin take turns too", async () => {
        await consenting("sub_1", "https://a.example");
        await consenting("sub_2", "https://a.example");
        await match("sub_1", 5, T0);
        await match("sub_2", 1, T0 + 50);
        await claim({ limit: 1 });
        expect(named(await claim({ limit: 1 }))).toEqual(["sub_2 1"]);
      });

      it("are done once delivered, and their subscription counts no failures any more", async () => {
        await consenting("sub_1", "https://a.example", { failures: 3, failingSince: T0 - 1 });
        await match("sub_1", 1);
        expect(await end(first(await claim()), "delivered")).toBe(true);
        expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
        expect(await store.subscriptions.get("sub_1")).toMatchObject({ failures: 0, failingSince: null });
      });

      it("wait until their next time after a failure, which is counted from the first on", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        await end(first(await claim()), "waiting", { dueAt: NOW + 5000 });
        expect(await claim({ now: NOW + 4999 })).toEqual([]);
        const again = first(await claim({ now: NOW + 5000 }));
        expect(again.attempts).toBe(1);
        await end(again, "failed", { at: NOW + 5001 });
        expect(await store.subscriptions.get("sub_1")).toMatchObject({ failures: 2, failingSince: NOW });
        expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
      });

      it("change nothing for their subscription when they end without an attempt", async () => {
        await consenting("sub_1", "https://a.example", { failures: 1, failingSince: T0 });
        await match("sub_1", 1);
        const push = first(await claim());
        const cancelled = { state: "cancelled", dueAt: null, deactivate: null } as const;
        expect(await store.pushes.settle(push, null, cancelled)).toBe(true);
        expect(await store.subscriptions.get("sub_1")).toEqual(push.subscription);
        expect(await store.pushes.list("sub_1", { before: null, limit: 1 })).toMatchObject([
          { state: "cancelled", attempts: 0, lastAttempt: null, dueAt: null },
        ]);
      });

      it("are settled by a lease that ended, as long as nobody else has claimed them", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        const late = first(await claim());
        expect(await end(late, "delivered", { at: NOW + LEASE_MS + 1 })).toBe(true);
        expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
        expect(await end(late, "delivered")).toBe(false);
      });

      it("are not settled, in nothing, by a claim that was taken over", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        const lost = first(await claim());
        const held = first(await claim({ now: NOW + LEASE_MS }));
        const before = await store.subscriptions.get("sub_1");
        const outcome = { state: "failed", dueAt: null, deactivate: "webhook_gone" } as const;
        expect(await store.pushes.settle(lost, answer(NOW, 410), outcome)).toBe(false);
        expect(await store.subscriptions.get("sub_1")).toEqual(before);
        expect(await end(held, "delivered")).toBe(true);
      });

      it("say nothing about a webhook that took the place of the one they were sent to", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        const push = first(await claim());
        await store.subscriptions.update("sub_1", { webhookUrl: "https://b.example/" });
        const outcome = { state: "failed", dueAt: null, deactivate: "webhook_gone" } as const;
        expect(await store.pushes.settle(push, answer(NOW, 410), outcome)).toBe(true);
        expect(await store.subscriptions.get("sub_1")).toMatchObject({ active: true, failures: 0 });
      });

      it("appear among the changes of subscriptions only when they make one inactive", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 3);
        const { next } = await store.subscriptions.changes(0, 100);
        const [one, two, three] = await claim();
        if (one === undefined || two === undefined || three === undefined) throw new Error("too few");
        await end(one, "failed");
        await end(two, "delivered");
        expect((await store.subscriptions.changes(next, 100)).rows).toEqual([]);
        await store.pushes.settle(three, answer(NOW, 410), {
          state: "failed",
          dueAt: null,
          deactivate: "webhook_gone",
        });
        expect((await store.subscriptions.changes(next, 100)).rows).toMatchObject([
          { id: "sub_1", subscription: { active: false, inactiveReason: "webhook_gone", failures: 1 } },
        ]);
      });

      it("leave the reason of a subscription that its owner paused meanwhile", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        const push = first(await claim());
        await store.subscriptions.update("sub_1", { active: false, inactiveReason: "paused" });
        const { next } = await store.subscriptions.changes(0, 100);
        await store.pushes.settle(push, answer(NOW, 410), {
          state: "failed",
          dueAt: null,
          deactivate: "webhook_gone",
        });
        expect((await store.subscriptions.changes(next, 100)).rows).toEqual([]);
        expect((await store.subscriptions.get("sub_1"))?.inactiveReason).toBe("paused");
      });

      it("stop while their subscription is inactive or without consent, and go on afterwards", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        await store.subscriptions.update("sub_1", { active: false, inactiveReason: "paused" });
        expect(await claim()).toEqual([]);
        await store.subscriptions.update("sub_1", {
          active: true,
          inactiveReason: null,
          webhookUrl: "https://b.example/",
          webhookVerifiedAt: null,
        });
        expect(await claim()).toEqual([]);
        await store.subscriptions.update("sub_1", { webhookVerifiedAt: NOW });
        expect(first(await claim()).subscription.webhookUrl).toBe("https://b.example/");
      });

      it("are due at once when they are given back, with nothing counted", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 2);
        const held = await claim();
        await store.pushes.giveBack(held);
        await store.pushes.giveBack([]);
        const again = await claim();
        expect(named(again)).toEqual(["sub_1 1", "sub_1 2"]);
        expect(again.map(({ attempts }) => attempts)).toEqual([0, 0]);
        // The first claim is over.
        await store.pushes.giveBack(held);
        expect(await claim()).toEqual([]);
      });

      it("are listed with their latest attempt, newest first, in pages", async () => {
        await consenting("sub_1", "https://a.example");
        const ids = await match("sub_1", 3);
        const [one, two] = await claim({ limit: 2 });
        if (one === undefined || two === undefined) throw new Error("too few");
        await end(one, "delivered", { at: NOW + 1 });
        await store.pushes.settle(two, answer(NOW + 2, null), {
          state: "waiting",
          dueAt: NOW + 9,
          deactivate: null,
        });
        const record = (n: number) => ({
          subscriptionId: "sub_1",
          deliveryId: n,
          postId: ids[n - 1],
          matchedAt: T0 + n - 1,
        });
        const all = [
          { ...record(3), state: "waiting", attempts: 0, lastAttempt: null, dueAt: T0 + 2 },
          { ...record(2), state: "waiting", attempts: 1, lastAttempt: answer(NOW + 2, null), dueAt: NOW + 9 },
          { ...record(1), state: "delivered", attempts: 1, lastAttempt: answer(NOW + 1, 204), dueAt: null },
        ];
        expect(await store.pushes.list("sub_1", { before: null, limit: 10 })).toEqual(all);
        expect(await store.pushes.list("sub_1", { before: null, limit: 2 })).toEqual(all.slice(0, 2));
        expect(await store.pushes.list("sub_1", { before: 2, limit: 2 })).toEqual(all.slice(2));
        expect(await store.pushes.list("nope", { before: null, limit: 2 })).toEqual([]);
      });

      it("go out once more when asked for: delivered, given up, waiting, or never made", async () => {
        await store.subscriptions.insert(aSubscription("sub_1", { webhookUrl: "https://a.example/" }), 50);
        await match("sub_1", 1);
        await store.subscriptions.update("sub_1", { webhookVerifiedAt: T0 });
        await match("sub_1", 3);
        const held = await claim();
        for (const [n, state] of (["delivered", "failed", "waiting"] as const).entries()) {
          const push = held[n];
          if (push === undefined) throw new Error("too few");
          await end(push, state, state === "waiting" ? { dueAt: NOW + DAY_MS } : {});
        }
        expect(await claim()).toEqual([]);
        for (const n of [1, 2, 3, 4]) expect(await store.pushes.redeliver("sub_1", n, NOW)).toBe(true);
        const again = await claim();
        expect(named(again)).toEqual(["sub_1 1", "sub_1 2", "sub_1 3", "sub_1 4"]);
        expect(again.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0]);
      });

      it("go out once more when asked for while they are sent, within the same places", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        await end(first(await claim()), "waiting", { dueAt: NOW });
        const push = first(await claim());
        expect(await store.pushes.redeliver("sub_1", 1, NOW + 1)).toBe(true);
        expect(await claim({ now: NOW + 2 })).toEqual([]);
        expect(await end(push, "delivered")).toBe(true);
        expect(await claim({ now: NOW })).toEqual([]);
        expect(first(await claim({ now: NOW + 1 })).attempts).toBe(0);
      });

      it("count their attempts anew also when the lease ends of one that was asked for while it was sent", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 1);
        await end(first(await claim()), "waiting", { dueAt: NOW });
        await claim();
        await store.pushes.redeliver("sub_1", 1, NOW);
        expect(first(await claim({ now: NOW + LEASE_MS })).attempts).toBe(0);
      });

      it("are not made for what was never delivered, was forgotten, or whose post is removed", async () => {
        await consenting("sub_1", "https://a.example");
        const [, second = ""] = await match("sub_1", 2);
        await store.subscriptions.forgetDeliveries(T0 + 1, 10);
        await store.posts.remove(second, NOW);
        for (const n of [1, 2, 3]) expect(await store.pushes.redeliver("sub_1", n, NOW)).toBe(false);
        expect(await store.pushes.redeliver("nope", 1, NOW)).toBe(false);
      });

      it("stay as records when their post is erased", async () => {
        await consenting("sub_1", "https://a.example");
        const [postId = ""] = await match("sub_1", 1);
        await store.posts.remove(postId, T0);
        await store.posts.erase({ expired: 0, removed: T0 + 1 }, 10);
        expect(await store.pushes.list("sub_1", { before: null, limit: 1 })).toMatchObject([{ postId }]);
      });

      it("are forgotten with the deliveries they came from", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 3);
        const [held] = await claim({ limit: 1 });
        await store.subscriptions.forgetDeliveries(T0 + 2, 10);
        expect(named(await store.pushes.list("sub_1", { before: null, limit: 9 }))).toEqual(["sub_1 3"]);
        expect(await end(held as ClaimedPush, "delivered")).toBe(false);
        expect(named(await claim())).toEqual(["sub_1 3"]);
      });

      it("vanish with their subscription, also from under a claim", async () => {
        await consenting("sub_1", "https://a.example");
        await match("sub_1", 2);
        const held = first(await claim({ limit: 1 }));
        await store.subscriptions.remove("sub_1");
        expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
        expect(await store.pushes.list("sub_1", { before: null, limit: 9 })).toEqual([]);
        expect(await end(held, "delivered")).toBe(false);
      });

      it("vanish with their publisher: nothing of it is claimed from the first moment on", async () => {
        await store.publishers.insert(aPublisher("pub_b"));
        for (const id of ["sub_1", "sub_2", "sub_3"]) {
          await consenting(id, "https://b.example", { publisherId: "pub_b" });
          await match(id, 3);
        }
        const erasure = store.publishers.erase("pub_b");
        while ((await store.publishers.get("pub_b")) !== null) await turn();
        expect(await claim()).toEqual([]);
        await erasure;
        expect(await claim({ now: NOW + DAY_MS })).toEqual([]);
      });

      it("are in step with what was asked, in any order of events", async () => {
        // A small model: what waits, when it is due, and who holds it.
        const model = new Map<string, { dueAt: number; token: string | null }>();
        const open = new Map([
          ["sub_1", true],
          ["sub_2", true],
          ["sub_3", true],
        ]);
        for (const id of open.keys()) {
          await consenting(id, id === "sub_3" ? "https://b.example" : "https://a.example");
        }
        const held: ClaimedPush[] = [];
        let now = NOW;
        const step = fc.record({
          act: fc.constantFrom("match", "claim", "deliver", "fail", "return", "pause", "wait"),
          id: fc.constantFrom("sub_1", "sub_2", "sub_3"),
          ms: fc.integer({ min: 0, max: 2 * LEASE_MS }),
        });
        const run = async ({ act, id, ms }: { act: string; id: string; ms: number }) => {
          if (act === "wait") now += ms;
          if (act === "match") {
            await match(id, 1, now);
            const [push] = await store.pushes.list(id, { before: null, limit: 1 });
            if (open.get(id) && push !== undefined) {
              model.set(named([push])[0] as string, { dueAt: now, token: null });
            }
          }
          if (act === "pause") {
            open.set(id, !open.get(id));
            await store.subscriptions.update(id, { active: open.get(id) === true });
          }
          if (act === "claim") {
            const got = await claim({ now });
            const due = [...model].filter(([name, { dueAt }]) => dueAt <= now && open.get(name.slice(0, 5)));
            expect(named(got).sort()).toEqual(due.map(([name]) => name).sort());
            for (const push of got) {
              model.set(named([push])[0] as string, { dueAt: now + LEASE_MS, token: push.token });
            }
            held.push(...got);
          }
          const push = act === "deliver" || act === "fail" || act === "return" ? held.shift() : undefined;
          if (push === undefined) return;
          const name = named([push])[0] as string;
          const valid = model.get(name)?.token === push.token;
          if (act === "return") {
            await store.pushes.giveBack([push]);
            if (valid) model.set(name, { dueAt: push.matchedAt, token: null });
            return;
          }
          const ended =
            act === "deliver" ? end(push, "delivered") : end(push, "waiting", { dueAt: now + ms });
          expect(await ended).toBe(valid);
          if (!valid) return;
          if (act === "deliver") model.delete(name);
          else model.set(name, { dueAt: now + ms, token: null });
        };
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
            for (const one of steps) await run(one);
          }),
          { numRuns: 8, endOnFailure: true },
        );
      });
    });

    describe("the inbox", () => {
      const read = (publisherId: string, after = 0, limit = 100) =>
        store.inbox.read(publisherId, after, limit);
      const told = async (publisherId: string) =>
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

      it("tells of replies to a publisher's posts and of matches, in the order in which they came", async () => {
        await reply("root-1", "pub_b", T0 + 9);
        await store.posts.insert(aPost("p", { publisherId: "pub_b" }));
        await matched("p", T0 + 3);
        const entries = await read("pub_a");
        expect(entries.map(({ no: _no, ...entry }) => entry)).toEqual([
          { type: "reply", at: T0 + 9, postId: "root-1", subscriptionId: null, deliveryId: null },
          { type: "match", at: T0 + 3, postId: "p", subscriptionId: "sub_1", deliveryId: 1 },
        ]);
        const [earlier, later] = entries as [InboxEntry, InboxEntry];
        expect(later.no).toBeGreaterThan(earlier.no);
        expect(await read("pub_a", earlier.no)).toEqual([later]);
        expect(await read("pub_a", 0, 1)).toEqual([earlier]);
        expect(await read("pub_a", later.no)).toEqual([]);
        expect(await read("nope")).toEqual([]);
      });

      it("tells those who replied before of activity, each once, and never the author of a reply", async () => {
        await reply("root-1", "pub_b");
        await reply("root-2", "pub_b");
        await reply("root-3", "pub_c");
        await reply("root-4", "pub_a");
        await reply("root-5", "pub_b");
        expect(await told("pub_a")).toEqual(
          ["root-1", "root-2", "root-3", "root-5"].map((id) => `reply ${id}`),
        );
        expect(await told("pub_b")).toEqual(["activity root-3", "activity root-4"]);
        expect(await told("pub_c")).toEqual(["activity root-4", "activity root-5"]);
        expect(await told("pub_d")).toEqual([]);
      });

      it("tells of a reply once, though it is inserted twice", async () => {
        await reply("root-1", "pub_b");
        await reply("root-1", "pub_b");
        expect(await told("pub_a")).toEqual(["reply root-1"]);
      });

      it("tells of a match once, also of a publisher's own post", async () => {
        await store.posts.insert(aPost("p"));
        await matched("p");
        await matched("p");
        expect(await told("pub_a")).toEqual(["match p"]);
      });

      it("tells at most 200 of those who replied before, and always the root's publisher", async () => {
        const ids = Array.from({ length: 210 }, (_, n) => `pub_x${n}`);
        await Promise.all(ids.map((id) => store.publishers.insert(aPublisher(id))));
        await Promise.all(ids.map((id, n) => reply(`root-${n}`, id)));
        const [{ no } = { no: 0 }] = (await read("pub_a", 0, 1000)).slice(-1);
        await reply("root-last", "pub_x7");
        const entries = (await Promise.all(ids.map((id) => read(id, 0, 1000)))).flat();
        expect(entries.filter(({ postId }) => postId === "root-last")).toHaveLength(200);
        expect((await read("pub_a", no)).map(({ type }) => type)).toEqual(["reply"]);
        expect((await read("pub_x7", 0, 1000)).filter(({ postId }) => postId === "root-last")).toEqual([]);
      });

      it("misses nothing for a reader who goes on from the last entry, while many write", async () => {
        const other = await under.another();
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
        for (const [n, by] of (["pub_b", "pub_c", "pub_d"] as const).entries()) await reply(`root-${n}`, by);
        await store.posts.update("root-0", { state: "hidden" }, { text: false });
        await store.publishers.update("pub_c", { suspendedAt: T0 });
        expect(await told("pub_a")).toEqual(["reply root-2"]);
        await store.posts.update("root-0", { state: "active" }, { text: false });
        await store.publishers.update("pub_c", { suspendedAt: null });
        expect(await told("pub_a")).toEqual(["reply root-0", "reply root-1", "reply root-2"]);
        await store.posts.remove("root-1", T0);
        expect(await told("pub_a")).toEqual(["reply root-0", "reply root-2"]);
      });

      it("loses what belonged to a post that is erased or a subscription that is removed", async () => {
        await reply("root-1", "pub_b");
        await store.posts.insert(aPost("p", { publisherId: "pub_b" }));
        await store.posts.insert(aPost("q", { publisherId: "pub_c" }));
        await matched("p");
        await store.publishers.erase("pub_b");
        await matched("q");
        expect(await told("pub_a")).toEqual(["match q"]);
        const removal = store.subscriptions.remove("sub_1");
        while ((await store.subscriptions.get("sub_1")) !== null) await turn();
        expect(await told("pub_a")).toEqual([]);
        await removal;
        expect(await told("pub_a")).toEqual([]);
      });

      it("goes with its publisher, who is told nothing any more", async () => {
        await store.posts.insert(aPost("b", { publisherId: "pub_b" }));
        await reply("root-1", "pub_c");
        await reply("root-2", "pub_b");
        await store.publishers.erase("pub_c");
        await reply("root-3", "pub_d");
        expect(await told("pub_c")).toEqual([]);
        await store.publishers.insert(aPublisher("pub_c"));
        expect(await told("pub_c")).toEqual([]);
        expect(await told("pub_b")).toEqual(["activity root-3"]);
      });

      it("forgets entries from before a time, at most as many as asked", async () => {
        for (const n of [1, 2, 3, 4]) await reply(`root-${n}`, "pub_b", T0 + n);
        expect(await store.inbox.forget(T0 + 4, 2)).toBe(2);
        expect(await told("pub_a")).toEqual(["reply root-3", "reply root-4"]);
        expect(await store.inbox.forget(T0 + 4, 10)).toBe(1);
        expect(await store.inbox.forget(T0 + 4, 10)).toBe(0);
        expect(await told("pub_a")).toEqual(["reply root-4"]);
        const [before] = await read("pub_a");
        await store.inbox.forget(T0 + 9, 10);
        await reply("root-5", "pub_b", T0 + 5);
        expect((await read("pub_a"))[0]?.no).toBeGreaterThan(before?.no ?? Number.NaN);
      });

      it("survives a restart", async () => {
        await reply("root-1", "pub_b");
        store = await under.reopen();
        expect(await told("pub_a")).toEqual(["reply root-1"]);
      });
    });

    describe("reports", () => {
      beforeEach(async () => {
        await store.posts.insert(aPost("p"));
        await store.posts.insert(aPost("q"));
      });

      it("are one for each post and reporter; a repeat updates it and keeps its id and first time", async () => {
        expect(await store.reports.upsert(aReport("rep_1"))).toEqual(aReport("rep_1"));
        const again = aReport("rep_2", { reason: "scam", details: "Asks for money.", createdAt: T0 + 5 });
        expect(await store.reports.upsert(again)).toEqual({ ...again, id: "rep_1", createdAt: T0 });
        expect(await store.reports.reporters("p", 0)).toBe(1);
      });

      it("are one also when they come together", async () => {
        const answers = await Promise.all([1, 2, 3].map((n) => store.reports.upsert(aReport(`rep_${n}`))));
        expect(new Set(idsOf(answers)).size).toBe(1);
        expect(await store.reports.reporters("p", 0)).toBe(1);
      });

      it("count reporters whose first report came after a time", async () => {
        await store.reports.upsert(aReport("rep_1", { reporter: "addr:1", createdAt: T0 }));
        await store.reports.upsert(aReport("rep_2", { reporter: "addr:2", createdAt: T0 + 1 }));
        await store.reports.upsert(aReport("rep_3", { reporter: "addr:1", createdAt: T0 + 2 }));
        expect(await store.reports.reporters("p", T0 - 1)).toBe(2);
        expect(await store.reports.reporters("p", T0)).toBe(1);
        expect(await store.reports.reporters("nope", 0)).toBe(0);
      });

      it("queue posts by the number of reporters", async () => {
        await store.reports.upsert(aReport("rep_1", { postId: "q", reporter: "addr:1", createdAt: T0 + 9 }));
        await store.reports.upsert(aReport("rep_2", { reporter: "addr:1", reason: "scam" }));
        await store.reports.upsert(
          aReport("rep_3", { reporter: "addr:2", reason: "spam", createdAt: T0 + 1 }),
        );
        await store.posts.update("p", { state: "hidden" }, { text: false });
        const queue = await store.reports.queue(10);
        expect(queue.map((item) => ({ ...item, reasons: [...item.reasons].sort() }))).toEqual([
          { postId: "p", reporters: 2, reasons: ["scam", "spam"], lastAt: T0 + 1, state: "hidden" },
          { postId: "q", reporters: 1, reasons: ["spam"], lastAt: T0 + 9, state: "active" },
        ]);
        expect(await store.reports.queue(1)).toHaveLength(1);
      });

      it("leave a log of what was done, newest first, for one subject or all", async () => {
        const entry = (at: number, subject: string) =>
          ({ at, action: "hide", subject, actor: "operator", reason: `because ${at}` }) as const;
        for (const one of [entry(1, "p"), entry(2, "q"), entry(3, "p")]) await store.reports.log(one);
        expect(await store.reports.history("p", 10)).toEqual([entry(3, "p"), entry(1, "p")]);
        expect(await store.reports.history(null, 2)).toEqual([entry(3, "p"), entry(2, "q")]);
      });
    });

    describe("work", () => {
      const claim = (now: number, limit = 10) => store.work.claim("match", { limit, leaseMs: HOUR_MS, now });
      beforeEach(async () => {
        for (const n of [2, 1, 3]) await store.posts.insert(aPost(`p${n}`, { createdAt: T0 + n }));
      });

      it("is claimed oldest first, at most as much as asked", async () => {
        expect((await claim(T0 + 9, 2)).map(({ postId, attempts }) => [postId, attempts])).toEqual([
          ["p1", 1],
          ["p2", 1],
        ]);
        expect((await claim(T0 + 9)).map(({ postId }) => postId)).toEqual(["p3"]);
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
        expect((await claim(T0 + 9 + HOUR_MS)).find(({ postId }) => postId === "p1")).toMatchObject({
          attempts: 2,
        });
        // The claim that ran out settles nothing any more.
        if (first !== undefined) await store.work.done([first]);
        expect(await store.work.backlog("match")).toBe(3);
      });

      it("survives a restart", async () => {
        store = await under.reopen();
        expect(await store.work.backlog("match")).toBe(3);
      });

      it("is gone once done", async () => {
        await store.work.done(await claim(T0 + 9));
        expect(await store.work.backlog("match")).toBe(0);
        expect(await claim(T0 + DAY_MS)).toEqual([]);
        expect(await store.work.backlog("embed")).toBe(3);
      });

      it("stays due when the post was enqueued anew since the claim", async () => {
        const items = await claim(T0 + 9);
        await store.posts.update("p2", { title: "New", updatedAt: T0 + 10 }, { text: true });
        await store.work.done(items);
        expect((await claim(T0 + 10)).map(({ postId, attempts }) => [postId, attempts])).toEqual([["p2", 1]]);
      });

      it("is given back for later", async () => {
        const items = await claim(T0 + 9);
        await store.work.giveBack(items, T0 + 100);
        expect(await claim(T0 + 99)).toEqual([]);
        expect((await claim(T0 + 100)).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
      });

      it("is not given back by a claim that is no longer the newest", async () => {
        const items = await claim(T0 + 9);
        await claim(T0 + 9 + HOUR_MS);
        await store.work.giveBack(items, T0);
        expect(await claim(T0 + 9 + HOUR_MS)).toEqual([]);
      });
    });

    describe("limits", () => {
      it("add up within a window that begins with the first point, and start anew after it", async () => {
        expect(await store.limits.add("k", 1, 1000, T0)).toEqual({ points: 1, endsAt: T0 + 1000 });
        expect(await store.limits.add("k", 2, 1000, T0 + 999)).toEqual({ points: 3, endsAt: T0 + 1000 });
        expect(await store.limits.add("other", 1, 1000, T0)).toEqual({ points: 1, endsAt: T0 + 1000 });
        expect(await store.limits.add("k", 1, 1000, T0 + 1000)).toEqual({ points: 1, endsAt: T0 + 2000 });
      });

      it("are exact under concurrency", async () => {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => store.limits.add("k", 1, 1000, T0)),
        );
        expect(answers.map(({ points }) => points).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 50 }, (_, n) => n + 1),
        );
      });

      it("lose only windows that have ended when they are pruned", async () => {
        await store.limits.add("short", 1, 10, T0);
        await store.limits.add("long", 1, 1000, T0);
        await store.limits.prune(T0 + 10);
        expect((await store.limits.add("long", 1, 1000, T0 + 20)).points).toBe(2);
        expect((await store.limits.add("short", 1, 10, T0)).points).toBe(1);
      });
    });

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
      });

      it("go when they are pruned after their time", async () => {
        await store.rankings.save(ranking);
        await store.rankings.save({ ...ranking, id: "r2", previous: null, expiresAt: T0 + 20 });
        await store.rankings.prune(T0 + 10);
        expect(await store.rankings.get("r1", T0)).toBeNull();
        expect(await store.rankings.get("r2", T0)).toMatchObject({ id: "r2", previous: null });
      });
    });

    describe("statistics", () => {
      it("count posts that are neither expired nor removed, publishers, and the posts of today", async () => {
        await store.posts.insert(aPost("p1"));
        await store.posts.insert(aPost("p1-1", { parentId: "p1" }));
        await store.posts.insert(aPost("hidden"));
        await store.posts.update("hidden", { state: "hidden" }, { text: false });
        await store.posts.insert(aPost("expired", { expiresAt: T0 }));
        await store.posts.insert(aPost("yesterday", { createdAt: T0 - DAY_MS }));
        await store.posts.insert(aPost("gone"));
        await store.posts.remove("gone", T0);
        expect(await store.statistics.counts(T0)).toEqual({ activePosts: 4, publishers: 1, postsToday: 5 });
      });

      it("give an overview by kind, source, day and tag", async () => {
        await store.posts.insert(aPost("p1", { kind: "event", tags: ["b", "a"], createdAt: T0 - DAY_MS }));
        await store.posts.insert(aPost("p2", { syndicated: true, tags: ["b"] }));
        await store.posts.insert(aPost("p3", { tags: ["c"], expiresAt: T0 - 1 }));
        await store.posts.insert(aPost("p4", { tags: ["d"] }));
        await store.posts.update("p4", { state: "hidden" }, { text: false });
        await store.posts.update("p2", { tags: ["b", "e"] }, { text: true });
        await store.subscriptions.insert(aSubscription("sub_1"), 50);
        await store.subscriptions.insert(aSubscription("sub_2", { active: false }), 50);
        expect(await store.statistics.overview(T0, 3)).toEqual({
          activePosts: 3,
          publishers: 1,
          postsToday: 3,
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
            { day: "2026-11-18", posts: 0 },
            { day: "2026-11-19", posts: 1 },
            { day: "2026-11-20", posts: 3 },
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
      });

      it("add up counters by day and name, and read them from a day on", async () => {
        await store.statistics.add([
          { day: "2026-11-20", name: "searches", n: 2 },
          { day: "2026-11-19", name: "searches", n: 1 },
          { day: "2026-11-18", name: "searches", n: 1 },
        ]);
        await store.statistics.add([{ day: "2026-11-20", name: "searches", n: 3 }]);
        await store.statistics.add([]);
        expect(await store.statistics.read("2026-11-19")).toEqual([
          { day: "2026-11-19", name: "searches", n: 1 },
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

    describe("settings and leases", () => {
      it("keep the first value of a setting that is set once, for all who try", async () => {
        const kept = await Promise.all(
          ["a", "b", "c"].map((value) => store.settings.setOnce("secret", value)),
        );
        expect(new Set(kept).size).toBe(1);
        store = await under.reopen();
        expect(await store.settings.get("secret")).toBe(kept[0]);
        expect(await store.settings.get("nope")).toBeNull();
      });

      it("keep the last value of a setting that is set", async () => {
        await store.settings.set("launched", "1");
        await store.settings.set("launched", "2");
        expect(await store.settings.get("launched")).toBe("2");
      });

      it("give a lease to one owner, who may renew it", async () => {
        const fence = await store.leases.acquire("job", "a", 10, T0);
        expect(fence).toEqual(expect.any(Number));
        expect(await store.leases.acquire("job", "b", 10, T0 + 9)).toBeNull();
        expect(await store.leases.acquire("job", "a", 10, T0 + 9)).toBe(fence);
        expect(await store.leases.acquire("job", "b", 10, T0 + 18)).toBeNull();
        expect(await store.leases.acquire("job", "b", 10, T0 + 19)).not.toBeNull();
      });

      it("give a lease that was released, and let nobody release another's", async () => {
        await store.leases.acquire("job", "a", 10, T0);
        await store.leases.release("job", "b");
        expect(await store.leases.acquire("job", "b", 10, T0)).toBeNull();
        await store.leases.release("job", "a");
        expect(await store.leases.acquire("job", "b", 10, T0)).not.toBeNull();
      });

      it("give a lease a greater fence each time it is taken, also across a release and a restart", async () => {
        const fences = [await store.leases.acquire("job", "a", 10, T0)];
        fences.push(await store.leases.acquire("job", "b", 10, T0 + 10));
        await store.leases.release("job", "b");
        fences.push(await store.leases.acquire("job", "a", 10, T0 + 11));
        await store.leases.release("job", "a");
        store = await under.reopen();
        fences.push(await store.leases.acquire("job", "a", 10, T0 + 12));
        for (const [i, fence] of fences.entries()) expect(fence).toBeGreaterThan(fences[i - 1] ?? 0);
        // One that ended and that nobody took is still its owner's.
        expect(await store.leases.acquire("job", "a", 10, T0 + HOUR_MS)).toBe(fences.at(-1));
      });

      it("give a lease once when many ask together", async () => {
        const owners = ["a", "b", "c", "d"];
        const got = await Promise.all(owners.map((owner) => store.leases.acquire("job", owner, 10, T0)));
        expect(got.filter((fence) => fence !== null)).toHaveLength(1);
      });
    });

    it("answers a ping while it is open, and rejects reads and writes once it is closed", async () => {
      await store.ping();
      await store.close();
      await expect(store.ping()).rejects.toThrow();
      await expect(store.posts.insert(aPost("p"))).rejects.toThrow();
      store = await under.reopen();
    });

    it("finishes the writes that were under way when it is closed", async () => {
      const writes = Array.from({ length: 20 }, (_, n) => store.posts.insert(aPost(`p${n}`)));
      await store.close();
      expect(await Promise.all(writes)).toHaveLength(20);
      store = await under.reopen();
      expect((await store.publishers.get("pub_a"))?.postCount).toBe(20);
    });
  });
}
