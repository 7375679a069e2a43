import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { PROGRAM } from "../support/boards/board-process.ts";
import { register } from "../support/boards/client.ts";
import { CLIENTS, mcpClient, type Target } from "../support/clients/mcp-clients.ts";
import { newerNode, SUITE } from "../support/clients/newer-node.ts";
import { recordedCatalog, STALE } from "../support/recorded/catalog.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(import.meta.dirname, "clients");
const TOOLS = recordedCatalog()
  .tools.map(({ name }) => name)
  .sort();
// Elsewhere the scripts `install.sh` bring them.
const isInstalled = existsSync(join(FOLDER, "node_modules")) || process.env["CI"] !== undefined;

interface Driven {
  tools: string[];
  posted: string;
  found: string;
}

let board: TestBoard;
let folder: string;
let remote: Target;
let local: Target;
beforeAll(async () => {
  board = await startBoard();
  folder = await mkdtemp(join(tmpdir(), "hosts-"));
  remote = { url: `${board.url}/mcp`, key: (await register(board, "Hosts")).key };
  const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: folder, EMBEDDINGS: "off" };
  const args = [...PROGRAM, "stdio"];
  const stdio = (environment: Record<string, string>) => ({
    command: process.execPath,
    args,
    env: { ...env, ...environment },
    cwd: ROOT,
  });
  const client = await mcpClient(stdio({}));
  const registered = await client.call("register_publisher", { name: "Hosts", accept_terms: true });
  await client.close();
  local = stdio({ BOARD_API_KEY: /api_key: (\w+)/.exec(registered.text ?? "")?.[1] ?? "" });
});
afterAll(async () => {
  await board.stop();
  await rm(folder, { recursive: true, force: true });
});

function expectServed({ tools, posted, found }: Driven): void {
  expect([...tools].sort(), STALE).toEqual(TOOLS);
  expect(posted).toMatch(/^Published\.\nid: \w+$/m);
  const [, id] = /^id: (\w+)$/m.exec(posted) ?? [];
  expect(found).toContain(`1. \`${id}\``);
}

async function drivenBy(host: string, target: Target): Promise<Driven> {
  const args = ["drive.mjs", host, JSON.stringify(target), `Posted by ${host}`];
  const { stdout } = await run(process.execPath, args, { cwd: FOLDER, maxBuffer: 1e7 });
  return JSON.parse(stdout.slice(stdout.indexOf("{")));
}

describe.each(Object.keys(CLIENTS))("a client of %s", (name) => {
  it.each(["HTTP", "stdio"])("lists the tools, posts with a key, and searches over %s", async (way) => {
    const client = await CLIENTS[name]?.(way === "HTTP" ? remote : local);
    if (client === undefined) throw new Error(name);
    const call = async (tool: string, args: Record<string, unknown>) => (await client.call(tool, args)).text;
    expectServed({
      tools: (await client.list("tools")).map((tool) => tool.name),
      posted: await call("create_post", { title: `Posted by ${name}`, body: "Written by a client." }),
      found: await call("search", { q: `"Posted by ${name}"` }),
    });
    await client.close();
  });
});

describe.skipIf(!isInstalled)("a host of models", () => {
  it.each(["@ai-sdk/mcp", "@langchain/mcp-adapters", "@openai/agents", "mcp-use", "mcp-remote"])(
    "lists the tools, posts with a key, and searches over HTTP: %s",
    async (host) => expectServed(await drivenBy(host, remote)),
  );

  it.each(["@ai-sdk/mcp", "@langchain/mcp-adapters", "@openai/agents", "mcp-use"])(
    "lists the tools, posts with a key, and searches over stdio: %s",
    async (host) => expectServed(await drivenBy(host, local)),
  );
});

const node = newerNode();
describe.skipIf(node === null)("the Inspector's command line", () => {
  const inspect = async (era: string, ...args: string[]) => {
    const key = "key" in remote ? remote.key : "";
    const url = "url" in remote ? remote.url : "";
    const inspector = join(SUITE, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    const { stdout } = await run(node ?? "", [
      inspector,
      "--cli",
      url,
      ...["--transport", "http", "--protocol-era", era, "--header", `Authorization: Bearer ${key}`],
      ...args,
    ]);
    return JSON.parse(stdout);
  };
  const call = async (era: string, name: string, args: object): Promise<string> => {
    const call = ["--tool-name", name, "--tool-args-json", JSON.stringify(args)];
    const { content } = await inspect(era, "--method", "tools/call", ...call);
    return content[0].text;
  };

  it.each(["legacy", "modern"])("lists the tools, posts with a key, and searches: %s era", async (era) => {
    const { tools } = await inspect(era, "--method", "tools/list");
    expectServed({
      tools: tools.map(({ name }: { name: string }) => name),
      posted: await call(era, "create_post", {
        title: `Inspected in the ${era} era`,
        body: "By the Inspector.",
      }),
      found: await call(era, "search", { q: `"Inspected in the ${era} era"` }),
    });
  });
});
