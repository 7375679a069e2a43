import { beforeEach, describe, expect, it } from "vitest";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { backTo, CALLBACK, CookieBrowser, decide, RawHost } from "../support/clients/sign-in.ts";

const board = useTestBoard({ SIGN_IN: "on" }, { idle: true });
let key: string;
let host: RawHost;
beforeEach(async () => {
  ({ key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});

const me = () => `${board.url}/mcp/me`;
const aCode = async (start = host.start()) => (await decide(start, { key })).searchParams.get("code") ?? "";

describe("what a host asks", () => {
  it.each(["login", "select_account", "consent", "create", "login consent", "…"])(
    "may be prompt=%s, which every sign-in does",
    async (prompt) => {
      const answer = await decide(host.start({ prompt }), { key });
      expect((await host.exchange(answer.searchParams.get("code") ?? "")).status).toBe(200);
    },
  );

  it("may have what belongs to OpenID, which changes nothing", async () => {
    const openid = {
      nonce: "n",
      max_age: "0",
      acr_values: "x",
      id_token_hint: "x",
      claims_locales: "de",
      claims: "{",
    };
    for (const scope of ["openid profile", "board"]) {
      const answer = await decide(host.start({ ...openid, scope }), { key });
      expect((await host.exchange(answer.searchParams.get("code") ?? "")).body).not.toHaveProperty(
        "id_token",
      );
    }
  });

  it("may be answered in the fragment", async () => {
    const answer = await decide(host.start({ response_mode: "fragment" }), { key });
    expect(new URLSearchParams(answer.hash.slice(1)).get("code")).not.toBeNull();
  });

  it("may come from a page in a browser", async () => {
    const code = (await decide(host.start(), { key })).searchParams.get("code") ?? "";
    const { clientId: client_id, proof } = host;
    const form = { grant_type: "authorization_code", code, client_id, code_verifier: proof.verifier };
    const answer = await fetch(`${board.url}/oauth/token`, {
      method: "POST",
      headers: { origin: "https://host.example" },
      body: new URLSearchParams({ ...form, redirect_uri: CALLBACK }),
    });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  });

  it.each([
    [{ prompt: "none" }, "interaction_required"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: "code id_token" }, "unsupported_response_type"],
    [{ response_mode: "form_post" }, "unsupported_response_mode"],
    [{ response_mode: "web_message" }, "unsupported_response_mode"],
    [{ request_uri: "https://evil.example/" }, "request_uri_not_supported"],
    [{ resource: "https://evil.example/" }, "invalid_target"],
    [{ code_challenge: null, code_challenge_method: null }, "invalid_request"],
  ])("sends nobody away by itself when it is refused: %o", async (changes, error) => {
    host = await RawHost.register(board, { redirect_uris: ["https://evil.example/callback"] });
    const { status, location, text, headers } = await new CookieBrowser().open(host.start(changes));
    expect({ status, location }).toEqual({ status: 400, location: null });
    expect(text).not.toMatch(/http-equiv="refresh"|<script>|<form/);
    expect(headers.get("content-security-policy")).toContain("form-action 'self';");
    expect(text).toContain("<b>evil.example</b>");
    const back = backTo(text);
    const answer = new URLSearchParams(back.search || back.hash.slice(1));
    expect(answer.get("error")).toBe(error);
    expect(answer.get("iss")).toBe(board.url);
    const why = answer.get("error_description") ?? "";
    expect(text).toContain(why.replaceAll("'", "&#39;").replaceAll('"', "&quot;"));
  });
});

describe("a refused resource", () => {
  const others = () => [board.url, `${board.url}/mcp`, `${board.url}/MCP/me`, `${me()}?x=1`, "nonsense"];

  it("uses up neither a code nor a refresh token", async () => {
    const code = await aCode();
    for (const resource of others()) {
      const refused = await host.exchange(code, { resource });
      expect(refused).toMatchObject({ status: 400, body: { error: "invalid_target" } });
      expect(refused.headers.get("cache-control")).toBe("no-store");
    }
    const { status, body } = await host.exchange(code, { resource: me() });
    expect(status).toBe(200);
    for (const resource of others())
      expect((await host.renew(body.refresh_token, { resource })).body.error).toBe("invalid_target");
    expect((await host.renew(body.refresh_token, { resource: me() })).status).toBe(200);
    expect(await host.enter(body.access_token)).toBe(200);
  });

  it("is none for a slash at the end, a host in other letters, or an empty text", async () => {
    const spelt = [`${me()}/`, me().replace("http:", "HTTP:"), "", me()];
    const twice = `${host.start()}&resource=${encodeURIComponent(`${me()}/`)}`;
    const { body } = await host.exchange(await aCode(twice));
    expect(await host.enter(body.access_token)).toBe(200);
    for (const [n, resource] of spelt.entries()) {
      const again = spelt[(n + 1) % spelt.length] ?? "";
      const { status, body } = await host.exchange(await aCode(host.start({ resource })), {
        resource: again,
      });
      expect([resource, status]).toEqual([resource, 200]);
      const renewed = await host.renew(body.refresh_token, { resource });
      expect([resource, renewed.status]).toEqual([resource, 200]);
      expect(await host.enter(renewed.body.access_token)).toBe(200);
    }
  });
});

describe("scopes", () => {
  it.each(["openid offline_access", "board", "mcp:tools board", "…"])(
    "are `board` when %s is asked for, also at a renewal",
    async (scope) => {
      const { body } = await host.exchange(await aCode(host.start({ scope })));
      expect(body.scope).toBe("board");
      const renewed = await host.renew(body.refresh_token, { scope });
      expect(renewed).toMatchObject({ status: 200, body: { scope: "board" } });
      expect(await host.enter(renewed.body.access_token)).toBe(200);
    },
  );
});
