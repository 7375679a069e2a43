import { beforeAll, describe, expect, it } from "vitest";
import { CONTENT_NOTICE } from "../../src/adapters/calls/envelope.ts";
import { ON_MONGODB } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { matched } from "../support/boards/settled.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import type { Response } from "../support/clients/receiver.ts";
import { startWebhook, startWitness, subscribeTo, type Webhook } from "../support/clients/webhooks.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** The test's own clock, so that days of retries pass in seconds. */
let now = Date.now();
const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => now });
let key: string;
let tags = 0;
beforeAll(async () => {
  ({ key } = await register(board));
  quiet = await startWitness(board);
});

/** A subscription to its own tag, with a webhook that answers by `answer`. */
async function subscribed(answer: (attempt: number) => Response, owner = key) {
  tags += 1;
  const tag = `tag-${tags}`;
  const webhook: Webhook = await startWebhook(() => answer(webhook.messages.length));
  const { id } = await subscribeTo(board, owner, webhook, { tags: tag });
  const ask = async (path: string) => (await call(board, `GET ${path}`, undefined, { key: owner })).body.data;
  return {
    id,
    tag,
    webhook,
    read: () => ask(`/subscriptions/${id}`),
    deliveries: () => ask(`/subscriptions/${id}/deliveries`),
    pending: () => ask(`/subscriptions/${id}/pending`),
    arrived: async (count: number) => {
      const got = await eventually(
        async () => webhook.messages.length,
        (n) => n >= count,
      );
      expect(got).toBe(count);
    },
    /** Waits for that many attempts of the newest delivery; resolves to it. */
    attempted: (attempts: number) =>
      eventually(
        async () => (await ask(`/subscriptions/${id}/deliveries`))[0],
        (delivery) => delivery?.attempts === attempts,
      ),
  };
}

/** Waits until everything that is due has been sent. */
let quiet: () => Promise<void>;
const moderate = (action: "hide" | "restore" | "suspend" | "reinstate", id: string) =>
  board.board.services.moderation.act(action, id, "test", now);

describe("a delivery", () => {
  it("carries the match as the API shows it, under an id that identifies it", async () => {
    const to = await subscribed(() => ({}));
    const post = await write(board, key, { tags: [to.tag], kind: "offer", metadata: { price: 5 } });
    await to.arrived(1);
    const [{ headers, json } = { headers: {}, json: {} }] = to.webhook.messages;
    const [match] = await to.pending();
    expect(json).toEqual({
      type: "post.matched",
      timestamp: match.matched_at,
      data: {
        subscription_id: to.id,
        delivery_id: match.delivery_id,
        query: (await to.read()).query,
        post: {
          ...post,
          publisher: expect.objectContaining({ id: post.publisher.id }),
          relevance: match.relevance,
        },
        content_notice: CONTENT_NOTICE,
      },
    });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": `msg_${to.id}_${match.delivery_id}`,
      "webhook-timestamp": String(Math.floor(now / 1000)),
    });
    const delivered = await to.attempted(1);
    expect(delivered).toEqual({
      delivery_id: match.delivery_id,
      post_id: post.id,
      matched_at: match.matched_at,
      state: "delivered",
      attempts: 1,
      attempted_at: new Date(now).toISOString(),
      status: 200,
      error: null,
      latency_ms: expect.any(Number),
      history: [{ at: delivered.attempted_at, status: 200, error: null, latency_ms: delivered.latency_ms }],
      due_at: null,
    });
    await to.webhook.stop();
  });

  it("that fails is tried ten times by the table, give or take 20 %, with the same id and bytes, then given up", async () => {
    const waits = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR]
      .concat([10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR])
      .entries();
    const to = await subscribed(() => ({ status: 500 }));
    await write(board, key, { tags: [to.tag] });
    for (const [i, wait] of waits) {
      const { state, due_at, status, latency_ms } = await to.attempted(i + 1);
      expect([state, status]).toEqual(["waiting", 500]);
      // The wait begins with the answer.
      const due = Date.parse(due_at) - now - latency_ms;
      expect(due).toBeGreaterThanOrEqual(Math.floor(wait * 0.8));
      expect(due).toBeLessThanOrEqual(Math.ceil(wait * 1.2));
      now = Date.parse(due_at) - 1;
      // The board looks for due deliveries after every match, and otherwise only from time to time.
      await quiet();
      expect(to.webhook.messages).toHaveLength(i + 1);
      now += 1;
    }
    expect(await to.attempted(10)).toMatchObject({ state: "failed", due_at: null });
    expect(await to.read()).toMatchObject({ active: true, failures: 10 });
    now += DAY;
    await quiet();
    expect(to.webhook.messages).toHaveLength(10);
    expect(new Set(to.webhook.messages.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(to.webhook.messages.map(({ body }) => body)).size).toBe(1);
    const times = to.webhook.messages.map(({ headers }) => Number(headers["webhook-timestamp"]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    await to.webhook.stop();
  });

  it.skipIf(ON_MONGODB).each<[string, Response, number | null, string | null]>([
    ["a redirect", { status: 307, headers: { location: "/elsewhere" } }, 307, null],
    ["200 and 100 kB", { body: "x".repeat(100_000) }, null, "The answer has more than 65536 bytes."],
  ])("answered with %s has not arrived", async (_what, answer, status, error) => {
    const to = await subscribed(() => answer);
    await write(board, key, { tags: [to.tag] });
    expect(await to.attempted(1)).toMatchObject({ state: "waiting", status, error });
    await to.webhook.stop();
  });
});

describe("a receiver that is gone", () => {
  it("says so by 410: pushes stop at once, polling still gets matches, and a new consent pushes them, oldest first", async () => {
    let status = 410;
    const to = await subscribed(() => ({ status }));
    await write(board, key, { tags: [to.tag] });
    expect(await to.attempted(1)).toMatchObject({ state: "waiting", status: 410 });
    expect(await to.read()).toMatchObject({ active: false, inactive_reason: "webhook_gone" });
    expect((await to.deliveries())[0].due_at).toBeNull();
    const later = await write(board, key, { tags: [to.tag] });
    const matches = await eventually(to.pending, (list) => list.length === 2);
    expect(matches[1].id).toBe(later.id);
    // It is matched as before, so polling needs no warning.
    const polled = await call(board, `GET /subscriptions/${to.id}/pending`, undefined, { key });
    expect(polled.body.meta.note).toBeUndefined();
    await quiet();
    await to.arrived(1);
    status = 200;
    const again = await call(board, `POST /subscriptions/${to.id}/verify-webhook`, undefined, { key });
    expect(again.body.data).toMatchObject({ active: true, inactive_reason: null, failures: 0 });
    await to.arrived(3);
    const next = await write(board, key, { tags: [to.tag] });
    await to.arrived(4);
    const sent = to.webhook.messages.map(({ json }) => [json.data.delivery_id, json.data.post.id]);
    expect(sent[0]).toEqual(sent.find(([id], at) => id === 1 && at > 0));
    expect(
      sent
        .slice(1)
        .map(([id]) => id)
        .sort(),
    ).toEqual([1, 2, 3]);
    expect(sent.at(-1)).toEqual([3, next.id]);
    await to.webhook.stop();
  });

  it.each(["active", "url"])("gets what matched meanwhile after a change of %s", async (what) => {
    let status = 410;
    const to = await subscribed(() => ({ status }));
    await write(board, key, { tags: [to.tag] });
    await to.attempted(1);
    for (const _ of [2, 3]) await write(board, key, { tags: [to.tag] });
    await eventually(to.pending, (list) => list.length === 3);
    status = 200;
    const other = what === "url" ? await startWebhook() : to.webhook;
    const sent = what === "url" ? { webhook_url: other.url } : { active: true };
    await call(board, `PATCH /subscriptions/${to.id}`, sent, { key });
    const told = await eventually(
      async () => other.messages.map(({ json }) => json.data.delivery_id),
      (ids) => new Set(ids).size === 3,
    );
    expect([...new Set(told)].sort()).toEqual([1, 2, 3]);
    await to.webhook.stop();
    if (other !== to.webhook) await other.stop();
  });

  it("is given up after five days of failures alone, and resumes with `active: true`", async () => {
    let status = 500;
    const to = await subscribed(() => ({ status }));
    await write(board, key, { tags: [to.tag] });
    await to.attempted(1);
    now += 5 * DAY - MINUTE;
    await to.attempted(2);
    expect(await to.read()).toMatchObject({ active: true, failures: 2 });
    now += 10 * MINUTE;
    const given = await eventually(to.read, ({ active }) => !active);
    expect(given).toMatchObject({ active: false, inactive_reason: "webhook_failing", failures: 3 });
    now += DAY;
    await quiet();
    await to.arrived(3);
    status = 200;
    const resumed = await call(board, `PATCH /subscriptions/${to.id}`, { active: true }, { key });
    expect(resumed.body.data).toMatchObject({ active: true, inactive_reason: null, failures: 0 });
    // Waiting deliveries continue where they stopped.
    await to.arrived(4);
    await to.webhook.stop();
  });
});

describe("a post that changed between its match and a retry", () => {
  it("and is edited is sent in its new form", async () => {
    let status = 500;
    const to = await subscribed(() => ({ status }));
    const post = await write(board, key, { tags: [to.tag] });
    await to.attempted(1);
    status = 200;
    await call(board, `PATCH /posts/${post.id}`, { title: "Changed meanwhile" }, { key });
    now += MINUTE;
    await to.arrived(2);
    expect(to.webhook.messages[1]?.json.data.post.title).toBe("Changed meanwhile");
    const { status: last, state, history } = await to.attempted(2);
    expect([last, state]).toEqual([200, "delivered"]);
    expect(history.map((attempt: { status: number }) => attempt.status)).toEqual([500, 200]);
    await to.webhook.stop();
  });
});

describe("the owner of a subscription", () => {
  it("gets nothing while suspended, until reinstated", async () => {
    const owner = await register(board);
    const to = await subscribed(() => ({}), owner.key);
    await moderate("suspend", owner.id);
    expect(await to.read()).toMatchObject({ active: false, inactive_reason: "publisher_suspended" });
    await write(board, key, { tags: [to.tag] });
    // By now the post has been matched, so the match is not merely late.
    await matched(board);
    expect(await to.pending()).toEqual([]);
    await moderate("reinstate", owner.id);
    expect(await to.read()).toMatchObject({ active: true, inactive_reason: null });
    const post = await write(board, key, { tags: [to.tag] });
    await to.arrived(1);
    expect(to.webhook.messages[0]?.json.data.post.id).toBe(post.id);
    await to.webhook.stop();
  });
});

describe("the list of deliveries", () => {
  it("is paged, newest first, and ends", async () => {
    const to = await subscribed(() => ({}));
    for (let n = 0; n < 5; n += 1) await write(board, key, { tags: [to.tag] });
    await to.arrived(5);
    const ids: number[] = [];
    let cursor: string | null = null;
    do {
      const path = `/subscriptions/${to.id}/deliveries?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`;
      const page: Awaited<ReturnType<typeof call>> = await call(board, `GET ${path}`, undefined, { key });
      expect(page.body.data.length).toBeLessThanOrEqual(2);
      ids.push(...page.body.data.map((delivery: { delivery_id: number }) => delivery.delivery_id));
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    expect(ids).toEqual([5, 4, 3, 2, 1]);
    const foreign = await call(board, `GET /subscriptions/${to.id}/deliveries?cursor=x`, undefined, { key });
    expect(foreign.body.error.code).toBe("invalid_cursor");
    await to.webhook.stop();
  });

  it("lets a delivery be sent again under the same id, even one from before the consent", async () => {
    const early = await startWebhook(undefined, () => ({ status: 204 }));
    const to = await subscribed(() => ({}));
    await call(board, `PATCH /subscriptions/${to.id}`, { webhook_url: early.url }, { key });
    await write(board, key, { tags: [to.tag] });
    await eventually(to.pending, (list) => list.length === 1);
    await early.stop();
    await call(board, `PATCH /subscriptions/${to.id}`, { webhook_url: to.webhook.url }, { key });
    await eventually(to.read, ({ webhook_verified }) => webhook_verified);
    // With the consent it is due by itself.
    await to.arrived(1);
    await to.attempted(1);
    const again = () =>
      call(board, `POST /subscriptions/${to.id}/deliveries/1/redeliver`, undefined, { key });
    const answer = await again();
    expect([answer.status, answer.body.data]).toEqual([
      202,
      { id: to.id, delivery_id: 1, due_at: new Date(now).toISOString() },
    ]);
    await to.arrived(2);
    await to.attempted(1);
    await again();
    await to.arrived(3);
    expect(new Set(to.webhook.messages.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const none = await call(board, `POST /subscriptions/${to.id}/deliveries/99/redeliver`, undefined, {
      key,
    });
    expect([none.status, none.body.error.code]).toEqual([404, "not_found"]);
    const [{ id: postId }] = await to.pending();
    const { moderation } = board.board.services;
    await moderation.act("hide", postId, "test", now);
    expect((await again()).body.error).toMatchObject({
      code: "not_found",
      hint: expect.stringContaining("hidden"),
    });
    await moderation.act("restore", postId, "test", now);
    await call(board, `PATCH /subscriptions/${to.id}`, { active: false }, { key });
    expect((await again()).body.meta.note).toContain("inactive");
    await to.webhook.stop();
  });
});
