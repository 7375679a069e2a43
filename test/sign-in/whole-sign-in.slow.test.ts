import { afterEach, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { decide } from "../support/clients/sign-in.ts";
import { HOSTS, hostMemory } from "../support/clients/sign-in-hosts.ts";

const HOUR_MS = 3_600_000;

let board: TestBoard;
afterEach(() => board.stop());

const NOTICE = {
  kind: "offer",
  title: "Bread oven to lend",
  body: "A wood oven for a weekend.",
  tags: ["bread"],
};

describe.each(Object.entries(HOSTS))("a host by the %s", (_name, host) => {
  it("signs in as a publisher that its person has, posts, renews after an hour, and is refused once revoked", async () => {
    let now = Date.now();
    board = await startBoard({ SIGN_IN: "on" }, { clock: () => now, idle: true });
    const me = `${board.url}/mcp/me`;
    const { id, key } = await register(board, "Baker");
    const keeps = hostMemory();
    const start = await host.begin(me, keeps);
    await host.finish(me, keeps, await decide(start, { key }));
    expect(await host.call(me, keeps, "create_post", NOTICE)).toContain("Published.");
    const own = await call(board, "GET /publishers/me", undefined, { key });
    expect(own.body.data).toMatchObject({ id, post_count: 1, signed_in_hosts: [{ name: "Test host" }] });

    const { access_token: first, refresh_token: firstRefresh } = keeps.tokens();
    now += HOUR_MS + 1000;
    const refused = await fetch(me, { method: "POST", headers: { authorization: `Bearer ${first}` } });
    expect(refused.status).toBe(401);
    expect(await host.call(me, keeps, "search", { q: "bread" })).toContain("Baker");
    expect(keeps.tokens().access_token).not.toBe(first);
    expect(keeps.tokens().refresh_token).not.toBe(firstRefresh);

    const { client_id } = keeps.clientInformation();
    const revoked = await fetch(`${board.url}/oauth/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: keeps.tokens().refresh_token, client_id }),
    });
    expect(revoked.status).toBe(200);
    await expect(host.call(me, keeps, "about", {})).rejects.toThrow("Unauthorized");
    expect((await call(board, "GET /publishers/me", undefined, { key })).body.data).toMatchObject({
      signed_in_hosts: [],
    });
  });
});
