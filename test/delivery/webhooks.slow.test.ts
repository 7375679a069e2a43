import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Webhook as StandardVerifier } from "standardwebhooks";
import { Webhook as SvixVerifier } from "svix";
import { beforeAll, describe, expect, it } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import type { Outbound } from "../../src/ports/outbound.ts";
import { ON_MONGODB, startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import type { Received, Response } from "../support/clients/receiver.ts";
import {
  consent,
  documentedShell,
  type Message,
  startWebhook,
  startWitness,
  subscribeTo,
  type Webhook,
} from "../support/clients/webhooks.ts";
import { folderForTest } from "../support/run/temporary.ts";

const DAY_MS = 86_400_000;

let ahead = 0;
const guard = openOutbound({ allow: ["127.0.0.1"] });
/** URLs that a call waits for a twentieth of its time for. */
const late = new Set<string>();
const outbound: Outbound = {
  ...guard,
  send: (request) =>
    guard.send({ ...request, timeoutMs: request.timeoutMs / (late.has(request.url) ? 20 : 1) }),
};
const board = useTestBoard({}, { clock: () => Date.now() + ahead, outbound });
let key: string;
/** Waits until everything that is due has been sent. */
let quiet: () => Promise<void>;
beforeAll(async () => {
  ({ key } = await register(board));
  quiet = await startWitness(board);
});

const read = async (id: string) =>
  (await call(board, `GET /subscriptions/${id}`, undefined, { key })).body.data;
const patch = (id: string, change: object) => call(board, `PATCH /subscriptions/${id}`, change, { key });
const challengeOf = ({ body }: Received) => JSON.parse(body).challenge as string;
/** Waits until a webhook has been asked for consent that many times. */
const asked = ({ challenges }: Webhook, count: number) =>
  eventually(
    async () => challenges.length,
    (n) => n >= count,
  );
/** A promise to wait for, and a function that resolves it. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const REFUSALS =
  /^It answered with status (201|204|302|500), not 200\.$|^It answered 200, but its body was neither|^The answer has more than 4096 bytes\.$|^No complete answer within 500 ms\.$/;

describe("consent", () => {
  const ANSWERS: [string, boolean, (request: Received) => Response][] = [
    ["the challenge as text", true, consent],
    ["the challenge with a line break", true, (r) => ({ body: `${challengeOf(r)}\n` })],
    ["only the challenge as JSON", true, (r) => ({ body: JSON.stringify({ challenge: challengeOf(r) }) })],
    ["what it was sent", false, ({ body }) => ({ body })],
    ["more JSON", false, (r) => ({ body: JSON.stringify({ challenge: challengeOf(r), ok: true }) })],
    ["the challenge in an array", false, (r) => ({ body: JSON.stringify([challengeOf(r)]) })],
    ["another challenge", false, () => ({ body: "x".repeat(48) })],
    ["text around the challenge", false, (r) => ({ body: `ok ${challengeOf(r)}` })],
    ["nothing", false, () => ({})],
    ["201", false, (r) => ({ status: 201, body: challengeOf(r) })],
    ["204", false, () => ({ status: 204 })],
    ["302", false, (r) => ({ status: 302, headers: { location: "/" }, body: challengeOf(r) })],
    ["500", false, (r) => ({ status: 500, body: challengeOf(r) })],
    ["a page of 10 kB", false, (r) => ({ body: challengeOf(r) + " ".repeat(10_000) })],
    ["too late", false, (r) => ({ body: challengeOf(r), delayMs: 1_000 })],
  ];

  it.skipIf(ON_MONGODB).concurrent.each(ANSWERS)(
    "of a webhook that answers %s: %s",
    async (what, agreed, answer) => {
      const { key: own } = await register(board);
      const webhook = await startWebhook(() => ({}), answer);
      if (what === "too late") late.add(webhook.url);
      const query = { q: "consent" };
      const { body } = await call(
        board,
        "POST /subscriptions",
        { query, webhook_url: webhook.url },
        { key: own },
      );
      expect(body.data.webhook_verified).toBe(false);
      const again = await call(board, `POST /subscriptions/${body.data.id}/verify-webhook`, undefined, {
        key: own,
      });
      expect([again.status, again.body.data.webhook_verified]).toEqual([agreed ? 200 : 202, agreed]);
      // Why not is told by category, in none of the receiver's words.
      const refusal = again.body.data.webhook_refusal ?? "";
      expect(refusal).toMatch(agreed ? /^$/ : REFUSALS);
      if (!agreed) expect(again.body.meta.note).toContain(refusal);
      const listed = await call(board, `GET /subscriptions/${body.data.id}/deliveries`, undefined, {
        key: own,
      });
      const tested = await call(board, `POST /subscriptions/${body.data.id}/test`, undefined, { key: own });
      if (!agreed) {
        expect(listed.body.meta.note).toContain(refusal);
        expect(tested.body.error.hint).toContain(refusal);
      }
      await webhook.stop();
    },
  );

  it("is asked with another challenge each time", async () => {
    const webhook = await startWebhook();
    const { id } = await subscribeTo(board, key, webhook, { q: "fresh" });
    await call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key });
    await webhook.stop();
    const [first, second] = webhook.challenges;
    expect(first?.json.challenge).toMatch(/^[\w-]{43,}$/);
    expect(first?.json.challenge).not.toBe(second?.json.challenge);
    expect(first?.headers["webhook-id"]).not.toBe(second?.headers["webhook-id"]);
  });

  it("comes before anything else: without it matches wait for polling only", async () => {
    const webhook = await startWebhook(undefined, () => ({ status: 204 }));
    const sent = { query: { tags: "unasked" }, webhook_url: webhook.url };
    const { id } = (await call(board, "POST /subscriptions", sent, { key })).body.data;
    await write(board, key, { tags: ["unasked"] });
    const pending = await eventually(
      () => call(board, `GET /subscriptions/${id}/pending`, undefined, { key }),
      ({ body }) => body.data.length === 1,
    );
    expect(pending.body.data).toHaveLength(1);
    await asked(webhook, 1);
    await quiet();
    for (const request of [
      `POST /subscriptions/${id}/test`,
      `POST /subscriptions/${id}/deliveries/1/redeliver`,
    ] as const) {
      const { body } = await call(board, request, undefined, { key });
      expect(body.error.code).toBe("no_webhook");
      expect(body.error.hint).toContain("has not consented yet");
    }
    await webhook.stop();
    expect(webhook.challenges).toHaveLength(1);
    expect(webhook.messages).toEqual([]);
  });

  it("is withdrawn by a later no, which says why, and nothing is pushed from then on", async () => {
    const answers = [consent, () => ({ status: 503 }), consent];
    const webhook = await startWebhook(undefined, (request) => (answers.shift() ?? consent)(request));
    const { id } = await subscribeTo(board, key, webhook, { tags: "withdrawn" });
    const verify = () => call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key });
    const { status, body } = await verify();
    expect([status, body.data.webhook_verified]).toEqual([202, false]);
    expect(body.data.webhook_refusal).toBe("It answered with status 503, not 200.");
    const post = await write(board, key, { tags: ["withdrawn"] });
    await quiet();
    expect(webhook.messages).toEqual([]);
    const [waiting] = (await call(board, `GET /subscriptions/${id}/deliveries`, undefined, { key })).body
      .data;
    expect(waiting).toMatchObject({ post_id: post.id, state: "waiting", due_at: null });
    expect((await verify()).body.data).not.toHaveProperty("webhook_refusal");
    await eventually(
      async () => webhook.messages.length,
      (count) => count === 1,
    );
    expect(webhook.messages).toHaveLength(1);
    await webhook.stop();
  });

  it("is requested at most 10 times an hour, that at the creation included", async () => {
    const limited = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1", RATE_LIMITS: "write=1000/60" });
    const webhook = await startWebhook(undefined, () => ({ status: 204 }));
    const { key: own } = await register(limited);
    const sent = { query: { q: "limits" }, webhook_url: webhook.url };
    const { id } = (await call(limited, "POST /subscriptions", sent, { key: own })).body.data;
    await asked(webhook, 1);
    const answers = [];
    for (let n = 0; n < 10; n += 1)
      answers.push(await call(limited, `POST /subscriptions/${id}/verify-webhook`, undefined, { key: own }));
    expect(answers.map(({ status }) => status)).toEqual([...Array(9).fill(202), 429]);
    expect(Number(answers[9]?.headers.get("retry-after"))).toBeGreaterThan(3_000);
    await webhook.stop();
    await limited.stop();
    expect(webhook.challenges).toHaveLength(10);
  });
});

describe.skipIf(ON_MONGODB)("a signature", () => {
  const openssl = spawnSync("openssl", ["version"]).status === 0;
  let message: Message;
  let secret: string;
  beforeAll(async () => {
    const webhook = await startWebhook();
    const subscription = await subscribeTo(board, key, webhook, { tags: "signed" });
    secret = subscription.secret;
    await write(board, key, { tags: ["signed"], title: "Grüße 🌻", body: 'Line one\nline "two" \\ three' });
    await eventually(
      async () => webhook.messages.length,
      (n) => n === 1,
    );
    await webhook.stop();
    message = webhook.messages[0] as Message;
  });

  const headers = () => message.headers as Record<string, string>;
  const byShell = (body: string, changed: Record<string, string> = {}, script = documentedShell()) =>
    spawnSync("sh", ["-c", script], {
      input: body,
      env: {
        PATH: process.env["PATH"],
        SECRET: secret,
        ID: headers()["webhook-id"],
        SIGNATURE: headers()["x-board-signature"],
        ...changed,
      },
    }).status === 0;
  const by =
    (Verifier: typeof StandardVerifier | typeof SvixVerifier) =>
    (body: string, changed: { SECRET?: string; ID?: string } = {}) => {
      try {
        new Verifier(changed.SECRET ?? secret).verify(body, {
          ...headers(),
          "webhook-id": changed.ID ?? headers()["webhook-id"] ?? "",
          "webhook-timestamp": headers()["webhook-timestamp"] ?? "",
        });
        return true;
      } catch {
        return false;
      }
    };

  it.each([
    ["the package standardwebhooks", by(StandardVerifier)],
    ["the package svix", by(SvixVerifier)],
    ...(openssl ? ([["the documented shell", byShell]] as const) : []),
  ] as const)("is accepted by %s, and no forgery is", (_name, accepts) => {
    expect(accepts(message.body)).toBe(true);
    expect(accepts(`${message.body} `)).toBe(false);
    expect(accepts(message.body.replace("Line one", "Line two"))).toBe(false);
    expect(accepts(message.body, { ID: "msg_other_1" })).toBe(false);
    const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    expect(accepts(message.body, { SECRET: other })).toBe(false);
  });

  it.skipIf(!openssl).each([-301, 301])("is refused by the documented shell when %i seconds off", (offS) => {
    // `date` is five minutes later or earlier; the signature is right.
    const at = Number(headers()["webhook-timestamp"]) + offS;
    expect(byShell(message.body, {}, documentedShell().replace("$(date +%s)", String(at)))).toBe(false);
  });

  it.skipIf(!openssl)("runs no command that it contains, in any shell", () => {
    const ran = join(folderForTest(), "ran");
    const SIGNATURE = `t=a[$(touch "${ran}")],v1=${"0".repeat(64)}`;
    const env = { PATH: process.env["PATH"], SECRET: secret, ID: "msg_1", SIGNATURE };
    for (const shell of ["sh", "bash"].filter((name) => spawnSync(name, ["-c", ":"]).status === 0)) {
      expect(spawnSync(shell, ["-c", documentedShell()], { input: message.body, env }).status).toBe(1);
      expect(existsSync(ran)).toBe(false);
    }
  });

  it("is made with both secrets for 24 h after a rotation, then with the new one alone", async () => {
    const webhook = await startWebhook();
    const { id, secret: old } = await subscribeTo(board, key, webhook, { tags: "rotated" });
    // With the library's own signature, since one of the messages is dated tomorrow.
    const accepts = (known: string, { headers: sent, body }: Message) => {
      const at = new Date(Number(sent["webhook-timestamp"]) * 1000);
      const signature = new StandardVerifier(known).sign(String(sent["webhook-id"]), at, body);
      return String(sent["webhook-signature"]).split(" ").includes(signature);
    };
    const rotated = await call(board, `POST /subscriptions/${id}/rotate-secret`, undefined, { key });
    expect(rotated.body.data).toEqual({
      id,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      previous_valid_until: expect.any(String),
    });
    const leftMs = Date.parse(rotated.body.data.previous_valid_until) - Date.now();
    expect(leftMs).toBeGreaterThan(DAY_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(DAY_MS);
    const fresh = rotated.body.data.secret;
    expect(fresh).not.toBe(old);
    const test = () => call(board, `POST /subscriptions/${id}/test`, undefined, { key });
    await test();
    ahead = DAY_MS - 60_000;
    await test();
    ahead = DAY_MS + 1_000;
    await test();
    ahead = 0;
    await webhook.stop();
    const [during, still, after] = webhook.messages as [Message, Message, Message];
    for (const message of [during, still])
      expect([accepts(old, message), accepts(fresh, message)]).toEqual([true, true]);
    expect([accepts(old, after), accepts(fresh, after)]).toEqual([false, true]);
    expect(during.headers["x-board-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    if (openssl) {
      const shell = { ID: during.headers["webhook-id"], SIGNATURE: during.headers["x-board-signature"] };
      for (const SECRET of [old, fresh])
        expect(byShell(during.body, { ...(shell as Record<string, string>), SECRET })).toBe(true);
    }
    expect(await read(id)).not.toHaveProperty("secret");
  });
});

describe("a test of a webhook", () => {
  it("sends a signed message now and answers with the result", async () => {
    let status = 200;
    const webhook = await startWebhook(() => ({ status }));
    const { id, secret } = await subscribeTo(board, key, webhook, { tags: "tested" });
    const test = async () =>
      (await call(board, `POST /subscriptions/${id}/test`, undefined, { key })).body.data;
    expect(await test()).toEqual({
      id,
      delivered: true,
      status: 200,
      error: null,
      latency_ms: expect.any(Number),
    });
    const [message] = webhook.messages;
    expect(message?.json).toEqual({
      type: "webhook.test",
      timestamp: expect.any(String),
      data: { subscription_id: id },
    });
    const headers = message?.headers as Record<string, string>;
    expect(() => new StandardVerifier(secret).verify(message?.body ?? "", headers)).not.toThrow();
    status = 503;
    expect(await test()).toMatchObject({ delivered: false, status: 503 });
    await webhook.stop();
    const failed = await test();
    expect(failed).toMatchObject({ delivered: false, status: null });
    expect(failed.error).toContain("ECONNREFUSED");
    expect(await read(id)).toMatchObject({ active: true, failures: 0 });
  });
});

describe("an edit of a subscription", () => {
  it("changes only what is sent; null clears the label", async () => {
    const sent = { query: { tags: "first" }, label: "First" };
    const { secret: _, ...made } = (await call(board, "POST /subscriptions", sent, { key })).body.data;
    const renamed = await patch(made.id, { label: "Second" });
    expect([renamed.status, renamed.body.data]).toEqual([200, { ...made, label: "Second" }]);
    expect((await patch(made.id, { label: null })).body.data.label).toBeNull();
    const other = await patch(made.id, { query: { tags: "second", kind: "offer" } });
    expect(other.body.data).toMatchObject({
      describes: "Offers, tagged second",
      label: null,
      webhook_url: null,
    });
    await write(board, key, { tags: ["first"] });
    const post = await write(board, key, { tags: ["second"], kind: "offer" });
    const pending = await eventually(
      () => call(board, `GET /subscriptions/${made.id}/pending`, undefined, { key }),
      ({ body }) => body.data.length > 0,
    );
    expect(pending.body.data.map(({ id }: { id: string }) => id)).toEqual([post.id]);
  });

  it.each([{ query: {} }, { label: "x".repeat(81) }, { active: "maybe" }])(
    "fails with invalid_request for %j",
    async (change) => {
      const made = await call(board, "POST /subscriptions", { query: { q: "piano" } }, { key });
      expect((await patch(made.body.data.id, change)).body.error.code).toBe("invalid_request");
    },
  );

  it("fails with invalid_url for a webhook the board may not call, and with subscription_not_found for another's", async () => {
    const made = await call(board, "POST /subscriptions", { query: { q: "piano" } }, { key });
    const refused = await patch(made.body.data.id, {
      webhook_url: "https://10.0.0.1/hook",
      label: "kept out",
    });
    expect(refused.body.error.code).toBe("invalid_url");
    expect((await read(made.body.data.id)).label).toBeNull();
    const { key: stranger } = await register(board);
    for (const request of [
      `PATCH /subscriptions/${made.body.data.id}`,
      `POST /subscriptions/${made.body.data.id}/test`,
      `POST /subscriptions/${made.body.data.id}/rotate-secret`,
      `GET /subscriptions/${made.body.data.id}/deliveries`,
      `POST /subscriptions/${made.body.data.id}/deliveries/1/redeliver`,
    ] as const) {
      const { body } = await call(board, request, request.startsWith("PATCH") ? {} : undefined, {
        key: stranger,
      });
      expect(body.error.code, request).toBe("subscription_not_found");
    }
  });

  it("of the webhook's URL asks the new owner, and sends nothing else first", async () => {
    const [one, two] = [await startWebhook(), await startWebhook(undefined, () => ({ status: 204 }))];
    const { id } = await subscribeTo(board, key, one, { tags: "moved" });
    const moved = await patch(id, { webhook_url: two.url });
    expect(moved.body.data).toMatchObject({ webhook_url: two.url, webhook_verified: false });
    await write(board, key, { tags: ["moved"] });
    await asked(two, 1);
    await quiet();
    expect([two.challenges.length, two.messages.length, one.messages.length]).toEqual([1, 0, 0]);
    const back = await patch(id, { webhook_url: one.url });
    expect(back.body.data.webhook_verified).toBe(false);
    await eventually(
      () => read(id),
      ({ webhook_verified }) => webhook_verified,
    );
    expect(one.challenges).toHaveLength(2);
    const same = await patch(id, { webhook_url: one.url });
    expect(same.body.data.webhook_verified).toBe(true);
    const gone = await patch(id, { webhook_url: null });
    expect(gone.body.data).toMatchObject({ webhook_url: null, webhook_verified: false });
    await Promise.all([one.stop(), two.stop()]);
  });

  it("of the webhook's URL forgets the failures of the earlier one, and of anything else none", async () => {
    const [one, two] = [await startWebhook(), await startWebhook()];
    const { id } = await subscribeTo(board, key, one, { tags: "failing" });
    const failing = { failures: 3, failingSince: Date.now() - 1_000 };
    await board.board.store.subscriptions.update(id, failing);
    const stored = async () => board.board.store.subscriptions.get(id);
    for (const same of [{ label: "Still" }, { webhook_url: one.url }, { active: true }])
      expect((await patch(id, same)).body.data.failures).toBe(3);
    expect(await stored()).toMatchObject(failing);
    expect((await patch(id, { webhook_url: two.url })).body.data.failures).toBe(0);
    expect(await stored()).toMatchObject({ failures: 0, failingSince: null });
    await Promise.all([one.stop(), two.stop()]);
  });

  it("does not take a yes from the earlier URL for the new one", async () => {
    const yes = gate();
    const slow = await startWebhook(undefined, (request) => ({ ...consent(request), after: yes.opened }));
    const silent = await startWebhook(undefined, () => ({ status: 204 }));
    const sent = { query: { tags: "raced" }, webhook_url: slow.url };
    const { id } = (await call(board, "POST /subscriptions", sent, { key })).body.data;
    await asked(slow, 1);
    await patch(id, { webhook_url: silent.url });
    yes.open();
    await asked(silent, 1);
    await quiet();
    expect(await read(id)).toMatchObject({ webhook_url: silent.url, webhook_verified: false });
    await Promise.all([slow.stop(), silent.stop()]);
  });

  it("does not take a late no from the earlier URL for the new one", async () => {
    // Such a no once withdrew the consent of the new URL, and pushes to it stopped.
    const no = gate();
    const reluctant = await startWebhook(undefined, () => ({ status: 204, after: no.opened }));
    const willing = await startWebhook();
    const sent = { query: { tags: "late no" }, webhook_url: reluctant.url };
    const { id } = (await call(board, "POST /subscriptions", sent, { key })).body.data;
    const again = call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key });
    await asked(reluctant, 2);
    await patch(id, { webhook_url: willing.url });
    await eventually(
      () => read(id),
      ({ webhook_verified }) => webhook_verified,
    );
    no.open();
    const answer = await again;
    expect([answer.status, answer.body.data.webhook_url]).toEqual([200, willing.url]);
    expect(await read(id)).toMatchObject({ webhook_url: willing.url, webhook_verified: true });
    await Promise.all([reluctant.stop(), willing.stop()]);
  });

  it("does not take a no to an earlier request as the answer to a later one", async () => {
    const no = gate();
    const answers: ((request: Received) => Response)[] = [
      consent,
      () => ({ status: 503, after: no.opened }),
      consent,
    ];
    const webhook = await startWebhook(undefined, (request) => (answers.shift() ?? consent)(request));
    const { id } = await subscribeTo(board, key, webhook, { tags: "asked twice" });
    const verify = () => call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key });
    const first = verify();
    await asked(webhook, 2);
    expect((await verify()).status).toBe(200);
    no.open();
    expect((await first).status).toBe(200);
    expect((await read(id)).webhook_verified).toBe(true);
    await webhook.stop();
  });

  it("does not take a late no to the first question for more than it is", async () => {
    const no = gate();
    const answers: ((request: Received) => Response)[] = [() => ({ status: 503, after: no.opened }), consent];
    const webhook = await startWebhook(undefined, (request) => (answers.shift() ?? consent)(request));
    const sent = { query: { tags: "slow to begin" }, webhook_url: webhook.url };
    const { id } = (await call(board, "POST /subscriptions", sent, { key })).body.data;
    await asked(webhook, 1);
    expect((await call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key })).status).toBe(
      200,
    );
    no.open();
    await quiet();
    const there = await read(id);
    expect(there.webhook_verified).toBe(true);
    expect(there).not.toHaveProperty("webhook_refusal");
    await webhook.stop();
  });

  it("does not end a pause by the consent of a new URL, as that of one that was given up", async () => {
    const [one, two] = [await startWebhook(), await startWebhook()];
    for (const [inactiveReason, active] of [
      ["paused", false],
      ["webhook_gone", true],
    ] as const) {
      const { id } = await subscribeTo(board, key, one, { tags: inactiveReason });
      await board.board.store.subscriptions.update(id, { active: false, inactiveReason });
      await patch(id, { webhook_url: two.url });
      const consented = await eventually(
        () => read(id),
        ({ webhook_verified }) => webhook_verified,
      );
      expect(consented).toMatchObject({ webhook_verified: true, active });
    }
    await Promise.all([one.stop(), two.stop()]);
  });

  it("does not undo a suspension that comes while the webhook is asked", async () => {
    const { id: publisherId, key: own } = await register(board);
    const yes = gate();
    const webhook: Webhook = await startWebhook(undefined, (request) => ({
      ...consent(request),
      ...(webhook.challenges.length === 1 ? {} : { after: yes.opened }),
    }));
    const { id } = await subscribeTo(board, own, webhook, { tags: "suspended" });
    const again = call(board, `POST /subscriptions/${id}/verify-webhook`, undefined, { key: own });
    await asked(webhook, 2);
    await board.board.services.moderation.act("suspend", publisherId, "test", Date.now());
    yes.open();
    const { body } = await again;
    expect(body.data).toMatchObject({ active: false, inactive_reason: "publisher_suspended" });
    await webhook.stop();
  });

  it("with `active: false` pauses matching and pushes until `active: true`", async () => {
    const webhook = await startWebhook();
    const { id } = await subscribeTo(board, key, webhook, { tags: "paused" });
    // Another breadth: the same query would be the one there is.
    const sent = { query: { tags: "paused" }, breadth: "wide" };
    const other = (await call(board, "POST /subscriptions", sent, { key })).body.data.id;
    const paused = await patch(id, { active: false });
    expect(paused.body.data).toMatchObject({ active: false, inactive_reason: "paused" });
    await write(board, key, { tags: ["paused"] });
    // A post is matched against all queries at once.
    await eventually(
      () => read(other),
      ({ pending }) => pending === 1,
    );
    expect((await read(id)).pending).toBe(0);
    const resumed = await patch(id, { active: true });
    expect(resumed.body.data).toMatchObject({ active: true, inactive_reason: null });
    const post = await write(board, key, { tags: ["paused"] });
    await eventually(
      async () => webhook.messages.length,
      (n) => n > 0,
    );
    await webhook.stop();
    expect(webhook.messages.map(({ json }) => json.data.post.id)).toEqual([post.id]);
  });
});
