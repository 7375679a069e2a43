import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordedCatalog, recordedReadingTools, STALE } from "../../scripts/recorded/catalog.ts";
import { NOTIFICATIONS } from "../../src/domain/events/names.ts";
import { call, eventually } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { CLIENTS, idIn, mcpClient } from "../support/clients/mcp-clients.ts";
import { HANDSHAKE, StdioBoard, stdioCommand } from "../support/clients/stdio.ts";
import { startHttpServer } from "../support/run/http-server.ts";

const TOOLS = recordedCatalog().tools.map(({ name }) => name);
const INITIALIZE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: HANDSHAKE });

const board = useTestBoard();
const me = usePublisher(board, "Remote");
/** A process on the store of that board, or one that relays to it. */
const WAYS: Record<string, () => string[]> = {
  here: () => [],
  elsewhere: () => ["--url", `${board.url}/mcp/`],
};
const command = (args: string[], environment: Record<string, string> = {}) =>
  stdioCommand(board.dataDir, args, environment);

/** What takes ten seconds of waiting begins before all tests, and is judged by one of them: the others run meanwhile. */
function meanwhile<T>(act: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T>;
  beforeAll(() => {
    begun = act();
    // Its test reports it.
    begun.catch(() => {});
  });
  afterAll(() => begun.catch(() => {}));
  return () => begun;
}

const waited = meanwhile(async () => {
  const { body } = await call(board, "POST /subscriptions", { query: { tags: "nothing" } }, me);
  const client = new Client(
    { name: "waiter", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const waiter = command([], { BOARD_API_KEY: me.key });
  await client.connect(new StdioClientTransport({ ...waiter, stderr: "ignore" }));
  // From here on its board is open: what a slow machine takes for that is not waited for twice.
  await client.callTool({ name: "about" });
  const told: object[] = [];
  const { content } = await client.callTool(
    { name: "check_subscription", arguments: { id: body.data.id, wait_s: 11 } },
    { onprogress: (progress) => told.push(progress) },
  );
  await client.close();
  return { content, told };
});

const drained = meanwhile(async () => {
  const far = await startHttpServer(async (request, response) => {
    const { id } = JSON.parse((await request.toArray()).join(""));
    const answer = () =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
    // The other one is never answered.
    if (id === "late") setTimeout(answer, 3_000);
  });
  const child = new StdioBoard(command(["--url", far.origin]));
  const began = performance.now();
  await child.end(
    ["late", "never"].map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })).join("\n"),
  );
  const seconds = (performance.now() - began) / 1_000;
  await far.close();
  return { answers: child.answers, seconds };
});

const WELL = "well";
const LINES: [line: string, id: unknown, answer: number | typeof WELL][] = [
  [`\uFEFF${INITIALIZE}`, 1, WELL],
  ['{"jsonrpc":"2.0","id":2,"method":"ping","params":null}', 2, WELL],
  ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', 3, WELL],
  ['{"jsonrpc":"2.0","id":"4","method":"ping","params":["x"]}', "4", -32602],
  ['{"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":5}}', 5, -32602],
  ['{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"arguments":{}}}', 6, -32602],
  ['{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"capabilities":{}}}', 7, -32602],
  ['{"jsonrpc":"1.0","id":8,"method":"ping"}', 8, -32600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5, -32600],
  ['{"jsonrpc":"2.0","id":9,"method":7}', 9, -32600],
  ['{"jsonrpc":"2.0","id":10}', 10, -32600],
  ['[{"jsonrpc":"2.0","id":11,"method":"ping"},{"jsonrpc":"1.0","id":12,"method":"ping"}]', 11, WELL],
  ["", 12, -32600],
  ['{"jsonrpc":"2.0","id":13,"method":"pi', 13, -32700],
  [`{"id":14,"method":"ping","params":{"x":"${"x".repeat(11_000_000)}"}}`, 14, -32700],
  [`{"method":"ping","params":{"id":1,"x":"${"x".repeat(5_000_000)}"},"jsonrpc":"2.0","id":15}`, 15, -32700],
  // Under 4 MiB it is read here; a board elsewhere takes 64 KiB.
  [`{"jsonrpc":"2.0","id":18,"method":"ping","params":{"x":"${"x".repeat(4_194_200)}"}}`, 18, WELL],
  ['{"jsonrpc":"2.0","method":"notifications/initialized"}', undefined, WELL],
  ['{"jsonrpc":"2.0","id":16,"method":"tools/call","params":{"name":"about","arguments":{}}}', 16, WELL],
  ['{"jsonrpc":"2.0","id":17,"method":"no/such/method"}', 17, -32601],
  // JSON-RPC wants null for an id that cannot be read.
  ["not json", null, -32700],
  ["[]", null, -32600],
  ["5", null, -32600],
  ['{"jsonrpc":"2.0","method":"no/such/notification","params":5}\r', undefined, WELL],
  ['{"jsonrpc":"2.0","id":2,"result":5}', undefined, WELL],
  // The last line has no line break.
  ['{"jsonrpc":"2.0","id":"last","method":"ping"}', "last", WELL],
];

describe.each(Object.entries(WAYS))("over stdio, with its board %s,", (way, args) => {
  it.each(Object.entries(CLIENTS))(
    "a client of %s has all tools, resources, prompts and failures, and writes with BOARD_API_KEY",
    async (name, connect) => {
      const BOARD_API_KEY = way === "here" ? me.key : `Bearer ${me.key}`;
      const client = await connect(command(args(), { BOARD_API_KEY }));
      expect(
        (await client.list("tools")).map((tool) => tool.name),
        STALE,
      ).toEqual(TOOLS);
      const title = `Written ${way} by ${name}`;
      const created = await client.call("create_post", { title, body: "written over stdio" });
      const id = idIn(created.text);
      expect((await client.call("get_post", { id })).text).toMatch(
        new RegExp(`"${title}"[\\s\\S]*by "Remote"`),
      );
      expect((await client.call("search", { q: `"${title}"` })).text).toContain(`1. \`${id}\``);
      expect((await client.call("get_post", { id: "nothing" })).text).toMatch(/^post_not_found: /);
      expect(await client.read("board://manual")).toContain("# Agent Board");
      expect(await client.prompt("find", { what: "a bike" })).toContain("a bike");
      await expect(client.call("no_such_tool")).rejects.toMatchObject({ code: -32602 });
      await client.close();
    },
  );

  it("has only the reading tools with --read-only, and is called what the operator of its board calls it", async () => {
    const identity = { BOARD_NAME: "Leeds notices", BOARD_DESCRIPTION: "What is on in Leeds." };
    const client = await mcpClient(command([...args(), "--read-only"], identity));
    const names = (await client.list("tools")).map((tool) => tool.name);
    expect(names, STALE).toEqual(recordedReadingTools());
    expect((await client.call("about")).text).toMatch(
      way === "here" ? /Leeds notices[\s\S]*What is on in Leeds\./ : /name: "Agent Board"/,
    );
    await client.close();
  });

  it("answers while stdin is open, and ends soon after it, even when a call was cancelled and gets no answer, or a stream is open", async () => {
    const child = new StdioBoard(command(args(), { BOARD_API_KEY: me.key }));
    child.request("initialize", HANDSHAKE);
    const stream = child.request("events/stream", { name: "post.replied" });
    const cancelled = child.request("tools/call", { name: "search", arguments: { q: "a" } });
    child.send({ method: "notifications/cancelled", params: { requestId: cancelled } });
    expect((await child.ask("ping", 7)).error.code).toBe(-32602);
    await child.call("about");
    // Elsewhere it is refused in this revision, in which nothing could cancel it.
    const isOpen = ({ id, method }: { id?: number; method?: string }) =>
      way === "here" ? method === NOTIFICATIONS.active : id === stream;
    expect(
      await eventually(
        async () => child.answers.some(isOpen),
        (open) => open,
      ),
    ).toBe(true);
    const ended = Date.now();
    await child.end();
    // It once waited ten seconds for the answer; hosts kill a process after about two.
    expect(Date.now() - ended).toBeLessThan(8_000);
  });

  it("answers every request from before the end of stdin under its id, faults too, and prints nothing else", async () => {
    const child = new StdioBoard(command(args()));
    expect((await child.end(LINES.map(([line]) => line).join("\n"))).code).toBe(0);
    const answers = child.answers.map(({ id, error }) => [id, error?.code ?? WELL]);
    const wanted = LINES.filter(([, id]) => id !== undefined).map(([, id, answer]) =>
      id === 18 && way === "elsewhere" ? [id, -32600] : [id, answer],
    );
    // Answers come in any order.
    expect(sorted(answers)).toEqual(sorted(wanted));
    // A relay passes on why its board refused a request unread.
    if (way === "elsewhere")
      expect(child.answers.find(({ id }) => id === 18).error.message).toContain("larger than 64 KiB");
  });
});

describe("a call that waits", () => {
  it("tells a host that asks for it, after ten seconds, that it does, and is answered", async () => {
    const { content, told } = await waited();
    expect(content).toEqual([{ type: "text", text: expect.stringContaining("No new matches") }]);
    expect(told).toEqual([{ progress: 10, total: 11, message: "Still waiting." }]);
  });
});

describe("the relay", () => {
  it("answers with an error when the remote board is down, without revealing the key", async () => {
    const child = new StdioBoard(command(["--url", "http://127.0.0.1:9"], { BOARD_API_KEY: me.key }));
    const { code, stderr } = await child.end(`${INITIALIZE}\n`);
    expect(code).toBe(0);
    expect(child.answers).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(stderr).toContain("initialize: ");
    expect(JSON.stringify(child.answers) + stderr).not.toContain(me.key);
  });

  it("waits ten seconds for answers once stdin has ended, and no longer", async () => {
    const { answers, seconds } = await drained();
    expect(answers).toMatchObject([
      { id: "late", result: {} },
      { id: "never", error: { code: -32603 } },
    ]);
    expect([seconds > 9.9, seconds < 60]).toEqual([true, true]);
  });
});

const sorted = (answers: unknown[][]) => answers.map((each) => JSON.stringify(each)).sort();
