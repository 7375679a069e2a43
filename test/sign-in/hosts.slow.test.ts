import { beforeEach, describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import {
  backTo,
  CALLBACK,
  CookieBrowser,
  consentPage,
  decide,
  fieldsOf,
  RawHost,
} from "../support/clients/sign-in.ts";

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

describe("metadata", () => {
  const documentAt = async (path: string) => {
    const answer = await fetch(`${board.url}/.well-known/oauth-${path}`);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    return answer.json();
  };

  it("says who gives out tokens for the tool server", async () => {
    expect(await documentAt("protected-resource/mcp/me")).toEqual({
      resource: `${board.url}/mcp/me`,
      resource_name: "Agent Board",
      authorization_servers: [board.url],
      scopes_supported: ["board"],
      bearer_methods_supported: ["header"],
      resource_documentation: `${board.url}/docs`,
      resource_tos_uri: `${board.url}/terms`,
    });
  });

  it.each(["authorization-server", "authorization-server/mcp/me"])(
    "says at %s how to get them, and nothing of OpenID",
    async (path) => {
      expect(await documentAt(path)).toEqual({
        issuer: board.url,
        authorization_endpoint: `${board.url}/oauth/authorize`,
        token_endpoint: `${board.url}/oauth/token`,
        registration_endpoint: `${board.url}/oauth/register`,
        revocation_endpoint: `${board.url}/oauth/revoke`,
        scopes_supported: ["board", "offline_access"],
        response_types_supported: ["code"],
        response_modes_supported: ["query", "fragment"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        service_documentation: `${board.url}/docs`,
        op_tos_uri: `${board.url}/terms`,
      });
    },
  );

  it("names no keys of OpenID, and none are served", async () => {
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

describe("the page where a person decides", () => {
  const register = { name: "Newcomer", accept_terms: "yes" };

  it("says where on this computer it leads, and stays out of search engines", async () => {
    const { browser, url, page } = await consentPage(host.start());
    expect(read(page.text)).toContain("127.0.0.1:9999 , a program on this computer");
    expect(page.text).toContain('<meta name="robots" content="noindex">');
    expect(page.text.match(/class="quiet">[^<]*/g)).toEqual(['class="quiet">Do not allow']);
    const allowed = await browser.open(url, { ...fieldsOf(page.text, "allow"), api_key: key });
    const { text } = await browser.open(new URL(allowed.location ?? "", url).href);
    expect(text).toContain("<h1>You have allowed it</h1>");
    const back = backTo(text).href;
    expect(text).toContain(`<meta http-equiv="refresh" content="0;url=${back.replaceAll("&", "&amp;")}">`);
    expect(read(text)).toContain(
      "Your browser goes on to 127.0.0.1:9999 , a program on this computer. If it does not:",
    );
    const redirect_uri = "cursor://anysphere.cursor-mcp/oauth/callback";
    const app = await RawHost.register(board, { redirect_uris: [redirect_uri] });
    const asked = (await consentPage(app.start({ redirect_uri }))).page.text;
    expect(read(asked)).toContain("cursor: , an app on this device");
  });

  it("says what the host may do, for how long, and that it does not learn the key", async () => {
    const { text } = (await consentPage(host.start())).page;
    expect(read(text)).toContain(
      "It sends you back to 127.0.0.1:9999 , a program on this computer: go on only if you came from there. It calls itself “ Raw host ”, which nobody has checked.",
    );
    expect(read(text)).toContain(
      "It may search, write, change and end posts, report posts and save searches, in the name of the publisher that you choose. It does not learn the key, and can neither replace it nor erase the publisher. It stays signed in until you end it at Join , or until it has not come for 30 days.",
    );
    expect(text).toContain('<a href="/join#mine">Join</a>');
    expect(text.match(/name="do" value="\w+"/g)).toEqual(
      ["register", "allow", "deny"].map((action) => `name="do" value="${action}"`),
    );
  });

  it("keeps what was typed when it says what was wrong, but no key", async () => {
    const { browser, url, page } = await consentPage(host.start());
    const typed = { name: "Baker's & Co", description: "Bread.", url: "https://bread.example/" };
    const fields = { ...fieldsOf(page.text, "register"), ...typed };
    const noTerms = await browser.open(url, fields);
    expect([noTerms.status, read(noTerms.text)]).toEqual([400, expect.stringContaining("Accept the terms")]);
    for (const kept of [
      'value="Baker&#39;s &amp; Co"',
      ">Bread.</textarea>",
      'value="https://bread.example/"',
    ])
      expect(noTerms.text).toContain(kept);
    const noPage = await browser.open(url, { ...fields, accept_terms: "yes", url: "ftp://bread.example/" });
    expect([noPage.status, noPage.text]).toEqual([
      400,
      expect.stringContaining('value="ftp://bread.example/"'),
    ]);
    for (const [api_key, status] of [
      ["", 401],
      [`${key.slice(0, -1)}!`, 401],
    ] as const) {
      const refused = await browser.open(url, { ...fieldsOf(page.text, "allow"), api_key });
      expect([refused.status, refused.location, refused.text.includes(key.slice(0, 20))]).toEqual([
        status,
        null,
        false,
      ]);
    }
    const made = await browser.open(url, { ...fields, accept_terms: "yes" });
    const [newKey = ""] = /bbk_\w+/.exec(made.text) ?? [];
    const {
      name,
      description,
      url: site,
    } = (await call(board, "GET /publishers/me", undefined, { key: newKey })).body.data;
    expect({ name, description, url: site }).toEqual(typed);
    expect(read(made.text)).toContain("It is shown only now.");
    expect(fieldsOf(made.text, "allow")["api_key"]).toBe(newKey);
    // Who then decides otherwise has a key, and no host signed in.
    const denied = await browser.open(url, fieldsOf(made.text, "deny"));
    const { text } = await browser.open(new URL(denied.location ?? "", url).href);
    expect([read(text), backTo(text).searchParams.get("error")]).toEqual([
      expect.stringContaining("Nothing was allowed"),
      "access_denied",
    ]);
  });

  it("takes a key with blanks around it", async () => {
    const answer = await decide(host.start(), { key: ` ${key}\t` });
    expect(answer.searchParams.get("code")).not.toBeNull();
  });

  it("makes a publisher with 201, and refuses a field that would do what the board does not", async () => {
    const { browser, url, page } = await consentPage(host.start());
    const fields = { ...fieldsOf(page.text, "register"), ...register };
    const acting = await browser.open(url, { ...fields, preview: "1" });
    expect([acting.status, acting.text]).toEqual([400, expect.stringContaining("preview")]);
    const made = await browser.open(url, fields);
    expect([made.status, made.text]).toEqual([201, expect.stringContaining("bbk_")]);
  });

  it.each([
    [undefined, false],
    ["https://board.example", true],
  ])(
    "is kept by a cookie that no script reads, over https alone where that is the site: %s",
    async (site, isSecure) => {
      const own = await startBoard(
        { SIGN_IN: "on", ...(site === undefined ? {} : { SITE_URL: site }) },
        { idle: true },
      );
      const raw = await RawHost.register(own);
      const start = raw.start({ resource: null });
      const [cookie = ""] = (await fetch(start, { redirect: "manual" })).headers.getSetCookie();
      await own.stop();
      expect(cookie).toMatch(/^sign_in=/);
      expect(cookie.toLowerCase()).toContain("; samesite=lax");
      expect(cookie.toLowerCase()).toContain("; httponly");
      expect(/; secure/i.test(cookie)).toBe(isSecure);
    },
  );
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
  it("stands in the log where the board itself has a fault", async () => {
    const { signIns } = board.board.store;
    const get = signIns.get.bind(signIns);
    signIns.get = () => Promise.reject(new Error("the disk does not answer"));
    const { status } = await new CookieBrowser().open(host.start());
    signIns.get = get;
    expect(status).toBe(500);
    expect(board.logs.join()).toMatch(/the disk does not answer.*"msg":"signing in failed"/);
  });

  it("says to a person whose host was forgotten what helps", async () => {
    const answer = await new CookieBrowser().open(host.start({ client_id: "forgotten" }));
    expect(answer.status).toBe(400);
    expect(read(answer.text)).toContain("remove the connector to this board and add it again");
    const wrong = await new CookieBrowser().open(host.start({ redirect_uri: "https://evil.example/" }));
    expect(read(wrong.text)).toContain("Go back to your host and connect once more.");
  });

  it("goes back to the host when its publisher was erased or suspended after it was allowed", async () => {
    for (const ends of [
      () => call(board, "DELETE /publishers/me", undefined, { key }),
      () => board.board.services.moderation.act("suspend", id, "spam", Date.now()),
    ]) {
      ({ id, key } = await register(board, "Baker"));
      const { browser, url, page } = await consentPage(host.start());
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
    const { url } = await consentPage(host.start());
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
