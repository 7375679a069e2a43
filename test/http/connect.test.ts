import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { claudeCodeCommand, desktopConfig, waysToConnect } from "../../src/adapters/reference/connect.ts";
import { Site } from "../../src/domain/site.ts";

const site = new Site("https://board.example");
const ways = new Map(waysToConnect(site).map((way) => [way.id, way]));
const way = (id: string) => {
  const found = ways.get(id);
  if (found === undefined) throw new Error(`no way "${id}"`);
  return found;
};

describe("waysToConnect", () => {
  it("nests each configuration as its client expects it, with the key as a header", () => {
    const server = { url: "https://board.example/mcp" };
    const keyed = { ...server, headers: { Authorization: "Bearer bbk_…" } };
    const [cursor, vscode] = ["cursor", "vscode"].map((id) =>
      [way(id).snippet, way(id).withKey ?? ""].map((text) => JSON.parse(text)),
    );
    expect(cursor).toEqual([{ mcpServers: { board: server } }, { mcpServers: { board: keyed } }]);
    expect(vscode).toEqual(
      [server, keyed].map((each) => ({ servers: { board: { type: "http", ...each } } })),
    );
    expect(JSON.parse(way("claude-desktop").withKey ?? "").mcpServers.board).toEqual({
      command: "node",
      args: ["<clone>/dist/src/main.js", "stdio", "--url", "https://board.example"],
      env: { BOARD_API_KEY: "bbk_…" },
    });
    expect(way("curl").snippet).toBe("curl 'https://board.example/api/v1/search?q=road+bike&limit=3'");
    expect(way("claude-code").withKey).toBe(
      'claude mcp add --transport http board https://board.example/mcp --header "Authorization: Bearer bbk_…"',
    );
  });

  // The last root has `+`, `/` and `=` in its base64, and characters in its JSON that must be encoded twice.
  it.each(["https://board.example", "http://localhost:8787", "https://xn--brd-tna.example/b?a>b~&c=d%20ü"])(
    "makes links that decode to the printed configuration: %s",
    (root) => {
      const [cursor, vscode] = ["cursor", "vscode"].map((id) =>
        waysToConnect(new Site(root)).find((each) => each.id === id),
      );
      const cursorUrl = new URL(cursor?.install?.url ?? "");
      const config = Buffer.from(cursorUrl.searchParams.get("config") ?? "", "base64").toString();
      expect(cursorUrl.searchParams.get("name")).toBe("board");
      expect({ mcpServers: { board: JSON.parse(config) } }).toEqual(JSON.parse(cursor?.snippet ?? ""));

      const install = new URL(vscode?.install?.url ?? "").searchParams.get("url") ?? "";
      expect(install.startsWith("vscode:mcp/install?")).toBe(true);
      const { name, ...server } = JSON.parse(decodeURIComponent(install.slice(install.indexOf("?") + 1)));
      expect({ servers: { [name]: server } }).toEqual(JSON.parse(vscode?.snippet ?? ""));
    },
  );
});

describe("README.md", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const section = readme.split("## Connect an agent")[1]?.split("\n## ")[0] ?? "";

  it("connects clients as the pages do", () => {
    expect(section).toContain(`\`${claudeCodeCommand(new Site("http://localhost:8787"))}\``);
    const configs = [...section.matchAll(/`(\{.*?\})`/g)].map(([, json]) => JSON.parse(json ?? ""));
    const settings = { DATA_DIR: "<clone>/data", BOARD_API_KEY: "bbk_…" };
    expect(configs).toEqual([desktopConfig(["stdio"], settings)]);
    for (const { install } of waysToConnect(new Site("http://localhost:8787"))) {
      if (install !== undefined) expect(section).toContain(`](${install.url})`);
    }
  });
});
