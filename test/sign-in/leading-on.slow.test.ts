import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { startBrowser, type TestBrowser } from "../support/clients/browser.ts";
import { RawHost } from "../support/clients/sign-in.ts";

const board = useTestBoard({ SIGN_IN: "on" }, { idle: true });
let browser: TestBrowser;
let callback: Server;
let elsewhere: Server;
/** What the host's servers were asked for. */
const seen: string[] = [];
/** Where the callback leads on to. */
let onTo = "";

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const served = (server: Server, host: string) =>
  new Promise<void>((resolve) => server.listen(0, host, () => resolve()));

beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    // A browser asks for an icon besides, maybe once its page is closed and the next test has begun.
    if (request.url !== "/favicon.ico") seen.push(`elsewhere ${request.url}`);
    response.setHeader("content-type", "text/html").end("<h1>Done</h1>");
  });
  callback = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://x");
    seen.push(`callback ${searchParams.has("code") ? "code" : searchParams.get("error")}`);
    response.writeHead(302, { location: onTo }).end();
  });
  await Promise.all([served(elsewhere, "localhost"), served(callback, "127.0.0.1")]);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  for (const server of [callback, elsewhere]) {
    server.closeAllConnections();
    server.close();
  }
});
afterEach(() => {
  seen.length = 0;
});

/** Opens the page where a person decides for a host whose callback leads on. */
async function asked(redirectUri = `http://127.0.0.1:${portOf(callback)}/cb`) {
  const { key } = await register(board, "Baker");
  const host = await RawHost.register(board, { client_name: "Host", redirect_uris: [redirectUri] });
  const page = await browser.open();
  await page.goto(host.start());
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  return { key, page, press };
}
const went = (count: number) =>
  eventually(
    async () => seen,
    ({ length }) => length >= count,
    15_000,
  );

describe("Chromium goes on where the host's callback leads, to another origin,", () => {
  it.each([
    ["allows", "code", ["Allow"]],
    ["does not", "access_denied", ["Do not allow"]],
    ["made a new publisher", "code", ["Make this publisher", "Allow"]],
  ])("when a person %s", async (_what, answer, buttons) => {
    onTo = `http://localhost:${portOf(elsewhere)}/done`;
    const { key, page, press } = await asked();
    await page.fill("input[name=api_key]", key);
    await page.fill("input[name=name]", "Newcomer");
    await page.check("input[name=accept_terms]");
    for (const button of buttons) await press(button);
    expect(await went(2)).toEqual([`callback ${answer}`, "elsewhere /done"]);
    await page.waitForURL(onTo);
    await page.close();
  });
});

describe("an app's own scheme", () => {
  it("is gone to from a page of ours, which stays with a link where no app answers", async () => {
    const { key, page, press } = await asked("cursor://anysphere.cursor-mcp/oauth/callback");
    expect(await page.locator("main").textContent()).toContain("cursor:, an app on this device");
    await page.fill("input[name=api_key]", key);
    await press("Allow");
    await page.getByText("You have allowed it").waitFor();
    const link = page.getByRole("link", { name: "go back to the host" });
    const address = new URL((await link.getAttribute("href")) ?? "");
    expect(`${address.protocol}//${address.host}${address.pathname}`).toBe(
      "cursor://anysphere.cursor-mcp/oauth/callback",
    );
    expect(address.searchParams.get("code")).toMatch(/^[\w-]{20,}$/);
    expect(await page.locator('meta[http-equiv="refresh"]').getAttribute("content")).toBe(
      `0;url=${address.href}`,
    );
    await page.close();
  });

  it("is where a callback may lead on to", async () => {
    onTo = "someapp://opened";
    const { key, page, press } = await asked();
    await page.fill("input[name=api_key]", key);
    await press("Allow");
    expect(await went(1)).toEqual(["callback code"]);
    expect(browser.complaints().join()).not.toContain("form-action");
    const own = await call(board, "GET /publishers/me", undefined, { key });
    expect(own.status).toBe(200);
    await page.close();
  });
});
