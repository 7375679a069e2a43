import { beforeEach, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import {
  CALLBACK,
  CookieBrowser,
  consentPage,
  decide,
  RawHost,
  wordsOf,
} from "../support/clients/sign-in.ts";

const board = useTestBoard({ SIGN_IN: "on" }, { idle: true });
let key: string;
let host: RawHost;
beforeEach(async () => {
  ({ key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});

describe("an address to go back to", () => {
  it.each([
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.app:/oauth2redirect",
    "com.example.app://callback?from=board",
    "vscode-insiders://x.y/did-authenticate",
    "Raycast://oauth",
    "http://[::1]:9999/callback",
  ])("may have an app's own scheme beside others: %s", async (uri) => {
    const uris = ["http://localhost:8787/callback", uri, "https://www.cursor.com/agents/callback"];
    const both = await RawHost.register(board, { redirect_uris: uris });
    const answer = await decide(both.start({ redirect_uri: uri }), { key });
    expect(answer.href.toLowerCase()).toContain(uri.toLowerCase());
    const code = answer.searchParams.get("code") ?? "";
    expect((await both.exchange(code, { redirect_uri: uri })).status).toBe(200);
    // An address is taken to the letter.
    const near = await new CookieBrowser().open(both.start({ redirect_uri: `${uri}x` }));
    expect(near).toMatchObject({ status: 400, location: null });
    expect(near.text).not.toContain("go back to the host");
  });

  it("has at most 2,000 characters", async () => {
    const registered = (chars: number) =>
      RawHost.register(board, { redirect_uris: ["https://host.example/".padEnd(chars, "x")] });
    await registered(2_000);
    await expect(registered(2_001)).rejects.toThrow("redirect_uris[0] must be an address of at most 2000");
  });

  it("may have no scheme by which browsers or systems open something of their own", async () => {
    const taken =
      "about blob chrome chrome-extension content data edge feed file filesystem ftp ftps gopher ldap ldaps intent jar javascript " +
      "livescript mailto mocha moz-extension ms-word resource search-ms search shell sms smb ssh telnet tel vbscript view-source ws wss";
    const accepted = [];
    for (const scheme of taken.split(" ")) {
      const registering = RawHost.register(board, { redirect_uris: [`${scheme}:/callback`] });
      if ((await registering.catch(() => null)) !== null) accepted.push(scheme);
    }
    expect(accepted).toEqual([]);
  });

  it.each([
    ["http://host.example/callback", "use http on localhost, 127.0.0.1 and [::1] only"],
    ["javascript:/alert(1)", "a scheme of browsers or systems"],
    ["MS-msdt:/id", "a scheme of browsers or systems"],
    ["/callback", "a whole address"],
    ["com.example.app:callback", "a slash after the scheme"],
    ['cursor://callback?x="><script>', "no character that an address cannot hold"],
    ["https://good.example@evil.example/", "a plain host"],
    ["https://a;sandbox/", "a plain host"],
    ["https://evil.example\\.good.example/", "a plain host"],
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
    return (await consentPage(host.start())).page.text;
  };

  it.each([
    ["x".repeat(50_000), `“${"x".repeat(60)}”`],
    ['Your bank”. "Enter» your ‘password` now', "“Your bank. Enter your password now”"],
    ["Two\nlines\r\n\tof\u2028it", "“Two lines of it”"],
    ["Over\u202Eride\u200B", "“Override”"],
  ])("is one short line without quotation marks, below where the browser goes", async (name, shown) => {
    const page = await named(name);
    expect(/<h1>(.*?)<\/h1>/s.exec(page)?.[1]).toBe("Let a host use Agent Board for you?");
    expect(wordsOf(page).replace(/“ | ”/g, (quote) => quote.trim())).toContain(`It calls itself ${shown}`);
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
