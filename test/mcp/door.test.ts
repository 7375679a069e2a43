import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readMessage } from "../../src/adapters/mcp/messages.ts";
import { startBoard } from "../support/boards/board.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { exactRequest } from "../support/clients/exact-request.ts";

const META = "io.modelcontextprotocol/";
const MODERN = {
  jsonrpc: "2.0",
  method: "tools/list",
  params: { _meta: { [`${META}protocolVersion`]: "2026-07-28", [`${META}clientCapabilities`]: {} } },
};
const MODERN_HEADERS = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };

const board = useTestBoard();

describe("the door", () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

  it("answers GET and DELETE with 405 and Allow", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await fetch(`${board.url}/mcp`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST, OPTIONS");
      expect(await response.json()).toEqual({
        ...{ jsonrpc: "2.0", id: null },
        error: {
          code: -32000,
          message: "Method not allowed: this server is stateless, send JSON-RPC by POST.",
        },
      });
    }
  });

  it.each([
    [
      "prompts/get",
      { name: "find", arguments: { what: 5 } },
      'Every argument must be text, such as {"what": ',
    ],
    ["prompts/get", { name: "find", arguments: ["what"] }, "Every argument must be text"],
    ["prompts/get", { name: ["find"] }, "`name` must be text: one from prompts/list."],
    ["prompts/get", undefined, "`name` must be text"],
    ["resources/read", { uri: 5 }, "`uri` must be text: one from resources/list."],
    ["tools/call", { name: "search", arguments: "bike" }, "`arguments` must be an object"],
    ["tools/call", undefined, "needs `name` (text: one from tools/list)"],
    ["initialize", { capabilities: {}, clientInfo: { name: "x", version: "1" } }, "needs `protocolVersion`"],
    ["ping", ["x"], "`params` must be an object"],
    ["tools/list", { cursor: 5 }, "`cursor` must be text."],
    ["prompts/list", { cursor: {} }, "`cursor` must be text."],
  ])("answers %s with wrong parameters %j by -32602 and what is wrong", async (method, params, message) => {
    const { error } = (await ask({ jsonrpc: "2.0", id: 1, method, params })).message;
    expect([error.code, error.message]).toEqual([-32602, expect.stringContaining(message)]);
  });

  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } },
  };
  it.each([
    ["application/json, text/event-stream", "text/event-stream"],
    ["application/json", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["application/*, text/event-stream", "text/event-stream"],
    ["*/*", "application/json"],
    ["text/html", "application/json"],
    [undefined, "application/json"],
  ])("answers who accepts %s in the form of %s", async (accept, type) => {
    const [first, second] = await Promise.all([
      ask(INITIALIZE, { accept }),
      ask({ ...MODERN, id: "m" }, { accept, ...MODERN_HEADERS }),
    ]);
    expect(first.headers["content-type"]).toContain(type);
    expect(first).toMatchObject({
      status: 200,
      message: { id: 1, result: { serverInfo: { name: "agent-board" } } },
    });
    // To a client that takes both, revision 2026-07-28 gives short answers as JSON.
    const isStream = accept === "text/event-stream";
    expect(second.headers["content-type"]).toContain(isStream ? "text/event-stream" : "application/json");
    expect(second).toMatchObject({ status: 200, message: { id: "m", result: {} } });
  });

  it.each([
    ...["tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover"].map(
      (method) => [method, {}, 300_000] as const,
    ),
    ["resources/read", { uri: "board://about" }, 10_000],
  ] as const)("lets hosts keep what %s answers %j for a while: %i ms", async (method, params, ttlMs) => {
    const headers = {
      ...MODERN_HEADERS,
      "mcp-method": method,
      ...("uri" in params && { "mcp-name": params.uri }),
    };
    const sent = { ...MODERN, id: 1, method, params: { ...MODERN.params, ...params } };
    expect((await ask(sent, headers)).message.result).toMatchObject({ ttlMs, cacheScope: "public" });
  });

  it("knows no handshake in a revision that has none", async () => {
    const headers = { ...MODERN_HEADERS, "mcp-method": "initialize" };
    const { message } = await ask({ ...MODERN, id: 1, method: "initialize" }, headers);
    expect(message).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it("answers each request of a batch, with and without a fault", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const batch = [
      ping,
      { jsonrpc: "2.0", id: 2 },
      { ...ping, id: 3, params: ["x"] },
      { ...ping, id: 4, method: "none" },
    ];
    for (const accept of ["application/json", headers.accept]) {
      expect(await ask(batch, { accept, "mcp-protocol-version": "2025-03-26" })).toMatchObject({
        status: 200,
        message: [
          { id: 1, result: {} },
          { id: 2, error: { code: -32600 } },
          { id: 3, error: { code: -32602 } },
          { id: 4, error: { code: -32601 } },
        ],
      });
    }
    const { message } = await ask(batch.slice(1));
    expect(message.map(({ id }: { id: number }) => id)).toEqual([2, 3, 4]);
    expect((await ask([batch[1], batch[1]])).status).toBe(400);
    const told = { jsonrpc: "2.0", method: "notifications/initialized" };
    const silent = { method: "POST", headers, body: JSON.stringify([told, told]) };
    expect((await fetch(`${board.url}/mcp`, silent)).status).toBe(202);
  });

  it("has 25 messages in a batch at most, and performs no more once their answers have a million characters", async () => {
    const list = { jsonrpc: "2.0", method: "tools/list" };
    const batch = (length: number, message: object) =>
      Array.from({ length }, (_, id) => ({ ...message, id }));
    const accept = "application/json";
    // With the schemas of its data the list is long.
    const { message } = await ask(batch(25, list), { accept }, board.url, "/mcp/data");
    const lengths: number[] = message.map((answer: object) => JSON.stringify(answer).length);
    const performed = message.filter((answer: object) => "result" in answer).length;
    const first = (count: number) => lengths.slice(0, count).reduce((sum, length) => sum + length, 0);
    expect([first(performed - 1) <= 1_000_000, first(performed) > 1_000_000]).toEqual([true, true]);
    expect([performed, message[performed]]).toMatchObject([
      expect.any(Number),
      { id: performed, error: { code: -32000, message: expect.stringContaining("in another batch") } },
    ]);
    expect(message).toHaveLength(25);
    expect((await ask(batch(25, ping), { accept })).message).toHaveLength(25);
    expect(await ask(batch(26, ping), { accept })).toMatchObject({
      status: 413,
      message: { id: null, error: { message: expect.stringContaining("at most 25") } },
    });
  });

  it.each([
    ["claude-code", "curl/8", "claude-code"],
    ["an agent", "curl/8", "curl"],
    [undefined, "curl/8", "curl"],
    ["an agent", "a program", "other"],
    ["an agent", undefined, "other"],
    [undefined, "a program", "other"],
    [5, "curl/8", "curl"],
    [5, undefined, "none"],
    [undefined, undefined, "none"],
  ])("counts a call of %s through %s as one of %s", async (name, agent, client) => {
    const counted = vi.spyOn(board.board.usage, "answered");
    onTestFinished(() => counted.mockRestore());
    const _meta = name === undefined ? {} : { [`${META}clientInfo`]: { name, version: "1" } };
    const params = { name: "about", arguments: {}, _meta };
    await ask({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, { "user-agent": agent });
    expect(counted.mock.calls.map(([as, status, , more]) => [as, status, more?.client])).toEqual([
      ["tool:about", 200, client],
    ]);
  });

  it.each([
    [{ id: 4, method: "ping" }, 4],
    [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, 1.5],
    [{ jsonrpc: "2.0", id: "5", method: 7 }, "5"],
    [[{ jsonrpc: "2.0", id: 6 }], 6],
    [{ jsonrpc: "2.0", id: null, method: "ping" }, null],
    [[], null],
  ])("refuses %j by -32600 under its id", async (body, id) => {
    expect(await ask(body)).toMatchObject({ status: 400, message: { id, error: { code: -32600 } } });
  });

  it.each<[what: string, body: object]>([
    ["an answer", { jsonrpc: "2.0", id: 2, result: {} }],
    ["an error", { jsonrpc: "2.0", id: 2, error: { code: 1, message: "x" } }],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized", params: null }],
  ])("takes %s, and has nothing to say to it", async (_what, body) => {
    const answer = await fetch(`${board.url}/mcp`, { method: "POST", headers, body: JSON.stringify(body) });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  it.each([
    { jsonrpc: "2.0", id: 2, result: 5 },
    { jsonrpc: "2.0", id: 2, error: "x" },
    { jsonrpc: "2.0", method: "notifications/initialized", params: 5 },
  ])("has no answer to what asks for none, even where it is wrong: %j", (sent) => {
    expect(readMessage(sent)).toEqual({});
  });

  it.each<[sent: unknown, message: string]>([
    [
      5,
      'Not a request of JSON-RPC 2.0: send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, with a text or a whole number as `id`, and `params` as an object if there are any.',
    ],
    [{ ...ping, params: 5 }, "`params` must be an object, and so must its `_meta`."],
    [
      { ...ping, method: "tools/call", params: { name: 5 } },
      "`params` needs `name` (text: one from tools/list); `arguments` must be an object.",
    ],
    [
      { ...ping, method: "tools/call", params: { name: "about", arguments: ["x"] } },
      "`params` needs `name` (text: one from tools/list); `arguments` must be an object.",
    ],
    [
      { ...ping, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } },
      '`params` needs `protocolVersion` (text, such as "2025-11-25"), `capabilities` (an object) and `clientInfo` (an object with the texts `name` and `version`).',
    ],
  ])("says of %j how it should be", (sent, message) => {
    expect(readMessage(sent).refusal?.error.message).toBe(message);
  });

  it("names the request that a limit refuses", async () => {
    const limited = await startBoard({ RATE_LIMITS: "read=7/60,search=9/60" });
    const left = async (sent: unknown) =>
      /^"read";r=(\d+)/.exec(String((await ask(sent, {}, limited.url)).headers["ratelimit"]))?.[1];
    const called = (name: string) => ({ ...ping, method: "tools/call", params: { name, arguments: {} } });
    expect([await left(INITIALIZE), await left([ping, { ...ping, id: 2 }])]).toEqual(["6", "4"]);
    // A call counts as what it does, and as a read where there is no such tool.
    await ask(called("search"), {}, limited.url);
    expect(await left(ping)).toBe("3");
    await ask(called("no_such_tool"), {}, limited.url);
    expect([await left(ping), await left(ping)]).toEqual(["1", "0"]);
    expect(await ask({ ...INITIALIZE, id: "seven" }, {}, limited.url)).toMatchObject({
      status: 429,
      headers: {
        ratelimit: expect.stringMatching(/^"read";r=0;/),
        "retry-after": expect.stringMatching(/^\d+$/),
      },
      message: { id: "seven", error: { message: expect.stringContaining("limit") } },
    });
    // Whose reads are used up may still search.
    expect(await ask(called("search"), {}, limited.url)).toMatchObject({
      status: 200,
      message: { result: {} },
    });
    await limited.stop();
  });

  it.each([
    ["malformed JSON", 400, -32700, "JSON", '{"jsonrpc":', "application/json"],
    ["a body over 64 KiB", 413, -32600, "64 KiB", `"${"x".repeat(70_000)}"`, "application/json"],
    ["other media", 415, -32000, "`Content-Type: application/json`.", JSON.stringify(ping), "text/plain"],
    ["no media", 415, -32000, "`Content-Type: application/json`.", JSON.stringify(ping), ""],
  ])("refuses %s with %i and %i, never in HTML", async (_what, status, code, said, body, type) => {
    const sent = { method: "POST", headers: { ...headers, "content-type": type }, body };
    const response = await fetch(`${board.url}/mcp`, sent);
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { id: null, error: { code, message: expect.stringContaining(said) } },
    ]);
  });

  it("answers pages from anywhere, and tells them so before they ask", async () => {
    const origin = "https://page.example";
    const asked = { origin, "access-control-request-method": "POST" };
    for (const path of ["/mcp", "/mcp/data", "/mcp/readonly"]) {
      const preflight = await fetch(board.url + path, { method: "OPTIONS", headers: asked });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
      const answer = await ask(ping, { origin }, board.url, path);
      expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
    }
    expect((await fetch(`${board.url}/mcp/nothing`, { method: "POST" })).status).toBe(404);
  });

  it("refuses a Host that is not its own with 403, and takes loopback names, SITE_URL and ALLOWED_HOSTS", async () => {
    const other = await startBoard({
      SITE_URL: "https://board.example",
      ALLOWED_HOSTS: "inside.example:8787",
    });
    for (const host of [
      "evil.example",
      "board.example.evil.example",
      "user@localhost",
      "u:p@board.example",
    ]) {
      const { status, message } = await ask(ping, { host }, other.url);
      expect([status, message.error.message], host).toEqual([403, expect.stringContaining("ALLOWED_HOSTS")]);
    }
    for (const host of [
      "board.example",
      "board.example:443",
      "inside.example",
      "localhost:1",
      "127.0.0.1",
      "[::1]:8787",
    ]) {
      expect((await ask(ping, { host }, other.url)).status).toBe(200);
    }
    await other.stop();
  });

  it("speaks the oldest revision, and gives the version of the package", async () => {
    const params = { ...INITIALIZE.params, protocolVersion: "2024-11-05" };
    const { message } = await ask({ ...INITIALIZE, params });
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    const icons = [{ src: `${board.url}/apple-touch-icon.png`, mimeType: "image/png", sizes: ["180x180"] }];
    const capabilities = { tools: {}, resources: {}, prompts: {} };
    expect(message.result).toEqual({
      protocolVersion: "2024-11-05",
      serverInfo: { name: "agent-board", title: "Agent Board", version, icons },
      capabilities: { ...capabilities, events: {}, extensions: { "io.modelcontextprotocol/events": {} } },
      instructions: expect.stringMatching(/^A public bulletin board .*\n.*\n.*keep the key/),
    });
    const reader = await ask({ ...INITIALIZE, params }, {}, board.url, "/mcp/readonly");
    expect(reader.message.result).toMatchObject({
      capabilities,
      instructions: expect.stringContaining("This server only reads"),
    });
    const unknown = { ...INITIALIZE.params, protocolVersion: "2020-01-01" };
    expect((await ask({ ...INITIALIZE, params: unknown })).message.result.protocolVersion).toBe("2025-11-25");
  });

  it("has posts as resources, by a template, and says what a tool says of its failure", async () => {
    const result = async (method: string, params: object, path = "/mcp") => {
      const { message } = await ask({ jsonrpc: "2.0", id: 1, method, params }, {}, board.url, path);
      return message.result ?? message.error;
    };
    expect(await result("resources/templates/list", {})).toEqual({
      resourceTemplates: [
        {
          uriTemplate: "board://posts/{id}",
          name: "post",
          title: "A post",
          description: "The whole post with its replies, as `get_post` gives it.",
          mimeType: "text/plain",
        },
      ],
    });
    expect(await result("resources/list", {}, "/mcp/readonly")).toEqual({
      resources: [
        {
          uri: "board://about",
          name: "about",
          title: "About this board",
          description: "Size, kinds, top tags and limits of the board.",
          mimeType: "application/json",
        },
      ],
    });
    const [, manual, terms, skill] = (await result("resources/list", {})).resources;
    expect([manual, terms, skill]).toMatchObject([
      { uri: "board://manual", name: "manual", title: "Manual", mimeType: "text/markdown" },
      { uri: "board://terms", name: "terms", title: "Terms", mimeType: "text/markdown" },
      { name: "search-the-board", title: "Skill: search-the-board", mimeType: "text/markdown" },
    ]);
    const { contents } = await result("resources/read", { uri: "board://terms" });
    const uri = "board://terms";
    expect(contents).toEqual([{ uri, mimeType: "text/markdown", text: expect.stringMatching(/^# Terms/) }]);
    expect(await result("resources/read", { uri: "board://posts/nothing" })).toEqual({
      code: -32602,
      message: expect.stringMatching(/^post_not_found: No such post\.\nHint: /),
    });
    expect(await result("resources/read", { uri: "board://manual" }, "/mcp/readonly")).toEqual({
      code: -32602,
      message: "No such resource. See resources/list.",
      data: { uri: "board://manual" },
    });
  });
});

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any message
  message: any;
}

/**
 * Sends a message to /mcp, or another path, with exactly these headers.
 * @param headers  undefined leaves a header out
 */
async function ask(
  sent: unknown,
  headers: Record<string, string | undefined> = {},
  url = board.url,
  path = "/mcp",
): Promise<Answer> {
  const usual = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const given = Object.entries({ ...usual, ...headers }).filter((entry) => entry[1] !== undefined);
  const options = { method: "POST", headers: Object.fromEntries(given), body: JSON.stringify(sent) };
  const { body, ...answer } = await exactRequest(url + path, options);
  const [, data = String(body)] = /^data: (.*)$/m.exec(String(body)) ?? [];
  return { ...answer, message: JSON.parse(data) };
}
