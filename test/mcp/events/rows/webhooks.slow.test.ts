import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ON_MONGODB, startBoard } from "../../../support/boards/board.ts";
import { call, eventually, register } from "../../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../../support/boards/use.ts";
import { write } from "../../../support/boards/writing.ts";
import {
  type EventHost,
  eventHost,
  type HostWebhook,
  newSecret,
  signersOf,
  startHostWebhook,
} from "../../../support/clients/event-hosts.ts";
import type { Response } from "../../../support/clients/receiver.ts";
import { folderForTest } from "../../../support/run/temporary.ts";

/**
 * The rows of the scenarios `events-webhook` and `events-webhook-delivery` of the conformance suite, each by its id without
 * `sep-9999-`. The board has no answer to some: it grants no lifetime without end (`ttl-no-expiry-…`,
 * `verification-persisted-for-no-expiry`), has no key of its own that hosts would discover (`server-identity-key-discovery`),
 * loses no event within a lifetime (`envelope-gap`), and says that a subscription is over when it is refreshed
 * (`envelope-terminated`). `ssrf-validate-at-delivery-time` is in `../attacks.slow.test.ts`.
 */
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const ALLOWED = { WEBHOOK_ALLOW: "127.0.0.1" };
let now = Date.now();
const board = useTestBoard(ALLOWED, { clock: () => now });
const me = usePublisher(board, "Host");
const writer = usePublisher(board, "Writer");
let host: EventHost;
let webhook: HostWebhook;
let answers: (title: string) => Response = () => ({});
const secret = newSecret();
let topics = 0;
beforeAll(async () => {
  host = await eventHost(board, me.key);
  webhook = await startHostWebhook(({ json }) => answers(json.data.title));
});
afterAll(async () => {
  await host.close();
  await webhook.stop();
});

/** A topic of its own at the webhook that all rows share. */
function asking(delivery: object = {}) {
  topics += 1;
  const at = { mode: "webhook", url: webhook.url, secret, ...delivery };
  return { name: "post.matched", arguments: { tags: `row-${topics}` }, delivery: at };
}
type Asked = ReturnType<typeof asking>;
const subscribe = (params: object, by = host) => by.ask("events/subscribe", params);
const refused = (params: object, by = host) => by.refused("events/subscribe", params);
const post = (asked: Asked, title = "A match") =>
  write(board, writer.key, { title, tags: [asked.arguments.tags] });
/** What reached the webhook for a subscription. */
const reached = (id: string, count = 1) =>
  eventually(
    async () => webhook.messages.filter(({ headers }) => headers["x-mcp-subscription-id"] === id),
    ({ length }) => length >= count,
  );
const attempted = (id: string, count: number) =>
  eventually(
    async () => (await call(board, `GET /subscriptions/${id}/deliveries`, undefined, me)).body.data,
    (rows) => rows.at(-1)?.attempts >= count,
  );
/** Runs while the webhook answers so. */
async function whileAnswering(answer: (title: string) => Response, job: () => Promise<void>): Promise<void> {
  answers = answer;
  await job();
  answers = () => ({});
}

describe("events-webhook", () => {
  it("subscribe-webhook-only", async () =>
    expect((await refused(asking({ mode: "poll" }))).code).toBe(-32014));
  it("subscribe-secret-required", async () => {
    expect((await refused(asking({ secret: undefined }))).code).toBe(-32602);
  });
  it("subscribe-secret-format", async () =>
    expect(await subscribe(asking({ secret: newSecret(64) }))).toBeDefined());
  it("subscribe-secret-rejected", async () => {
    for (const wrong of [newSecret(23), newSecret(65), newSecret().replace("whsec_", ""), "whsec_???"])
      expect((await refused(asking({ secret: wrong }))).code).toBe(-32602);
  });
  it("subscribe-url-https-required and url-non-https-rejected", async () => {
    for (const url of ["http://93.184.215.14/", "ftp://93.184.215.14/", "93.184.215.14"])
      expect([url, (await refused(asking({ url }))).code]).toEqual([url, -32602]);
  });
  it("subscribe-auth-required", async () => {
    const nobody = await eventHost(board, null);
    expect((await refused(asking(), nobody)).code).toBe(-32012);
    expect((await nobody.refused("events/unsubscribe", asking())).code).toBe(-32012);
    await nobody.close();
  });
  it("subscribe-key-composition and key-immutable", async () => {
    const asked = asking();
    const other = await startHostWebhook();
    const delivery = { ...asked.delivery, url: other.url };
    const ids = [
      await subscribe(asked),
      await subscribe({ ...asked, delivery }),
      await subscribe({ ...asked, arguments: { tags: "another" } }),
      await subscribe({ ...asked, name: "post.replied", arguments: {} }),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect((await subscribe(asked)).id).toBe(ids[0]);
    await other.stop();
  });
  it("subscribe-idempotent-upsert and id-derived", async () => {
    const asked = asking();
    const first = await subscribe(asked);
    now += MINUTE;
    const second = await subscribe(asked);
    expect(second.id).toBe(first.id);
    expect(Date.parse(second.refreshBefore) - Date.parse(first.refreshBefore)).toBe(MINUTE);
  });
  it("subscribe-id-not-an-input", async () => {
    const [one, two] = [
      await subscribe(asking()),
      await subscribe({ ...asking(), id: "sub_AAAAAAAAAAAAAA" }),
    ];
    expect(two.id).not.toBe("sub_AAAAAAAAAAAAAA");
    const asked = asking();
    const unsubscribed = await host.refused("events/unsubscribe", { ...asked, id: one.id });
    expect(unsubscribed.code).toBe(-32011);
  });
  it("subscribe-refresh-replaces-secret", async () => {
    const [asked, next] = [asking(), newSecret()];
    const { id } = await subscribe(asked);
    await subscribe({ ...asked, delivery: { ...asked.delivery, secret: next } });
    now += HOUR + MINUTE;
    await post(asked);
    const [message] = await reached(id);
    expect(signersOf(message as never, [secret, next])).toEqual([1]);
  });
  it("subscribe-refresh-reactivates", async () => {
    const asked = asking();
    const { id } = await subscribe(asked);
    await board.board.store.subscriptions.update(id, { active: false, inactiveReason: "webhook_failing" });
    await post(asked);
    expect((await subscribe(asked)).deliveryStatus.active).toBe(true);
    expect(await reached(id)).toHaveLength(1);
  });
  it("subscribe-response-cursor", async () => {
    const asked = asking();
    const { id, cursor } = await subscribe(asked);
    await post(asked);
    await reached(id);
    await attempted(id, 1);
    const later = await subscribe(asked);
    expect([cursor, later.cursor]).toEqual([expect.any(String), expect.any(String)]);
    expect(later.cursor).not.toBe(cursor);
  });
  it("subscribe-response-truncated", async () => {
    const asked = asking();
    const { cursor, truncated } = await subscribe(asked);
    expect(truncated).toBe(false);
    expect((await subscribe({ ...asked, cursor })).truncated).toBe(false);
    expect((await subscribe({ ...asked, cursor: "lost" })).truncated).toBe(true);
  });
  it("subscribe-cross-tenant-isolation", async () => {
    const asked = asking();
    const other = await eventHost(board, (await register(board, "Tenant")).key);
    const [mine, theirs] = [await subscribe(asked), await subscribe(asked, other)];
    expect(theirs.id).not.toBe(mine.id);
    await other.ask("events/unsubscribe", asked);
    expect((await subscribe(asked)).deliveryStatus).toBeDefined();
    await other.close();
  });

  const grant = async (ttlMs?: number | null) =>
    Date.parse((await subscribe({ ...asking(), ...(ttlMs === undefined ? {} : { ttlMs }) })).refreshBefore) -
    now;
  it("ttl-refresh-before-lte-suggestion", async () => expect(await grant(HOUR)).toBe(HOUR));
  it("ttl-no-rejection-path", async () => {
    expect([await grant(0), await grant(1e15)]).toEqual([5 * MINUTE, DAY]);
  });
  it("ttl-null-only-when-requested", async () => expect(await grant(null)).toBe(DAY));
  it("ttl-omitted-means-default", async () => expect(await grant()).toBe(DAY));
  it("ttl-long-grant-retained, verification-cached-per-principal-url, over a restart", async () => {
    const dataDir = folderForTest();
    const first = await startBoard(ALLOWED, { dataDir });
    const { key } = await register(first, "Restarts");
    const before = await eventHost(first, key);
    const own = await startHostWebhook();
    const asked = asking({ url: own.url });
    const { id } = await subscribe(asked, before);
    await before.close();
    await first.stop();
    const second = await startBoard(ALLOWED, { dataDir });
    const after = await eventHost(second, key);
    const other = await register(second, "Poster");
    const made = await write(second, other.key, { tags: [asked.arguments.tags] });
    await eventually(
      async () => own.messages,
      ({ length }) => length === 1,
    );
    expect(own.messages[0]?.json.eventId).toBe(`evt_${made.id}`);
    expect(await subscribe(asked, after)).toMatchObject({ id, deliveryStatus: { active: true } });
    expect(own.verifications).toHaveLength(1);
    await after.close();
    await second.stop();
    await own.stop();
  });
  it("unsubscribe-by-key", async () => {
    const asked = asking();
    const { id } = await subscribe(asked);
    const { name, arguments: args } = asked;
    const key = { name, arguments: args, delivery: { url: webhook.url } };
    expect(await host.ask("events/unsubscribe", key)).not.toHaveProperty("id");
    expect(await board.board.store.subscriptions.get(id)).toBeNull();
  });
  it("unsubscribe-unknown-not-found", async () => {
    expect(await host.refused("events/unsubscribe", asking())).toMatchObject({
      code: -32011,
      data: { kind: "subscription" },
    });
  });
  it("error-unsupported", async () => {
    expect(await refused(asking({ mode: "push" }))).toMatchObject({
      code: -32014,
      data: { feature: "deliveryMode", value: "push" },
    });
  });
  it("error-forbidden and error-resource-exhausted", async () => {
    const own = await register(board, "Greedy");
    const client = await eventHost(board, own.key);
    for (let n = 0; n < 50; n += 1) await subscribe(asking(), client);
    expect(await refused(asking(), client)).toMatchObject({
      code: -32013,
      data: { limit: "subscriptions", max: 50 },
    });
    await board.board.services.moderation.act("suspend", own.id, "test", now);
    expect(await refused(asking(), client)).toMatchObject({
      code: -32012,
      data: { reason: "publisher_suspended" },
    });
    await client.close();
  });
});

describe("events-webhook-delivery", () => {
  it("delivery-post-json, -standard-webhooks-headers, -subscription-id-header, -signature-formula", async () => {
    const asked = asking();
    const { id } = await subscribe(asked);
    const { id: postId } = await post(asked);
    const [message] = await reached(id);
    expect(message?.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": `evt_${postId}`,
      "webhook-timestamp": String(Math.floor(now / 1000)),
      "x-mcp-subscription-id": id,
    });
    const ours = Object.keys(message?.headers ?? {}).filter((name) => name.startsWith("x-"));
    expect(ours).toEqual(["x-mcp-subscription-id"]);
    expect(signersOf(message as never, [secret])).toEqual([0]);
    expect(message?.json).not.toHaveProperty("type");
  });
  it("delivery-retry-regenerates-signature", async () => {
    const asked = asking();
    const { id } = await subscribe(asked);
    await whileAnswering(
      () => ({ status: 503 }),
      async () => {
        await post(asked);
        await attempted(id, 1);
        now += 10_000;
        await attempted(id, 2);
      },
    );
    const [one, two] = await reached(id, 2);
    for (const name of ["webhook-timestamp", "webhook-signature"])
      expect(one?.headers[name]).not.toBe(two?.headers[name]);
    expect(one?.headers["webhook-id"]).toBe(two?.headers["webhook-id"]);
    for (const message of [one, two]) expect(signersOf(message as never, [secret])).toEqual([0]);
  });
  it("delivery-dual-sign-on-rotation", async () => {
    const [asked, next] = [asking(), newSecret()];
    const { id } = await subscribe(asked);
    await subscribe({ ...asked, delivery: { ...asked.delivery, secret: next } });
    await post(asked);
    const [message] = await reached(id);
    expect(signersOf(message as never, [next, secret])).toEqual([0, 1]);
  });
  it("delivery-body-size and payload-minimality", async () => {
    const asked = asking();
    const { id } = await subscribe(asked);
    await write(board, writer.key, {
      title: "t".repeat(200),
      body: "long words ".repeat(700),
      tags: [asked.arguments.tags],
    });
    const [message] = await reached(id);
    expect(message?.body.length).toBeLessThan(4 * 1024);
    expect(message?.body).not.toContain("long words");
  });
  it.each([410, 413])("delivery-%i-non-retryable", async (status) => {
    const asked = asking();
    const { id } = await subscribe(asked);
    await whileAnswering(
      () => ({ status }),
      async () => {
        await post(asked);
        await attempted(id, 1);
      },
    );
    now += DAY / 2;
    expect((await attempted(id, 1))[0]).toMatchObject({ state: "failed", attempts: 1, due_at: null });
    expect((await subscribe(asked)).deliveryStatus).toMatchObject({ active: true, lastError: "http_4xx" });
  });
  it("delivery-retries-bounded", async () => {
    const asked = asking();
    const { id } = await subscribe(asked);
    await whileAnswering(
      () => ({ status: 500 }),
      async () => {
        await post(asked);
        for (let n = 1; n <= 6; n += 1) {
          await attempted(id, n);
          now += 2 * HOUR;
        }
      },
    );
    expect((await attempted(id, 6))[0]).toMatchObject({ state: "failed", attempts: 6 });
  });
  it("delivery-status-last-error-category", async () => {
    const asked = asking();
    const { id } = await subscribe(asked);
    await whileAnswering(
      () => ({ status: 500, body: "words of the receiver" }),
      async () => {
        await post(asked);
        await attempted(id, 1);
      },
    );
    const { deliveryStatus } = await subscribe(asked);
    expect(deliveryStatus.lastError).toBe("http_5xx");
    expect(JSON.stringify(deliveryStatus)).not.toContain("words");
  });

  /** A webhook that answers the question so, and the refusal. */
  const askedOf = async (answer: (challenge: string) => Response) => {
    const own = await startHostWebhook(undefined, ({ json }) => answer(json.challenge));
    const said = await refused(asking({ url: own.url }));
    await own.stop();
    return { said, own };
  };
  it("verification-required-before-delivery and failure-error", async () => {
    const { said, own } = await askedOf(() => ({ status: 200, body: "{}" }));
    expect(said).toMatchObject({ code: -32015, data: { reason: "challenge_failed" } });
    expect([own.verifications.length, own.messages]).toEqual([1, []]);
  });
  it("verification-challenge-echo, envelope-type-discriminator, -signed-like-deliveries, -webhook-id-format", async () => {
    const own = await startHostWebhook();
    const { id } = await subscribe(asking({ url: own.url }));
    const [question] = own.verifications;
    expect(question?.json).toEqual({ type: "verification", challenge: expect.any(String) });
    expect(question?.headers["webhook-id"]).toMatch(/^msg_verification_[\w-]+$/);
    expect(question?.headers["x-mcp-subscription-id"]).toBe(id);
    expect(signersOf(question as never, [secret])).toEqual([0]);
    await own.stop();
  });
  it("verification-cached-per-principal-url", async () => {
    const own = await startHostWebhook();
    for (let n = 0; n < 3; n += 1) await subscribe(asking({ url: own.url }));
    expect(own.verifications).toHaveLength(1);
    const other = await eventHost(board, (await register(board, "Second principal")).key);
    await subscribe(asking({ url: own.url }), other);
    expect(own.verifications).toHaveLength(2);
    await other.close();
    await own.stop();
  });
  it("verification-no-raw-endpoint-responses, error-callback-endpoint-error", async () => {
    const { said } = await askedOf(() => ({ status: 403, body: "internal words" }));
    expect(said).toMatchObject({ code: -32015, data: { reason: "http_4xx" } });
    expect(JSON.stringify([said.message, said.data])).not.toContain("internal");
  });
  it("verification-uses-ssrf-hardened-path and ssrf-no-redirects", async () => {
    const { said } = await askedOf(() => ({ status: 308, headers: { location: webhook.url } }));
    expect(said.data).toEqual({ reason: "challenge_failed" });
  });
  it.skipIf(ON_MONGODB)("ssrf-validate-callback-url and ssrf-reject-non-routable", async () => {
    const strict = await startBoard();
    const client = await eventHost(strict, (await register(strict)).key);
    for (const address of ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fd00::1]", "localhost"])
      expect([address, (await refused(asking({ url: `https://${address}/` }), client)).code]).toEqual([
        address,
        -32602,
      ]);
    await client.close();
    await strict.stop();
  });
});
