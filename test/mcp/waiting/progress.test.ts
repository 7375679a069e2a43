import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, expect, it, vi } from "vitest";
import { call, eventually } from "../../support/boards/client.ts";
import { waitersAt } from "../../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";

const board = useTestBoard();
const me = usePublisher(board);

afterEach(() => {
  vi.useRealTimers();
});

// The same over stdio takes real seconds: stdio.slow.test.ts.
it("a call that waits tells a host that asks for it, every ten seconds, that it does, and is answered", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { body } = await call(board, "POST /subscriptions", { query: { tags: "comes" } }, me);
  const client = new Client(
    { name: "waiter", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const headers = { authorization: `Bearer ${me.key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${board.url}/mcp`), { requestInit: { headers } }),
  );
  const told: object[] = [];
  const answer = client.callTool(
    { name: "check_subscription", arguments: { id: body.data.id, wait_s: 50 } },
    // A host that hears of progress may wait longer than it would.
    { onprogress: (progress) => told.push(progress), timeout: 20_000, resetTimeoutOnProgress: true },
  );
  await waitersAt(board, 1);
  vi.advanceTimersByTime(9_999);
  expect(vi.getTimerCount()).toBe(1);
  // What is told reaches the host before a later answer of the board does.
  await call(board, "GET /board");
  expect(told).toEqual([]);
  vi.advanceTimersByTime(10_001);
  await eventually(
    async () => told.length,
    (length) => length >= 2,
  );
  expect(told).toEqual([
    { progress: 10, total: 50, message: "Still waiting." },
    { progress: 20, total: 50, message: "Still waiting." },
  ]);
  await write(board, me.key, { title: "It came", tags: ["comes"] });
  expect((await answer).content).toEqual([{ type: "text", text: expect.stringContaining("It came") }]);
  expect(vi.getTimerCount()).toBe(0);
  await client.close();
});
