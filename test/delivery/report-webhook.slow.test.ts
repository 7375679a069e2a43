import { getTasks } from "node-cron";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../src/config.ts";
import { tellOfReports } from "../../src/domain/webhooks/reported.ts";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { ON_MONGODB, startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { newSecret, signersOf } from "../support/clients/event-hosts.ts";
import { startWebhook, type Webhook } from "../support/clients/webhooks.ts";
import { aReport } from "../support/search/rows.ts";

const MINUTE = 60_000;
const secret = newSecret();
let now = Date.now();
let status = 200;
let webhook: Webhook;
const board = useTestBoard({}, { clock: () => now, idle: true });
const author = usePublisher(board, "Author");
const said: unknown[] = [];
const outbound = openOutbound({ allow: ["127.0.0.1"] });
beforeAll(async () => {
  webhook = await startWebhook(() => ({ status }));
});
afterAll(async () => {
  await webhook.stop();
  await outbound.close();
});

/** A run of the job, on one instance or another. */
const tell = () =>
  tellOfReports(
    {
      ...{ store: board.board.store, site: board.board.site, outbound },
      ...{ to: { url: webhook.url, secret }, log: (_message, error) => void said.push(error) },
    },
    now,
  );
const report = async (id: string, on: Pick<TestBoard, "api"> = board) => {
  const { key } = await register(on);
  await call(on, "POST /reports", { post_id: id, reason: "spam", details: "private words" }, { key });
};
const told = () =>
  webhook.messages.map(({ json }) => json.data.posts.map(({ id, reporters }: never) => `${id} ${reporters}`));

describe("the operator's webhook", () => {
  it("is told of each post that was reported, signed, once, and again when somebody else reports it", async () => {
    expect(await tell()).toBe(0);
    const [one, two] = [await write(board, author.key, { title: "Bad one" }), await write(board, author.key)];
    await write(board, author.key);
    await report(one.id);
    await report(one.id);
    await report(two.id);
    expect(await tell()).toBe(2);
    const [message] = webhook.messages;
    expect(message?.json).toEqual({
      type: "posts.reported",
      timestamp: new Date(now).toISOString(),
      data: {
        posts: [
          {
            id: one.id,
            url: one.url,
            title: "Bad one",
            state: "active",
            reporters: 2,
            reasons: ["spam"],
            last_reported_at: new Date(now).toISOString(),
          },
          expect.objectContaining({ id: two.id, reporters: 1 }),
        ],
        open: 2,
      },
    });
    expect(message?.body).not.toContain("private words");
    expect(signersOf(message as never, [newSecret(), secret])).toEqual([1]);
    expect(message?.headers["x-board-signature"]).toMatch(/^t=\d+,v1=/);
    expect(await tell()).toBe(0);
    await report(two.id);
    expect(await tell()).toBe(1);
    expect(told().at(-1)).toEqual([`${two.id} 2`]);
    expect(webhook.messages.at(-1)?.json.data.open).toBe(2);
    // An act closes the reports; a later one is news.
    await board.board.services.moderation.act("restore", two.id, "fine", now);
    now += 1;
    expect(await tell()).toBe(0);
    await report(two.id);
    expect(await tell()).toBe(1);
  });

  it("is told anew of a post whose reports were closed, whatever else it was told of meanwhile", async () => {
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await write(board, author.key)).id);
    const [closed, open, later] = ids;
    for (const id of [closed, closed, open]) await report(id);
    expect([await tell(), told().at(-1)]).toEqual([2, [`${closed} 2`, `${open} 1`]]);
    await board.board.services.moderation.act("restore", closed, "fine", now);
    await report(later);
    expect([await tell(), told().at(-1)]).toEqual([1, [`${later} 1`]]);
    now += 1;
    await report(closed);
    expect([await tell(), told().at(-1)]).toEqual([1, [`${closed} 3`]]);
    // Those that are still open are no news.
    expect(await tell()).toBe(0);
    for (const id of ids) await board.board.services.moderation.act("remove", id, "spam", now);
  });

  it("is told of a post that is erased just then as of one that was removed", async () => {
    const { id, url } = await write(board, author.key);
    await report(id);
    const read = vi.spyOn(board.board.store.posts, "many").mockResolvedValueOnce([]);
    expect(await tell()).toBe(1);
    read.mockRestore();
    expect(webhook.messages.at(-1)?.json.data.posts).toMatchObject([
      { id, url, title: null, state: "removed", reporters: 1 },
    ]);
    await board.board.services.moderation.act("hide", id, "spam", now);
    now += 1;
    await report(id);
    expect(await tell()).toBe(1);
    expect(webhook.messages.at(-1)?.json.data.posts).toMatchObject([{ title: "A notice", state: "hidden" }]);
  });

  it("that does not take it is asked again later, less and less often, and loses nothing", async () => {
    status = 503;
    const { id } = await write(board, author.key);
    await report(id);
    const before = webhook.messages.length;
    const calls = async () => [await tell(), webhook.messages.length - before];
    expect(await calls()).toEqual([0, 1]);
    const waits = [1, 2, 4, 8, 16, 32, 60, 60];
    for (const [n, minutes] of waits.entries()) {
      now += minutes * MINUTE - 1;
      expect(await calls()).toEqual([0, n + 1]);
      now += 1;
      expect(await calls()).toEqual([0, n + 2]);
    }
    expect(said).toEqual(Array.from({ length: waits.length + 1 }, () => "It answered 503."));
    status = 200;
    now += 60 * MINUTE;
    expect(await tell()).toBe(1);
    expect(told().at(-1)).toEqual([`${id} 1`]);
    // What failed before a success is forgotten.
    status = 503;
    await report(id);
    const again = webhook.messages.length;
    await tell();
    now += MINUTE;
    await tell();
    expect(webhook.messages.length - again).toBe(2);
    status = 200;
    now += 2 * MINUTE;
    expect(await tell()).toBe(1);
  });

  it("is told of fifty posts at once, of those with most reporters first, and then of the others", async () => {
    const ids = await writeMany(
      board,
      Array.from({ length: 51 }, () => ({ kind: "offer" as const })),
    );
    for (const [n, postId] of ids.entries())
      for (const reporter of n === 50 ? ["key:a", "key:b"] : ["key:a"])
        await board.board.store.reports.upsert(
          aReport(`rep_${n}${reporter}`, { postId, reporter, createdAt: now }),
        );
    expect([await tell(), await tell(), await tell()]).toEqual([50, 1, 0]);
    const [first, second] = told().slice(-2);
    expect(first?.[0]).toBe(`${ids[50]} 2`);
    expect([...(first ?? []), ...(second ?? [])].sort()).toEqual(
      ids.map((id, n) => `${id} ${n === 50 ? 2 : 1}`).sort(),
    );
  });

  it.skipIf(ON_MONGODB)(
    "is a public address by https, has a secret, and is called by the board itself",
    async () => {
      const mistakes = (environment: Record<string, string>) => {
        try {
          readConfig(environment);
          return null;
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(mistakes({ REPORT_WEBHOOK: webhook.url })).toContain("REPORT_WEBHOOK_SECRET");
      expect(mistakes({ REPORT_WEBHOOK_SECRET: secret })).toContain("REPORT_WEBHOOK");
      expect(mistakes({ REPORT_WEBHOOK: webhook.url, REPORT_WEBHOOK_SECRET: newSecret(23) })).toContain(
        "24 to 64",
      );
      const given = { REPORT_WEBHOOK: webhook.url, REPORT_WEBHOOK_SECRET: secret };
      await expect(startBoard(given)).rejects.toThrow(/REPORT_WEBHOOK: .*https/);
      const running = await startBoard({ ...given, WEBHOOK_ALLOW: "127.0.0.1" });
      const [job] = [...getTasks().values()].filter(({ name }) => name === "tell-of-reports");
      expect(job?.getNextRun()?.getTime()).toBeLessThanOrEqual(Date.now() + MINUTE);
      // The full minute would begin another run beside the one below.
      job?.stop();
      const { key } = await register(running);
      const { id } = await write(running, key);
      await report(id, running);
      const calls = () => webhook.messages.filter(({ body }) => body.includes(id));
      await job?.execute();
      expect(calls()).toHaveLength(1);
      const { jobs } = (await call(running, "GET /metrics")).body.data.health;
      expect(jobs.map(({ name }: { name: string }) => name)).toContain("tell-of-reports");
      expect(running.logs.join("")).not.toContain(secret.slice(8));
      await running.stop();
    },
  );
});
