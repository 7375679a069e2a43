import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { call } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { stdioCommand } from "../../support/clients/stdio.ts";

const board = useTestBoard();
const me = usePublisher(board);

const TRANSPORTS = {
  "streamable HTTP": () =>
    new StreamableHTTPClientTransport(new URL(`${board.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${me.key}` } },
    }),
  stdio: () =>
    new StdioClientTransport({
      ...stdioCommand(board.dataDir, [], { BOARD_API_KEY: me.key }),
      stderr: "ignore",
    }),
};

describe.concurrent.each(Object.entries(TRANSPORTS))("over %s, a call that waits", (_name, transport) => {
  it("tells every ten seconds that it does, to a host that asks for it, and is answered", {
    timeout: 60_000,
  }, async () => {
    const { body } = await call(board, "POST /subscriptions", { query: { tags: "nothing" } }, me);
    const client = new Client(
      { name: "waiter", version: "1" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    await client.connect(transport());
    const told: object[] = [];
    const asked = { name: "check_subscription", arguments: { id: body.data.id, wait_s: 21 } };
    // A host that hears of progress may wait longer than it would.
    const answer = await client.callTool(asked, {
      onprogress: (progress) => told.push(progress),
      timeout: 15_000,
      resetTimeoutOnProgress: true,
    });
    expect(answer.content).toEqual([{ type: "text", text: expect.stringContaining("No new matches") }]);
    expect(told).toEqual([
      { progress: 10, total: 21, message: "Still waiting." },
      { progress: 20, total: 21, message: "Still waiting." },
    ]);
    await client.close();
  });
});
