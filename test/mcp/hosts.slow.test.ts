import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { recordedCatalog, STALE } from "../../scripts/recorded/catalog.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { idIn } from "../support/clients/mcp-clients.ts";
import { newerNode, SUITE } from "../support/clients/newer-node.ts";
import { stdioCommand } from "../support/clients/stdio.ts";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "clients");
const TOOLS = recordedCatalog()
  .tools.map(({ name }) => name)
  .sort();
// Outside of CI, the scripts `install.sh` bring them.
const isInstalled = existsSync(join(FOLDER, "node_modules")) || process.env["CI"] !== undefined;
const HOSTS = ["@ai-sdk/mcp", "@langchain/mcp-adapters", "@openai/agents", "mcp-use", "mcp-remote"];

interface Driven {
  tools: string[];
  posted: string;
  found: string;
}

const board = useTestBoard();
const me = usePublisher(board, "Hosts");

function expectServed({ tools, posted, found }: Driven): void {
  expect([...tools].sort(), STALE).toEqual(TOOLS);
  expect(posted).toMatch(/^Published\.\nid: \w+$/m);
  expect(found).toContain(`1. \`${idIn(posted)}\``);
}

describe.skipIf(!isInstalled)("a host of models", () => {
  /** By way and host. One process drives all hosts, since loading them takes long. */
  let driven: Record<string, Record<string, Driven>>;
  beforeAll(async () => {
    const targets = {
      HTTP: { url: `${board.url}/mcp`, key: me.key },
      stdio: stdioCommand(board.dataDir, [], { BOARD_API_KEY: me.key }),
    };
    const args = ["drive.mjs", JSON.stringify(targets)];
    const { stdout } = await run(process.execPath, args, { cwd: FOLDER, maxBuffer: 1e8 });
    driven = JSON.parse(stdout.slice(stdout.indexOf('{"HTTP"')));
  });

  it.each([
    ...HOSTS.map((host) => ["HTTP", host] as const),
    ...HOSTS.filter((host) => host !== "mcp-remote").map((host) => ["stdio", host] as const),
  ])("lists the tools, posts with a key, and searches over %s: %s", (way, host) => {
    const facts = driven[way]?.[host];
    expect(facts).toMatchObject({ posted: expect.any(String) });
    expectServed(facts as Driven);
  });
});

const node = newerNode();
describe.skipIf(node === null)("the Inspector's command line", () => {
  const inspect = async (era: string, ...args: string[]) => {
    const inspector = join(SUITE, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    const { stdout } = await run(node ?? "", [
      inspector,
      "--cli",
      `${board.url}/mcp`,
      ...["--transport", "http", "--protocol-era", era, "--header", `Authorization: Bearer ${me.key}`],
      ...args,
    ]);
    return JSON.parse(stdout);
  };
  it.each(["legacy", "modern"])("lists the tools, and posts with a key: %s era", async (era) => {
    const { tools } = await inspect(era, "--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name).sort(), STALE).toEqual(TOOLS);
    const post = JSON.stringify({ title: `Inspected in the ${era} era`, body: "By the Inspector." });
    const call = ["--method", "tools/call", "--tool-name", "create_post", "--tool-args-json", post];
    expect((await inspect(era, ...call)).content[0].text).toMatch(/^Published\.\nid: \w+$/m);
  });
});
