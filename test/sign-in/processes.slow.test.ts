import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { startBoard } from "../support/boards/board.ts";
import { BoardProcess, freePort } from "../support/boards/board-process.ts";
import { call, register } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";
import { backTo, CALLBACK, CookieBrowser, fieldsOf, RawHost } from "../support/clients/sign-in.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

const database = await mongodbFor("replicaSet", "sign_in");
const folder = useFolder();
afterAll(() => database?.drop());

const STORES: Record<string, string | undefined> = {
  SQLite: `sqlite:${join(folder, "board.db")}`,
  MongoDB: database?.url,
};

describe.each(Object.entries(STORES))("two processes on %s", (store, url) => {
  it.skipIf(url === undefined)("carry one sign-in, each step by the other, through a restart", async () => {
    const site = `http://127.0.0.1:${await freePort()}`;
    const dataDir = join(folder, store);
    const shared = { SITE_URL: site, SIGN_IN: "on", STORE_URL: url ?? "", SECRET_KEY: "k".repeat(32) };
    const one = await BoardProcess.start({ ...shared, DATA_DIR: dataDir });
    // In this process.
    const other = await startBoard(shared, { dataDir });
    const at = (root: string, address: string) => address.replace(site, root);
    const hostOf = (root: string, { clientId, proof }: RawHost) =>
      Object.assign(new RawHost({ url: root }, clientId, CALLBACK), { proof });
    try {
      const { key } = await register(one, "Baker");
      const registered = await RawHost.register({ url: one.site });
      const start = registered.start({ resource: `${site}/mcp/me` });

      const browser = new CookieBrowser();
      const consent = at(other.url, new URL((await browser.open(start)).location ?? "", site).href);
      const { text } = await browser.open(consent);
      const decided = await browser.open(consent.replace(other.url, one.site), {
        ...fieldsOf(text, "allow"),
        api_key: key,
      });
      const answer = backTo((await browser.open(at(other.url, decided.location ?? ""))).text);
      expect(answer.searchParams.get("iss")).toBe(site);

      const ours = hostOf(one.site, registered);
      const theirs = hostOf(other.url, registered);
      const first = (await ours.exchange(answer.searchParams.get("code") ?? "")).body;
      expect(await theirs.enter(first.access_token)).toBe(200);

      await one.kill();
      await one.start();
      expect(await ours.enter(first.access_token)).toBe(200);
      const second = (await theirs.renew(first.refresh_token)).body;
      expect(await ours.enter(second.access_token)).toBe(200);
      const own = await call(other, "GET /publishers/me", undefined, { key });
      expect(own.body.data.signed_in_hosts).toMatchObject([{ name: "Raw host" }]);

      await call(other, "POST /publishers/me/rotate-key", { sign_out_hosts: true }, { key });
      expect(await ours.enter(second.access_token)).toBe(401);
      expect((await ours.renew(second.refresh_token)).status).toBe(400);
    } finally {
      await Promise.all([one.kill(), other.stop()]);
    }
  });

  it.skipIf(url === undefined)(
    "ask for a client that is a document, though one alone has read it",
    async () => {
      const site = `http://127.0.0.1:${await freePort()}`;
      const dataDir = join(folder, `${store} documents`);
      const shared = { SITE_URL: site, SIGN_IN: "on", STORE_URL: url ?? "", SECRET_KEY: "k".repeat(32) };
      const clientId = "https://host.example/client.json";
      const guard = openOutbound({ allow: [] });
      const reading = {
        ...{ refusal: guard.refusal, txt: guard.txt, close: () => Promise.resolve() },
        async send() {
          const document = { client_id: clientId, client_name: "Described", redirect_uris: [CALLBACK] };
          return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
        },
      };
      const one = await startBoard(shared, { dataDir, idle: true, outbound: reading });
      const other = await startBoard(shared, { dataDir, idle: true });
      try {
        const { key } = await register(one, "Baker");
        const host = new RawHost({ url: one.url }, clientId, CALLBACK);
        const browser = new CookieBrowser();
        const begun = await browser.open(host.start({ resource: `${site}/mcp/me` }));
        const consent = new URL(begun.location ?? "", other.url).href;
        const { status, text } = await browser.open(consent);
        expect(status).toBe(200);
        expect(text).toContain("“<bdi>Described</bdi>”");
        const decided = await browser.open(consent, { ...fieldsOf(text, "allow"), api_key: key });
        const back = await browser.open((decided.location ?? "").replace(site, one.url));
        const code = backTo(back.text).searchParams.get("code") ?? "";
        expect((await host.exchange(code)).status).toBe(200);
      } finally {
        await Promise.all([one.stop(), other.stop()]);
      }
    },
  );
});
