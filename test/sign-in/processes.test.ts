import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { BoardProcess, freePort } from "../support/boards/board-process.ts";
import { call, register } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";
import { CALLBACK, CookieBrowser, fieldsOf, RawHost } from "../support/clients/sign-in.ts";
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
      const answer = new URL((await browser.open(at(other.url, decided.location ?? ""))).location ?? "");
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
});
