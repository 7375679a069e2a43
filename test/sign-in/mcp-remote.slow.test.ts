import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { startBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { startBrowser } from "../support/clients/browser.ts";

const PROXY = resolve("test/mcp/clients/node_modules/mcp-remote/dist/proxy.js");
const HOUR_MS = 3_600_000;

describe.skipIf(!existsSync(PROXY))("mcp-remote with a browser", () => {
  it("signs in, posts, renews after an hour, and asks anew once it is signed out", async () => {
    let now = Date.now();
    const board = await startBoard({ SIGN_IN: "on" }, { idle: true, clock: () => now });
    const { key } = await register(board, "Baker");
    const browser = await startBrowser({ javaScript: false });
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROXY, `${board.url}/mcp/me`, "--allow-http", "--transport", "http-only"],
      stderr: "pipe",
      // It finds no browser there, so it prints the address to open.
      env: { PATH: "/nowhere", HOME: board.dataDir, MCP_REMOTE_CONFIG_DIR: board.dataDir },
    });
    let said = "";
    transport.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    const asked = () => [...said.matchAll(/http:\S+\/oauth\/authorize\?\S+(?=\s)/g)].map(([url]) => url);
    const tool = async (name: string, args: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: args })).content);
    try {
      const connected = client.connect(transport, { timeout: 120_000 });
      const askedTimes = (count: number) =>
        eventually(
          async () => asked(),
          ({ length }) => length >= count,
          60_000,
        );
      const [url = ""] = await askedTimes(1);
      const page = await browser.open();
      await page.goto(url);
      expect(await page.locator("main").textContent()).toContain("calls itself “MCP CLI Proxy”");
      await page.fill("input[name=api_key]", key);
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await page.waitForURL(/localhost:\d+\/oauth\/callback/);
      await connected;
      expect(await tool("create_post", { title: "Bread oven to lend", body: "For a weekend." })).toContain(
        "Published.",
      );
      now += HOUR_MS + 1000;
      expect(await tool("search", { q: "bread" })).toContain("Baker");
      expect(asked()).toHaveLength(1);
      await call(board, "POST /publishers/me/rotate-key", { sign_out_hosts: true }, { key });
      const refused = tool("search", { q: "bread" }).catch(() => "refused");
      expect(await askedTimes(2)).toHaveLength(2);
      await client.close();
      expect(await refused).toBe("refused");
    } finally {
      await client.close();
      await browser.close();
      await board.stop();
    }
  });
});
