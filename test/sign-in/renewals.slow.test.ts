import { beforeEach, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { decide, RawHost } from "../support/clients/sign-in.ts";

let now = Date.now();
const board = useTestBoard({ SIGN_IN: "on" }, { idle: true, clock: () => now });
let key: string;
let host: RawHost;
beforeEach(async () => {
  ({ key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});

const me = () => `${board.url}/mcp/me`;
const aCode = async (start = host.start()) => (await decide(start, { key })).searchParams.get("code") ?? "";
const renew = (token: string, more: Record<string, string> = {}) =>
  host.token({ grant_type: "refresh_token", refresh_token: token, ...more });

describe("two renewals at once", () => {
  it("get the same new refresh token, and leave the host signed in", async () => {
    for (let round = 0; round < 3; round += 1) {
      const first = await host.signIn(key);
      const answers = await Promise.all([1, 2, 3].map(() => renew(first.refresh_token)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
      for (const { body } of answers) expect(await host.enter(body.access_token)).toBe(200);
      const next = await renew(answers[0]?.body.refresh_token);
      expect(next.status).toBe(200);
      expect(next.body.refresh_token).not.toBe(answers[0]?.body.refresh_token);
    }
    const own = await call(board, "GET /publishers/me", undefined, { key });
    expect(own.body.data.signed_in_hosts).toHaveLength(3);
  });
});

describe("a renewal whose answer was lost", () => {
  it("is answered again for 60 seconds, with the same refresh token", async () => {
    const { refresh_token: first } = await host.signIn(key);
    const { refresh_token: second } = (await renew(first)).body;
    now += 60_000;
    const again = await renew(first);
    expect(again).toMatchObject({ status: 200, body: { refresh_token: second } });
    now += 1;
    expect(await renew(first)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await host.enter(again.body.access_token)).toBe(401);
    expect((await renew(second)).status).toBe(400);
  });

  it("leaves the tokens of both answers valid when the host goes on with the next", async () => {
    const { refresh_token: first } = await host.signIn(key);
    const one = (await renew(first)).body;
    now += 59_000;
    const two = (await renew(first)).body;
    await renew(two.refresh_token);
    for (const { access_token: token } of [one, two]) expect(await host.enter(token)).toBe(200);
  });

  it("ends its sign-in, and no other, once the token after it was used, however long ago that was", async () => {
    for (const later of [0, 5 * 86_400_000]) {
      const { refresh_token: first } = await host.signIn(key);
      const other = await host.signIn(key);
      const { refresh_token: second } = (await renew(first)).body;
      const { refresh_token: third, access_token: token } = (await renew(second)).body;
      expect(await host.enter(token)).toBe(200);
      now += later;
      expect((await renew(first)).body.error).toBe("invalid_grant");
      expect(await host.enter(token)).toBe(401);
      expect((await renew(third)).status).toBe(400);
      expect((await renew(other.refresh_token)).status).toBe(200);
    }
  });

  it("is no other client's: its token there ends nothing", async () => {
    const { refresh_token: first } = await host.signIn(key);
    const other = await RawHost.register(board);
    expect((await other.renew(first)).body.error).toBe("invalid_grant");
    expect((await renew(first)).status).toBe(200);
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
      expect((await renew(body.refresh_token, { resource })).body.error).toBe("invalid_target");
    expect((await renew(body.refresh_token, { resource: me() })).status).toBe(200);
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
      const renewed = await renew(body.refresh_token, { resource });
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
      const renewed = await renew(body.refresh_token, { scope });
      expect(renewed).toMatchObject({ status: 200, body: { scope: "board" } });
      expect(await host.enter(renewed.body.access_token)).toBe(200);
    },
  );
});
