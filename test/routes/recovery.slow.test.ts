import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recoverKey } from "../../src/domain/publishers/recovery.ts";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { openNames } from "../../src/outbound/names.ts";
import { type Outbound, OutboundError } from "../../src/ports/outbound.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call } from "../support/boards/client.ts";
import { startNameServer } from "../support/clients/name-server.ts";
import { startReceiver } from "../support/clients/receiver.ts";

const HOUR_MS = 3_600_000;

let now = Date.parse("2026-12-01T10:00:00Z");
let board: TestBoard;
let names: Awaited<ReturnType<typeof startNameServer>>;
let outbound: Outbound;
let host: Awaited<ReturnType<typeof startReceiver>>;
/** The file of each domain, as its host on loopback serves it. */
const files = new Map<string, string>();

beforeAll(async () => {
  names = await startNameServer();
  host = await startReceiver(({ path }) => {
    const body = files.get(path);
    return body === undefined ? { status: 404 } : { body };
  });
  const { resolveTxt } = openNames([names.server]);
  const guarded = openOutbound({ allow: ["127.0.0.1"], resolveTxt });
  outbound = {
    ...guarded,
    // The board asks `https://DOMAIN/…`, for which loopback has no certificate.
    send(request) {
      const url = new URL(request.url);
      if (url.protocol !== "https:") throw new OutboundError("failed", "No such site.");
      return guarded.send({ ...request, url: `${new URL(host.url).origin}/${url.host}${url.pathname}` });
    },
  };
  board = await startBoard({}, { clock: () => now, outbound });
});
afterAll(async () => {
  await board.stop();
  await host.stop();
  names.stop();
});

const recover = (body: object) => call(board, "POST /publishers/recover", body);
const me = (key: string) => call(board, "GET /publishers/me", undefined, { key });

/** A publisher whose domain is verified by its record. */
async function verified(domain: string): Promise<{ id: string; key: string }> {
  const made = await call(board, "POST /publishers", {
    name: domain,
    url: `https://${domain}/`,
    accept_terms: true,
  });
  const { id, api_key: key, verify } = made.body.data;
  names.records.set(verify.dns.name, [verify.dns.value]);
  const proved = await call(board, "POST /publishers/verify", {}, { key });
  expect([proved.status, proved.body.data]).toMatchObject([
    200,
    { id, domain, verified: true, verified_via: "dns" },
  ]);
  expect(proved.body.data).not.toHaveProperty("verify");
  return { id, key };
}

/** Begins a recovery and sets its proof beside what is there. */
async function begun(id: string): Promise<Record<string, string>> {
  const { status, body } = await recover({ id });
  expect(status).toBe(202);
  const { dns, file, recovery, domain } = body.data;
  expect(dns.value).not.toContain(recovery);
  names.records.set(dns.name, [...(names.records.get(dns.name) ?? []), dns.value]);
  return { recovery, line: file.line, domain, name: dns.name };
}

describe("POST /publishers/recover", () => {
  it("replaces the key a day after the record is found, and ends the old one", async () => {
    const { id, key } = await verified("lost.example.org");
    const other = await verified("other.example.org");
    const again = "POST /publishers/recover with `id` and `recovery`";
    const place = "Set the TXT record or serve the line in the file";
    const { recovery, line } = await begun(id);
    const proof = {
      ...{ id, domain: "lost.example.org", recovery },
      dns: { type: "TXT", name: "_board.lost.example.org", value: line },
      file: { url: "https://lost.example.org/.well-known/board.txt", line },
    };
    expect(line).toMatch(new RegExp(`^board-recover=${id}:[0-9a-f]{40}$`));
    const ready_at = new Date(now + 24 * HOUR_MS).toISOString();
    const found = await recover({ id, recovery });
    expect([found.status, found.body.data]).toEqual([
      202,
      {
        ...{ ...proof, ready_at },
        next: `The proof was found. Leave it there, and call ${again} after \`ready_at\`; a call with the old key before that ends the recovery.`,
      },
    ]);
    now += 24 * HOUR_MS - 1;
    const early = (await recover({ id, recovery })).body.data;
    expect(early).toEqual({ ...proof, ready_at, next: `Not yet: call ${again} after \`ready_at\`.` });
    const anew = (await recover({ id })).body.data;
    expect(anew.recovery).not.toBe(recovery);
    expect(anew.next).toBe(`${place}, beside what is there, then call ${again}. Keep \`recovery\` secret.`);
    expect((await recover({ id, recovery: anew.recovery })).body.data.next).toBe(
      `The proof was not found yet. ${place}, then call ${again}.`,
    );
    // A secret of somebody else has another proof.
    expect((await recover({ id, recovery: "guessed" })).body.data).not.toHaveProperty("api_key");
    now += 1;
    const done = await recover({ id, recovery });
    expect([done.status, done.body.data]).toEqual([
      200,
      {
        ...{ id, domain: "lost.example.org", api_key: expect.stringMatching(/^bbk_/) },
        next: "Keep the key. The old one, and every sign-in, has ended; the proof may be taken away.",
      },
    ]);
    expect((await me(key)).status).toBe(401);
    const mine = (await me(done.body.data.api_key)).body;
    expect(mine.data).toMatchObject({ id, verified: true });
    expect(mine.meta.note ?? "").not.toContain("asked for a new key");
    expect((await me(other.key)).status).toBe(200);
    expect((await recover({ id, recovery })).body.data).not.toHaveProperty("api_key");
  });

  it("takes the line of the file as well", async () => {
    const { id } = await verified("file.example.org");
    const { body } = await recover({ id });
    const { recovery, file } = body.data;
    expect((await recover({ id, recovery })).body.data).not.toHaveProperty("ready_at");
    files.set("/file.example.org/.well-known/board.txt", `# keys\n${file.line}\n`);
    expect((await recover({ id, recovery })).body.data).toHaveProperty("ready_at");
    now += 24 * HOUR_MS;
    files.clear();
    expect((await recover({ id, recovery })).body.data).not.toHaveProperty("api_key");
    files.set("/file.example.org/.well-known/board.txt", file.line);
    expect((await recover({ id, recovery })).status).toBe(200);
  });

  it.each<[string, Partial<Outbound>]>([
    ["DNS is", { txt: async () => null }],
    ["the site is", { send: () => Promise.reject(new OutboundError("failed", "No answer.")) }],
  ])("begins no day while %s silent and the proof is nowhere else", async (what, silent) => {
    const { id } = await verified(`silent-${what.length}.example.org`);
    const { recovery } = (await recover({ id })).body.data;
    const parts = { store: board.board.store, outbound: { ...outbound, ...silent } };
    expect(await recoverKey(parts, id, recovery, now)).not.toHaveProperty("ready_at");
  });

  it("is stopped by a call with the old key within the day, which says so", async () => {
    const { id, key } = await verified("owned.example.org");
    const { recovery } = await begun(id);
    await recover({ id, recovery });
    now += 23 * HOUR_MS;
    const inbox = await call(board, "GET /publishers/me/inbox", undefined, { key });
    expect(inbox.body.meta.note).toBe(
      "Somebody who controls your domain asked for a new key of yours; this call, with the present one, ended that. If it was not you, look at who can change the domain's DNS records and files.",
    );
    expect((await me(key)).body.meta.note ?? "").not.toContain("asked for a new key");
    now += 2 * HOUR_MS;
    expect((await recover({ id, recovery })).body.data).not.toHaveProperty("api_key");
    expect((await me(key)).status).toBe(200);
  });

  it("waits a day for each secret: a second one has not the first one's day", async () => {
    const { id, key } = await verified("two.example.org");
    const first = await begun(id);
    expect((await recover({ id, recovery: first["recovery"] })).body.data).toHaveProperty("ready_at");
    now += 24 * HOUR_MS;
    const second = await begun(id);
    const found = await recover({ id, recovery: second["recovery"] });
    expect(found.body.data.ready_at).toBe(new Date(now + 24 * HOUR_MS).toISOString());
    expect(found.body.data).not.toHaveProperty("api_key");
    now += 24 * HOUR_MS;
    expect((await recover({ id, recovery: second["recovery"] })).body.data).toHaveProperty("api_key");
    expect((await me(key)).status).toBe(401);
  });

  it("is stopped by the old key even while the proof is looked at for the last time", async () => {
    const { id, key } = await verified("late.example.org");
    const { recovery = "" } = await begun(id);
    await recover({ id, recovery });
    now += 24 * HOUR_MS;
    const { store } = board.board;
    const used: Outbound = {
      ...outbound,
      async txt(name) {
        expect((await me(key)).status).toBe(200);
        return outbound.txt(name);
      },
    };
    const ended = await recoverKey({ store, outbound: used }, id, recovery, now);
    expect(ended).not.toHaveProperty("api_key");
    expect(ended.next).toBe(
      "The old key was used meanwhile, which ended the recovery. To begin again: POST /publishers/recover with `id`.",
    );
    expect((await me(key)).status).toBe(200);
  });

  it("ends the sign-ins of this publisher and of no other", async () => {
    const [mine, other] = [await verified("hosts.example.org"), await verified("hosts-too.example.org")];
    const { signIns } = board.board.store;
    for (const { id } of [mine, other])
      await signIns.put({
        id: `RefreshToken:${id}`,
        payload: JSON.stringify({ clientId: "client", iiat: 1 }),
        grantId: `grant ${id}`,
        publisherId: id,
        consumedAt: null,
        expiresAt: now + 90 * 24 * HOUR_MS,
      });
    const { recovery } = await begun(mine.id);
    await recover({ id: mine.id, recovery });
    now += 24 * HOUR_MS;
    expect((await recover({ id: mine.id, recovery })).body.data).toHaveProperty("api_key");
    const left = await Promise.all([mine, other].map(({ id }) => signIns.renewable(id, now, 9)));
    expect(left.map((rows) => rows.length)).toEqual([0, 1]);
  });

  it("tells nothing of publishers that are not verified, or not there", async () => {
    const made = await call(board, "POST /publishers", {
      name: "Unverified",
      url: "https://unverified.example.org/",
      accept_terms: true,
    });
    const [unverified, unknown] = [
      await recover({ id: made.body.data.id }),
      await recover({ id: "pub_4yTq8WnZ2kPv6R" }),
    ];
    expect(unverified.status).toBe(404);
    expect(unverified.body.error).toEqual(unknown.body.error);
    const again = await recover({ id: made.body.data.id, recovery: "x" });
    expect(again.body.error).toEqual(unknown.body.error);
    expect(unknown.body.error).toMatchObject({
      code: "publisher_not_found",
      hint: "Only a verified publisher gets a new key by its domain. Check the id (pub_…); any other registers again.",
    });
  });
});
