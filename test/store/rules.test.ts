import { describe, expect, it } from "vitest";
import { addressesOfReport } from "../../src/store/mongodb/schema/documents.ts";
import { attemptsOf, newPush } from "../../src/store/mongodb/schema/pushes.ts";
import {
  canBePushedTo,
  type Lane,
  openLanes,
  Places,
  queuePlace,
  serveInTurn,
  webhookOrigin,
} from "../../src/store/rules/claims.ts";
import { entriesOfReply, REPLIERS_SOUGHT } from "../../src/store/rules/inbox.ts";
import { changedRow, editedPost, inOrder, limitIds } from "../../src/store/rules/rows.ts";
import {
  attemptsBefore,
  redeliveredPush,
  settledPush,
  settledSubscription,
  unclaimedPush,
} from "../../src/store/rules/settling.ts";
import { addressesOf, countVoices } from "../../src/store/rules/voices.ts";
import { readRow } from "../../src/transfer/format.ts";
import { aPost } from "../support/search/rows.ts";

const FAILED = { at: 500, latencyMs: 3, status: 500, error: null };
const DELIVERED = { state: "delivered", dueAt: null, deactivate: null } as const;
const RETRIED = { state: "waiting", dueAt: 900, deactivate: null } as const;

describe("the voices of reports", () => {
  const heard = (n: number, ...addresses: string[]) => ({ addresses, createdAt: n, silent: false });

  it("are one over any chain of common addresses, in any order", () => {
    const chain = [
      heard(1, "a", "b"),
      heard(2, "c", "d"),
      heard(3, "e"),
      heard(4, "b", "c"),
      heard(5, "d", "e"),
    ];
    expect(countVoices(chain, 0)).toBe(1);
    expect(countVoices([...chain].reverse(), 0)).toBe(1);
    expect(countVoices([...chain, heard(6, "f"), heard(7), heard(8)], 0)).toBe(4);
    // One of them was heard before.
    expect(countVoices(chain, 1)).toBe(0);
  });

  it("remember eight addresses of a reporter, the first ones", () => {
    const many = Array.from({ length: 9 }, (_, n) => `addr:${n}`);
    expect(addressesOf(["addr:0"], ["addr:0"])).toEqual(["addr:0"]);
    expect(addressesOf(many.slice(0, 7), many.slice(7))).toEqual(many.slice(0, 8));
  });
});

describe("settling a push", () => {
  it("keeps what an older release wrote, in a document and in an export", () => {
    const at = new Date(500);
    const { history: _, ...before } = newPush(
      { subscriptionId: "sub_1", deliveryId: 1, postId: "p", matchedAt: at },
      at,
    );
    const attempt = { at, latency_ms: 3, status: 500, error: null };
    expect(attemptsOf({ ...before, attempt })).toEqual([FAILED]);
    expect(attemptsOf({ ...before, attempt: null })).toEqual([]);
    const push = { subscriptionId: "sub_1", deliveryId: 1, postId: "p", matchedAt: 1, attempts: 1 };
    const line = (lastAttempt: typeof FAILED | null) =>
      JSON.stringify({ push: { ...push, state: "failed", dueAt: null, lastAttempt } });
    expect(readRow(line(FAILED)).row).toEqual({ ...push, state: "failed", dueAt: null, history: [FAILED] });
    expect(readRow(line(null)).row).toMatchObject({ history: [] });
    const report = {
      id: "rep_1",
      postId: "p",
      reporter: "key:a",
      reason: "spam",
      details: null,
      createdAt: 1,
    };
    const said = (address?: string | null) => readRow(JSON.stringify({ report: { ...report, address } })).row;
    expect(said("addr:1")).toEqual({ ...report, addresses: ["addr:1"] });
    expect([said(null), said()]).toMatchObject([{ addresses: [] }, { addresses: [] }]);
    expect(addressesOfReport({ address: "addr:1" })).toEqual(["addr:1"]);
  });

  it("counts an attempt that was made, and none that was not", () => {
    const push = { attempts: 2, againAt: null };
    expect(settledPush(push, FAILED, RETRIED)).toEqual({ state: "waiting", dueAt: 900, attempts: 3 });
    expect(settledPush(push, FAILED, DELIVERED)).toEqual({ state: "delivered", dueAt: null, attempts: 3 });
    expect(settledPush(push, null, RETRIED).attempts).toBe(2);
  });

  it("lets a redelivery that was requested meanwhile follow any outcome, with its attempts from zero", () => {
    const push = { attempts: 2, againAt: 700 };
    const next = { state: "waiting", dueAt: 700, attempts: 0 };
    expect(settledPush(push, FAILED, DELIVERED)).toEqual(next);
    expect(settledPush(push, FAILED, RETRIED)).toEqual(next);
    expect(attemptsBefore(push)).toBe(0);
    expect(attemptsBefore({ ...push, againAt: null })).toBe(2);
  });

  it("refuses a push that waits for no time, or is done and has one", () => {
    const push = { attempts: 0, againAt: null };
    expect(() => settledPush(push, null, { ...RETRIED, dueAt: null })).toThrow(/waits until a time/);
    expect(() => settledPush(push, null, { ...DELIVERED, dueAt: 1 })).toThrow(/waits until a time/);
  });

  it("makes a redelivery due now, or keeps the claim and notes when it is due", () => {
    const due = { state: "waiting", dueAt: 900, attempts: 0, againAt: null };
    expect(redeliveredPush(null, 900)).toEqual(due);
    expect(redeliveredPush({ token: null, dueAt: null, attempts: 6 }, 900)).toEqual(due);
    expect(redeliveredPush({ token: "claim", dueAt: 950, attempts: 6 }, 900)).toEqual({
      state: "waiting",
      dueAt: 950,
      attempts: 6,
      againAt: 900,
    });
  });

  it("makes a claimed push due at once on the board that it moves to, or when its redelivery is due", () => {
    const push = { matchedAt: 100, attempts: 4, againAt: null };
    expect(unclaimedPush(push)).toEqual({ dueAt: 100, attempts: 4 });
    expect(unclaimedPush({ ...push, againAt: 700 })).toEqual({ dueAt: 700, attempts: 0 });
  });
});

describe("what follows for the subscription", () => {
  const webhook = { webhookUrl: "https://x.org/hook" };
  const failing = { failures: 3, failingSince: 200, active: true, inactiveReason: null };
  const well = { ...failing, failures: 0, failingSince: null };

  it("ends the streak of failures with a delivery", () => {
    expect(settledSubscription({ ...failing, ...webhook }, webhook, FAILED, DELIVERED)).toEqual(well);
  });

  it("prolongs the streak with a failed attempt, and dates it from the first", () => {
    const followUp = (before: typeof well | typeof failing) =>
      settledSubscription({ ...before, ...webhook }, webhook, FAILED, RETRIED);
    expect(followUp(failing)).toEqual({ ...failing, failures: 4 });
    expect(followUp(well)).toEqual({ ...well, failures: 1, failingSince: 500 });
  });

  it("leaves the streak alone when no attempt was made", () => {
    expect(settledSubscription({ ...failing, ...webhook }, webhook, null, RETRIED)).toEqual(failing);
  });

  it("makes an active subscription inactive, and keeps the reason of one that is inactive already", () => {
    const gone = { state: "failed", dueAt: null, deactivate: "webhook_gone" } as const;
    const followUp = (before: Parameters<typeof settledSubscription>[0]) =>
      settledSubscription(before, webhook, null, gone);
    expect(followUp({ ...well, ...webhook })).toEqual({
      ...well,
      active: false,
      inactiveReason: "webhook_gone",
    });
    const off = { ...well, active: false, inactiveReason: "webhook_failing" as const };
    expect(followUp({ ...off, ...webhook })).toEqual(off);
  });

  it("holds nothing against a webhook that took the place of the claimed one", () => {
    const before = { ...failing, webhookUrl: "https://x.org/new" };
    const gone = { ...RETRIED, deactivate: "webhook_gone" } as const;
    expect(settledSubscription(before, webhook, FAILED, gone)).toEqual(failing);
    expect(settledSubscription(before, webhook, FAILED, DELIVERED)).toEqual(failing);
  });
});

describe("turns and places of a claim", () => {
  const CAPS = { limit: 10, perOrigin: 2, failing: 1 };
  const lane = (origin: string, turn: number | null, failing = false): Lane => ({ origin, failing, turn });
  /** Origins in the order of service; `due` pushes wait in each lane. */
  const served = (lanes: readonly Lane[], places: Places, due = 10) => {
    const left = new Map(lanes.map((one) => [one, due]));
    return serveInTurn(openLanes(lanes, places), places, (one) => {
      const n = left.get(one) ?? 0;
      left.set(one, n - 1);
      return n === 0 ? null : one.origin;
    }).join("");
  };

  it("serves one push of each lane, round after round, the least recently served lane first", () => {
    const lanes = [lane("b", 2), lane("c", 3), lane("a", 1)];
    expect(served(lanes, new Places(CAPS, []))).toBe("abcabc");
    expect(served(lanes, new Places(CAPS, []), 1)).toBe("abc");
  });

  it("serves lanes that are new after all others", () => {
    expect(served([lane("n", null), lane("a", 9)], new Places(CAPS, []), 1)).toBe("an");
  });

  it("claims no more of an origin, failing or not, than it may have beside its live claims", () => {
    expect(served([lane("a", 1), lane("b", 2)], new Places(CAPS, [{ origin: "a", n: 1 }]))).toBe("abb");
    expect(served([lane("a", 1), lane("a", 2, true)], new Places(CAPS, []))).toBe("aa");
    const live = [
      { origin: "a", n: 2 },
      { origin: "b", n: 1 },
    ];
    expect(new Places(CAPS, live).fullOrigins).toBe(1);
    // A cap below what is already claimed leaves no places, not a negative number.
    expect(new Places({ ...CAPS, perOrigin: 1 }, live).leftFor(lane("a", 1))).toBe(0);
  });

  it("claims no more than the limit of the call", () => {
    const lanes = [lane("a", 1), lane("b", 2), lane("c", 3), lane("d", 4)];
    expect(served(lanes, new Places({ ...CAPS, limit: 3 }, []))).toBe("abc");
  });

  it("lets failing receivers have their share of the places only, and passes others by them", () => {
    const lanes = [lane("a", 1, true), lane("b", 2, true), lane("c", 3), lane("d", 4)];
    expect(served(lanes, new Places({ ...CAPS, limit: 3 }, []))).toBe("acd");
    expect(served(lanes, new Places({ ...CAPS, limit: 3, failing: 0 }, []))).toBe("cdc");
  });
});

describe("the push queue", () => {
  const receiver = { active: true, webhook_origin: "x.org:443", webhook_verified_at: 1, failures: 0 };

  it("takes active subscriptions with a webhook that consented and a push that waits", () => {
    expect(queuePlace(receiver, 900)).toEqual({ origin: "x.org:443", failing: false, dueAt: 900 });
    expect(queuePlace({ ...receiver, failures: 1 }, 900)?.failing).toBe(true);
    expect(queuePlace(receiver, null)).toBeNull();
    expect(queuePlace({ ...receiver, active: false }, 900)).toBeNull();
    for (const missing of [{ active: false }, { webhook_origin: null }, { webhook_verified_at: null }]) {
      expect(canBePushedTo({ ...receiver, ...missing })).toBe(false);
    }
  });

  it("knows an origin by host and port, with the port that a scheme implies", () => {
    expect(webhookOrigin("https://x.org/hook")).toBe("x.org:443");
    expect(webhookOrigin("http://x.org./hook")).toBe("x.org:80");
    expect(webhookOrigin("https://x.org:8443/hook")).toBe("x.org:8443");
  });
});

describe("other rules of all stores", () => {
  it("gives back the very row when a change changes nothing", () => {
    const row = { a: 1, b: 2 };
    expect(changedRow(row, () => null)).toBe(row);
    expect(changedRow(row, { b: 3 })).toEqual({ a: 1, b: 3 });
    expect(changedRow(row, ({ a }) => ({ b: a + 1 }))).toEqual({ a: 1, b: 2 });
  });

  it("edits a post only as it was read, and never one that is removed", () => {
    const post = aPost("p");
    expect(editedPost(post, { title: "New" }, undefined)?.title).toBe("New");
    expect(editedPost(post, { title: "New" }, post.updatedAt)?.title).toBe("New");
    expect(editedPost(post, { title: "New" }, post.updatedAt - 1)).toBeNull();
    expect(editedPost({ ...post, state: "removed" }, { title: "New" }, undefined)).toBeNull();
    expect(() => editedPost(post, { state: "removed" }, undefined)).toThrow(/`remove`/);
  });

  it("takes at most 1,000 ids, and answers in their order", () => {
    expect(() => limitIds(Array.from({ length: 1000 }, String))).not.toThrow();
    expect(() => limitIds(Array.from({ length: 1001 }, String))).toThrow(RangeError);
    expect(inOrder(["b", "x", "a"], [{ id: "a" }, { id: "b" }])).toEqual([{ id: "b" }, { id: "a" }]);
  });

  it("announces a reply to the root's publisher and to 200 repliers, never to its author", () => {
    const repliers = Array.from({ length: REPLIERS_SOUGHT }, (_, n) => `pub_${n}`);
    const entries = entriesOfReply("pub_0", "pub_1", repliers);
    expect(entries[0]).toEqual({ publisherId: "pub_1", type: "reply" });
    expect(entries.slice(1)).toEqual(
      repliers.slice(2).map((publisherId) => ({ publisherId, type: "activity" })),
    );
    expect(entries).toHaveLength(201);
    expect(entriesOfReply("pub_1", "pub_1", ["pub_1"])).toEqual([]);
    expect(entriesOfReply("pub_9", "pub_1", repliers).filter(({ type }) => type === "activity")).toHaveLength(
      200,
    );
  });
});
