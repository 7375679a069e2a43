import { beforeEach, describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { RawHost } from "../support/clients/sign-in.ts";

let now = Date.now();
const board = useTestBoard({ SIGN_IN: "on" }, { idle: true, clock: () => now });
let key: string;
let host: RawHost;
beforeEach(async () => {
  ({ key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});

describe("two renewals at once", () => {
  it("get the same new refresh token, and leave the host signed in", async () => {
    for (let round = 0; round < 3; round += 1) {
      const first = await host.signIn(key);
      const answers = await Promise.all([1, 2, 3].map(() => host.renew(first.refresh_token)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
      for (const { body } of answers) expect(await host.enter(body.access_token)).toBe(200);
      const next = await host.renew(answers[0]?.body.refresh_token);
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
    const { refresh_token: second } = (await host.renew(first)).body;
    now += 60_000;
    const again = await host.renew(first);
    expect(again).toMatchObject({ status: 200, body: { refresh_token: second } });
    now += 1;
    expect(await host.renew(first)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await host.enter(again.body.access_token)).toBe(401);
    expect((await host.renew(second)).status).toBe(400);
  });

  it("leaves the tokens of both answers valid when the host goes on with the next", async () => {
    const { refresh_token: first } = await host.signIn(key);
    const one = (await host.renew(first)).body;
    now += 59_000;
    const two = (await host.renew(first)).body;
    await host.renew(two.refresh_token);
    for (const { access_token: token } of [one, two]) expect(await host.enter(token)).toBe(200);
  });

  it("ends its sign-in, and no other, once the token after it was used, however long ago that was", async () => {
    for (const later of [0, 5 * 86_400_000]) {
      const { refresh_token: first } = await host.signIn(key);
      const other = await host.signIn(key);
      const { refresh_token: second } = (await host.renew(first)).body;
      const { refresh_token: third, access_token: token } = (await host.renew(second)).body;
      expect(await host.enter(token)).toBe(200);
      now += later;
      expect((await host.renew(first)).body.error).toBe("invalid_grant");
      expect(await host.enter(token)).toBe(401);
      expect((await host.renew(third)).status).toBe(400);
      expect((await host.renew(other.refresh_token)).status).toBe(200);
    }
  });

  it("is no other client's: its token there ends nothing", async () => {
    const { refresh_token: first } = await host.signIn(key);
    const other = await RawHost.register(board);
    expect((await other.renew(first)).body.error).toBe("invalid_grant");
    expect((await host.renew(first)).status).toBe(200);
  });
});
