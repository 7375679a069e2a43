import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secrets } from "../../src/domain/secrets.ts";
import { Pushes } from "../../src/domain/webhooks/pushes.ts";
import { WebhookDelivery } from "../../src/jobs/deliver-webhooks.ts";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import type { ClaimedPush } from "../../src/ports/store/index.ts";
import type { MongodbStore } from "../../src/store/mongodb/index.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";
import { startWebhook } from "../support/clients/webhooks.ts";
import { CommandLog, inARow, type SentCommand, writesAmong } from "../support/mongodb/commands.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";
import { aSubscription } from "../support/search/rows.ts";

const database = await mongodbFor("replicaSet", "commands");

/** After this long without work the pauses between looks are longest; and how long they are watched then. */
const LULLED_MS = 7_000;
const LULL_MS = 10_000;

describe.skipIf(database === null)("the commands that a call waits for, one after another", () => {
  const { url, drop } = database as NonNullable<typeof database>;
  let board: TestBoard;
  let log: CommandLog;
  let key: string;
  let other: string;

  beforeAll(async () => {
    const monitored = new URL(url);
    monitored.searchParams.set("monitorCommands", "true");
    // Limits are counted as on any board, and not reached.
    const limits = "write=100000/60,write_day=100000/86400,subscribe=100000/60";
    board = await startBoard({ STORE_URL: monitored.href, RATE_LIMITS: limits }, { idle: true });
    log = new CommandLog((board.board.store as MongodbStore).connection.client);
    key = (await register(board)).key;
    other = (await register(board, "Other")).key;
  });
  afterAll(async () => {
    await board.stop();
    await drop();
  });

  let n = 0;
  const created = async (more: object = {}, as = key): Promise<string> => {
    n += 1;
    return (await write(board, as, { kind: "thread", title: `Number ${n}`, ...more })).id;
  };
  /**
   * Of calls like one before, since the first fills what a process remembers: those of the call with the shortest row. On a
   * busy machine, commands sent side by side may happen to follow each other; none that follow are ever side by side.
   */
  const sent = async (request: () => Promise<unknown>): Promise<SentCommand[]> => {
    await request();
    const calls: SentCommand[][] = [];
    for (let n = 0; n < 6; n += 1) calls.push(await log.of(request));
    return calls.sort((a, b) => inARow(a) - inARow(b))[0] ?? [];
  };

  it("are at most 9 for a new post, and 10 with an idempotency key", async () => {
    expect(inARow(await sent(() => created()))).toBeLessThanOrEqual(9);
    expect(inARow(await sent(() => created({ idempotency_key: `k${n}` })))).toBeLessThanOrEqual(10);
  });

  it("are at most 15 for a reply", async () => {
    const root = await created();
    await created({ parent_id: root }, other);
    expect(inARow(await sent(() => created({ parent_id: root }, other)))).toBeLessThanOrEqual(15);
  });

  it("are at most 2 for a post with its replies", async () => {
    const root = await created();
    await created({ parent_id: root }, other);
    expect(inARow(await sent(() => call(board, `GET /posts/${root}`)))).toBeLessThanOrEqual(2);
  });

  it("are at most 2 for a first page of a search, none of them a write", async () => {
    for (let post = 0; post < 5; post += 1) await created();
    let cursor = "";
    const page = async () => {
      const { body } = await call(board, `GET /search?q=number&limit=2${cursor}`);
      expect(body.data.length).toBeGreaterThan(0);
      return body;
    };
    const first = await sent(page);
    expect([inARow(first), writesAmong(first)]).toEqual([expect.toSatisfy((row) => row <= 2), []]);
    cursor = `&cursor=${(await page()).next_cursor}`;
    expect(inARow(await sent(page))).toBeLessThanOrEqual(2);
  });

  it("are at most 4 for pending matches", async () => {
    const saved = await call(board, "POST /subscriptions", { query: { q: "number" } }, { key });
    const { subscriptions } = board.board.store;
    const postId = await created();
    await subscriptions.deliver([{ subscriptionId: saved.body.data.id, postId, matchedAt: Date.now() }], []);
    const pending = () => call(board, `GET /subscriptions/${saved.body.data.id}/pending`, undefined, { key });
    expect((await pending()).body.data).toHaveLength(1);
    expect(inARow(await sent(pending))).toBeLessThanOrEqual(4);
  });

  it("are about one a second while nothing happens", { timeout: 60_000 }, async () => {
    const monitored = new URL(url);
    monitored.searchParams.set("monitorCommands", "true");
    const quiet = await startBoard({ STORE_URL: monitored.href });
    try {
      const own = new CommandLog((quiet.board.store as MongodbStore).connection.client);
      await new Promise((resolve) => setTimeout(resolve, LULLED_MS));
      // Jobs that run by the clock fall into one of two such times at most.
      const looks: number[] = [];
      for (let lull = 0; lull < 2; lull += 1)
        looks.push((await own.of(() => new Promise((resolve) => setTimeout(resolve, LULL_MS)))).length);
      expect(Math.min(...looks)).toBeGreaterThan(0);
      expect(Math.min(...looks) / (LULL_MS / 1000)).toBeLessThanOrEqual(2);
    } finally {
      await quiet.stop();
    }
  });

  describe("of pushes", () => {
    const receivers = Array.from({ length: 50 }, (_, n) => `sub_of_h${n}`);
    const caps = { limit: 50, perOrigin: 2, failing: 25, leaseMs: 30_000 };
    const claim = () => board.board.store.pushes.claim({ ...caps, now: Date.now() });
    const delivered = { state: "delivered", dueAt: null, deactivate: null } as const;
    const answer = (status: number) => ({ at: Date.now(), latencyMs: 9, status, error: null });
    let publisherId: string;

    beforeAll(async () => {
      const post = await call(board, `GET /posts/${await created()}`);
      publisherId = post.body.data.publisher.id;
      for (const id of receivers) {
        const webhookUrl = `https://${id.replaceAll("_", "-")}.example/hook`;
        const over = { publisherId, webhookUrl, webhookVerifiedAt: 1, active: true };
        await board.board.store.subscriptions.insert(aSubscription(id, over), 100);
      }
    });
    /** A push to each receiver. */
    const match = async () => {
      const postId = await created();
      const matches = receivers.map((subscriptionId) => ({ subscriptionId, postId, matchedAt: Date.now() }));
      await board.board.store.subscriptions.deliver(matches, []);
    };

    it("are 3 for a claim of 50, and 2 for settling those that are delivered", async () => {
      for (let round = 0; round < 4; round += 1) await match();
      const rows: number[][] = [];
      for (let round = 0; round < 4; round += 1) {
        let held: ClaimedPush[] = [];
        const claims = await log.of(async () => {
          held = await claim();
        });
        expect(held).toHaveLength(50);
        const settles = await log.of(() =>
          Promise.all(held.map((push) => board.board.store.pushes.settle(push, answer(204), delivered))),
        );
        rows.push([inARow(claims), inARow(settles), claims.length + settles.length]);
      }
      // Fifty pushes are claimed and settled by five commands.
      expect(rows).toContainEqual([3, 2, 5]);
      expect(await board.board.store.pushes.claim({ ...caps, now: Date.now() })).toEqual([]);
    });

    it("are at most 14 for a whole push: claimed, read again, sent and settled, also when it fails", async () => {
      const { store, services, clock } = board.board;
      const outbound = openOutbound({ allow: ["127.0.0.1"] });
      for (const status of [204, 500]) {
        const webhook = await startWebhook(() => ({ status }));
        const id = `sub_to_${status}`;
        const over = { publisherId, webhookUrl: webhook.url, webhookVerifiedAt: 1, active: true };
        await store.subscriptions.insert(aSubscription(id, over), 100);
        const pushes = new Pushes({
          store,
          outbound,
          secrets: new Secrets("a key of more than 32 characters, for this test"),
          posts: services.posts,
          contentNotice: "",
          random: () => 0.5,
        });
        const whole = async () => {
          const failed = (error: unknown) => expect.unreachable(String(error));
          const delivery = new WebhookDelivery({ store, pushes, clock, ended() {}, freed() {}, failed });
          await delivery.claim(Date.now());
          await delivery.stop();
        };
        const rows: number[] = [];
        for (let n = 1; n <= 5; n += 1) {
          const match = { subscriptionId: id, postId: await created(), matchedAt: Date.now() };
          await store.subscriptions.deliver([match], []);
          rows.push(inARow(await log.of(whole)));
          expect(webhook.messages).toHaveLength(n);
        }
        expect(Math.min(...rows)).toBeLessThanOrEqual(14);
        await webhook.stop();
      }
      await outbound.close();
    });
  });
});
