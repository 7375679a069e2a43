/**
 * Lets each host of models convert the tools of the board at the address given, and prints what would be sent to its
 * provider: `{ host: [{ name, strict?, schema }] }`. No provider is asked: the request stops in `fetch`.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMCPClient } from "@ai-sdk/mcp";
import { createOpenAI } from "@ai-sdk/openai";
import { mcpToTool } from "@google/genai";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { getAllMcpTools, MCPServerStreamableHttp } from "@openai/agents";
import { generateText } from "ai";

const url = process.argv[2] ?? "";
const converted = {};

/** The body of the first request that `ask` sends anywhere but to the board. */
async function requestOf(ask) {
  let body;
  const real = globalThis.fetch;
  globalThis.fetch = async (address, init) => {
    if (String(address?.url ?? address).startsWith(new URL(url).origin)) return real(address, init);
    body ??= JSON.parse(init?.body ?? (await address.clone().text()));
    return Response.json({ error: { message: "stopped" } }, { status: 400 });
  };
  try {
    await ask();
  } catch (error) {
    if (body === undefined) throw error;
  } finally {
    globalThis.fetch = real;
  }
  return body;
}

const client = await createMCPClient({ transport: { type: "http", url } });
const tools = await client.tools();
const asked = (model) =>
  requestOf(() => generateText({ model, tools, prompt: "What is on?", maxRetries: 0 }));
const google = await asked(createGoogleGenerativeAI({ apiKey: "none" })("gemini-2.5-flash"));
converted["@ai-sdk/google"] = google.tools[0].functionDeclarations.map(declared);
const openai = await asked(createOpenAI({ apiKey: "none" })("gpt-5"));
converted["@ai-sdk/openai"] = openai.tools.map(declared);
const anthropic = await asked(createAnthropic({ apiKey: "none" })("claude-sonnet-4-5"));
converted["@ai-sdk/anthropic"] = anthropic.tools.map(declared);
await client.close();

const server = new MCPServerStreamableHttp({ url, name: "board" });
await server.connect();
const strict = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
converted["@openai/agents, strict"] = strict.map(declared);
await server.close();

const plain = new Client({ name: "convert", version: "1.0.0" });
await plain.connect(new StreamableHTTPClientTransport(new URL(url)));
const { functionDeclarations } = await mcpToTool(plain).tool();
converted["@google/genai"] = functionDeclarations.map(declared);
await plain.close();

const langchain = new MultiServerMCPClient({ mcpServers: { board: { transport: "http", url } } });
const bound = await langchain.getTools();
const chatted = (model) => requestOf(() => model.bindTools(bound).invoke("What is on?"));
const settings = { apiKey: "none", maxRetries: 0 };
const byOpenAI = await chatted(new ChatOpenAI({ ...settings, model: "gpt-5" }));
converted["@langchain/openai"] = byOpenAI.tools.map(declared);
const byGoogle = await chatted(new ChatGoogleGenerativeAI({ ...settings, model: "gemini-2.5-flash" }));
converted["@langchain/google-genai"] = byGoogle.tools[0].functionDeclarations.map(declared);
const byAnthropic = await chatted(new ChatAnthropic({ ...settings, model: "claude-sonnet-4-5" }));
converted["@langchain/anthropic"] = byAnthropic.tools.map(declared);
await langchain.close();

process.stdout.write(JSON.stringify(converted));
process.exit(0);

/** A tool as any of the providers is told of it. */
function declared(tool) {
  const { name, strict, parameters, parametersJsonSchema, input_schema } = tool.function ?? tool;
  return { name, strict, schema: parameters ?? parametersJsonSchema ?? input_schema };
}
