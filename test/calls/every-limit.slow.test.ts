import type { Router } from "express";
import { describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { OPERATOR_KEY } from "../support/clients/operator.ts";
import { RawHost } from "../support/clients/sign-in.ts";

/** What is answered without limit: probes come often, from one address for all, and their answers are made of nothing. */
const PROBES = new Set(["GET /healthz", "HEAD /healthz", "GET /readyz", "HEAD /readyz"]);
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const ONE_OF_EACH =
  "read=1/60,search=1/60,write=1/60,register=1/60,report=1/60,subscribe=1/60,verify=1/60,clients=1/60";

const board = useTestBoard({
  RATE_LIMITS: ONE_OF_EACH,
  TRUST_PROXY: "1",
  SIGN_IN: "on",
  CONTACT: "mailto:a@example.org",
  OPERATOR_KEY,
});
let addresses = 0;
const somewhere = () => {
  addresses += 1;
  return { "x-forwarded-for": `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` };
};

/**
 * Every path of every router, with something in the place of each parameter.
 * @param at  where the router stands
 */
function pathsIn(router: Router, at = ""): string[] {
  return router.stack.flatMap((layer) => {
    const { route, handle } = layer;
    if (route === undefined) return "stack" in handle ? pathsIn(handle as Router, at + placeOf(layer)) : [];
    return [route.path as unknown as string | string[]]
      .flat()
      .map((path) => at + path.replace(/[:{*]\w+}?/g, "x"));
  });
}

/** Where a router stands in the one around it: at its root, or below the address of the API. */
function placeOf(layer: object): string {
  const { match } = layer as { match(path: string): boolean };
  const place = ["", "/api/v1"].find((each) => match.call(layer, `${each}/x`));
  if (place === undefined) throw new Error("a router stands elsewhere: its place must be named here");
  return place;
}

describe("every path", () => {
  it.each(METHODS)("is refused to a caller who has used up its limits: %s", async (method) => {
    const own = [...new Set(pathsIn(buildApp(board.board).router as Router))];
    expect(own).toEqual(
      expect.arrayContaining([
        "/api/v1/posts",
        "/search.md",
        "/oauth/token",
        "/mcp/me",
        "/mcp/operator",
        "/operate/act",
        "/robots.txt",
      ]),
    );
    const paths = [...own, "/", "/api", "/nothing", "/api/v1/nothing", "/.well-known/x", "/%ff"];
    const uncounted: string[] = [];
    for (const path of paths) {
      const headers = somewhere();
      const ask = () => call(board, `${method} ${board.url}${path}`, undefined, { headers });
      let isRefused = false;
      for (let n = 0; n < 3 && !isRefused; n += 1) isRefused = (await ask()).status === 429;
      if (!isRefused) uncounted.push(`${method} ${path}`);
    }
    expect(uncounted.filter((each) => !PROBES.has(each))).toEqual([]);
  });

  it.each([
    ["/join", { do: "show" }, {}],
    ["/join", { do: "register", name: "X" }, { "sec-fetch-site": "cross-site" }],
    ["/p/x/report", { reason: "spam" }, { "sec-fetch-site": "cross-site" }],
    ["/oauth/consent/x", { do: "allow" }, {}],
    ["/search?q=", undefined, { accept: "text/html" }],
  ])("counts a form that reaches no operation: %s %j %j", async (path, form, more) => {
    const headers = { ...somewhere(), ...more };
    const body = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
    const ask = () => fetch(board.url + path, { ...body, headers, redirect: "manual" });
    const statuses = [await ask(), await ask()].map(({ status }) => status);
    expect(statuses[0]).not.toBe(429);
    expect(statuses[1]).toBe(429);
  });
});

const META = "io.modelcontextprotocol/";
const MODERN = {
  [`${META}protocolVersion`]: "2026-07-28",
  [`${META}clientCapabilities`]: { elicitation: {} },
};
const CALLS: [method: string, params?: object][] = [
  [
    "initialize",
    { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  ],
  ["initialize"],
  ["server/discover"],
  ["ping"],
  ["tools/list"],
  ["tools/list", { cursor: "foreign" }],
  ["tools/call", { name: "search", arguments: {} }],
  ["tools/call", { name: "get_post", arguments: { id: "7fKm3Qx9Rt" } }],
  ["tools/call", { name: "register_publisher", arguments: { name: "Asked" } }],
  ["tools/call", { name: "no_tool", arguments: {} }],
  ["tools/call", { name: "search", arguments: "bike" }],
  ["tools/call", { name: "search", arguments: {}, _meta: 5 }],
  ["tools/call"],
  ["resources/list"],
  ["resources/templates/list"],
  ...[
    "board://about",
    "board://manual",
    "board://terms",
    "board://subscriptions",
    "skill://board/SKILL.md",
    "x:y",
  ].map((uri): [string, object] => ["resources/read", { uri }]),
  ["resources/subscribe", { uri: "board://about" }],
  ["prompts/list"],
  ["prompts/get", { name: "find", arguments: { what: "a bike" } }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "find" }, argument: { name: "what", value: "b" } },
  ],
  ["logging/setLevel", { level: "info" }],
  ["subscriptions/listen", { notifications: { resourceSubscriptions: ["board://about"] } }],
  ["subscriptions/listen", { notifications: 5 }],
  ["notifications/initialized"],
  ["no/method"],
];

const REVISIONS: [string, typeof CALLS, Record<string, string>][] = [
  ["with a handshake", CALLS, {}],
  [
    "of 2026-07-28",
    CALLS.map(([method, params]) => [method, { ...params, _meta: MODERN }]),
    { "mcp-protocol-version": "2026-07-28" },
  ],
];
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json" };

async function send(url: string, body: string, headers: Record<string, string>) {
  const response = await fetch(url, { method: "POST", headers: { ...JSON_HEADERS, ...headers }, body });
  const text = await response.text();
  return {
    status: response.status,
    text,
    isRefused: response.status === 429 || text.includes("rate_limited"),
  };
}

/** The messages that are answered however often they come. */
async function unlimited(
  url: string,
  [, calls, more]: (typeof REVISIONS)[number],
  { most, headersOf }: { most: number; headersOf: () => Record<string, string> },
) {
  const found = [];
  for (const [method, params] of calls) {
    const { name, uri = name } = (params ?? {}) as { name?: string; uri?: string };
    const standard = { "mcp-method": method, ...(uri === undefined ? {} : { "mcp-name": uri }) };
    const headers = { ...headersOf(), ...more, ...(more["mcp-protocol-version"] ? standard : {}) };
    const id = method.startsWith("notifications/") ? {} : { id: 1 };
    const body = JSON.stringify({ jsonrpc: "2.0", ...id, method, params });
    let last = await send(url, body, headers);
    for (let n = 1; n < most && !last.isRefused; n += 1) last = await send(url, body, headers);
    if (!last.isRefused) found.push([method, params, last]);
  }
  return found;
}

describe.each(REVISIONS)("every message of a revision %s", (...revision) => {
  it.each(["/mcp", "/mcp/data", "/mcp/readonly"])("counts at %s", async (door) => {
    expect(await unlimited(board.url + door, revision, { most: 3, headersOf: somewhere })).toEqual([]);
  });

  it("counts at /mcp/me, by the publisher who signed in", async () => {
    const { key } = await register(signedIn);
    const host = await RawHost.register(signedIn);
    const { access_token: token } = await host.signIn(key);
    const headersOf = () => ({ ...somewhere(), authorization: `Bearer ${token}` });
    const { text } = await send(`${signedIn.url}/mcp/me`, PING, headersOf());
    expect(text).toContain("result");
    expect(await unlimited(`${signedIn.url}/mcp/me`, revision, { most: 50, headersOf })).toEqual([]);
  });
});

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const signedIn = useTestBoard({
  RATE_LIMITS: ONE_OF_EACH.replace("read=1", "read=10")
    .replace("register=1", "register=9")
    .replace("clients=1", "clients=9"),
  TRUST_PROXY: "1",
  SIGN_IN: "on",
});

describe("what is no message at /mcp", () => {
  it.each([
    ["no JSON", "POST", "{", {}],
    ["another type", "POST", "{}", { "content-type": "text/plain" }],
    ["a body that is too large", "POST", " ".repeat(70_000), {}],
    ["an empty batch", "POST", "[]", {}],
    ["a text", "POST", '"x"', {}],
    ["another method", "DELETE", undefined, {}],
  ])("counts as a read: %s", async (_name, method, body, more) => {
    const headers = { ...JSON_HEADERS, ...somewhere(), ...more };
    const ask = () => fetch(`${board.url}/mcp`, { method, headers, ...(body === undefined ? {} : { body }) });
    const statuses = [(await ask()).status, (await ask()).status];
    expect(statuses[0]).toBeGreaterThanOrEqual(400);
    expect([statuses[0] === 429, statuses[1]]).toEqual([false, 429]);
  });
});

describe("a batch", () => {
  const open = useTestBoard();
  const batch = (n: number, method: string, params?: object) =>
    JSON.stringify(Array.from({ length: n }, (_, id) => ({ jsonrpc: "2.0", id, method, params })));

  it("counts each of its messages", async () => {
    const limited = { ...somewhere() };
    expect((await send(`${board.url}/mcp`, batch(2, "ping"), limited)).status).toBe(429);
  });

  it("has at most 25 messages, each answered under its id", async () => {
    const whole = await send(`${open.url}/mcp`, batch(25, "ping"), {});
    expect(JSON.parse(whole.text).map(({ id }: { id: number }) => id)).toEqual([...Array(25).keys()]);
    const more = await send(`${open.url}/mcp`, batch(26, "ping"), {});
    expect([more.status, more.text]).toEqual([413, expect.stringContaining("at most 25 messages")]);
  });

  it("performs no further message once its answers are a megabyte", async () => {
    const { key } = await register(open);
    const body = "Böses ".repeat(1_300);
    for (let n = 0; n < 50; n += 1) {
      const post = { title: `${n * 7919} boats`, body: `${n} ${body}`, kind: "offer" };
      const headers = { authorization: `Bearer ${key}` };
      expect((await send(`${open.api}/posts`, JSON.stringify(post), headers)).status).toBe(201);
    }
    const params = { name: "search", arguments: { limit: 50, detail: "full" } };
    const { text } = await send(`${open.url}/mcp/data`, batch(25, "tools/call", params), {});
    const answers: { error?: { message: string } }[] = JSON.parse(text);
    const performed = answers.filter(({ error }) => error === undefined).length;
    expect([answers.length, performed > 0 && performed < 25]).toEqual([25, true]);
    expect(answers[24]?.error?.message).toContain("was not performed");
    expect(text.length).toBeLessThan(2_500_000);
  });

  it("of notifications alone is accepted without an answer", async () => {
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    const { status, text } = await send(`${open.url}/mcp`, JSON.stringify([notification, notification]), {});
    expect([status, text]).toEqual([202, ""]);
  });
});
