/**
 * Drives boards through hosts of models: each lists the tools, posts, and searches for its post. Prints
 * `{ HTTP: { <host>: { tools: [name], posted, found } }, stdio: … }`, the last two as the host would show them to its
 * model, or `{ failed }`.
 *
 *   node drive.mjs '{"HTTP": {"url": …, "key": …}, "stdio": {"command": …, "args": […], "env": {…}}}'
 */

import { fileURLToPath } from "node:url";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiSdkStdio } from "@ai-sdk/mcp/mcp-stdio";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";

const targets = JSON.parse(process.argv[2]);
const headers = { authorization: `Bearer ${targets.HTTP.key}` };
const isRemote = (target) => "url" in target;

const HOSTS = {
  async "@ai-sdk/mcp"(target) {
    const client = await createMCPClient({
      transport: isRemote(target) ? { type: "http", url: target.url, headers } : new AiSdkStdio(target),
    });
    const tools = await client.tools();
    const call = async (name, args) =>
      textOf(await tools[name].execute(args, { toolCallId: name, messages: [] }));
    return driven(Object.keys(tools), call, () => client.close());
  },

  async "@langchain/mcp-adapters"(target) {
    const board = isRemote(target)
      ? { transport: "http", url: target.url, headers }
      : { transport: "stdio", ...target };
    const client = new MultiServerMCPClient({ mcpServers: { board } });
    const tools = await client.getTools();
    const call = async (name, args) => String(await tools.find((tool) => tool.name === name).invoke(args));
    return driven(
      tools.map(({ name }) => name),
      call,
      () => client.close(),
    );
  },

  async "@openai/agents"(target) {
    const server = isRemote(target)
      ? new MCPServerStreamableHttp({ url: target.url, name: "board", requestInit: { headers } })
      : new MCPServerStdio({ ...target, name: "board" });
    await server.connect();
    const tools = await server.listTools();
    const call = async (name, args) => textOf({ content: await server.callTool(name, args) });
    return driven(
      tools.map(({ name }) => name),
      call,
      () => server.close(),
    );
  },

  async "mcp-use"(target) {
    process.env.MCP_USE_ANONYMIZED_TELEMETRY = "false";
    const { MCPClient } = await import("mcp-use/client");
    const client = new MCPClient({
      mcpServers: { board: isRemote(target) ? { url: target.url, headers } : target },
    });
    const session = await client.createSession("board");
    const tools = await session.listTools();
    const call = async (name, args) => textOf(await session.callTool(name, args));
    return driven(
      tools.map(({ name }) => name),
      call,
      () => client.closeAllSessions(),
    );
  },

  /** A relay over stdio, driven by the client of SDK 1.x. */
  async "mcp-remote"(target) {
    const client = new Client({ name: "drive", version: "1.0.0" });
    const proxy = fileURLToPath(import.meta.resolve("mcp-remote/dist/proxy.js"));
    const options = [
      "--allow-http",
      "--transport",
      "http-only",
      "--header",
      `Authorization:${headers.authorization}`,
    ];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [proxy, target.url, ...options],
        stderr: "ignore",
      }),
    );
    const { tools } = await client.listTools();
    const call = async (name, args) => textOf(await client.callTool({ name, arguments: args }));
    return driven(
      tools.map(({ name }) => name),
      call,
      () => client.close(),
    );
  },
};

let written = 0;

async function driven(tools, call, close) {
  written += 1;
  const title = `Post ${written} of a host`;
  const posted = await call("create_post", { title, body: "Written by a host of models." });
  const found = await call("search", { q: `"${title}"` });
  await close();
  return { tools, posted, found };
}

const textOf = ({ content }) => content.map((block) => block.text).join("\n");

const results = { HTTP: {}, stdio: {} };
for (const [way, target] of Object.entries(targets)) {
  for (const [host, drive] of Object.entries(HOSTS)) {
    // A relay to another board.
    if (host === "mcp-remote" && way === "stdio") continue;
    results[way][host] = await drive(target).catch((error) => ({ failed: String(error) }));
  }
}
process.stdout.write(JSON.stringify(results), () => process.exit(0));
