import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Secrets } from "../../src/domain/secrets.ts";
import { Pushes } from "../../src/domain/webhooks/pushes.ts";
import { keysOf, problemOf } from "../../src/domain/webhooks/request.ts";
import type {
  ClaimedPush,
  StoredPost,
  StoredPublisher,
  StoredSubscription,
} from "../../src/ports/store/index.ts";
import { first, NOW, preparePushes } from "../contract/store/pushes/prepare.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { aPublisher, aSubscription, T0 } from "../support/search/rows.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** The answer of a receiver, and how long it takes. */
const answer = { status: 500, headers: {} as Record<string, string>, tookMs: 0 };
let elapsedMs = 0;
const send = async () => {
  elapsedMs += answer.tookMs;
  return { ...answer, body: Buffer.from("") };
};
const logged: string[] = [];
/** The chance in the jitter of retries. */
let random = 0.5;
const secrets = new Secrets("a key of these tests");
/** They wrote the posts, and the saved queries. */
const [AUTHOR, OWNER] = ["pub_a", "pub_owner"];
const board = useTestBoard({}, { idle: true });
let pushes: Pushes;
let prepare: ReturnType<typeof preparePushes>;
let subscriptions = 0;

beforeAll(async () => {
  const { store, embedder, services } = board.board;
  for (const id of [AUTHOR, OWNER]) await store.publishers.insert(aPublisher(id));
  prepare = preparePushes(store);
  pushes = new Pushes({
    ...{ store, embedder, secrets, posts: services.posts, events: services.events },
    outbound: { send } as never,
    contentNotice: "",
    log: (message) => void logged.push(message),
    random: () => random,
  });
});
afterEach(() => void vi.restoreAllMocks());

/** A claimed push of a post, and the id of its subscription. */
async function claimed(over: Partial<StoredSubscription> = {}): Promise<ClaimedPush> {
  subscriptions += 1;
  const id = `sub_${subscriptions}`;
  await prepare.consenting(id, `https://${id}.example`, { publisherId: OWNER, ...over });
  await prepare.match(id, 1);
  return first((await prepare.claim()).filter(({ subscriptionId }) => subscriptionId === id));
}

/** How a push goes that had so many attempts: `waiting 5000`, or why its subscription ended. */
async function attempted(push: ClaimedPush, attempts = 0, now = NOW) {
  vi.spyOn(performance, "now").mockImplementation(() => elapsedMs);
  const { attempt, outcome } = await pushes.attempt({ ...push, attempts }, now);
  const { state, dueAt, deactivate } = outcome;
  return [attempt?.status ?? "unsent", state, dueAt === null ? null : dueAt - now, deactivate];
}

const ofHost = (id: string) => ({
  event: "post.matched" as const,
  clientSecret: secrets.seal(`whsec_${Buffer.alloc(32, 7).toString("base64")}`, id),
});

describe("a push that was attempted", () => {
  it.each([
    [199, "waiting"],
    [200, "delivered"],
    [299, "delivered"],
    [300, "waiting"],
  ])("and answered with %i is %s", async (status, state) => {
    Object.assign(answer, { status, headers: {} });
    expect((await attempted(await claimed()))[1]).toBe(state);
  });

  it.each([
    ["of a publisher", () => ({}), [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]],
    ["of a host", ofHost, [5, 30, 120, 600, 3_600]],
  ])("%s waits longer each time, and fails with its last attempt", async (_whose, over, waits) => {
    Object.assign(answer, { status: 500, headers: {} });
    const push = await claimed(over(`sub_${subscriptions + 1}`));
    for (const [attempts, wait] of waits.entries())
      expect(await attempted(push, attempts)).toEqual([500, "waiting", wait * SECOND, null]);
    expect(await attempted(push, waits.length)).toEqual([500, "failed", null, null]);
  });

  it("waits a fifth longer or shorter, from the end of the attempt", async () => {
    Object.assign(answer, { status: 500, headers: {}, tookMs: 250 });
    for (const [chance, wait] of [
      [0, 4 * SECOND],
      [1, 6 * SECOND],
    ] as const) {
      random = chance;
      expect((await attempted(await claimed()))[2]).toBe(wait + 250);
    }
    random = 0.5;
    answer.tookMs = 0;
  });

  it.each<[string, string, number]>([
    ["seconds", " 3600 ", HOUR],
    ["a date", new Date(NOW + 2 * HOUR).toUTCString(), 2 * HOUR],
    ["less than the table says", "4", 5 * SECOND],
    ["a date of the past", "Thu, 01 Jan 1970 00:00:00 GMT", 5 * SECOND],
    ["a day", "86400", DAY],
    ["more than a day", "86401", DAY],
    ["more than a life", "9".repeat(400), DAY],
    ["nonsense", "soon", 5 * SECOND],
    ["a date of another form", "2030-01-01", 5 * SECOND],
    ["a date that there is not", "Abc, 99 Xyz 2030 99:99:99 GMT", 5 * SECOND],
  ])("obeys a Retry-After of %s", async (_what, header, wait) => {
    Object.assign(answer, { status: 429, headers: { "retry-after": header } });
    expect(await attempted(await claimed())).toEqual([429, "waiting", wait, null]);
  });

  it.each<[string, number, Partial<StoredSubscription>, unknown[]]>([
    ["a first failure", 500, {}, ["waiting", null]],
    ["nearly five days of failures", 500, { failingSince: NOW - 5 * DAY + 1 }, ["waiting", null]],
    ["five days of failures", 500, { failingSince: NOW - 5 * DAY }, ["waiting", "webhook_failing"]],
    ["a success after more", 204, { failingSince: NOW - 9 * DAY }, ["delivered", null]],
    ["410", 410, {}, ["waiting", "webhook_gone"]],
    ["410 of a host", 410, { event: "post.matched" }, ["failed", null]],
    ["413", 413, {}, ["waiting", null]],
    ["413 of a host", 413, { event: "post.matched" }, ["failed", null]],
  ])("is followed by what %s asks for", async (_what, status, over, outcome) => {
    Object.assign(answer, { status, headers: {} });
    const id = `sub_${subscriptions + 1}`;
    const push = await claimed(over.event === undefined ? over : ofHost(id));
    const [, state, , deactivate] = await attempted(push);
    expect([state, deactivate]).toEqual(outcome);
  });
});

it.each([
  ["at once, as soon as it was matched", 0, NOW - HOUR],
  ["later, then", NOW + 5, NOW + 5],
])("a push that is due %s, says the list of deliveries", async (_when, dueAt, said) => {
  const push = await claimed();
  await prepare.end(push, "waiting", { dueAt });
  const { store, services } = board.board;
  const owner = (await store.publishers.get(OWNER)) as StoredPublisher;
  const page = { cursor: undefined, limit: 1 };
  const { deliveries } = await services.webhooks.deliveries(push.subscriptionId, owner, page);
  expect(deliveries[0]?.due_at).toBe(new Date(said).toISOString());
});

describe("the secrets that sign", () => {
  it.each<[until: number | null, versions: number[]]>([
    [null, [3]],
    [NOW, [3]],
    [NOW + 1, [3, 2]],
  ])("are two for as long as the replaced one is good: until %s", (previousSecretUntil, versions) => {
    const row = aSubscription("sub_rotated", { secretVersion: 3, previousSecretUntil });
    expect(keysOf(row, secrets, NOW)).toEqual(
      versions.map((version) => secrets.webhookSecret("sub_rotated", version)),
    );
    const [chosen, before] = ["chosen", "before"].map((text) => secrets.seal(text, "sub_host"));
    const ofHost = aSubscription("sub_host", {
      ...{ event: "post.matched", clientSecret: chosen ?? null, previousClientSecret: before ?? null },
      previousSecretUntil,
    });
    expect(keysOf(ofHost, secrets, NOW)).toEqual(["chosen", "before"].slice(0, versions.length));
  });
});

describe("a delivery", () => {
  it("shows its last attempt, and each of them, the first first", async () => {
    const push = await claimed();
    await prepare.end(push, "waiting", { dueAt: NOW });
    const [again] = (await prepare.claim()).filter(
      ({ subscriptionId }) => subscriptionId === push.subscriptionId,
    );
    await prepare.end(first(again === undefined ? [] : [again]), "delivered", { at: NOW + 5 });
    const { store, services } = board.board;
    const owner = (await store.publishers.get(OWNER)) as StoredPublisher;
    const page = { cursor: undefined, limit: 1 };
    const { deliveries } = await services.webhooks.deliveries(push.subscriptionId, owner, page);
    const attempt = (at: number, status: number) => ({
      ...{ at: new Date(at).toISOString(), status, error: null, latency_ms: 120 },
    });
    const { at, ...last } = attempt(NOW + 5, 204);
    expect(deliveries).toEqual([
      {
        ...{ delivery_id: 1, post_id: push.postId, matched_at: new Date(T0).toISOString() },
        ...{ state: "delivered", attempts: 2, attempted_at: at, ...last },
        ...{ history: [attempt(NOW, 500), attempt(NOW + 5, 204)], due_at: null },
      },
    ]);
  });

  it("is due at no time while nothing is sent, and the list says why; nor is it sent again then", async () => {
    const push = await claimed();
    await prepare.end(push, "waiting", { dueAt: NOW + 5 });
    const { store, services } = board.board;
    const { subscriptionId: id } = push;
    const owner = (await store.publishers.get(OWNER)) as StoredPublisher;
    const list = async () => {
      const page = { cursor: undefined, limit: 1 };
      const { deliveries, notes } = await services.webhooks.deliveries(id, owner, page);
      return [deliveries[0]?.due_at, ...notes];
    };
    const again = () =>
      services.webhooks.redeliver(id, 1, owner, NOW).then(
        ({ notes }) => notes,
        ({ code, hint }) => [code, hint],
      );
    const unasked = "Its webhook has not consented yet.";
    const refused = `${unasked} When it was asked: It answered with status 503, not 200.`;
    const askAgain = " Make it answer the challenge, then call POST /subscriptions/{id}/verify-webhook.";
    for (const [change, listed, repeated] of [
      [{}, [new Date(NOW + 5).toISOString()], []],
      [
        { active: false, inactiveReason: "webhook_gone" },
        [null, "Nothing is sent now: the subscription is inactive (`webhook_gone`)."],
        ["The subscription is inactive; this is sent once it is active again."],
      ],
      [
        { active: true, inactiveReason: null, webhookVerifiedAt: null },
        [null, `Nothing is sent now: ${unasked}`],
        ["no_webhook", `${unasked}${askAgain}`],
      ],
      [
        { webhookRefusal: "It answered with status 503, not 200." },
        [null, `Nothing is sent now: ${refused}`],
        ["no_webhook", `${refused}${askAgain}`],
      ],
      [{ webhookUrl: null }, [null], ["no_webhook", expect.objectContaining({})]],
    ] as const) {
      await store.subscriptions.update(id, change);
      expect(await list()).toEqual(listed);
      expect(await again()).toEqual(repeated);
    }
  });

  it("is listed behind those that came after it, page by page", async () => {
    const { subscriptionId: id } = await claimed();
    await prepare.match(id, 2);
    const { store, services } = board.board;
    const owner = (await store.publishers.get(OWNER)) as StoredPublisher;
    const page = async (cursor: string | null) => {
      const { deliveries, nextCursor } = await services.webhooks.deliveries(id, owner, {
        cursor: cursor ?? undefined,
        limit: 2,
      });
      return { ids: deliveries.map((one) => one.delivery_id), nextCursor };
    };
    const first = await page(null);
    const second = await page(first.nextCursor);
    expect([first.ids, second]).toEqual([[3, 2], { ids: [1], nextCursor: null }]);
  });

  it("is sent again where its post is shown, whatever was matched after it", async () => {
    const { store, services } = board.board;
    const { subscriptionId, postId } = await claimed();
    await prepare.match(subscriptionId, 1);
    await store.posts.update(postId, { state: "hidden" }, { text: false });
    const owner = (await store.publishers.get(OWNER)) as StoredPublisher;
    const again = (deliveryId: number) => services.webhooks.redeliver(subscriptionId, deliveryId, owner, NOW);
    for (const none of [0, 1, 3]) await expect(again(none)).rejects.toMatchObject({ code: "not_found" });
    expect((await again(2)).delivery).toEqual({
      ...{ id: subscriptionId, delivery_id: 2, due_at: new Date(NOW).toISOString() },
    });
  });
});

it.each([
  [null, "ERR_TLS_CERT_ALTNAME_INVALID", "tls_error"],
  [null, "CERT_HAS_EXPIRED", "tls_error"],
  [null, "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_error"],
  [null, "EPROTO", "tls_error"],
  [null, "connect ECONNREFUSED", "connection_refused"],
  [null, "No complete answer within 10000 ms.", "timeout"],
  [null, "connect ETIMEDOUT", "timeout"],
  [302, null, "challenge_failed"],
  [400, null, "http_4xx"],
  [500, null, "http_5xx"],
  [204, null, null],
] as const)("what went wrong by status %s and error %s is told to hosts as %s", (status, error, problem) => {
  expect(problemOf({ status, error })).toBe(problem);
});

describe("a push whose subscription or post changed since the claim", () => {
  type Change = (push: ClaimedPush) => Promise<unknown>;
  const subscription =
    (change: Partial<StoredSubscription>): Change =>
    ({ subscriptionId: id }) =>
      board.board.store.subscriptions.update(id, change);
  const post =
    (change: Partial<StoredPost>): Change =>
    ({ postId: id }) =>
      board.board.store.posts.update(id, change, { text: false });
  const suspended = (id: string, suspendedAt: number | null = NOW) =>
    board.board.store.publishers.update(id, { suspendedAt });
  const erased = async () => {
    const { publishers } = board.board.store;
    await publishers.erase(AUTHOR);
    await publishers.insert(aPublisher(AUTHOR));
  };

  it.each<[string, Change, unknown[]]>([
    ["is as it was", async () => {}, [204, "delivered", null]],
    ["is paused", subscription({ active: false }), ["unsent", "waiting", MINUTE]],
    ["has no consent", subscription({ webhookVerifiedAt: null }), ["unsent", "waiting", MINUTE]],
    ["has no webhook", subscription({ webhookUrl: null }), ["unsent", "waiting", MINUTE]],
    ["lapsed", subscription({ expiresAt: NOW }), ["unsent", "waiting", MINUTE]],
    ["is about to lapse", subscription({ expiresAt: NOW + 1 }), [204, "delivered", null]],
    [
      "is gone",
      ({ subscriptionId: id }) => board.board.store.subscriptions.remove(id),
      ["unsent", "cancelled", null],
    ],
    ["is of somebody suspended", () => suspended(OWNER), ["unsent", "waiting", MINUTE]],
    ["has a post of somebody suspended", () => suspended(AUTHOR), ["unsent", "waiting", HOUR]],
    ["has a post of somebody who is gone", erased, ["unsent", "cancelled", null]],
    ["has a hidden post", post({ state: "hidden" }), ["unsent", "waiting", HOUR]],
    ["has an expired post", post({ expiresAt: NOW }), ["unsent", "cancelled", null]],
    [
      "has a hidden post that expired",
      post({ state: "hidden", expiresAt: NOW }),
      ["unsent", "cancelled", null],
    ],
    ["has a post that is about to expire", post({ expiresAt: NOW + 1 }), [204, "delivered", null]],
    [
      "has a removed post",
      ({ postId: id }) => board.board.store.posts.remove(id, NOW),
      ["unsent", "cancelled", null],
    ],
  ])("and %s", async (_what, change, outcome) => {
    Object.assign(answer, { status: 204, headers: {} });
    const push = await claimed();
    await change(push);
    expect((await attempted(push)).slice(0, 3)).toEqual(outcome);
    for (const id of [AUTHOR, OWNER]) await suspended(id, null);
  });

  it("is cancelled where the host's secret cannot be read, of which the log tells once", async () => {
    const sealed = {
      event: "post.matched" as const,
      clientSecret: new Secrets("another").seal("whsec_", "sub"),
    };
    for (const push of [await claimed(sealed), await claimed(sealed)])
      expect(await attempted(push)).toEqual(["unsent", "cancelled", null, null]);
    expect(logged).toEqual([expect.stringContaining("SECRET_KEY")]);
  });
});
