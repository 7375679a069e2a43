import type { Store } from "../../src/ports/store/index.ts";
import { aPost, aPublisher, aReport, aSubscription, aVector, T0 } from "../support/search/rows.ts";
import { DAY_MS, HOUR_MS } from "./store/subject.ts";

/** Fills the board until indexes are worth it. */
export async function fillForPlans(store: Store): Promise<void> {
  for (let p = 0; p < 12; p += 1) {
    await store.publishers.insert(
      aPublisher(`pub_${p}`, p % 3 === 0 ? { verifiedAt: T0, checkedAt: T0 - p * DAY_MS } : {}),
    );
    await store.subscriptions.insert(
      aSubscription(`sub_${p}`, {
        publisherId: `pub_${p}`,
        webhookUrl: `https://h${p % 4}.example.org/`,
        webhookVerifiedAt: T0,
      }),
      50,
    );
    await store.subscriptions.insert(
      aSubscription(`old_${p}`, { publisherId: `pub_${p}`, active: false }),
      50,
    );
  }
  for (let n = 0; n < 240; n += 1) {
    const parentId = n % 6 === 5 ? `p${n - 5}` : null;
    await store.posts.insert(
      aPost(parentId === null ? `p${n}` : `${parentId}-${n}`, {
        publisherId: `pub_${n % 12}`,
        parentId,
        createdAt: T0 - n * HOUR_MS,
        kind: n % 2 === 0 ? "offer" : "event",
        syndicated: n % 5 === 0,
        expiresAt: T0 + ((n % 40) - 10) * DAY_MS,
      }),
    );
  }
  for (let n = 0; n < 240; n += 30) await store.posts.remove(`p${n}`, T0 - n * DAY_MS);
  for (let n = 1; n < 240; n += 30) await store.posts.update(`p${n}`, { state: "hidden" }, { text: false });
  for (let p = 0; p < 12; p += 1) {
    await store.subscriptions.deliver(
      Array.from({ length: 60 }, (_, n) => ({
        subscriptionId: `sub_${p}`,
        postId: `p${n * 2}`,
        matchedAt: T0 - n * DAY_MS,
      })),
      [],
    );
  }
  for (let n = 0; n < 60; n += 1) {
    await store.reports.upsert(
      aReport(`rep_${n}`, { postId: `p${n % 5}`, reporter: `addr:${n}`, createdAt: T0 - n }),
    );
    await store.reports.log({
      at: T0 - n,
      action: "hide",
      subject: `p${n % 5}`,
      actor: "operator",
      reason: "r",
    });
  }
}

/** Each call of the port, in an order in which each has something to do on a filled board. */
export function everyCall(store: Store): Record<string, () => Promise<unknown>> {
  const {
    posts,
    publishers,
    signIns,
    subscriptions,
    pushes,
    inbox,
    reports,
    work,
    limits,
    rankings,
    statistics,
    settings,
    leases,
  } = store;
  const claim = { limit: 5, perOrigin: 4, failing: 10, leaseMs: 1000, now: T0 };
  const attempt = { at: T0, latencyMs: 1, status: 500, error: null };
  return {
    "posts.insert": () =>
      posts.insert(aPost("new", { publisherId: "pub_1", idempotencyHash: "key of new" }), {
        guard: { since: T0 - 30 * DAY_MS, limit: 5, check() {} },
      }),
    "posts.insert of a reply": () =>
      posts.insert(aPost("p2-new", { publisherId: "pub_1", parentId: "p2" }), {
        admit: () => T0 + 99 * DAY_MS,
      }),
    "posts.get": () => posts.get("p1"),
    "posts.byIdempotency": () => posts.byIdempotency("pub_1", "key of new"),
    "posts.many": () => posts.many(["p1", "p2", "p3"]),
    "posts.replies": () => posts.replies("p6", { after: null, limit: 5 }),
    "posts.replies after": () => posts.replies("p6", { after: { at: T0 - 99 * DAY_MS, id: "a" }, limit: 5 }),
    "posts.byPublisher": () => posts.byPublisher("pub_2", 3),
    "posts.written": () => posts.written({}, { before: null, limit: 3 }),
    "posts.written before": () =>
      posts.written({ since: T0 - 99 * DAY_MS }, { before: { at: T0, id: "p3" }, limit: 3 }),
    "posts.written by one": () => posts.written({ publisherId: "pub_2" }, { before: null, limit: 3 }),
    "posts.written hidden": () => posts.written({ hidden: true }, { before: null, limit: 3 }),
    "posts.update": () => posts.update("p3", { title: "t" }, { text: true }),
    "posts.update hide": () => posts.update("p6-11", { state: "hidden" }, { text: false }),
    "posts.addRetrievals": () => posts.addRetrievals(new Map([["p3", 1]])),
    "posts.setVectors": () =>
      posts.setVectors([{ id: "p3", updatedAt: T0 - 3 * HOUR_MS, model: "m", vector: aVector(1) }]),
    "posts.vectors": () => posts.vectors(["p3"], "m"),
    "posts.enqueueMissingVectors": () => posts.enqueueMissingVectors({ model: "n" }, 10),
    "posts.remove": () => posts.remove("p12", T0),
    "posts.lastRemoved": () => posts.lastRemoved(T0 - 30 * DAY_MS, 20),
    "posts.erase": () => posts.erase({ expired: T0 - 5 * DAY_MS, removed: T0 - 60 * DAY_MS }, 20),
    finishErasures: () => store.finishErasures(),
    "publishers.insert": () => publishers.insert(aPublisher("pub_new")),
    "publishers.get": () => publishers.get("pub_1"),
    "publishers.many": () => publishers.many(["pub_1", "pub_2"]),
    "publishers.named": () => publishers.named("a", 2),
    "publishers.byKeyHash": () => publishers.byKeyHash("hash of pub_1"),
    "publishers.update": () => publishers.update("pub_1", { suspendedAt: T0 }),
    "publishers.registered": () =>
      publishers.registered(T0 - DAY_MS, { before: { at: T0, id: "pub_2" }, limit: 2 }),
    "publishers.dueForCheck": () => publishers.dueForCheck(T0, 2),
    "subscriptions.insert": () =>
      subscriptions.insert(aSubscription("sub_new", { publisherId: "pub_2" }), 50),
    "subscriptions.get": () => subscriptions.get("sub_1"),
    "subscriptions.ofPublisher": () => subscriptions.ofPublisher("pub_2"),
    "subscriptions.update": () => subscriptions.update("sub_1", { label: "x" }),
    "subscriptions.update activate": () =>
      subscriptions.update("old_1", {
        active: true,
        webhookUrl: "https://n.example.org/",
        webhookVerifiedAt: T0,
      }),
    "subscriptions.update stop": () => subscriptions.update("sub_5", { active: false }),
    "subscriptions.update again": () => subscriptions.update("sub_5", { active: true }),
    "subscriptions.position": () => subscriptions.position("sub_2"),
    "subscriptions.failing": () => subscriptions.failing(5),
    "subscriptions.removeLapsed": () => subscriptions.removeLapsed(T0, 20),
    "subscriptions.changes": () => subscriptions.changes(3, 5),
    "subscriptions.deliver": async () =>
      subscriptions.deliver(
        [{ subscriptionId: "sub_3", postId: "p7", matchedAt: T0 }],
        await work.claim("match", { limit: 3, leaseMs: 1000, now: T0 + DAY_MS }),
      ),
    "subscriptions.pending": () => subscriptions.pending("sub_2", 5, 5),
    "subscriptions.pendingCounts": () => subscriptions.pendingCounts(["sub_2", "sub_3"]),
    "subscriptions.toldOf": () => subscriptions.toldOf("p2"),
    "subscriptions.tellChange": () => subscriptions.tellChange("p2", T0),
    "subscriptions.pruneDeliveries": () => subscriptions.pruneDeliveries(T0 - 55 * DAY_MS, 20),
    "pushes.claim": () => pushes.claim(claim),
    "pushes.settle": async () => {
      const [one, two] = await pushes.claim({ ...claim, now: T0 + 1 });
      if (one === undefined || two === undefined) throw new Error("nothing was claimed");
      await pushes.settle(one, attempt, { state: "delivered", dueAt: null, deactivate: null });
      await pushes.settle(two, attempt, { state: "failed", dueAt: null, deactivate: "webhook_gone" });
    },
    "pushes.giveBack": async () => pushes.giveBack(await pushes.claim({ ...claim, now: T0 + 2 })),
    "pushes.backlog": () => pushes.backlog(),
    "pushes.hasten": () => pushes.hasten(T0 - DAY_MS),
    "pushes.list": () => pushes.list("sub_2", { before: null, limit: 5 }),
    "pushes.list before": () => pushes.list("sub_2", { before: 20, limit: 5 }),
    "pushes.redeliver": () => pushes.redeliver("sub_2", 3, T0),
    "inbox.lastNumbers": () => inbox.lastNumbers(["pub_1", "pub_2"]),
    "inbox.read": () => inbox.read("pub_2", 5, 5),
    "reports.upsert": () => reports.upsert(aReport("rep_new", { postId: "p3", reporter: "addr:x" })),
    "reports.upsert again": () =>
      reports.upsert(aReport("rep_newer", { postId: "p3", reporter: "addr:x", reason: "scam" })),
    "reports.voices": () => reports.voices("p3", T0 - 20),
    "reports.of": () => reports.of("p3", 3),
    "reports.queue": () => reports.queue(3),
    "reports.log": () =>
      reports.log({ at: T0, action: "hide", subject: "p3", actor: "operator", reason: "r" }),
    "reports.history": () => reports.history(null, 3),
    "reports.history of one": () => reports.history("p3", 3),
    "work.claim": () => work.claim("embed", { limit: 3, leaseMs: 1000, now: T0 + DAY_MS }),
    "subscriptions.deliver of nothing": async () =>
      subscriptions.deliver([], await work.claim("embed", { limit: 3, leaseMs: 1000, now: T0 + 2 * DAY_MS })),
    "work.giveBack": async () =>
      work.giveBack(await work.claim("embed", { limit: 3, leaseMs: 1000, now: T0 + 3 * DAY_MS }), T0),
    "work.backlog": () => work.backlog("match"),
    "work.oldest": () => work.oldest("match"),
    "limits.add": () => limits.add("k", 1, 1000, T0),
    "rankings.save": () =>
      rankings.save({ id: "r", ids: ["p1"], relevance: [1], previous: null, expiresAt: T0 }),
    "rankings.get": () => rankings.get("r", T0 - 1),
    "statistics.counts": () => statistics.counts(T0),
    "statistics.overview": () => statistics.overview(T0, 14),
    "statistics.add": () => statistics.add([{ day: "2026-11-20", name: "x", n: 1 }]),
    "statistics.read": () => statistics.read("2026-11-01"),
    "statistics.activePublishers": () => statistics.activePublishers(T0 - 2 * DAY_MS, T0),
    "signIns.put": () =>
      signIns.put({
        id: "t",
        grantId: "g",
        publisherId: "pub_1",
        payload: "{}",
        consumedAt: null,
        expiresAt: T0,
      }),
    "signIns.get": () => signIns.get("t", T0),
    "signIns.consume": () => signIns.consume("t", T0),
    "signIns.many": () => signIns.many(["t"], T0),
    "signIns.prolong": () => signIns.prolong("t", T0 + 1),
    "signIns.removeOlder": () => signIns.removeOlder("g", "RefreshToken", T0 - 1, "t"),
    "signIns.renewable": () => signIns.renewable("pub_1", T0 - 1, 3),
    "signIns.remove": () => signIns.remove("id", "t"),
    "signIns.remove of a grant": () => signIns.remove("grantId", "g"),
    "signIns.remove of a publisher": () => signIns.remove("publisherId", "pub_1"),
    "settings.setOnce": () => settings.setOnce("a", "b"),
    "settings.get": () => settings.get("a"),
    "settings.set": () => settings.set("a", "c"),
    "leases.acquire": () => leases.acquire("a", "b", 1, 1),
    "leases.release": () => leases.release("a", "b"),
    "subscriptions.remove": () => subscriptions.remove("sub_2"),
    "publishers.erase": () => publishers.erase("pub_3"),
    ping: () => store.ping(),
  };
}
