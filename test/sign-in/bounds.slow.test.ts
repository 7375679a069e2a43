import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { signInId } from "../../src/domain/publishers/hosts.ts";
import { type SignInRow, StoreUnavailable } from "../../src/ports/store/index.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { CookieBrowser, consentPage, decide, fieldsOf, RawHost } from "../support/clients/sign-in.ts";

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
let now = Date.now();
const board = useTestBoard({ SIGN_IN: "on" }, { idle: true, clock: () => now });
let id: string;
let key: string;
let host: RawHost;
beforeEach(async () => {
  ({ id, key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});
let limited: TestBoard | null = null;
afterEach(async () => {
  await limited?.stop();
  limited = null;
});

const hostsShown = async () =>
  (await call(board, "GET /publishers/me", undefined, { key })).body.data.signed_in_hosts;

/** Every grant that was ever written. */
const grants = async () => new Set((await board.contents()).match(/Grant:[0-9a-f]{64}/g));

describe("how long it lasts", () => {
  const aCode = async () => (await decide(host.start(), { key })).searchParams.get("code") ?? "";

  it.each<[what: string, lastsMs: number, begin: () => Promise<() => Promise<number>>]>([
    [
      "a sign-in under way",
      10 * MINUTE_MS,
      async () => {
        const browser = new CookieBrowser();
        const { location } = await browser.open(host.start());
        return async () => (await browser.open(new URL(location ?? "", board.url).href)).status;
      },
    ],
    [
      "a code",
      MINUTE_MS,
      async () => {
        const code = await aCode();
        return async () => (await host.exchange(code)).status;
      },
    ],
    [
      "an access token",
      60 * MINUTE_MS,
      async () => {
        const { access_token: token } = await host.signIn(key);
        return () => host.enter(token);
      },
    ],
    [
      "a refresh token",
      30 * DAY_MS,
      async () => {
        const { refresh_token: token } = await host.signIn(key);
        return async () => (await host.renew(token)).status;
      },
    ],
  ])("%s: %i ms, and no longer", async (_what, lastsMs, begin) => {
    const [inTime, late] = [await begin(), await begin()];
    now += lastsMs - 1;
    expect(await inTime()).toBe(200);
    now += 1;
    expect([400, 401]).toContain(await late());
  });

  it("a sign-in that is renewed all the time: a year", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now });
    onTestFinished(() => void vi.useRealTimers());
    const pass = (ms: number) => {
      now += ms;
      vi.setSystemTime(now);
    };
    let { refresh_token: token } = await host.signIn(key);
    for (let weeks = 0; weeks < 52; weeks += 4) {
      pass(28 * DAY_MS);
      const { status, body } = await host.renew(token);
      expect([weeks, status]).toEqual([weeks, 200]);
      token = body.refresh_token;
    }
    pass(DAY_MS + 1_000);
    expect((await host.renew(token)).status).toBe(400);
  });
});

describe("what signing in leaves behind", () => {
  it("is one grant for a sign-in, however often its person allows it and its browser comes back", async () => {
    const before = (await grants()).size;
    const { browser, url, page } = await consentPage(host.start());
    const fields = { ...fieldsOf(page.text, "allow"), api_key: key };
    // A browser that keeps the page's cookie may send the form again and again.
    const kept = [...browser.cookies];
    const answers = [];
    for (let i = 0; i < 5; i += 1) {
      answers.push((await browser.open(url, fields)).location ?? "");
      browser.cookies.splice(0, browser.cookies.length, ...kept);
    }
    expect((await grants()).size).toBe(before);
    const back = await Promise.all(answers.map((at) => browser.open(at)));
    expect(back.some(({ status }) => status === 200)).toBe(true);
    expect((await grants()).size).toBe(before + 1);
  });

  it("is nothing when the code is not used", async () => {
    const { signIns } = board.board.store;
    const code = (await decide(host.start(), { key })).searchParams.get("code") ?? "";
    const row = await signIns.get(signInId("AuthorizationCode", code), now);
    const grant = signInId("Grant", row?.grantId ?? "");
    expect(await signIns.get(grant, now)).not.toBeNull();
    now += 11 * MINUTE_MS;
    expect(await signIns.get(grant, now)).toBeNull();
    expect(await hostsShown()).toEqual([]);
  });

  it("lasts while its host comes, and ends 30 days after it came last", async () => {
    let { refresh_token: token } = await host.signIn(key);
    for (let n = 0; n < 2; n += 1) {
      now += 29 * DAY_MS;
      token = (await host.renew(token)).body.refresh_token;
    }
    now += 30 * DAY_MS - 1;
    expect(await hostsShown()).toHaveLength(1);
    now += 1;
    expect(await hostsShown()).toEqual([]);
  });

  it("keeps a host's registration while people sign in by it, and for 90 days after", async () => {
    const { signIns } = board.board.store;
    const idle = await RawHost.register(board);
    const isKept = async ({ clientId }: RawHost) =>
      (await signIns.get(signInId("Client", clientId), now)) !== null;
    for (const days of [2, 89, 89]) {
      now += days * DAY_MS;
      await host.signIn(key);
    }
    expect([await isKept(host), await isKept(idle)]).toEqual([true, false]);
    now += 90 * DAY_MS - 1;
    expect(await isKept(host)).toBe(true);
    now += 1;
    expect(await isKept(host)).toBe(false);
  });

  it("does not grow with renewals: what was used goes with the next one", async () => {
    const { signIns } = board.board.store;
    const tokens = [await host.signIn(key)];
    const other = await host.signIn(key);
    for (let i = 0; i < 5; i += 1) {
      now += 2 * MINUTE_MS;
      tokens.push((await host.renew(tokens.at(-1)?.refresh_token ?? "")).body);
    }
    const left = async (kind: string, nameOf: (of: (typeof tokens)[number]) => string) => {
      const ids = tokens.map((each) => signInId(kind, nameOf(each)));
      return (await signIns.many(ids, now)).length;
    };
    expect(await left("RefreshToken", (of) => of.refresh_token)).toBe(2);
    expect(await left("AccessToken", (of) => of.access_token)).toBe(2);
    for (const { access_token: token } of [...tokens.slice(-2), other])
      expect(await host.enter(token)).toBe(200);
    expect(await hostsShown()).toHaveLength(2);
  });

  it("is shown of fifty hosts at most, the one that came last first, whatever else there is", async () => {
    const { signIns } = board.board.store;
    const first = await host.signIn(key);
    const row = await signIns.get(signInId("RefreshToken", first.refresh_token), now);
    if (row === null) throw new Error("no token");
    const put = (name: string, more: Partial<SignInRow> = {}) =>
      signIns.put({ ...row, id: `RefreshToken:${name}`, expiresAt: row.expiresAt - 1, ...more });
    for (let i = 0; i < 60; i += 1) await put(`used ${i}`, { consumedAt: now, expiresAt: row.expiresAt + 1 });
    for (let i = 0; i < 55; i += 1) await put(`live ${i}`);
    const shown = await hostsShown();
    expect(shown).toHaveLength(50);
    expect(shown[0]).toMatchObject({ name: "Raw host", expires_at: new Date(row.expiresAt).toISOString() });
    await signIns.remove("publisherId", id);
    expect(await hostsShown()).toEqual([]);
  });
});

describe("limits of signing in", () => {
  const start = async (limits: string) => {
    limited = await startBoard({ SIGN_IN: "on", RATE_LIMITS: limits }, { idle: true });
    return limited;
  };

  it("count every address of it", async () => {
    const { url } = await start("read=3/60,clients=3/60,failed_keys=9/60");
    const root = `${url}/.well-known/oauth-`;
    const asked: [string, RequestInit?][] = [
      [`${root}protected-resource/mcp/me`],
      [`${root}authorization-server`],
      [`${root}authorization-server/mcp/me`],
      [`${url}/oauth/authorize?client_id=x`],
      [`${url}/oauth/authorize/x`],
      [`${url}/oauth/consent/x`],
      [`${url}/oauth/consent/x`, { method: "POST", body: new URLSearchParams({ do: "deny" }) }],
      [`${url}/oauth/token`, { method: "POST", body: new URLSearchParams({ grant_type: "x" }) }],
      [`${url}/oauth/token`, { method: "POST" }],
      [`${url}/oauth/revoke`, { method: "POST" }],
      [`${url}/oauth/register`, { method: "POST" }],
      [`${url}/mcp/me`, { method: "POST" }],
      [`${url}/mcp/me`, { method: "POST", headers: { authorization: "Bearer x" } }],
    ];
    // Three in all are answered, of whatever address; registrations count by themselves.
    const answers = [];
    for (const [address, options] of [...asked, ...asked])
      answers.push((await fetch(address, options)).status);
    const read = answers.filter((_status, at) => at % asked.length !== 10);
    expect(read.slice(0, 3)).not.toContain(429);
    expect(new Set(read.slice(3))).toEqual(new Set([429]));
    expect([answers[10], answers[10 + asked.length]]).toEqual([400, 400]);
  });

  it("are a hundred registrations of hosts in an hour for one address, whatever key is sent along", async () => {
    const { url } = await start("failed_keys=1/60");
    const headers = { authorization: "Bearer x" };
    for (let n = 0; n < 3; n += 1) {
      const answer = await fetch(`${url}/oauth/register`, { method: "POST", headers });
      expect([answer.status, answer.headers.get("ratelimit-policy")]).toEqual([
        400,
        '"clients";q=100;w=3600',
      ]);
    }
  });

  it("count an allowed sign-in as a write of its publisher", async () => {
    const on = await start("write=2/60");
    const [one, two] = [await register(on, "Baker"), await register(on, "Cook")];
    const raw = await RawHost.register(on);
    await decide(raw.start(), { key: one.key });
    await decide(raw.start(), { key: one.key });
    await expect(decide(raw.start(), { key: one.key })).rejects.toThrow("429");
    await decide(raw.start(), { key: two.key });
    expect((await call(on, "GET /publishers/me", undefined, { key: one.key })).status).toBe(200);
  });

  it("count the registrations of hosts apart from those of publishers, and say so as OAuth does", async () => {
    const on = await start("clients=2/3600,register=1/3600");
    await register(on, "Baker");
    await RawHost.register(on);
    await RawHost.register(on);
    const refused = await fetch(`${on.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["http://127.0.0.1:9999/callback"] }),
    });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3500);
    expect(refused.headers.get("ratelimit")).toMatch(/^"clients";r=0;/);
    expect(await refused.json()).toEqual({
      error: "temporarily_unavailable",
      error_description: expect.stringContaining("Too many"),
    });
  });

  it.each<[string, Error | null, number, string]>([
    ["the store is away", new StoreUnavailable("the disk is full"), 503, "temporarily_unavailable"],
    ["the board has a fault", new Error("a fault"), 500, "server_error"],
    ["a form is too long", null, 413, "invalid_request"],
  ])("are told, as all failures are, as OAuth does: %s", async (_what, fault, status, error) => {
    const { url, board: own } = await start("clients=9/3600");
    if (fault !== null) own.store.limits.add = () => Promise.reject(fault);
    const body = new URLSearchParams({ code: "x".repeat(200_000) });
    const answer = await fetch(`${url}/oauth/${fault === null ? "token" : "register"}`, {
      method: "POST",
      body,
    });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, "no-store"]);
    expect(answer.headers.has("retry-after")).toBe(status === 503);
    expect(await answer.json()).toMatchObject({ error });
  });
});
