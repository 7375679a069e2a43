import { describe, expect, it } from "vitest";
import { ON_MONGODB, startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";
import { startWebhook, subscribeTo, type Webhook } from "../support/clients/webhooks.ts";
import { folderForTest } from "../support/run/temporary.ts";

const allowed = { WEBHOOK_ALLOW: "127.0.0.1" };

describe("a board", () => {
  it.skipIf(ON_MONGODB)(
    "makes 60 deliveries to one receiver while a failing one waits for its next attempt and a silent one is given up",
    async () => {
      const sharing = await startBoard(allowed);
      const { key: own } = await register(sharing);
      const good = await startWebhook();
      const silent = await startWebhook(() => ({ delayMs: 11_000 }));
      const failing = await startWebhook(() => ({ status: 500 }));
      const [toSilent] = await Promise.all(
        [silent, failing, good].map((webhook) => subscribeTo(sharing, own, webhook, { tags: "shared" })),
      );
      // More than the fifty slots that a board has for all receivers.
      for (let n = 0; n < 60; n += 1) await write(sharing, own, { tags: ["shared"] });
      const arrived = await eventually(
        async () => new Set(good.messages.map(({ headers }) => headers["webhook-id"])).size,
        (ids) => ids === 60,
        90_000,
      );
      expect(arrived).toBe(60);
      // The silent one holds sixteen slots for the first 10 s, and two from its first failure on.
      const [first] = silent.messages;
      const rounds = Math.floor((Date.now() - (first?.at ?? Number.NaN)) / 10_000);
      expect(silent.messages.length).toBeLessThanOrEqual(16 + 2 * (rounds + 1));
      const path = `GET /subscriptions/${toSilent?.id}/deliveries?limit=100` as const;
      const { body } = await eventually(
        () => call(sharing, path, undefined, { key: own }),
        (answer) => answer.body.data.at(-1).attempts >= 1,
      );
      expect(body.data.at(-1)).toMatchObject({ state: "waiting", status: null, error: expect.any(String) });
      await sharing.stop();
      await Promise.all([good.stop(), silent.stop(), failing.stop()]);
    },
  );

  it("that stops finishes its attempts under way, waits long for none and for no consent, and another board takes over the rest", async () => {
    const dataDir = folderForTest();
    const first = await startBoard(allowed, { dataDir });
    const { key: own } = await register(first);
    let stopBegins = () => {};
    const stopBegun = new Promise<void>((resolve) => {
      stopBegins = resolve;
    });
    const quick = await startWebhook(() => ({ after: stopBegun, delayMs: 100 }));
    const slow: Webhook = await startWebhook(() => ({ delayMs: slow.messages.length === 1 ? 20_000 : 0 }));
    const subscriptions = [
      await subscribeTo(first, own, quick, { tags: "stop" }),
      await subscribeTo(first, own, slow, { tags: "stop" }),
    ];
    const undecided = await startWebhook(undefined, () => ({ delayMs: 11_000 }));
    const sent = { query: { q: "slow" }, webhook_url: undecided.url };
    await call(first, "POST /subscriptions", sent, { key: own });
    await write(first, own, { tags: ["stop"] });
    await eventually(
      async () => [quick.messages.length, slow.messages.length, undecided.challenges.length],
      (counts) => counts.every((count) => count === 1),
    );
    const began = performance.now();
    const stopped = first.stop();
    stopBegins();
    await stopped;
    // Waiting for an attempt, or for the consent, would take 10 s.
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(first.logs.filter((line) => line.includes('"level":50'))).toEqual([]);
    const second = await startBoard(allowed, { dataDir });
    // The finished attempt is settled. The other is released, and is due before its lease of 30 s ends.
    const again = await eventually(
      async () => slow.messages.length,
      (n) => n === 2,
      15_000,
    );
    expect(again).toBe(2);
    const records = await Promise.all(
      subscriptions.map(async ({ id }) => {
        const { body } = await eventually(
          () => call(second, `GET /subscriptions/${id}/deliveries`, undefined, { key: own }),
          (answer) => answer.body.data[0].state === "delivered",
        );
        return body.data[0];
      }),
    );
    expect(records.map(({ state, attempts }) => `${state} by ${attempts}`)).toEqual(
      Array(2).fill("delivered by 1"),
    );
    expect([quick.messages.length, slow.messages.length]).toEqual([1, 2]);
    await second.stop();
    await Promise.all([quick.stop(), slow.stop(), undecided.stop()]);
  });

  it("does not call a host that its operator no longer allows, and says so", async () => {
    const dataDir = folderForTest();
    const open = await startBoard(allowed, { dataDir });
    const { key: own } = await register(open);
    const webhook = await startWebhook();
    const { id } = await subscribeTo(open, own, webhook, { tags: "closed" });
    await open.stop();
    const closed = await startBoard({}, { dataDir });
    await write(closed, own, { tags: ["closed"] });
    const { body } = await eventually(
      () => call(closed, `GET /subscriptions/${id}/deliveries`, undefined, { key: own }),
      (answer) => answer.body.data[0]?.attempts >= 1,
    );
    expect(body.data[0]).toMatchObject({ state: "waiting", status: null });
    expect(body.data[0].error).toMatch(/^Blocked: /);
    expect(webhook.messages).toEqual([]);
    await closed.stop();
    await webhook.stop();
  });
});
