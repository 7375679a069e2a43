import { beforeEach, describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import {
  backTo,
  CookieBrowser,
  consentPage,
  decide,
  fieldsOf,
  RawHost,
  wordsOf,
} from "../support/clients/sign-in.ts";

const board = useTestBoard({ SIGN_IN: "on", LOG_LEVEL: "info" }, { idle: true });
let id: string;
let key: string;
let host: RawHost;
beforeEach(async () => {
  ({ id, key } = await register(board, "Baker"));
  host = await RawHost.register(board);
});

describe("the page where a person decides", () => {
  const register = { name: "Newcomer", accept_terms: "yes" };

  it("says where on this computer it leads, and stays out of search engines", async () => {
    const { browser, url, page } = await consentPage(host.start());
    expect(wordsOf(page.text)).toContain("127.0.0.1:9999 , a program on this computer");
    expect(page.text).toContain('<meta name="robots" content="noindex">');
    expect(page.text.match(/class="quiet">[^<]*/g)).toEqual(['class="quiet">Do not allow']);
    const allowed = await browser.open(url, { ...fieldsOf(page.text, "allow"), api_key: key });
    const { text } = await browser.open(new URL(allowed.location ?? "", url).href);
    expect(text).toContain("<h1>You have allowed it</h1>");
    const back = backTo(text).href;
    expect(text).toContain(`<meta http-equiv="refresh" content="0;url=${back.replaceAll("&", "&amp;")}">`);
    expect(wordsOf(text)).toContain(
      "Your browser goes on to 127.0.0.1:9999 , a program on this computer. If it does not:",
    );
    const redirect_uri = "cursor://anysphere.cursor-mcp/oauth/callback";
    const app = await RawHost.register(board, { redirect_uris: [redirect_uri] });
    const asked = (await consentPage(app.start({ redirect_uri }))).page.text;
    expect(wordsOf(asked)).toContain("cursor: , an app on this device");
  });

  it("says what the host may do, for how long, and that it does not learn the key", async () => {
    const { text } = (await consentPage(host.start())).page;
    expect(wordsOf(text)).toContain(
      "It sends you back to 127.0.0.1:9999 , a program on this computer: go on only if you came from there. It calls itself “ Raw host ”, which nobody has checked.",
    );
    expect(wordsOf(text)).toContain(
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
    expect([noTerms.status, wordsOf(noTerms.text)]).toEqual([
      400,
      expect.stringContaining("Accept the terms"),
    ]);
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
    expect(wordsOf(made.text)).toContain("It is shown only now.");
    expect(fieldsOf(made.text, "allow")["api_key"]).toBe(newKey);
    // Who then decides otherwise has a key, and no host signed in.
    const denied = await browser.open(url, fieldsOf(made.text, "deny"));
    const { text } = await browser.open(new URL(denied.location ?? "", url).href);
    expect([wordsOf(text), backTo(text).searchParams.get("error")]).toEqual([
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
    expect(wordsOf(answer.text)).toContain("remove the connector to this board and add it again");
    const wrong = await new CookieBrowser().open(host.start({ redirect_uri: "https://evil.example/" }));
    expect(wordsOf(wrong.text)).toContain("Go back to your host and connect once more.");
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
