import { describe, expect, it } from "vitest";
import { chooseDue, webhookOrigin } from "../../src/store/rules/claims.ts";
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

describe("choosing what to claim", () => {
  const due = (failing: boolean, origins: readonly string[]) =>
    origins.map((origin, n) => ({ id: `${failing} ${n}`, origin }));
  const choose = async (
    options: { limit: number; perOrigin: number; failing: number; underWay?: Map<string, number> },
    waiting: { well: readonly string[]; failing?: readonly string[] },
  ) => {
    const chosen = await chooseDue(options, async ({ failing, without, limit }) =>
      due(failing, (failing ? waiting.failing : waiting.well) ?? [])
        .filter(({ origin }) => !without.includes(origin))
        .slice(0, limit),
    );
    return chosen.map(({ origin }) => origin);
  };

  it("takes first what is due first, of each origin as many as it has places for", async () => {
    const well = ["a", "a", "a", "b", "a", "c"];
    expect(await choose({ limit: 9, perOrigin: 2, failing: 0 }, { well })).toEqual(["a", "a", "b", "c"]);
    const underWay = new Map([["a", 2]]);
    expect(await choose({ limit: 9, perOrigin: 2, failing: 0, underWay }, { well })).toEqual(["b", "c"]);
  });

  it("looks on while a long queue of one origin hides the others", async () => {
    const well = [...Array.from({ length: 500 }, () => "slow"), "b", "c"];
    expect(await choose({ limit: 3, perOrigin: 1, failing: 0 }, { well })).toEqual(["slow", "b", "c"]);
  });

  it("leaves failing receivers their share of the places, behind the others", async () => {
    const waiting = { well: ["a", "b"], failing: ["c", "d", "e"] };
    expect(await choose({ limit: 9, perOrigin: 1, failing: 2 }, waiting)).toEqual(["a", "b", "c", "d"]);
    expect(await choose({ limit: 3, perOrigin: 1, failing: 2 }, waiting)).toEqual(["a", "b", "c"]);
  });
});

describe("an origin", () => {
  it("is host and port, with the port that a scheme implies", () => {
    expect(webhookOrigin("https://x.org/hook")).toBe("x.org:443");
    expect(webhookOrigin("http://x.org./hook")).toBe("x.org:80");
    expect(webhookOrigin("https://x.org:8443/hook")).toBe("x.org:8443");
  });
});
