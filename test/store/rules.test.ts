import { describe, expect, it } from "vitest";
import { NEVER_SHOWN, type StoredPost, type ToldChange } from "../../src/ports/store/index.ts";
import { canBePushedTo, chooseDue, webhookOrigin } from "../../src/store/rules/claims.ts";
import { entriesOfReply, hearersOfEnd, REPLIERS_SOUGHT } from "../../src/store/rules/inbox.ts";
import { isEnd, moveByEdit, moveByRemoval } from "../../src/store/rules/moves.ts";
import {
  changedRow,
  editedPost,
  inOrder,
  inSteps,
  isFirstShown,
  limitIds,
  replyWithin,
} from "../../src/store/rules/rows.ts";
import { goesOn } from "../../src/store/rules/series.ts";
import {
  keptAttempts,
  redeliveredPush,
  settledPush,
  settledSubscription,
  unclaimedPush,
} from "../../src/store/rules/settling.ts";
import { countLive } from "../../src/store/rules/statistics.ts";
import { addressesOf, countVoices } from "../../src/store/rules/voices.ts";
import { answer } from "../contract/store/pushes/prepare.ts";
import { aPost, aSubscription, T0 } from "../support/search/rows.ts";

/** The rules that both stores go by, at their edges; what stores make of them is in `test/contract/store`. */
describe("what is told of an edit", () => {
  const place = { name: "Hall", lat: 1, lng: 2 };
  const dated = aPost("p", { startsAt: T0 + 9, endsAt: T0 + 20, expiresAt: T0 + 30, location: place });
  const at = T0 + 5;
  const told = (after: Partial<StoredPost>, before: Partial<StoredPost> = {}) =>
    moveByEdit({ ...dated, ...before }, { ...dated, ...before, updatedAt: at, ...after });
  const series = expect.stringMatching(/^[0-9a-f]{32}$/);

  it.each<[string, Partial<StoredPost>, string[] | null]>([
    ["another start", { startsAt: T0 + 8 }, ["starts_at"]],
    ["another end", { endsAt: T0 + 21 }, ["ends_at"]],
    ["a place to the north", { location: { ...place, lat: 1.1 } }, ["location"]],
    ["a place to the east", { location: { ...place, lng: 2.1 } }, ["location"]],
    ["another name", { location: { ...place, name: "Yard" } }, ["location"]],
    ["the name spelt otherwise", { location: { ...place, name: "hall!" } }, null],
    ["coordinates that are dropped", { location: { ...place, lat: null, lng: null } }, null],
    ["a cancellation", { metadata: { status: "Canceled" } }, ["cancelled"]],
    ["a cancellation with two l", { metadata: { status: "cancelled" } }, ["cancelled"]],
    ["another state", { metadata: { status: "uncancelled" } }, null],
    ["a state that begins so", { metadata: { status: "cancelled_in_part" } }, null],
    ["an end now", { expiresAt: at }, ["ended"]],
    ["an end in a moment", { expiresAt: at + 1 }, null],
    ["no edit", { updatedAt: T0, startsAt: T0 }, null],
    ["another title", { title: "Other" }, null],
  ])("is, of %s", (_, after, what) => expect(told(after)?.what ?? null).toEqual(what));

  it("is how it was before, gathered from the first on, and the series of what ends", () => {
    const moved = told({ startsAt: T0 + 8, endsAt: T0 + 21 });
    expect(moved).toEqual({
      at,
      what: ["starts_at", "ends_at"],
      before: { startsAt: T0 + 9, endsAt: T0 + 20 },
      series: null,
    });
    const again = told({ startsAt: T0 + 7, expiresAt: at }, { startsAt: T0 + 8, change: moved });
    expect(again).toMatchObject({ what: ["starts_at", "ends_at", "ended"], series });
    expect(again?.before).toEqual({ startsAt: T0 + 9, endsAt: T0 + 20, expiresAt: T0 + 30 });
    expect(told({ title: "Other" }, { change: moved })).toBe(moved);
    expect(told({ location: null })?.before).toEqual({ location: place });
    expect(told({ location: null }, { location: { ...place, approximate: true } })?.before).toEqual({
      location: place,
    });
    expect(told({ location: place }, { location: null })?.before).toEqual({ location: null });
    const cancelled = { metadata: { status: "cancelled" } };
    expect(told({ title: "Other" }, cancelled)).toBeNull();
    // Coordinates that are found for a name are no move.
    expect(told({ location: place }, { location: { ...place, lat: null, lng: null } })).toBeNull();
  });

  it("is nothing of what is over, hidden or removed; a removal is told until then", () => {
    for (const before of [{ endsAt: at - 1 }, { expiresAt: at }, { state: "hidden" as const }]) {
      expect(told({ startsAt: T0 + 1 }, before)).toBeNull();
      expect(moveByRemoval({ ...dated, ...before }, at)).toBeNull();
    }
    expect(told({ startsAt: T0 + 1 }, { endsAt: at })?.what).toEqual(["starts_at"]);
    expect(moveByRemoval({ ...dated, endsAt: at }, at)).toEqual({
      at,
      what: ["removed"],
      before: {},
      series,
    });
  });

  it("is an end once, by expiry or removal", () => {
    const [ended, removed, moved] = [["ended"], ["removed"], ["starts_at"]].map(
      (what) => ({ what }) as unknown as ToldChange,
    );
    expect([isEnd(ended ?? null), isEnd(removed ?? null), isEnd(moved ?? null), isEnd(null)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([isEnd(removed ?? null, ended), isEnd(removed ?? null, moved)]).toEqual([false, true]);
  });
});

describe("a row after a change", () => {
  it("keeps a reply's expiry, and is none of a post that is removed or was changed meanwhile", () => {
    const [root, reply] = [aPost("p"), aPost("r", { parentId: "p" })];
    const change = { expiresAt: T0 + 1 };
    expect([root, reply].map((post) => editedPost(post, change, T0)?.expiresAt)).toEqual([
      T0 + 1,
      reply.expiresAt,
    ]);
    expect(editedPost(root, change, T0 - 1)).toBeNull();
    expect(editedPost({ ...root, state: "removed" }, change, undefined)).toBeNull();
    expect(() => editedPost(root, { state: "removed" }, T0)).toThrow("`remove`");
    expect(replyWithin({ ...reply, expiryChosen: true }, T0)).toMatchObject({
      expiresAt: T0,
      expiryChosen: false,
    });
    const hidden = aPost("h", { state: "hidden", writtenNo: NEVER_SHOWN });
    const shows = (before: StoredPost, state: "active" | "hidden") =>
      isFirstShown(before, { ...before, state });
    expect([shows(hidden, "active"), shows(hidden, "hidden"), shows(root, "active")]).toEqual([
      true,
      false,
      false,
    ]);
    expect([goesOn({ endsAt: T0 }, T0), goesOn({ endsAt: T0 - 1 }, T0), goesOn(null, T0)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("rows", () => {
  it("are asked for by a thousand ids at most, and come in the order of ids", () => {
    const ids = Array.from({ length: 1001 }, (_, n) => `p${n}`);
    expect(() => limitIds(ids.slice(1))).not.toThrow();
    expect(() => limitIds(ids)).toThrow(RangeError);
    expect(inOrder(["b", "gone", "a"], [{ id: "a" }, { id: "b" }])).toEqual([{ id: "b" }, { id: "a" }]);
  });

  it("change by values or by what they are, and stay the same when nothing changes", () => {
    const row = { name: "a", n: 1 };
    expect(changedRow(row, { n: 2 })).toEqual({ name: "a", n: 2 });
    expect(changedRow(row, ({ n }) => ({ n: n + 2 }))).toEqual({ name: "a", n: 3 });
    expect(changedRow(row, () => null)).toBe(row);
  });

  it.each([
    ["all there are", 9, 7, [3, 3, 3, 2]],
    ["no more than asked for", 5, 7, [3, 2]],
    ["as many as fill the last step", 6, 7, [3, 3]],
    ["none", 0, 7, []],
  ])("are dealt with in steps: %s", async (_, limit, there, steps) => {
    const asked: number[] = [];
    let left = there;
    const total = await inSteps(limit, 3, async (most) => {
      asked.push(most);
      const done = Math.min(most, left);
      left -= done;
      return done;
    });
    expect([asked, total]).toEqual([steps, Math.min(limit, there)]);
  });

  it("of live posts are counted by kind and by who wrote them", () => {
    const counts = countLive([
      { kind: "offer", isRelayed: false, n: 2 },
      { kind: "offer", isRelayed: true, n: 3 },
      { kind: "event", isRelayed: true, n: 4 },
    ]);
    expect(counts).toMatchObject({ activePosts: 9, firstHand: 2, syndicated: 7 });
    expect(counts.kinds).toMatchObject({ offer: 5, event: 4, thread: 0 });
  });
});

describe("who hears of a reply", () => {
  it("is the root's publisher and up to 200 others that replied, never its author", () => {
    expect(entriesOfReply("me", "root", ["a", "me", "root", "b"])).toEqual([
      { publisherId: "root", type: "reply" },
      { publisherId: "a", type: "activity" },
      { publisherId: "b", type: "activity" },
    ]);
    expect(entriesOfReply("root", "root", ["root", "a"])).toEqual([{ publisherId: "a", type: "activity" }]);
    const many = Array.from({ length: 202 }, (_, n) => `r${n}`);
    expect(entriesOfReply("r0", "root", many)).toHaveLength(201);
    // Author and root are looked for too.
    expect(REPLIERS_SOUGHT).toBe(202);
    expect(hearersOfEnd("r0", many.slice(0, 201))).toEqual(many.slice(1, 201));
  });
});

describe("a push", () => {
  const push = (id: string, origin: string) => ({ id, origin });
  const failingFirst = async (options: Partial<Parameters<typeof chooseDue>[0]>) => {
    const [sound, failing] = [
      ["a1", "a2", "b1"],
      ["c1", "c2", "d1"],
    ].map((ids) => ids.map((id) => push(id, id.charAt(0))));
    const chosen = await chooseDue({ limit: 9, perOrigin: 9, failing: 9, ...options }, async (asked) =>
      ((asked.failing ? failing : sound) ?? [])
        .filter(({ origin }) => !asked.without.includes(origin))
        .slice(0, asked.limit),
    );
    return chosen.map(({ id }) => id).join(" ");
  };

  it("is claimed within what is left of all places, of an origin's and of failing receivers'", async () => {
    expect(await failingFirst({})).toBe("a1 a2 b1 c1 c2 d1");
    expect(await failingFirst({ limit: 2 })).toBe("a1 a2");
    expect(await failingFirst({ failing: 1 })).toBe("a1 a2 b1 c1");
    expect(await failingFirst({ perOrigin: 1 })).toBe("a1 b1 c1 d1");
    expect(await failingFirst({ failingPerOrigin: 1 })).toBe("a1 a2 b1 c1 d1");
    const underWay = [
      { origin: "a", failing: false },
      { origin: "d", failing: true },
    ];
    expect(await failingFirst({ perOrigin: 1, underWay })).toBe("b1 c1");
  });

  it("is looked for again where many go to one origin, leaving out those that are full", async () => {
    const due = [..."aaaaaaa", "b", "b", "c"].map((origin, n) => push(`${origin}${n}`, origin));
    const asked: string[][] = [];
    const chosen = await chooseDue({ limit: 4, perOrigin: 2, failing: 0 }, async ({ without, limit }) => {
      asked.push(without);
      return due.filter(({ origin }) => !without.includes(origin)).slice(0, limit);
    });
    expect(chosen.map(({ id }) => id)).toEqual(["a0", "a1", "b7", "b8"]);
    expect(asked).toEqual([[], ["a"]]);
  });

  it("that is requested once more is due now, or when the claim on it is settled", () => {
    const anew = { state: "waiting", dueAt: T0, attempts: 0, againAt: null };
    expect(redeliveredPush(null, T0)).toEqual(anew);
    expect(redeliveredPush({ token: null, dueAt: null, attempts: 3 }, T0)).toEqual(anew);
    const claimed = { state: "waiting", dueAt: T0 + 9, attempts: 3, againAt: T0 };
    expect(redeliveredPush({ token: "t", dueAt: T0 + 9, attempts: 3 }, T0)).toEqual(claimed);
    for (const outcome of [
      { state: "waiting", dueAt: null },
      { state: "failed", dueAt: T0 },
    ] as const)
      expect(() =>
        settledPush({ attempts: 0, againAt: null }, null, { ...outcome, deactivate: null }),
      ).toThrow();
  });

  it("goes to an active subscription whose webhook consented, at its host and port", () => {
    const receiver = { active: true, webhook_origin: "a:443", webhook_verified_at: T0 };
    const without = [{ active: false }, { webhook_origin: null }, { webhook_verified_at: null }];
    expect([{}, ...without].map((one) => canBePushedTo({ ...receiver, ...one }))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const urls = ["https://a.example/x", "http://a.example.", "https://a.example:8443"];
    expect(urls.map(webhookOrigin)).toEqual(["a.example:443", "a.example:80", "a.example:8443"]);
  });

  it("counts its attempts, anew after a redelivery, and keeps the last twenty", () => {
    const failed = answer(T0, 500);
    const waits = { state: "waiting", dueAt: T0 + 9, deactivate: null } as const;
    expect(settledPush({ attempts: 2, againAt: null }, failed, waits).attempts).toBe(3);
    expect(settledPush({ attempts: 2, againAt: null }, null, waits).attempts).toBe(2);
    const again = { state: "waiting", dueAt: T0 + 1, attempts: 0 };
    expect(settledPush({ attempts: 2, againAt: T0 + 1 }, failed, waits)).toEqual(again);
    expect(unclaimedPush({ attempts: 2, againAt: null, matchedAt: T0 })).toEqual({ dueAt: T0, attempts: 2 });
    expect(unclaimedPush({ attempts: 2, againAt: T0 + 1, matchedAt: T0 })).toEqual({
      dueAt: T0 + 1,
      attempts: 0,
    });
    expect(keptAttempts([], { ...failed, latencyMs: 0.5 })).toEqual([{ ...failed, latencyMs: 1 }]);
    const history = Array.from({ length: 20 }, (_, n) => answer(T0 + n, 500));
    expect(keptAttempts(history, answer(T0 + 20, 204)).map(({ at }) => at - T0)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });

  it("ends the subscription's streak when it is delivered, and prolongs it when it fails", () => {
    const webhookUrl = "https://a.example/";
    const before = { ...aSubscription("s", { webhookUrl, failures: 1, failingSince: T0 }) };
    const { failures, failingSince, active, inactiveReason } = before;
    const streak = { webhookUrl, failures, failingSince, active, inactiveReason };
    const settled = (
      state: "delivered" | "failed",
      attempt = answer(T0 + 5, 500) as ReturnType<typeof answer> | null,
      url = webhookUrl,
    ) =>
      settledSubscription(streak, { webhookUrl: url }, attempt, {
        state,
        dueAt: null,
        deactivate: "webhook_gone",
      });
    expect(settled("delivered")).toMatchObject({ failures: 0, failingSince: null });
    const gone = { active: false, inactiveReason: "webhook_gone" };
    expect(settled("failed")).toMatchObject({ failures: 2, failingSince: T0, ...gone });
    expect(settled("failed", null)).toMatchObject({ failures: 1, failingSince: T0 });
    expect(settled("failed", answer(T0 + 5, 500), "https://b.example/")).toMatchObject({
      failures: 1,
      active: true,
    });
    const paused = { ...streak, active: false, inactiveReason: "paused" as const };
    const outcome = { state: "failed", dueAt: null, deactivate: "webhook_failing" } as const;
    expect(settledSubscription(paused, { webhookUrl }, null, outcome).inactiveReason).toBe("paused");
  });
});

describe("the voices of reports", () => {
  it("are counted by common addresses, from a moment on, but for those of suspended publishers", () => {
    const voice = (createdAt: number, addresses: string[], silent = false) => ({
      createdAt,
      addresses,
      silent,
    });
    expect(countVoices([voice(5, ["a"]), voice(6, ["b"]), voice(7, ["a", "b"]), voice(8, [])], 0)).toBe(2);
    expect(countVoices([voice(5, ["a"]), voice(6, ["b"])], 5)).toBe(1);
    expect(countVoices([voice(5, ["a"]), voice(6, ["a"])], 5)).toBe(0);
    expect(countVoices([voice(5, ["a"], true), voice(6, ["b"], true), voice(7, ["b"])], 0)).toBe(1);
    const nine = [..."abcdefghi"];
    expect(addressesOf(nine.slice(0, 5), [...nine.slice(3)])).toEqual(nine.slice(0, 8));
  });
});
