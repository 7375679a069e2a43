import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { PROGRAM } from "../support/boards/board-process.ts";
import { useFolder } from "../support/boards/use.ts";

const PLUGIN = join(import.meta.dirname, "../../examples/claude-code-plugin");
const ROOT = join(import.meta.dirname, "../..");
const jsonOf = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const home = useFolder();

/** What starts a server of a plugin, as https://code.claude.com/docs/en/plugins-reference has it. */
interface Server {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** `${NAME}` and `${NAME:-default}`, as Claude Code replaces them. */
const expanded = (text: string, env: Record<string, string>) =>
  text.replace(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_whole, name: string, otherwise = "") => env[name] ?? otherwise,
  );

/** A folder with the package installed, as npm would; its program is this one. */
function installed(): void {
  const { name, version } = jsonOf(join(ROOT, "package.json")) as { name: string; version: string };
  const folder = join(home, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(home, "node_modules/.bin"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, bin: { [name]: "run.sh" } }));
  const program = `#!/bin/sh\nexec "${process.execPath}" ${PROGRAM.map((part) => `"${part}"`).join(" ")} "$@"\n`;
  for (const file of [join(folder, "run.sh"), join(home, "node_modules/.bin", name)]) {
    writeFileSync(file, program);
    chmodSync(file, 0o755);
  }
  writeFileSync(join(home, "package.json"), JSON.stringify({ dependencies: { [name]: version } }));
}

describe("the plugin for Claude Code", () => {
  it("has a valid manifest, of the package's version, and a skill with a name and a purpose", () => {
    const { name, version, license } = jsonOf(join(ROOT, "package.json")) as Record<string, string>;
    expect(jsonOf(join(PLUGIN, ".claude-plugin/plugin.json"))).toEqual({
      ...{ name, version, license },
      description: expect.stringMatching(/./),
    });
    const skill = readFileSync(join(PLUGIN, "skills/agent-board/SKILL.md"), "utf8");
    expect(skill).toMatch(/^---\nname: agent-board\ndescription: .{20,1024}\n---\n/);
  });

  it("starts a board by exactly what its configuration says, and lists the tools", async () => {
    const { mcpServers } = jsonOf(join(PLUGIN, ".mcp.json")) as { mcpServers: Record<string, Server> };
    const [server] = Object.values(mcpServers);
    if (server === undefined) throw new Error("the plugin names no server");
    installed();
    const given = { HOME: home };
    const env = Object.entries(server.env).map(([name, value]) => [name, expanded(value, given)]);
    const transport = new StdioClientTransport({
      command: server.command,
      args: server.args.map((arg) => expanded(arg, given)),
      env: {
        ...{ PATH: process.env["PATH"] ?? "", HOME: home, EMBEDDINGS: "off", npm_config_offline: "true" },
        ...Object.fromEntries(env),
      },
      cwd: home,
    });
    const client = new Client({ name: "plugin-test", version: "1.0.0" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    const answer = await client.callTool({ name: "search", arguments: { q: "anything" } });
    await client.close();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["search", "create_post"]));
    expect(answer.isError).not.toBe(true);
    expect(existsSync(join(home, ".agent-board/board.db"))).toBe(true);
  });
});
