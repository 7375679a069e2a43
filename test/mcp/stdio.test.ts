import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { PROGRAM } from "../support/boards/board-process.ts";
import { register } from "../support/boards/client.ts";
import { CLIENTS, mcpClient, type TestClient } from "../support/clients/mcp-clients.ts";
import { recordedCatalog, recordedReadingTools, STALE } from "../support/recorded/catalog.ts";

const TOOLS = recordedCatalog().tools.map(({ name }) => name);
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

let board: TestBoard;
let folder: string;
let key: string;
beforeAll(async () => {
  board = await startBoard();
  folder = await mkdtemp(join(tmpdir(), "stdio-"));
  key = (await register(board, "Remote")).key;
});
afterAll(async () => {
  await board.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A child process that serves its own store, or relays to the board of these tests. */
function target(args: string[] = [], environment: Record<string, string> = {}) {
  return {
    command: process.execPath,
    args: [...PROGRAM, "stdio", ...args],
    env: {
      PATH: process.env["PATH"] ?? "",
      DATA_DIR: folder,
      EMBEDDINGS: "off",
      LOG_LEVEL: "debug",
      ...environment,
    },
    cwd: join(import.meta.dirname, "../.."),
  };
}

describe.each(Object.keys(CLIENTS))("over stdio, a client of %s", (name) => {
  const open = (...of: Parameters<typeof target>): Promise<TestClient> => {
    const connect = CLIENTS[name];
    if (connect === undefined) throw new Error(name);
    return connect(target(...of));
  };

  it("uses the local store, with the key of BOARD_API_KEY", async () => {
    const first = await open();
    expect(
      (await first.list("tools")).map((tool) => tool.name),
      STALE,
    ).toEqual(TOOLS);
    const registered = await first.call("register_publisher", { name: "Local", accept_terms: true });
    const refused = await first.call("create_post", { title: "Without", body: "a key" });
    expect(refused.text).toMatch(/^missing_api_key: /);
    await first.close();

    const second = await open([], { BOARD_API_KEY: /api_key: (\w+)/.exec(registered.text)?.[1] ?? "" });
    const created = await second.call("create_post", { title: `Local ${name}`, body: "written over stdio" });
    expect(created.isError).toBe(false);
    const found = await second.call("search", { q: `"Local ${name}"` });
    expect(found.text).toContain(`1. \`${idIn(created.text)}\``);
    await second.close();
  });

  it("reaches a board elsewhere with --url, with the same tools, resources, prompts and failures", async () => {
    const client = await open(["--url", board.url], { BOARD_API_KEY: `Bearer ${key}` });
    expect(
      (await client.list("tools")).map((tool) => tool.name),
      STALE,
    ).toEqual(TOOLS);
    const created = await client.call("create_post", {
      title: `Relayed ${name}`,
      body: "written through the relay",
    });
    const read = await client.call("get_post", { id: idIn(created.text) });
    expect(read.text).toContain(`"Relayed ${name}"`);
    expect(read.text).toContain('by "Remote"');
    expect((await client.call("get_post", { id: "nothing" })).text).toMatch(/^post_not_found: /);
    expect(await client.read("board://manual")).toMatch(/^# Agent Board/);
    expect(await client.prompt("find", { what: "a bike" })).toContain("a bike");
    await expect(client.call("no_such_tool")).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});

describe("the process", () => {
  it("has only the reading tools with --read-only, here and elsewhere", async () => {
    for (const args of [["--read-only"], ["--read-only", "--url", `${board.url}/mcp`]]) {
      const client = await mcpClient(target(args));
      const names = (await client.list("tools")).map((tool) => tool.name);
      expect(names, STALE).toEqual(recordedReadingTools());
      await client.close();
    }
  });

  it("prints only JSON-RPC, answers every request from before the end of stdin, and ends", async () => {
    for (const args of [[], ["--url", board.url]]) {
      const calls = [
        INITIALIZE,
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "about", arguments: {} } },
        { jsonrpc: "2.0", id: 3, method: "no/such/method" },
      ];
      const { code, stdout } = await run(args, `${calls.map((each) => JSON.stringify(each)).join("\n")}\n`);
      expect(code).toBe(0);
      const answers = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
      expect(answers.find(({ id }) => id === 3).error.code).toBe(-32601);
    }
  });

  it("ends soon after stdin, even when a call was cancelled and gets no answer", async () => {
    for (const args of [[], ["--url", board.url]]) {
      const messages = [
        INITIALIZE,
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "search", arguments: { q: "a" } } },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } },
        { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "about", arguments: {} } },
      ];
      const child = start(args);
      child.stdin.write(`${messages.map((each) => JSON.stringify(each)).join("\n")}\n`);
      await new Promise<void>((resolve) => {
        child.stdout.on("data", (chunk: Buffer) => chunk.includes('"id":3') && resolve());
      });
      const ended = Date.now();
      child.stdin.end();
      await new Promise((resolve) => child.once("close", resolve));
      // It once waited ten seconds for the answer; hosts kill a process after about two.
      expect(Date.now() - ended).toBeLessThan(8_000);
    }
  });

  const WELL = "well";
  const lines: [line: string, id: unknown, answer: number | typeof WELL][] = [
    [`\uFEFF${JSON.stringify(INITIALIZE)}`, 1, WELL],
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
    [
      `{"method":"ping","params":{"id":1,"x":"${"x".repeat(5_000_000)}"},"jsonrpc":"2.0","id":15}`,
      15,
      -32700,
    ],
    // What has no readable id is answered under null, as JSON-RPC wants it.
    ["not json", null, -32700],
    ["[]", null, -32600],
    ["5", null, -32600],
    ['{"jsonrpc":"2.0","method":"no/such/notification","params":5}\r', undefined, WELL],
    ['{"jsonrpc":"2.0","id":2,"result":5}', undefined, WELL],
    // Without its end.
    ['{"jsonrpc":"2.0","id":"last","method":"ping"}', "last", WELL],
  ];

  it.each([["here"], ["elsewhere"]])("answers every request with a fault under its id: %s", async (where) => {
    const input = lines.map(([line]) => line).join("\n");
    const { code, stdout } = await run(where === "here" ? [] : ["--url", board.url], input);
    expect(code).toBe(0);
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ id, error }) => [id, error?.code ?? WELL]);
    const wanted = lines.filter(([, id]) => id !== undefined).map(([, id, answer]) => [id, answer]);
    // Ids that nobody waits for get no answer, and the order is free.
    expect(sorted(answers)).toEqual(sorted(wanted));
  });

  it("answers while its host keeps stdin open", async () => {
    const child = start([]);
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping","params":7}\n');
    const [answer] = await once(child.stdout, "data");
    expect(JSON.parse(String(answer))).toMatchObject({ id: 1, error: { code: -32602 } });
    child.kill();
  });

  it("answers with an error when the remote board is down, without revealing the key", async () => {
    const { code, stdout, stderr } = await run(
      ["--url", "http://127.0.0.1:9"],
      `${JSON.stringify(INITIALIZE)}\n`,
      key,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(stderr).toContain("initialize: ");
    expect(stdout + stderr).not.toContain(key);
  });

  it("passes on why the remote board refused a request unread", async () => {
    const args = { title: "Long", body: "x".repeat(70_000) };
    const post = {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "create_post", arguments: args },
    };
    const { stdout } = await run(["--url", board.url], `${JSON.stringify(post)}\n`);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 2,
      error: { message: expect.stringContaining("larger than 64 KiB") },
    });
  });

  it("refuses an invalid address in one line", async () => {
    const { code, stdout, stderr } = await run(["--url", "board.example"], "");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/'--url <url>' .*must be an http or https address/);
  });
});

const sorted = (answers: unknown[][]) => answers.map((each) => JSON.stringify(each)).sort();

/** The id in the answer to a creation. */
const idIn = (text: string) => /^id: (\S+)$/m.exec(text)?.[1] ?? "";

function run(
  args: string[],
  input: string,
  apiKey?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(args, apiKey);
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    said.stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said.stderr += chunk.toString();
  });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...said }));
  });
}

function start(args: string[], apiKey?: string) {
  const environment = apiKey === undefined ? undefined : { BOARD_API_KEY: apiKey };
  const { command, args: all, env, cwd } = target(args, environment);
  return spawn(command, all, { env, cwd });
}
