import { beforeEach, describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { backTo, CALLBACK, CookieBrowser, decide, fieldsOf, RawHost } from "../support/clients/sign-in.ts";

const board = useTestBoard({ SIGN_IN: "on", LOG_LEVEL: "info" }, { idle: true });
let id: string;
let key: string;
let host: RawHost;
beforeEach(async () => {
  ({ id, key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});

/** The text of a page, without markup. */
const read = (page: string) => page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** The consent page as the browser that began sees it. */
async function consentPage(start = host.start()) {
  const browser = new CookieBrowser();
  const url = new URL((await browser.open(start)).location ?? "", start).href;
  return { browser, url, page: await browser.open(url) };
}

describe("metadata", () => {
  it("names the scopes that there are, and nothing of OpenID", async () => {
    for (const path of ["", "/mcp/me"]) {
      const answer = await fetch(`${board.url}/.well-known/oauth-authorization-server${path}`);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      const about = (await answer.json()) as Record<string, unknown>;
      expect(about["scopes_supported"]).toEqual(["board", "offline_access"]);
      expect(about["response_modes_supported"]).toEqual(["query", "fragment"]);
      const names = Object.keys(about).join(" ");
      expect(names).not.toMatch(/subject|id_token|claims|userinfo|jwks|acr|request_/);
      for (const name of ["authorization", "token", "registration", "revocation"])
        expect(about[`${name}_endpoint`]).toContain(`${board.url}/oauth/`);
    }
    expect((await fetch(`${board.url}/oauth/jwks`)).status).toBe(404);
  });
});

describe("what a host asks", () => {
  it.each(["login", "select_account", "consent", "create", "login consent", "…"])(
    "may be prompt=%s, which every sign-in does",
    async (prompt) => {
      const answer = await decide(host.start({ prompt }), { key });
      expect((await host.exchange(answer.searchParams.get("code") ?? "")).status).toBe(200);
    },
  );

  it("may have what belongs to OpenID, which changes nothing", async () => {
    const openid = { nonce: "n", max_age: "0", acr_values: "x", id_token_hint: "x", claims_locales: "de" };
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
  });
});

describe("an address to go back to", () => {
  it.each([
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app:/oauth2redirect",
    "com.example.app://callback?from=board",
    "vscode-insiders://x.y/did-authenticate",
    "Raycast://oauth",
  ])("may have an app's own scheme beside others: %s", async (uri) => {
    const uris = ["http://localhost:8787/callback", uri, "https://www.cursor.com/agents/callback"];
    const both = await RawHost.register(board, { redirect_uris: uris });
    const answer = await decide(both.start({ redirect_uri: uri }), { key });
    expect(answer.href.toLowerCase()).toContain(uri.toLowerCase());
    const code = answer.searchParams.get("code") ?? "";
    expect((await both.exchange(code, { redirect_uri: uri })).status).toBe(200);
    // An app's address is taken to the letter.
    const near = await new CookieBrowser().open(both.start({ redirect_uri: `${uri}x` }));
    expect(near).toMatchObject({ status: 400, location: null });
    expect(near.text).not.toContain("go back to the host");
  });

  it.each([
    ["http://host.example/callback", "use http on localhost, 127.0.0.1 and [::1] only"],
    ["javascript:/alert(1)", "a scheme of browsers or systems"],
    ["ms-msdt:/id", "a scheme of browsers or systems"],
    ["/callback", "a whole address"],
    ["com.example.app:callback", "a slash after the scheme"],
    ["https://host.example/#x", "no fragment"],
    [`https://${"a".repeat(300)}.example/`, "a plain host"],
    [7, "an address of at most"],
  ])("that is refused says why: %s", async (uri, why) => {
    const refused = async (redirect_uris: unknown[]) => {
      const answer = await fetch(`${board.url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris }),
      });
      expect(answer.status).toBe(400);
      const { error, error_description: said } = (await answer.json()) as Record<string, string>;
      expect(error).toBe("invalid_redirect_uri");
      return said;
    };
    expect(await refused([uri])).toContain(`redirect_uris[0] `);
    expect(await refused([CALLBACK, uri])).toMatch(/^redirect_uris\[1\] /);
    expect(await refused([uri])).toContain(why);
  });
});

describe("what a host calls itself", () => {
  const named = async (client_name: unknown) => {
    host = await RawHost.register(board, { client_name, redirect_uris: ["https://evil.example/callback"] });
    return (await consentPage()).page.text;
  };

  it.each([
    ["x".repeat(50_000), `“${"x".repeat(60)}”`],
    ['Your bank”. "Enter» your ‘password` now', "“Your bank. Enter your password now”"],
    ["Two\nlines\r\n\tof\u2028it", "“Two lines of it”"],
    ["Over\u202Eride\u200B", "“Override”"],
  ])("is one short line without quotation marks, below where the browser goes", async (name, shown) => {
    const page = await named(name);
    expect(/<h1>(.*?)<\/h1>/s.exec(page)?.[1]).toBe("Let a host use Agent Board for you?");
    expect(read(page).replace(/“ | ”/g, (quote) => quote.trim())).toContain(`It calls itself ${shown}`);
    expect(page.indexOf("<b>evil.example</b>")).toBeGreaterThan(0);
    expect(page.indexOf("<b>evil.example</b>")).toBeLessThan(page.indexOf("calls itself"));
    expect(page.length).toBeLessThan(12_000);
    await host.signIn(key);
    const own = await call(board, "GET /publishers/me", undefined, { key });
    expect(own.body.data.signed_in_hosts).toMatchObject([{ name: shown.slice(1, -1) }]);
  });

  it.each([undefined, "", 7, "“”", " \n"])("may be nothing: %s", async (name) => {
    expect(await named(name)).toContain("does not say what it is called");
  });
});

describe("a sign-in that cannot go on", () => {
  it("says to a person whose host was forgotten what helps", async () => {
    const answer = await new CookieBrowser().open(host.start({ client_id: "forgotten" }));
    expect(answer.status).toBe(400);
    expect(read(answer.text)).toContain("remove the connector to this board and add it again");
  });

  it("goes back to the host when its publisher was erased or suspended after it was allowed", async () => {
    for (const ends of [
      () => call(board, "DELETE /publishers/me", undefined, { key }),
      () => board.board.services.moderation.act("suspend", id, "spam", Date.now()),
    ]) {
      ({ id, key } = await register(board, "Baker"));
      const { browser, url, page } = await consentPage();
      const allowed = await browser.open(url, { ...fieldsOf(page.text, "allow"), api_key: key });
      await ends();
      const answer = await browser.open(allowed.location ?? "");
      expect(answer.status).toBe(200);
      expect(answer.text).toContain("Nothing was allowed");
      expect(backTo(answer.text).searchParams.get("error")).toBe("access_denied");
      expect(browser.cookies.filter(({ name }) => name.includes("session"))).toEqual([]);
      // It hinders no other.
      ({ key } = await register(board, "Baker"));
      await decide(host.start(), { key }, browser);
    }
  });

  it("does not stand in the log by its whole name", async () => {
    const { url } = await consentPage();
    const name = new URL(url).pathname.split("/").at(-1) ?? "";
    await fetch(`${board.url}/oauth/authorize/${name}`);
    const logged = () => board.logs.filter((line) => line.includes(`/${name.slice(0, 4)}…`));
    await eventually(
      async () => logged(),
      ({ length }) => length === 2,
    );
    expect(board.logs.join()).not.toContain(name);
  });
});
