import { afterEach, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { matched } from "../support/boards/settled.ts";
import { write } from "../support/boards/writing.ts";
import { startWebhook, subscribeTo } from "../support/clients/webhooks.ts";
import { folderForTest } from "../support/run/temporary.ts";

const MINUTE_MS = 60_000;
const allowed = { WEBHOOK_ALLOW: "127.0.0.1" };

describe("order of writing decides what a saved query is told of, whatever clocks say", () => {
  const started: TestBoard[] = [];
  afterEach(async () => {
    for (const board of started.splice(0)) await board.stop();
  });

  /** A board whose clock differs from the system's by `apart.ms`, which may change. */
  async function boardWith(apart: { ms: number }, dataDir: string): Promise<TestBoard> {
    const board = await startBoard(allowed, { dataDir, clock: () => Date.now() + apart.ms });
    started.push(board);
    return board;
  }

  async function save(board: TestBoard, key: string, tags: string): Promise<string> {
    const { body } = await call(board, "POST /subscriptions", { query: { tags } }, { key });
    return body.data.id;
  }

  /** Titles of what waits, once there are `count`. */
  async function pending(board: TestBoard, key: string, id: string, count: number): Promise<string[]> {
    const { body } = await eventually(
      () => call(board, `GET /subscriptions/${id}/pending`, undefined, { key }),
      (answer) => answer.body.data.length >= count,
    );
    return body.data.map(({ title }: { title: string }) => title);
  }

  it.each([
    ["fast", "slow"],
    ["slow", "fast"],
  ])("with clocks two minutes apart: saved where it is %s, written where it is %s", async (saving) => {
    const dataDir = folderForTest();
    const fast = await boardWith({ ms: MINUTE_MS }, dataDir);
    const slow = await boardWith({ ms: -MINUTE_MS }, dataDir);
    const [at, other] = saving === "fast" ? [fast, slow] : [slow, fast];
    const { key } = await register(at);
    await write(other, key, { title: "Before", tags: ["clocks"] });
    await write(at, key, { title: "Before, too", tags: ["clocks"] });
    const id = await save(at, key, "clocks");
    await write(other, key, { title: "After", tags: ["clocks"] });
    await write(at, key, { title: "After that", tags: ["clocks"] });
    expect((await pending(other, key, id, 2)).sort()).toEqual(["After", "After that"]);
    // Enough for whatever would be told wrongly, or twice, to be told before it.
    await write(other, key, { title: "Last", tags: ["clocks"] });
    await matched(at);
    expect((await pending(at, key, id, 3)).sort()).toEqual(["After", "After that", "Last"]);
  });

  it("with a clock that goes back an hour between saving, writing and sending", async () => {
    const apart = { ms: 0 };
    const board = await boardWith(apart, folderForTest());
    const { key } = await register(board);
    let isUp = false;
    const webhook = await startWebhook(() => ({ status: isUp ? 200 : 500 }));
    const { id } = await subscribeTo(board, key, webhook, { tags: "clocks" });
    await write(board, key, { title: "First", tags: ["clocks"] });
    // A failure that is settled once the clock has gone back would wait by that clock.
    await eventually(
      () => call(board, `GET /subscriptions/${id}/deliveries`, undefined, { key }),
      ({ body }) => body.data[0]?.attempts === 1,
    );
    isUp = true;
    apart.ms = -60 * MINUTE_MS;
    await write(board, key, { title: "Second", tags: ["clocks"] });
    expect(await pending(board, key, id, 2)).toEqual(["First", "Second"]);
    // The first was to be tried again after five seconds, give or take a fifth: it is, by the clock as it is now.
    apart.ms += 6_000;
    const sent = await eventually(
      async () => webhook.messages.map(({ json }) => json.data.post.title),
      (titles) => titles.length === 3,
      30_000,
    );
    expect(sent).toEqual(["First", "Second", "First"]);
    await webhook.stop();
  });
});
