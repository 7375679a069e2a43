import { describe, expect, it } from "vitest";
import type { StoredPost, SubscriptionChange } from "../../../src/ports/store/index.ts";
import { aPost, aPublisher, aSubscription, aVector, T0 } from "../../support/search/rows.ts";
import { preparePushes } from "./pushes/prepare.ts";
import { DAY_MS, HOUR_MS, idsOf, type Subject, turn } from "./subject.ts";

/** What `SubscriptionStore` promises of the rows and of the list of their changes. */
export function describeSubscriptions({ store, reopen }: Subject): void {
  describe("subscriptions", () => {
    it("are read back as inserted, and listed by publisher, oldest first", async () => {
      const first = aSubscription("sub_1", { createdAt: T0 + 1, vector: aVector(-3), vectorModel: "m1" });
      const second = aSubscription("sub_2", {
        label: null,
        breadth: "wide",
        webhookUrl: "https://x.org/",
        webhookVerifiedAt: T0,
        secretVersion: 2,
        previousSecretUntil: T0 + DAY_MS,
        background: { posts: 41, passing: 7 },
        failures: 1,
        failingSince: T0 - 1,
      });
      expect(await store.subscriptions.insert(first, 50)).toBe(true);
      expect(await store.subscriptions.insert(second, 50)).toBe(true);
      expect(await store.subscriptions.get("sub_1")).toEqual({ ...first, savedNo: 1 });
      expect(await store.subscriptions.ofPublisher("pub_a")).toEqual([
        { ...second, savedNo: 2 },
        { ...first, savedNo: 1 },
      ]);
      expect(await store.subscriptions.get("nope")).toBeNull();
    });

    it("are numbered in the order of writing among the posts, whatever clocks said", async () => {
      await store.posts.insert(aPost("before", { createdAt: T0 + DAY_MS }));
      for (const id of ["sub_1", "sub_2"]) await store.subscriptions.insert(aSubscription(id), 50);
      const { post } = await store.posts.insert(aPost("after", { createdAt: T0 - DAY_MS, writtenNo: 99 }));
      await store.subscriptions.update("sub_1", { label: "changed" });
      await store.subscriptions.insert(aSubscription("sub_3"), 50);
      const [one, two, three] = await store.subscriptions.ofPublisher("pub_a");
      const [before, after] = await store.posts.many(["before", "after"]);
      expect(after).toEqual(post);
      const newerThan = (written = after) =>
        [one, two, three].map((row) => (written?.writtenNo ?? 0) >= (row?.savedNo ?? 0));
      expect(newerThan(before)).toEqual([false, false, false]);
      expect(newerThan(after)).toEqual([true, true, false]);
      await store.posts.update("after", { title: "New", updatedAt: T0 + 1 }, { text: true });
      expect(newerThan((await store.posts.get("after")) ?? undefined)).toEqual([true, true, false]);
    });

    it("are told of nothing that is written while they are paused, even by a matcher that is behind", async () => {
      for (const id of ["sub_paused", "sub_suspended", "sub_given_up", "sub_failing"])
        await store.subscriptions.insert(aSubscription(id), 50);
      const stops = {
        sub_paused: "paused",
        sub_suspended: "publisher_suspended",
        sub_given_up: "webhook_gone",
        sub_failing: "webhook_failing",
      };
      for (const [id, inactiveReason] of Object.entries(stops))
        await store.subscriptions.update(id, { active: false, inactiveReason } as SubscriptionChange);
      const { post: meanwhile } = await store.posts.insert(aPost("meanwhile"));
      await store.subscriptions.update("sub_paused", { label: "paused still" });
      for (const id of Object.keys(stops)) {
        const there = await store.subscriptions.update(id, { active: true, inactiveReason: null });
        expect(await store.subscriptions.get(id)).toEqual(there);
      }
      const { post: after } = await store.posts.insert(aPost("after"));
      const rows = await store.subscriptions.ofPublisher("pub_a");
      const toldOf = ({ writtenNo }: StoredPost) =>
        rows.filter(({ savedNo }) => writtenNo >= savedNo).map(({ id }) => id);
      expect(toldOf(meanwhile).sort()).toEqual(["sub_failing", "sub_given_up"]);
      expect(toldOf(after).sort()).toEqual(Object.keys(stops).sort());
    });

    it("are never more than a publisher may have, however many are tried together", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      for (const id of ["b_1", "b_2"])
        await store.subscriptions.insert(aSubscription(id, { publisherId: "pub_b" }), 5);
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
      expect(await store.subscriptions.update("sub_1", change)).toEqual(
        aSubscription("sub_1", { ...change, savedNo: 1 }),
      );
      expect(await store.subscriptions.get("sub_1")).toEqual(
        aSubscription("sub_1", { ...change, savedNo: 1 }),
      );
      expect(await store.subscriptions.update("nope", change)).toBeNull();
    });

    it("change by what they are at that moment, or not at all", async () => {
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
      const raise = () =>
        store.subscriptions.update("sub_1", ({ secretVersion }) => ({ secretVersion: secretVersion + 1 }));
      const raised = await Promise.all(Array.from({ length: 8 }, raise));
      expect(raised.map((row) => row?.secretVersion)).toEqual(
        expect.arrayContaining([2, 3, 4, 5, 6, 7, 8, 9]),
      );
      const { next } = await store.subscriptions.changes(0, 100);
      expect(await store.subscriptions.update("sub_1", () => null)).toMatchObject({ secretVersion: 9 });
      expect((await store.subscriptions.changes(next, 100)).rows).toEqual([]);
    });

    it("become active again only while there is room, however many are tried together", async () => {
      const ids = Array.from({ length: 8 }, (_, n) => `sub_${n}`);
      for (const id of ids)
        await store.subscriptions.insert(aSubscription(id, { active: id === "sub_0" }), 50);
      const tries = ids.slice(1).map((id) => store.subscriptions.update(id, { active: true }, 5));
      expect((await Promise.all(tries)).filter((row) => row !== null)).toHaveLength(4);
      const rows = await store.subscriptions.ofPublisher("pub_a");
      const active = rows.filter((row) => row.active);
      expect(active).toHaveLength(5);
      // A subscription that is already active takes no further room.
      const [first] = active;
      expect(
        await store.subscriptions.update(first?.id ?? "", { active: true, label: "x" }, 5),
      ).not.toBeNull();
    });

    it("whose pushes fail are found, those that fail longest first", async () => {
      const since = { sub_1: T0 + 2, sub_2: T0 + 1, sub_3: null, sub_4: T0 + 3 };
      for (const [id, failingSince] of Object.entries(since))
        await store.subscriptions.insert(aSubscription(id, { failingSince, active: id !== "sub_2" }), 50);
      expect(idsOf(await store.subscriptions.failing(9))).toEqual(["sub_2", "sub_1", "sub_4"]);
      expect(idsOf(await store.subscriptions.failing(2))).toEqual(["sub_2", "sub_1"]);
    });

    it("are gone once removed, with their deliveries, and nothing is delivered to them", async () => {
      await store.posts.insert(aPost("p"));
      const hook = { webhookUrl: "https://x.org/", webhookVerifiedAt: T0 };
      for (const id of ["sub_0", "sub_1"]) await store.subscriptions.insert(aSubscription(id, hook), 50);
      for (const subscriptionId of ["sub_0", "sub_1"])
        await store.subscriptions.deliver([{ subscriptionId, postId: "p", matchedAt: T0 }], []);
      expect(await store.subscriptions.remove("sub_1")).toBe(true);
      expect(await store.subscriptions.remove("sub_1")).toBe(false);
      expect(await store.subscriptions.pending("sub_1", 0, 10)).toEqual([]);
      expect(idsOf(await store.subscriptions.ofPublisher("pub_a"))).toEqual(["sub_0"]);
      // Others keep theirs.
      expect(await store.subscriptions.pending("sub_0", 0, 10)).toHaveLength(1);
      expect(await store.pushes.list("sub_0", { before: null, limit: 9 })).toHaveLength(1);
      expect((await store.inbox.read("pub_a", 0, 9)).map(({ subscriptionId }) => subscriptionId)).toEqual([
        "sub_0",
      ]);
      expect(await store.subscriptions.toldOf("p")).toEqual(["sub_0"]);
      expect(
        await store.subscriptions.deliver([{ subscriptionId: "sub_1", postId: "p", matchedAt: T0 }], []),
      ).toEqual([]);
    });
  });

  describe("subscriptions of hosts", () => {
    const OF_A_HOST = {
      event: "post.matched",
      webhookUrl: "https://x.org/",
      webhookVerifiedAt: T0,
      clientSecret: "sealed",
      previousClientSecret: "sealed before",
    } as const;
    const told = async (id: string) =>
      (await store.subscriptions.pending(id, 0, 10)).map(
        ({ post, deliveryId }) => `${deliveryId} ${post.id}`,
      );
    const deliver = async (subscriptionId: string, postId: string) => {
      await store.posts.insert(aPost(postId));
      return store.subscriptions.deliver([{ subscriptionId, postId, matchedAt: T0 }], []);
    };

    it("are read back with what the host chose, and are not kept beside one of their id", async () => {
      const first = aSubscription("sub_1", { ...OF_A_HOST, expiresAt: T0 + 1 });
      const same = aSubscription("sub_1", { ...OF_A_HOST, event: "post.replied", expiresAt: T0 + 2 });
      const tries = await Promise.all([first, same, same].map((row) => store.subscriptions.insert(row, 50)));
      expect(tries.filter(Boolean)).toHaveLength(1);
      const kept = await store.subscriptions.ofPublisher("pub_a");
      expect(kept).toEqual([{ ...(tries[0] ? first : same), savedNo: expect.any(Number) }]);
    });

    it("lapse at their time, the oldest first, with their deliveries, and others stay", async () => {
      const lasting = { sub_0: null, sub_1: T0 + 2, sub_2: T0 + 1, sub_3: T0 + 3 };
      for (const [id, expiresAt] of Object.entries(lasting))
        await store.subscriptions.insert(aSubscription(id, { ...OF_A_HOST, expiresAt }), 50);
      await deliver("sub_2", "p");
      const { next } = await store.subscriptions.changes(0, 100);
      const left = async () => idsOf(await store.subscriptions.ofPublisher("pub_a")).sort();
      expect(await store.subscriptions.removeLapsed(T0, 10)).toBe(0);
      expect(await store.subscriptions.removeLapsed(T0 + 2, 1)).toBe(1);
      expect(await left()).toEqual(["sub_0", "sub_1", "sub_3"]);
      expect(await told("sub_2")).toEqual([]);
      expect(await store.subscriptions.removeLapsed(T0 + 2, 10)).toBe(1);
      expect(await left()).toEqual(["sub_0", "sub_3"]);
      expect((await store.subscriptions.changes(next, 100)).rows).toEqual([
        { id: "sub_2", subscription: null },
        { id: "sub_1", subscription: null },
      ]);
      await store.subscriptions.update("sub_3", { expiresAt: T0 + 9 });
      expect(await store.subscriptions.removeLapsed(T0 + 8, 10)).toBe(0);
      expect(await left()).toEqual(["sub_0", "sub_3"]);
    });

    it("tell how far they are: the last delivery, and the oldest whose push waits", async () => {
      const { consenting, match, claim, end } = preparePushes(store);
      const position = () => store.subscriptions.position("sub_1");
      expect(await position()).toBeNull();
      await consenting("sub_1", "https://a.example");
      await consenting("sub_2", "https://a.example");
      expect(await position()).toEqual({ last: 0, oldestWaiting: null });
      await match("sub_2", 4);
      await match("sub_1", 3);
      expect(await position()).toEqual({ last: 3, oldestWaiting: 1 });
      const pushes = (await claim()).filter(({ subscriptionId }) => subscriptionId === "sub_1");
      for (const push of pushes) {
        if (push.deliveryId === 2) await end(push, "waiting", { dueAt: T0 + 9 * HOUR_MS });
        else await end(push, "delivered");
      }
      expect(await position()).toEqual({ last: 3, oldestWaiting: 2 });
      const [second] = (await claim({ now: T0 + 10 * HOUR_MS })).filter(
        ({ subscriptionId }) => subscriptionId === "sub_1",
      );
      await end(second as NonNullable<typeof second>, "failed");
      expect(await position()).toEqual({ last: 3, oldestWaiting: null });
      await store.subscriptions.insert(aSubscription("sub_3"), 50);
      await deliver("sub_3", "unpushed");
      expect(await store.subscriptions.position("sub_3")).toEqual({ last: 1, oldestWaiting: null });
    });

    it("made anew under their id know nothing of before, also while that is being erased", async () => {
      await store.subscriptions.insert(aSubscription("sub_1", OF_A_HOST), 50);
      for (const id of ["p1", "p2"]) await deliver("sub_1", id);
      const removed = store.subscriptions.remove("sub_1");
      const anew = aSubscription("sub_1", { ...OF_A_HOST, createdAt: T0 + 1 });
      while (!(await store.subscriptions.insert(anew, 50))) await turn();
      await deliver("sub_1", "p3");
      // What the former one was told is told to this one too.
      await store.subscriptions.deliver([{ subscriptionId: "sub_1", postId: "p1", matchedAt: T0 }], []);
      expect(await removed).toBe(true);
      expect((await told("sub_1")).map((one) => one.split(" ")[1])).toEqual(["p3", "p1"]);
      expect(
        (await store.pushes.list("sub_1", { before: null, limit: 9 })).map(({ postId }) => postId),
      ).toEqual(["p1", "p3"]);
      expect((await store.inbox.read("pub_a", 0, 9)).map(({ postId }) => postId)).toEqual(["p3", "p1"]);
      const last = async () => (await store.subscriptions.changes(0, 99)).rows.at(-1);
      expect(await last()).toMatchObject({ id: "sub_1", subscription: { createdAt: T0 + 1 } });
      await store.subscriptions.remove("sub_1");
      expect(await last()).toEqual({ id: "sub_1", subscription: null });
      expect(await store.subscriptions.insert(anew, 50)).toBe(true);
      await deliver("sub_1", "p4");
      expect((await told("sub_1")).map((one) => one.split(" ")[1])).toEqual(["p4"]);
      expect(await last()).toMatchObject({ id: "sub_1", subscription: { createdAt: T0 + 1 } });
    });
  });

  describe("changes of subscriptions", () => {
    it("tell of a removal until 100,000 other changes have come", async () => {
      for (const id of ["sub_1", "sub_2"]) await store.subscriptions.insert(aSubscription(id), 50);
      await store.subscriptions.remove("sub_1");
      const { next } = await store.subscriptions.changes(0, 9);
      // As an import writes it: numbers go on behind that of the row.
      const rows = [{ ...aSubscription("sub_3", { savedNo: next + 99_999 }), nextDelivery: 1 }];
      const mark = { name: "numbers", from: null, to: "raised" };
      await store.transfer.write([{ kind: "subscription", rows }], mark);
      const removed = async (label: string) => {
        await store.subscriptions.update("sub_2", { label });
        await store.subscriptions.pruneDeliveries(0, 9);
        const { rows } = await store.subscriptions.changes(0, 9);
        return idsOf(rows.filter(({ subscription }) => subscription === null));
      };
      expect(await removed("the last of them")).toEqual(["sub_1"]);
      expect(await removed("one more")).toEqual([]);
    });

    it("come in order and in pages, as the rows are now, with null for those that are gone", async () => {
      for (const id of ["sub_1", "sub_2", "sub_3"]) await store.subscriptions.insert(aSubscription(id), 50);
      const some = await store.subscriptions.changes(0, 2);
      const all = await store.subscriptions.changes(some.next, 2);
      expect(idsOf([...some.rows, ...all.rows])).toEqual(["sub_1", "sub_2", "sub_3"]);
      await store.subscriptions.update("sub_1", { label: "new" });
      await store.subscriptions.remove("sub_2");
      const since = await store.subscriptions.changes(all.next, 100);
      expect(since.rows).toEqual([
        { id: "sub_1", subscription: aSubscription("sub_1", { label: "new", savedNo: 1 }) },
        { id: "sub_2", subscription: null },
      ]);
      expect(await store.subscriptions.changes(since.next, 100)).toEqual({ next: since.next, rows: [] });
      // A removal before a change, on a page each.
      await store.subscriptions.remove("sub_3");
      await store.subscriptions.update("sub_1", { label: "newer" });
      const first = await store.subscriptions.changes(since.next, 1);
      const second = await store.subscriptions.changes(first.next, 1);
      expect([first, second].map(({ rows }) => idsOf(rows))).toEqual([["sub_3"], ["sub_1"]]);
      const both = await store.subscriptions.changes(since.next, 9);
      expect(idsOf(both.rows)).toEqual(["sub_3", "sub_1"]);
      // What an import writes comes one by one too.
      const imported = ["sub_5", "sub_4"].map((id) => ({ ...aSubscription(id), nextDelivery: 1 }));
      const mark = { name: "imported", from: null, to: "both" };
      await store.transfer.write([{ kind: "subscription", rows: imported }], mark);
      const one = await store.subscriptions.changes(both.next, 1);
      const other = await store.subscriptions.changes(one.next, 1);
      expect([one, other].map(({ rows }) => idsOf(rows))).toEqual([["sub_5"], ["sub_4"]]);
      expect((await store.subscriptions.changes(other.next, 1)).rows).toEqual([]);
    });

    it("go on growing after a restart", async () => {
      await store.subscriptions.insert(aSubscription("sub_1"), 50);
      await store.subscriptions.remove("sub_1");
      const { next } = await store.subscriptions.changes(0, 100);
      await reopen();
      await store.subscriptions.insert(aSubscription("sub_2"), 50);
      expect(idsOf((await store.subscriptions.changes(next, 100)).rows)).toEqual(["sub_2"]);
    });
  });
}
