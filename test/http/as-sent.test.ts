import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Response } from "express";
import { describe, expect, it } from "vitest";
import { nameTwice } from "../../src/adapters/calls/name-twice.ts";
import { addLink, namesTag } from "../../src/adapters/http/answers.ts";
import { answerBrokenRequests } from "../../src/adapters/http/broken-requests.ts";
import { clientOf } from "../../src/adapters/http/requests.ts";
import { buildApp } from "../../src/app.ts";
import { call } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { exactRequest } from "../support/clients/exact-request.ts";

// The clock stands still. Otherwise the board could count anew between two requests, and say so.
const now = Date.now();
const board = useTestBoard({}, { clock: () => now });
const publisher = usePublisher(board);

const LONG = "x".repeat(150);

describe("Accept", () => {
  it.each([
    ["application/json; charset=utf-8", "application/json"],
    ["application/json;charset=UTF-8, */*;q=0.1", "application/json"],
    ["application/json; version=1; q=0.9, text/html; q=0.1", "application/json"],
    ['text/markdown; variant="GFM; a,b", text/html;q=0.5', "text/markdown"],
    ["text/html;level=1;q=0.2, text/markdown;q=0.8;x=y", "text/markdown"],
    ["application/json; charset=utf-8; q=0, text/html", "text/html"],
    ["text/html", "text/html"],
  ])("names a type with any parameter: %s", async (accept, type) => {
    for (const path of ["/search", "/", "/docs"]) {
      const { headers } = await fetch(board.url + path, { headers: { accept } });
      expect(headers.get("content-type"), path).toMatch(new RegExp(`^${type}`));
      const isByLanguage = headers.get("vary")?.includes("Accept-Language");
      expect([path, isByLanguage]).toEqual([path, type === "text/html"]);
      expect(headers.get("vary")?.split(", ")).toEqual(expect.arrayContaining(["Accept", "Accept-Encoding"]));
    }
  });
});

describe("If-None-Match", () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['W/"b", "a"', true],
    ['"b",W/"a-gzip"', true],
    ["*", true],
    ['"b"', false],
    ["a", false],
    ['"ab"', false],
    [undefined, false],
  ])("names a version among others: %s %s", (header, names) => {
    expect(namesTag(header, "a")).toBe(names);
  });
});

describe("a Link header", () => {
  it("names an address of 1,500 characters at most, in which nothing ends early", () => {
    const links: string[] = [];
    const response = { append: (_name: string, link: string) => links.push(link) } as unknown as Response;
    for (const length of [1_500, 1_501]) addLink(response, "x".repeat(length), "next");
    addLink(response, '/a<b>"c d', "alternate", "text/html");
    expect(links).toEqual([
      `<${"x".repeat(1_500)}>; rel="next"`,
      '</a%3Cb%3E%22c%20d>; rel="alternate"; type="text/html"',
    ]);
  });
});

describe("the other forms of a page", () => {
  it.each([
    ["/", ["/index.json", "/index.md"]],
    ["/index.md?kind=event", ["/?kind=event", "/index.json?kind=event"]],
    ["/search.json", ["/search", "/search.md"]],
    ["/search?q=a", ["/search.json?q=a", "/search.md?q=a"]],
  ])("are named beside it: %s", async (path, others) => {
    const { headers } = await fetch(board.url + path, { headers: { accept: "text/html" } });
    const links = [...(headers.get("link") ?? "").matchAll(/<([^>]*)>; rel="alternate"; type="([^"]*)"/g)];
    const forms = links.filter(([, , type = ""]) => /html|markdown|\/json/.test(type));
    expect(forms.map(([, address]) => address)).toEqual(others.map((other) => board.url + other));
  });
});

describe("HEAD", () => {
  const posts = ["/api/v1/search", "/api/v1/board", "/api/v1/posts/nobodyhas1"];
  it.each(["/llms.txt", "/", "/search.json", "/healthz", "/nothing", "/robots.txt", ...posts])(
    "has the headers of GET, and no body: %s",
    async (path) => {
      const ask = async (method: string, encoding: string) => {
        const response = await fetch(board.url + path, { method, headers: { "accept-encoding": encoding } });
        const kept = [...response.headers].filter(
          ([name]) =>
            !["date", "x-request-id", "transfer-encoding", "connection", "keep-alive"].includes(name),
        );
        return { status: response.status, kept, size: (await response.arrayBuffer()).byteLength };
      };
      for (const encoding of ["gzip", "br", "identity"]) {
        const [get, head] = [await ask("GET", encoding), await ask("HEAD", encoding)];
        expect([head.status, head.kept]).toEqual([get.status, get.kept]);
        expect([get.size > 0, head.size]).toEqual([true, 0]);
      }
    },
  );
});

describe("a body", () => {
  it.each([
    ["application/vnd.api+json", { "content-length": "2" }, 400, "invalid_request"],
    ["text/plain", { "content-length": "2" }, 415, "unsupported_media_type"],
    ["text/plain", { "transfer-encoding": "chunked" }, 415, "unsupported_media_type"],
  ])("is JSON by its type, however its length is told: %s %j", async (type, length, status, code) => {
    const headers = { ...length, "content-type": type, authorization: `Bearer ${publisher.key}` };
    const answer = await exactRequest(`${board.api}/posts`, { method: "POST", headers, body: "{}" });
    expect([answer.status, JSON.parse(answer.body.toString()).error.code]).toEqual([status, code]);
  });
});

describe("a calling program", () => {
  it.each([
    ["none", [undefined, "", " "]],
    ["other", ["my python", "an agent (curl)"]],
    ["curl", ["curl/8.5.0", " CURL"]],
    ["python-requests", ["python-requests/2.32"]],
    ["python", ["Python-urllib/3.13"]],
    ["go", ["Go-http-client/2.0"]],
    ["node", ["undici", "node"]],
    ["browser", ["Mozilla/5.0 (X11) curl"]],
    ["claude-code", ["claude-code/2", "Claude Code"]],
    ["claude", ["Claude-User/1.0"]],
    ["vscode", ["Visual Studio Code/1.9", "vscode"]],
    ["copilot", ["GitHub-Copilot-Chat", "copilot"]],
    ["lm-studio", ["LM Studio", "lmstudio/1", "lm-studio"]],
    ["okhttp", ["okhttp/5"]],
  ])("counts as %s, by how its name begins: %j", (name, said) => {
    expect(said.map(clientOf)).toEqual(said.map(() => name));
  });

  it("counts under its own name, whatever follows it", () => {
    const names =
      "cursor codex chatgpt openai gemini windsurf cline roo zed goose opencode openclaw librechat mcp-inspector " +
      "mcp-remote agent-board wget python-httpx aiohttp axios bun deno java ruby php postman insomnia";
    for (const name of names.split(" ")) expect(clientOf(`${name}/1.0 (Linux)`)).toBe(name);
  });
});

describe("a name twice in one object", () => {
  it.each([
    ['{"title":"A","body":"x","title":"B"}', "title"],
    ['{"title":"A","body":"x","t\\u0069tle":"B"}', "title"],
    ['{"title":"A","body":"x","location":{"name":"A","lat":1,"name":"B"}}', "name"],
    ['{"title":"A","body":"x","metadata":{"a":[{"b":1},{"c":1,"c":2}]}}', "c"],
    [`{"${LONG}":1,"${LONG}":2}`, LONG.slice(0, 100)],
  ])("is refused, and nothing is written: %s", async (body, path) => {
    const { status, body: said } = await call(board, "POST /posts", body, publisher);
    expect([status, said.error.code, said.error.issues[0]]).toEqual([
      400,
      "invalid_request",
      expect.objectContaining({ path, code: "duplicate_name" }),
    ]);
    expect((await call(board, "GET /search")).body.data).toEqual([]);
  });

  it.each([
    '{"a":{"b":1},"b":{"a":1},"c":[{"a":1},{"a":2}]}',
    '{"a":"\\"b\\":1, \\"b\\":2","b":"{\\"b\\":","c":"\\\\"}',
    "[]",
    '"a"',
  ])("is none where objects differ or strings hold marks: %s", (json) => {
    JSON.parse(json);
    expect(nameTwice(json)).toBeNull();
  });

  it("is refused over MCP under the id of its request", async () => {
    const body =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"q":"a","q":"b"}}}';
    const headers = { "content-type": "application/json", accept: "application/json" };
    const answer = await fetch(`${board.url}/mcp`, { method: "POST", headers, body });
    const message = expect.stringContaining("stands twice");
    expect(await answer.json()).toMatchObject({ id: 7, error: { code: -32600, message } });
  });
});

describe("a list over MCP", () => {
  it.each(["tools/list", "resources/list", "resources/templates/list", "prompts/list"])(
    "refuses a cursor that nobody gave out, and takes an empty one: %s",
    async (method) => {
      const ask = async (cursor: string) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { cursor } });
        const headers = { "content-type": "application/json", accept: "application/json" };
        return (await fetch(`${board.url}/mcp`, { method: "POST", headers, body })).json();
      };
      expect(await ask("bogus")).toMatchObject({
        error: { code: -32602, message: expect.stringContaining("one page") },
      });
      expect(await ask("")).toHaveProperty("result");
    },
  );
});

describe("a request that Node's parser refuses", () => {
  it.each([
    [
      "letters that are not ASCII",
      "GET /api/v1/search?q=café HTTP/1.1\r\nHost: x\r\n\r\n",
      "400 Bad Request",
      "invalid_query",
      "Parameters are wrong or missing.",
      "The address holds characters that must be percent-encoded: send café as caf%C3%A9, and a blank as %20.",
    ],
    [
      "a blank in the address",
      "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
      "400 Bad Request",
      "invalid_request",
      "This is no request of HTTP that the board can read.",
      "See how your client writes the address and the headers.",
    ],
    [
      "long headers",
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
      "431 Request Header Fields Too Large",
      "invalid_request",
      "The address and the headers are longer than 16 KiB.",
      "Send fewer of them.",
    ],
  ])("is answered in the form of the API: %s", async (_name, request, status, code, message, hint) => {
    const server = createServer(buildApp(board.board));
    answerBrokenRequests(server, "https://board.example/llms.txt");
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("utf8");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(request);
    await new Promise((closed) => socket.once("close", closed));
    server.close();
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head.split("\r\n")).toEqual([
      `HTTP/1.1 ${status}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
    ]);
    expect(JSON.parse(body)).toEqual({
      ok: false,
      error: { code, message, hint, issues: [] },
      meta: { docs: "https://board.example/llms.txt" },
    });
  });
});

describe("a route", () => {
  const post = async (title: string) =>
    call(
      board,
      "POST /posts",
      { title, body: `All about: ${title}`, tags: ["routed"], kind: "offer" },
      publisher,
    );

  it("names what it made, and the next page of the same question by an address of this site", async () => {
    const made = await post("A rowing boat");
    expect([made.status, made.headers.get("location"), made.headers.get("etag")]).toEqual([
      201,
      `${board.url}/p/${made.body.data.id}`,
      null,
    ]);
    const other = await post("Two oars");
    const { headers, body } = await call(board, "GET /posts?tags=routed&kind=offer&limit=1");
    expect(headers.get("link")).toBe(
      `</api/v1/posts?tags=routed&kind=offer&limit=1&cursor=${encodeURIComponent(body.next_cursor)}>; rel="next"`,
    );
    expect(["vary", "cache-control", "content-type"].map((name) => headers.get(name))).toEqual([
      expect.stringContaining("Authorization"),
      "no-cache",
      "application/json; charset=utf-8",
    ]);
    for (const { id } of [made.body.data, other.body.data])
      expect((await call(board, `DELETE /posts/${id}`, undefined, publisher)).status).toBe(200);
  });

  it("says whether what it gives was made by an earlier call with the same key", async () => {
    const sent = { title: "A raft", body: "Of six logs.", idempotency_key: "raft" };
    const [first, again] = [
      await call(board, "POST /posts", sent, publisher),
      await call(board, "POST /posts", sent, publisher),
    ];
    expect(
      [first, again].map(({ status, headers }) => [status, headers.get("idempotency-replayed")]),
    ).toEqual([
      [201, null],
      [200, "true"],
    ]);
    expect(again.body.data).toEqual(first.body.data);
    await call(board, `DELETE /posts/${first.body.data.id}`, undefined, publisher);
  });

  it("that changes or removes something does so only while that is what its caller has seen", async () => {
    const { id, updated_at } = (await post("A kayak")).body.data;
    const seen = (await call(board, `GET /posts/${id}`, undefined, publisher)).headers.get("etag") ?? "";
    const before = new Date(Date.parse(updated_at) - 2_000).toUTCString();
    const since = new Date(Date.parse(updated_at)).toUTCString();
    const change = async (headers: Record<string, string>, title: string) => {
      const { status, body } = await call(board, `PATCH /posts/${id}`, { title }, { ...publisher, headers });
      return body.error?.code ?? status;
    };
    expect([
      await change({ "if-unmodified-since": before }, "Too late"),
      await change({ "if-match": '"another"' }, "Of another version"),
      await change({ "if-match": '"another"', "if-unmodified-since": since }, "The tag counts"),
      await change({ "if-unmodified-since": since }, "In time"),
      await change({ "if-match": seen }, "Seen before"),
      await change({ "if-match": "*" }, "Any version"),
      await change({ "idempotency-key": "of no use here" }, "With a header that every write may have"),
    ]).toEqual([...Array(3).fill("precondition_failed"), 200, "precondition_failed", 200, 200]);
    for (const [headers, status] of [
      [{ "if-unmodified-since": before }, 412],
      [{ "if-match": seen }, 412],
      [{ "if-match": "*" }, 200],
    ] as const)
      expect((await call(board, `DELETE /posts/${id}`, undefined, { ...publisher, headers })).status).toBe(
        status,
      );
  });

  it.each([
    ["PUT /publishers/me", "DELETE, GET, PATCH, HEAD, OPTIONS"],
    ["GET /reports", "POST, OPTIONS"],
    ["PUT /posts/nobodyhas1", "DELETE, GET, PATCH, HEAD, OPTIONS"],
    ["PATCH /posts", "GET, POST, HEAD, OPTIONS"],
  ] as const)("says to %s what it takes", async (request, allowed) => {
    const { status, headers } = await call(board, request);
    expect([status, headers.get("allow")]).toEqual([405, allowed]);
  });

  it.each([
    ["null", "Must be one JSON object."],
    ["[]", "Must be one JSON object."],
    ['"text"', "Must be one JSON object."],
    ["7", "Must be one JSON object."],
    ["{}", "Required."],
    ["", "Required."],
  ])("takes one object as a body, or none: %s", async (body, message) => {
    const { error } = (await call(board, "POST /posts", body, publisher)).body;
    expect([error.code, error.issues[0].message]).toEqual(["invalid_request", message]);
  });

  it("with a fixed name comes before one with an id, whose letters count", async () => {
    expect((await call(board, "GET /publishers/me")).body.error.code).toBe("missing_api_key");
    expect((await call(board, "GET /publishers/Me")).body.error.code).toBe("publisher_not_found");
    expect((await call(board, "GET /publishers/me/inboxes")).body.error.code).toBe("not_found");
  });
});
