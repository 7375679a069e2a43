import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { CALLBACK, RawHost } from "../support/clients/sign-in.ts";
import { postForm } from "../support/texts/html.ts";

const ADDRESSES = [
  "/.well-known/oauth-protected-resource/mcp/me",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/oauth/authorize?client_id=x",
  "/oauth/authorize/x",
  "/oauth/consent/x",
  "/oauth/jwks",
];
const POSTED = ["/mcp/me", "/oauth/token", "/oauth/register", "/oauth/revoke", "/oauth/consent/x"];

describe("a board without SIGN_IN", () => {
  const board = useTestBoard({}, { idle: true });

  it("has no address of it, sets no cookie and asks nobody to sign in", async () => {
    const answers = await Promise.all([
      ...ADDRESSES.map((path) => fetch(board.url + path)),
      ...POSTED.map((path) => fetch(board.url + path, { method: "POST" })),
    ]);
    for (const { status, headers, url } of answers) {
      expect(status, url).toBe(404);
      expect(headers.get("set-cookie"), url).toBeNull();
      expect(headers.get("www-authenticate"), url).toBeNull();
    }
  });

  it("names no such address, and tells a publisher of no hosts", async () => {
    const { key } = await register(board);
    for (const path of ["/llms.txt", "/join", "/docs"])
      expect(await (await fetch(board.url + path)).text()).not.toContain("/mcp/me");
    const own = await call(board, "GET /publishers/me", undefined, { key });
    expect(own.body.data).not.toHaveProperty("signed_in_hosts");
  });
});

describe("a board with SIGN_IN", () => {
  const board = useTestBoard({ SIGN_IN: "on" }, { idle: true });

  it("names the address on /join, in the manual and among the ways to connect", async () => {
    for (const path of ["/llms.txt", "/join", "/docs"]) {
      expect(await (await fetch(board.url + path)).text()).toContain(`${board.url}/mcp/me`);
    }
  });

  it("shows a person on /join who is signed in, and signs them out with the key", async () => {
    const { key } = await register(board);
    const host = await RawHost.register(board);
    const { access_token: token } = await host.signIn(key);
    const send = async (fields: Record<string, string>) =>
      (await postForm(board, "/join", { api_key: key, ...fields })).text;
    const one = await send({ do: "show" });
    expect(one).toMatch(/<p>Signed in: <bdi>Raw host<\/bdi> \(since 20[\d-]{8}\)<\/p>/);
    expect(one).toContain("Also sign out this host<");
    await (await RawHost.register(board, { client_name: "Other", redirect_uris: [CALLBACK] })).signIn(key);
    const two = await send({ do: "show" });
    expect(two).toMatch(/Signed in: (?:<bdi>(?:Raw host|Other)<\/bdi> \(since [\d-]+\)(?:, )?){2}<\/p>/);
    expect(two).toContain("Also sign out these hosts<");
    expect(await send({ do: "rotate", sign_out_hosts: "true" })).toContain("Your key");
    expect(await host.enter(token)).toBe(401);
  });

  it("tells a model that it is signed in, and needs no key", async () => {
    const { key } = await register(board);
    const { access_token: token } = await (await RawHost.register(board)).signIn(key);
    const connected = async (path: string, headers = {}) => {
      const client = new Client({ name: "test", version: "1.0.0" });
      const transport = new StreamableHTTPClientTransport(new URL(board.url + path), {
        requestInit: { headers },
      });
      await client.connect(transport);
      return client;
    };
    const client = await connected("/mcp/me", { authorization: `bearer ${token}` });
    expect(client.getInstructions()).toContain("You are signed in as a publisher");
    const open = await connected("/mcp");
    const names = async (each: Client) => (await each.listTools()).tools.map(({ name }) => name);
    expect(await names(client)).toEqual(await names(open));
    await open.close();
    await client.close();
  });

  it("leaves /mcp open, and answers /mcp/me with 401 at the first request", async () => {
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const ask = (path: string, more = {}) =>
      fetch(board.url + path, { method: "POST", headers: { ...headers, ...more }, body: ping });
    expect((await ask("/mcp")).status).toBe(200);
    const about = `Bearer resource_metadata="${board.url}/.well-known/oauth-protected-resource/mcp/me", scope="board"`;
    for (const [more, wanted] of [
      [{}, about],
      [{ authorization: "Bearer wrong" }, `${about}, error="invalid_token"`],
    ] as const) {
      const refused = await ask("/mcp/me", more);
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, wanted]);
      expect(await refused.json()).toEqual({
        error: "invalid_token",
        error_description: "Sign in: this address takes tokens, no keys.",
      });
    }
  });
});
