import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { signInId } from "../../src/domain/publishers/hosts.ts";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import type { Outbound, OutboundRequest } from "../../src/ports/outbound.ts";
import { call, register } from "../support/boards/client.ts";
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

/** Documents of clients, by their address, with the status of the answer; every other address goes through the real guard. */
const documents = new Map<string, Record<string, unknown>>();
const guard = openOutbound({ allow: [] });
const outbound: Outbound = {
  refusal: (url) => guard.refusal(url),
  txt: (name) => guard.txt(name),
  close: () => Promise.resolve(),
  async send(request) {
    const found = documents.get(request.url);
    fetched.push(request);
    if (found === undefined) return guard.send(request);
    const { status = 200, headers = {}, ...document } = found;
    const body = Buffer.from(JSON.stringify(document));
    return { status: Number(status), headers: headers as Record<string, string>, body };
  },
};
/** Every request for a document. */
const fetched: OutboundRequest[] = [];

let now = Date.now();
let host: RawHost;
let id: string;
let key: string;
const board = useTestBoard({ SIGN_IN: "on" }, { idle: true, outbound, clock: () => now });
beforeEach(async () => {
  ({ id, key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});

const open = (url: string) => new CookieBrowser().open(url);
/** A code that a person gives the host. */
const aCode = async (start = host.start()) => (await decide(start, { key })).searchParams.get("code") ?? "";
/** The error that the host gets when it starts with these changes and its person goes back to it. */
async function errorOf(changes: Parameters<RawHost["start"]>[0], browser = new CookieBrowser()) {
  const answer = await browser.open(host.start(changes));
  expect(answer).toMatchObject({ status: 400, location: null });
  return backTo(answer.text).searchParams.get("error");
}
const whoAmI = (headers: Record<string, string>) => call(board, "GET /publishers/me", undefined, { headers });

describe("where the answer goes", () => {
  it.each([
    "https://evil.example/callback",
    "http://127.0.0.1:9999/callback/more",
    "http://127.0.0.1:9999/other",
    "http://127.0.0.1.evil.example/callback",
    `${CALLBACK}?next=https://evil.example`,
    "//evil.example",
  ])("is refused with a page, and nothing is redirected, for %s", async (uri) => {
    const answer = await open(host.start({ redirect_uri: uri }));
    expect(answer).toMatchObject({ status: 400, location: null });
    expect(answer.text).toContain("This sign-in cannot go on");
  });

  it("may have another port on this machine, as programs take a free one", async () => {
    const moved = host.start({ redirect_uri: "http://127.0.0.1:5555/callback" });
    expect((await decide(moved, { key })).port).toBe("5555");
  });

  it("is also found with the slash that a library adds to an address without a path", async () => {
    const bare = await RawHost.register(board, { redirect_uris: ["http://localhost:7777"] });
    expect((await decide(bare.start({ redirect_uri: "http://localhost:7777/" }), { key })).port).toBe("7777");
  });

  it("is not what an unknown client says", async () => {
    expect(await open(host.start({ client_id: "nobody" }))).toMatchObject({ status: 400, location: null });
  });

  it("is told again when the code is changed for tokens", async () => {
    const code = await aCode();
    const other = await host.exchange(code, { redirect_uri: "http://127.0.0.1:9999/other" });
    expect(other).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});

describe("a code", () => {
  it("ends everything that came of it when it is used again", async () => {
    const code = await aCode();
    const { body } = await host.exchange(code);
    expect(await host.enter(body.access_token)).toBe(200);
    expect((await host.exchange(code)).body.error).toBe("invalid_grant");
    expect(await host.enter(body.access_token)).toBe(401);
    expect((await host.renew(body.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("gives tokens to one of many that use it at the same moment", async () => {
    const code = await aCode();
    const answers = await Promise.all(Array.from({ length: 5 }, () => host.exchange(code)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it("is not given without a proof key, or for a plain one", async () => {
    for (const changes of [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: "plain" },
      { code_challenge_method: null },
    ]) {
      expect(await errorOf(changes)).toBe("invalid_request");
    }
  });

  it("is worth nothing without the verifier, or to another client", async () => {
    const code = await aCode();
    const other = await RawHost.register(board);
    expect((await host.exchange(code, { code_verifier: other.proof.verifier })).status).toBe(400);
    expect((await other.exchange(code, { code_verifier: host.proof.verifier })).status).toBe(400);
    expect((await host.exchange(code)).status).toBe(200);
  });
});

describe("a token", () => {
  it("is for /mcp/me when the host names no resource, and says no scope", async () => {
    const { body } = await host.exchange(await aCode(host.start({ resource: null, scope: null })));
    expect(body.scope).toBe("board");
    expect(await host.enter(body.access_token)).toBe(200);
  });

  it("of another resource does not open /mcp/me", async () => {
    const { access_token: token } = await host.signIn(key);
    const { signIns } = board.board.store;
    const row = await signIns.get(signInId("AccessToken", token), Date.now());
    if (row === null) throw new Error("no token");
    await signIns.put({ ...row, payload: row.payload.replace("/mcp/me", "/mcp/you") });
    expect(await host.enter(token)).toBe(401);
  });

  it("opens no other address, and a key does not open /mcp/me", async () => {
    const { access_token: token } = await host.signIn(key);
    expect(await host.enter(token)).toBe(200);
    for (const headers of [{ authorization: `Bearer ${token}` }, { "x-api-key": token }])
      expect((await whoAmI(headers)).status).toBe(401);
    expect(await host.enter(key)).toBe(401);
  });

  it("is revoked by its own client alone", async () => {
    const { access_token: token, refresh_token: renewal } = await host.signIn(key);
    const other = await RawHost.register(board);
    const revoke = async (of: string, { clientId: client_id }: RawHost) => {
      const body = new URLSearchParams({ token: of, client_id });
      await fetch(`${board.url}/oauth/revoke`, { method: "POST", body });
    };
    for (const each of [token, renewal]) await revoke(each, other);
    expect(await host.enter(token)).toBe(200);
    await revoke(renewal, host);
    expect(await host.enter(token)).toBe(401);
  });

  it("ends with its sign-in, also where a renewal was under way", async () => {
    const { access_token: token } = await host.signIn(key);
    const { signIns } = board.board.store;
    const late = await signIns.get(signInId("AccessToken", token), Date.now());
    await signIns.remove("publisherId", id);
    if (late !== null) await signIns.put(late);
    expect(await host.enter(token)).toBe(401);
  });

  it("stands nowhere in the database as it is, nor does a code", async () => {
    const code = await aCode();
    const { body } = await host.exchange(code);
    const contents = await board.contents();
    expect(contents).toContain(host.clientId);
    for (const secret of [code, body.access_token, body.refresh_token, key])
      expect(contents).not.toContain(secret);
  });
});

describe("an answer", () => {
  it("names its issuer, also a refusal, so that a host does not mix servers up", async () => {
    const allowed = await decide(host.start(), { key });
    const denied = await decide(host.start(), "deny");
    for (const { searchParams } of [allowed, denied]) {
      expect(searchParams.get("iss")).toBe(board.url);
      expect(searchParams.get("state")).toBe("s");
    }
    expect(denied.searchParams.get("error")).toBe("access_denied");
  });
});

describe("a client's document", () => {
  /** A host with a document of its own: the board keeps each document that it has read. */
  const describedBy = (document: object) => {
    const client_id = `https://host.example/${documents.size}.json`;
    documents.set(client_id, { client_id, ...document });
    return new RawHost(board, client_id, CALLBACK);
  };

  it("describes a host that did not register", async () => {
    const described = describedBy({ client_name: "Described", redirect_uris: [CALLBACK] });
    const { access_token: token } = await described.signIn(key);
    expect(await described.enter(token)).toBe(200);
    const own = await whoAmI({ authorization: `Bearer ${key}` });
    expect(own.body.data.signed_in_hosts).toMatchObject([{ name: described.clientId }]);
  });

  it.each<[string, () => Record<string, string>, number]>([
    ["once in an hour", () => ({}), 60],
    ["no sooner whatever its site says", () => ({ "cache-control": "no-cache, max-age=0" }), 60],
    ["as late as its site allows", () => ({ "cache-control": "public, max-age=7200" }), 120],
    ["once it expires", () => ({ expires: new Date(now + 3 * 3_600_000).toUTCString() }), 180],
    ["once in a day at least", () => ({ "cache-control": "max-age=31536000" }), 1_440],
  ])(
    "is fetched from public addresses alone, in one short answer, %s",
    async (_when, headers, lastsMinutes) => {
      vi.useFakeTimers({ toFake: ["Date"], now });
      onTestFinished(() => void vi.useRealTimers());
      const described = describedBy({ redirect_uris: [CALLBACK], headers: headers() });
      const times = () => fetched.filter(({ url }) => url === described.clientId).length;
      await described.signIn(key);
      expect(fetched.at(-1)).toEqual({
        ...{ method: "GET", url: described.clientId },
        ...{ maxBytes: 5_120, timeoutMs: 3_000, exemptions: false },
      });
      const begun = now;
      for (const [minutes, wanted] of [
        [lastsMinutes - 1, 1],
        [lastsMinutes + 1, 2],
      ] as const) {
        now = begun + minutes * 60_000;
        vi.setSystemTime(now);
        await described.signIn(key);
        expect([minutes, times()]).toEqual([minutes, wanted]);
      }
    },
  );

  it.each([
    ["of another client", { client_id: "https://other.example/", redirect_uris: [CALLBACK] }],
    ["with a wrong address", { redirect_uris: ["http://evil.example/"] }],
    ["without addresses", {}],
    ["of a page that is gone", { redirect_uris: [CALLBACK], status: 404 }],
    ["that is too long", { redirect_uris: [CALLBACK], client_name: "x".repeat(6000) }],
  ])("%s is refused", async (what, document) => {
    const { status, location, text } = await open(describedBy(document).start());
    expect([status, location]).toEqual([400, null]);
    expect(text.includes("describes your host could not be read")).toBe(/gone|long/.test(what));
  });

  it("at a private address is not fetched", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const local = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);
    for (const at of [...local, "169.254.169.254", "10.0.0.1"]) {
      const answer = await open(new RawHost(board, `https://${at}/client.json`, CALLBACK).start());
      expect(answer).toMatchObject({ status: 400, location: null });
    }
    expect(connections).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("the page where a person decides", () => {
  it("answers only the browser that began", async () => {
    const { url } = await consentPage(host.start());
    const other = await consentPage(host.start());
    expect((await new CookieBrowser().open(url)).text).toContain("began in another browser");
    // Nor one that has the cookie of its own sign-in.
    other.browser.cookies.push(...other.browser.cookies.map((cookie) => ({ ...cookie, path: "/" })));
    expect((await other.browser.open(url)).text).toContain("began in another browser");
  });

  it("decides nothing by a form without its token, or from another site", async () => {
    const { browser, url, page } = await consentPage(host.start());
    const fields: Record<string, string> = { ...fieldsOf(page.text, "allow"), api_key: key };
    for (const [sent, headers] of [
      [{ ...fields, form_token: "" }, {}],
      [{ ...fields, form_token: "é".repeat(fields["form_token"]?.length ?? 0) }, {}],
      [{ ...fields, form_token: fields["form_token"]?.replace(/.$/, "_") ?? "" }, {}],
      [fields, { "sec-fetch-site": "cross-site" }],
    ] as const) {
      expect(await browser.open(url, sent, headers)).toMatchObject({ status: 403, location: null });
    }
    // Only the word of its button allows.
    const odd = await browser.open(url, { ...fields, do: "allowed" });
    const { text } = await browser.open(new URL(odd.location ?? "", url).href);
    expect(backTo(text).searchParams.get("error")).toBe("access_denied");
    const again = await consentPage(host.start());
    const allowing = { ...fieldsOf(again.page.text, "allow"), api_key: key };
    const allowed = await again.browser.open(again.url, allowing);
    expect(allowed.status).toBe(303);
    // It opens nothing else: the name of the grant, which stands in a refresh token, is another.
    const back = backTo((await again.browser.open(new URL(allowed.location ?? "", url).href)).text);
    const { body } = await host.exchange(back.searchParams.get("code") ?? "");
    expect(body.refresh_token).toMatch(/^[\w-]{43}\./);
    expect(body.refresh_token).not.toContain(fieldsOf(again.page.text, "allow")["form_token"]);
  });

  it("is asked at each sign-in, and leaves no cookie that lasts", async () => {
    const browser = new CookieBrowser();
    await decide(host.start(), { key }, browser);
    expect(browser.cookies).toEqual([]);
    browser.cookies.push({ name: "sign_in_session", value: "planted", path: "/" });
    expect(await errorOf({ prompt: "none" }, browser)).toBe("interaction_required");
    expect(await errorOf({ prompt: "login none" }, browser)).toBe("interaction_required");
    expect((await browser.open(host.start())).location).toContain("/oauth/consent/");
  });

  it("cannot be framed, and its forms lead here alone", async () => {
    const { page } = await consentPage(host.start());
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self';");
    expect(page.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    expect(page.headers.get("cache-control")).toBe("no-store");
  });

  it("shows what a host calls itself as text, beside where the browser is sent", async () => {
    const client_name = '<script>alert(1)</script> "Claude"';
    host = await RawHost.register(board, { client_name, redirect_uris: ["https://evil.example/cb"] });
    const { text } = (await consentPage(host.start())).page;
    expect(text).not.toContain("<script>alert");
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).toContain("<b>evil.example</b>");
  });

  it("says what was wrong, and counts wrong keys", async () => {
    const { browser, url, page } = await consentPage(host.start());
    const fields = fieldsOf(page.text, "allow");
    const wrong = await browser.open(url, { ...fields, api_key: `${key.slice(0, -1)}!` });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain("This key is not known");
    const noTerms = await browser.open(url, { ...fieldsOf(page.text, "register"), name: "New" });
    expect(noTerms.text).toContain("Accept the terms");
  });
});

describe("a sign-in ends", () => {
  it("with a suspension, and a suspended publisher signs in no more", async () => {
    const { access_token: token, refresh_token: renewal } = await host.signIn(key);
    const { moderation } = board.board.services;
    await moderation.act("suspend", id, "spam", Date.now());
    expect(await host.enter(token)).toBe(401);
    await expect(decide(host.start(), { key })).rejects.toThrow("suspended this publisher");
    await moderation.act("reinstate", id, "a mistake", Date.now());
    expect(await host.enter(token)).toBe(401);
    expect((await host.renew(renewal)).status).toBe(400);
  });

  it("with the publisher", async () => {
    const { access_token: token, refresh_token: renewal } = await host.signIn(key);
    await call(board, "DELETE /publishers/me", undefined, { key });
    expect(await host.enter(token)).toBe(401);
    expect((await host.renew(renewal)).status).toBe(400);
  });

  it("with the key when that is asked, and not otherwise", async () => {
    const { access_token: token, refresh_token: renewal } = await host.signIn(key);
    const kept = await call(board, "POST /publishers/me/rotate-key", {}, { key });
    expect(await host.enter(token)).toBe(200);
    const next = { key: kept.body.data.api_key };
    await call(board, "POST /publishers/me/rotate-key", { sign_out_hosts: true }, next);
    expect(await host.enter(token)).toBe(401);
    expect((await host.renew(renewal)).status).toBe(400);
  });
});
