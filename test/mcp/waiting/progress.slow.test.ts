import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, eventually } from "../../support/boards/client.ts";
import { waitersAt } from "../../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { stdioCommand } from "../../support/clients/stdio.ts";

const board = useTestBoard();
const me = usePublisher(board);

const overHttp = () =>
  new StreamableHTTPClientTransport(new URL(`${board.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${me.key}` } },
  });
const overStdio = () =>
  new StdioClientTransport({
    ...stdioCommand(board.dataDir, [], { BOARD_API_KEY: me.key }),
    stderr: "ignore",
  });

/** Asks through a transport for a match that may come within `waitS` seconds, and gathers the progress that is told. */
async function asked(transport: Transport, tag: string, waitS: number) {
  const { body } = await call(board, "POST /subscriptions", { query: { tags: tag } }, me);
  const client = new Client(
    { name: "waiter", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  await client.connect(transport);
  const told: object[] = [];
  const answer = client.callTool(
    { name: "check_subscription", arguments: { id: body.data.id, wait_s: waitS } },
    // A host that hears of progress may wait longer than it would.
    { onprogress: (progress) => told.push(progress), timeout: 20_000, resetTimeoutOnProgress: true },
  );
  return { told, answer, close: () => client.close() };
}

describe("a call that waits tells a host that asks for it, every ten seconds, that it does, and is answered", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("over streamable HTTP", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { told, answer, close } = await asked(overHttp(), "comes", 50);
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
    await close();
  });

  it("over stdio", async () => {
    const { told, answer, close } = await asked(overStdio(), "nothing", 11);
    expect((await answer).content).toEqual([
      { type: "text", text: expect.stringContaining("No new matches") },
    ]);
    expect(told).toEqual([{ progress: 10, total: 11, message: "Still waiting." }]);
    await close();
  });
});
