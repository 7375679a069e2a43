/**
 * Drives a board through one host of models: it lists the tools, posts under the title given, and searches for
 * that. Prints
 * `{ tools: [name], posted, found }`, the last two as the host would show them to its model.
 *
 *   node drive.mjs <host> '{"url": …, "key": …}' <title>
 *   node drive.mjs <host> '{"command": …, "args": […], "env": {…}}' <title>
 */

import { fileURLToPath } from "node:url";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiSdkStdio } from "@ai-sdk/mcp/mcp-stdio";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";

const [, , host, given, title] = process.argv;
const target = JSON.parse(given);
const isRemote = "url" in target;
const headers = { authorization: `Bearer ${target.key}` };
const POST = { title, body: "Written by a host of models." };

const HOSTS = {
  async "@ai-sdk/mcp"() {
    const client = await createMCPClient({
      transport: isRemote ? { type: "http", url: target.url, headers } : new AiSdkStdio(target),
    });
    const tools = await client.tools();
    const call = async (name, args) =>
      textOf(await tools[name].execute(args, { toolCallId: name, messages: [] }));
    return driven(Object.keys(tools), call, () => client.close());
  },

  async "@langchain/mcp-adapters"() {
    const board = isRemote
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

  async "@openai/agents"() {
    const server = isRemote
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

  async "mcp-use"() {
    process.env.MCP_USE_ANONYMIZED_TELEMETRY = "false";
    const { MCPClient } = await import("mcp-use/client");
    const client = new MCPClient({ mcpServers: { board: isRemote ? { url: target.url, headers } : target } });
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
  async "mcp-remote"() {
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

async function driven(tools, call, close) {
  const posted = await call("create_post", POST);
  const found = await call("search", { q: `"${title}"` });
  await close();
  return { tools, posted, found };
}

const textOf = ({ content }) => content.map((block) => block.text).join("\n");

process.stdout.write(JSON.stringify(await HOSTS[host]()));
process.exit(0);
